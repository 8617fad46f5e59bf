package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/publish"
	"vaultbench/internal/publish/publishtest"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

// saved writes a page into a folder and tells its address.
func saved(t *testing.T, name, html string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(html), 0o644))
	return "file://" + path
}

// provoke does to every element what makes markup of an attacker run.
const provoke = `(() => {
	for (const d of document.querySelectorAll("details")) d.open = true;
	for (const e of document.querySelectorAll("body *")) {
		for (const name of ["mouseover", "mouseenter", "focus", "load", "error", "toggle"]) e.dispatchEvent(new Event(name));
		if (e.focus) e.focus();
	}
})()`

// inert holds that a page has no element and no attribute but its own.
func inert(w *watched) {
	w.t.Helper()
	w.run(chromedp.Evaluate(provoke, nil))
	assert.Equal(w.t, "undefined", value[string](w, "typeof window."+publishtest.Canary), "no script of theirs ran")
	assert.Empty(w.t, value[[]string](w, `[...document.querySelectorAll("img, image, iframe, object, embed, base, script[src], link, audio, video, meta[http-equiv=refresh]")].map(e => e.outerHTML)`), "nothing is loaded")
	assert.Equal(w.t, 2, value[int](w, `document.scripts.length`), "the data and our own script")
	assert.Empty(w.t, value[[]string](w, `[...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).filter(a => /^on|^srcdoc$/i.test(a.name)).map(a => a.name + "=" + a.value)`), "no handler")
	assert.Empty(w.t, value[[]string](w, `[...document.querySelectorAll("a, area")].map(e => e.getAttribute("href")).filter(h => !h.startsWith("#"))`), "no link leads away")
}

// TestControl: what is looked at in the hostile tests does happen in a page that
// shows the same texts as markup, so that silence there means something.
func TestControl(t *testing.T) {
	texts := publishtest.Hostile()
	url := saved(t, "control.html", "<!doctype html><body>"+texts["script"]+texts["image"]+`<p title="`+texts["attribute"]+`">`)
	w := watch(t, 1280, "light")
	w.run(chromedp.Navigate(url))
	w.run(chromedp.Evaluate(provoke, nil))
	w.eventually("window."+publishtest.Canary+" === 1", "the canary sings")
	faults, requests := w.seen()
	assert.Condition(t, func() bool {
		return slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, "dialog: ") })
	}, "a dialog is noticed: %v", faults)
	assert.Condition(t, func() bool {
		return slices.ContainsFunc(requests, func(r string) bool { return strings.HasPrefix(r, "http") })
	}, "a request is noticed: %v", requests)
}

// TestHostilePage opens a page in which each text is an attacker's, a page a text.
func TestHostilePage(t *testing.T) {
	for name, text := range publishtest.Hostile() {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			require.NoError(t, page.Write(&b, publishtest.Page(text)))
			url := saved(t, "report.html", b.String())
			w := tab(t, 360, "light", url)
			w.open(url)
			assert.LessOrEqual(t, value[int](w, "document.documentElement.scrollWidth"), 360, "no text sticks out sideways")
			w.run(chromedp.Evaluate(`document.querySelector("#list a").click()`, nil))
			w.eventually(`document.activeElement.id === "transcript"`, "the transcript is shown")
			assert.Subset(t, []string{"h3", "dl", "div", "dt", "dd", "ol", "li", "p", "pre", "details", "summary"},
				value[[]string](w, `[...new Set([...document.querySelectorAll("#transcript *")].map(e => e.localName))]`))
			said := value[[]string](w, `[...document.querySelectorAll("#transcript pre")].map(e => e.textContent)`)
			assert.Equal(t, slices.Repeat([]string{report.Cut(text, report.MaxText)}, 4), said, "message, reply, arguments and answer stand as text")
			inert(w)
		})
	}
}

// TestHostileRun opens the report of a sealed run, and the pages that are served
// of it: every attack can be found and read, by its link, too, and nothing executes.
func TestHostileRun(t *testing.T) {
	run := publishtest.Run(t)
	_, err := run.Write()
	require.NoError(t, err)
	listener, err := publish.Listen(0)
	require.NoError(t, err)
	pages, err := run.Serve()
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: pages}}
	server.Start()
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name, url string
		limit     int // of one text, in bytes
	}{
		{"file", "file://" + filepath.Join(run.Folder, publish.PageFile), report.MaxText},
		{"served", server.URL + "/", publish.MaxServedText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tab(t, 1280, "dark", tt.url)
			w.open(tt.url)
			for name, text := range publishtest.Hostile() {
				showsInert(w, name, text, tt.limit)
			}
		})
		t.Run(tt.name+", links of others", func(t *testing.T) { followsInert(t, tt.url) })
	}
}

// followsInert follows links that name nothing of the run. All that may be heard
// is that the server knows no such evaluation.
func followsInert(t *testing.T, url string) {
	w := watch(t, 1280, "light")
	w.open(url)
	for _, hash := range []string{
		"e=%3Cscript%3Ealert(1)%3C/script%3E", "e=__proto__", "e=", "e=%", "find?level=%22%3E", "find?__proto__=1&constructor=2&elements=3&q=",
		"find?q=%3Cimg%20src=x%20onerror=alert(1)%3E&attack=%3Cscript%3E", "find?kind=%3Csvg%20onload=alert(1)%3E", "data", "transcript",
	} {
		w.run(chromedp.Evaluate("location.hash = "+quoted(hash), nil))
		assert.True(t, value[bool](w, `new Promise(done => setTimeout(() => done(document.getElementById("found").textContent !== ""), 150))`), hash)
	}
	inert(w)
	faults, requests := w.seen()
	for _, f := range faults {
		assert.Contains(t, f, "404 (Not Found)")
	}
	for _, r := range requests {
		assert.True(t, strings.HasPrefix(r, url), "a request left: %s", r)
	}
}

// showsInert goes to an attack by a link, as whoever wrote it might have others do.
func showsInert(w *watched, name, text string, limit int) {
	w.t.Helper()
	id := publishtest.ID(text)
	w.run(chromedp.Evaluate(fmt.Sprintf("location.hash = 'e=' + encodeURIComponent(%s)", quoted(report.Cut(id, limit))), nil))
	w.eventually(fmt.Sprintf(`document.querySelector("#transcript h3")?.textContent === %s && !!document.querySelector("#transcript pre")`, quoted(report.Cut(id, limit))), name)
	said := value[[]string](w, `[...document.querySelectorAll("#transcript pre")].map(e => e.textContent)`)
	require.NotEmpty(w.t, said, name)
	assert.Equal(w.t, report.Cut(text, limit), said[0], "%s: what the user wrote stands as text", name)
	inert(w)
}
