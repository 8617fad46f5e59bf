package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	widths  = []int{360, 1280, 1920}
	schemes = []string{"light", "dark"}
	answers = []string{"answer-unpermitted", "answer-closest", "answer-refused", "answer-not-run", "answer-trust"}
)

// accessible runs axe-core over a part of the page and lists what it finds, contrast and
// names among it.
func accessible(t *testing.T, w *watched, part string) {
	t.Helper()
	w.run(chromedp.Evaluate(string(modules(t, "axe-core/axe.min.js"))+";true", nil))
	found := value[string](w, `axe.run(`+part+`, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.length, v.nodes.slice(0, 4).map(n => n.target.join(" ") + ": " + n.failureSummary)])))`)
	var violations []any
	require.NoError(t, json.Unmarshal([]byte(found), &violations))
	for _, v := range violations {
		text, _ := json.MarshalIndent(v, "", "  ")
		t.Errorf("axe: %s", text)
	}
}

// TestPage opens the report at every width in both colour schemes.
func TestPage(t *testing.T) {
	url := address(t)
	for _, width := range widths {
		for _, scheme := range schemes {
			t.Run(fmt.Sprintf("%d/%s", width, scheme), func(t *testing.T) {
				w := tab(t, width, scheme, url)
				w.open(url)
				for _, id := range answers {
					assert.NotEmpty(t, w.text("#"+id), id)
				}
				assert.Regexp(t, `[\d,]+ of [\d,]+ evaluations`, w.text("#answer-unpermitted"))
				assert.Regexp(t, `At most [\d.]+% per session \(3/S, S = \d+ sessions\); at most [\d.]+% per evaluation`, w.text("#answer-unpermitted"), "a zero carries its bound")
				assert.Regexp(t, `l\d-\d{4}`, w.text("#answer-closest"), "an attack is named")
				assert.Regexp(t, `(?i)honest payments? (was )?refused; [\d,]+ of [\d,]+`, w.text("#answer-refused"))
				assert.Regexp(t, `conditions|verify`, w.text("#answer-trust"))
				assert.LessOrEqual(t, value[int](w, "document.documentElement.scrollWidth"), width, "nothing sticks out sideways")
				if scheme == "dark" {
					assert.Less(t, value[int](w, `Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0])`), 60, "dark is dark")
				}
				accessible(t, w, `document`)
				w.run(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil))
				assert.LessOrEqual(t, value[int](w, "document.documentElement.scrollWidth"), width, "not with everything open either")
				first := value[string](w, `document.querySelector("#list a").hash`)
				w.run(chromedp.Evaluate("location.hash = "+quoted(first), nil))
				w.eventually(`!document.getElementById("transcript").hidden`, "a link per evaluation")
				accessible(t, w, `"#evaluations"`)
			})
		}
	}
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// TestKeyboard uses the page without a pointer.
func TestKeyboard(t *testing.T) {
	url := address(t)
	w := tab(t, 1280, "light", url)
	active := func() string {
		return value[string](w, `document.activeElement.id || document.activeElement.className`)
	}
	w.open(url)
	w.run(chromedp.KeyEvent(kb.Tab))
	assert.Equal(t, "skip", active(), "the first stop leads past the contents")
	w.run(chromedp.KeyEvent(kb.Enter))
	assert.Equal(t, "main", active())
	w.run(chromedp.KeyEvent(kb.Tab))
	assert.True(t, value[bool](w, `document.activeElement.matches("main a")`), "a number is a link")

	w.press("#answer-unpermitted a", kb.Enter)
	w.eventually(`location.hash.startsWith("#find?") && document.activeElement.id === "q"`, "a number leads to its evaluations, and the focus goes along")
	assert.Regexp(t, `^[\d,]+ of the [\d,]+ evaluations in this page`, w.text("#found"))
	all := value[int](w, `document.querySelectorAll("#list li").length`)
	require.Positive(t, all)

	w.press("#f-flag", "U") // picks "Unpermitted transfer executed"
	w.eventually(`document.getElementById("f-flag").value === "unpermitted"`, "a filter is set by a key")
	w.eventually(`/^(None|0)/.test(document.getElementById("found").textContent)`, "behind the layer there is none")
	w.press("#find button[type=reset]", kb.Enter)
	w.eventually(fmt.Sprintf(`document.querySelectorAll("#list li").length >= %d`, all), "cleared by a key")

	w.press("#f-level", kb.ArrowDown)
	w.eventually(`[...document.querySelectorAll("#list a")].length > 0 && [...document.querySelectorAll("#list a")].every(a => /\/l[234]\//.test(a.hash.replaceAll("%2F", "/")))`, "levels are filtered")
	w.press("#f-code", "oap.mer")
	w.eventually(`document.getElementById("f-code").value === "oap.merchant_forbidden"`, "a code is picked by typing it")
	w.eventually(`[...document.querySelectorAll("#list a")].every(a => a.textContent.includes("oap.merchant_forbidden"))`, "codes are filtered")
	w.press("#q", "transfer_funds")
	w.eventually(`document.querySelectorAll("#list li").length > 0`, "the text of calls is searched")

	w.press("#list a", kb.Enter)
	w.eventually(`document.activeElement.id === "transcript"`, "the transcript takes the focus")
	assert.Contains(t, w.text("#transcript"), "transfer_funds")
	assert.Contains(t, w.text("#transcript"), "User, message 1")
	before := value[string](w, "location.hash")
	w.run(chromedp.NavigateBack())
	w.eventually("location.hash !== "+quoted(before), "the way back works")

	w.press("#funnel summary", kb.Enter)
	assert.True(t, value[bool](w, `document.querySelector("#funnel details").open`), "tables open by key")
}

// TestPrint: printed, nothing that only works on a screen is left.
func TestPrint(t *testing.T) {
	url := address(t)
	w := tab(t, 1280, "dark", url)
	w.open(url)
	w.run(chromedp.ActionFunc(printMedia))
	assert.True(t, value[bool](w, `getComputedStyle(document.getElementById("find")).display === "none" && getComputedStyle(document.querySelector(".contents")).display === "none"`))
	assert.Equal(t, "rgb(255, 255, 255)", value[string](w, "getComputedStyle(document.body).backgroundColor"), "paper is white, whatever the screen")
}

// firstHeight is how much of the page a picture for docs/report shows, by width.
var firstHeight = map[int]int64{360: 1500, 1280: 1250, 1920: 1250}

// TestScreenshots writes pictures into the folder SHOTS, where it is set: they are
// for people to look at. Those of the page's beginning are kept in docs/report.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("SHOTS")
	if dir == "" {
		t.Skip("SHOTS names no folder for pictures")
	}
	url := address(t)
	for _, width := range widths {
		for _, scheme := range schemes {
			t.Run(fmt.Sprintf("%d/%s", width, scheme), func(t *testing.T) {
				w := tab(t, width, scheme, url)
				w.run(page.BringToFront()) // a tab behind another draws nothing
				w.open(url)
				shot := func(name string, height int64) {
					var png []byte
					w.run(emulation.SetDeviceMetricsOverride(int64(width), height, 1, width < 500), chromedp.CaptureScreenshot(&png))
					require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), png, 0o644))
				}
				shot("report", firstHeight[width])
				shot("whole", value[int64](w, "document.documentElement.scrollHeight"))
			})
		}
	}
}
