package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chromium is the browser's command; empty where the machine has none.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// modules is a file of an npm package; the test is skipped where it is not
// installed.
func modules(t testing.TB, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("node_modules", filepath.FromSlash(file)))
	if err != nil {
		t.Skipf("npm package not installed: run npm install in scripts/browser (%v)", err)
	}
	return raw
}

// browser is one Chromium for the tests of a process.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := chromium()
	if path == "" {
		return nil, fmt.Errorf("no Chromium on this machine")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-prefers-reduced-motion", true), chromedp.Flag("font-render-hinting", "none"))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...) // ends with the process
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Run(ctx)
})

// watched is a tab that notes what a page must not do.
type watched struct {
	context.Context
	t        testing.TB
	mu       sync.Mutex
	faults   []string
	requests []string
}

// tab opens a tab of a width and colour scheme. At its end nothing may have gone
// to the console as an error, and no request may have left but for those allowed.
func tab(t testing.TB, width int, scheme string, allowed ...string) *watched {
	t.Helper()
	w := watch(t, width, scheme)
	t.Cleanup(func() {
		faults, requests := w.seen()
		assert.Empty(t, faults, "console errors, exceptions and dialogs")
		for _, r := range requests {
			ok := strings.HasPrefix(r, "data:") || strings.HasPrefix(r, "about:")
			for _, prefix := range allowed {
				ok = ok || strings.HasPrefix(r, prefix)
			}
			assert.True(t, ok, "a request left: %s", r)
		}
	})
	return w
}

// watch opens a tab and notes what its page does.
func watch(t testing.TB, width int, scheme string) *watched {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Skipf("%v: install Debian's chromium", err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	limited, stop := context.WithTimeout(ctx, 10*time.Minute)
	w := &watched{Context: limited, t: t}
	t.Cleanup(func() {
		stop()
		cancel()
	})
	chromedp.ListenTarget(limited, w.listen)
	require.NoError(t, chromedp.Run(w, network.Enable(), runtime.Enable(), log.Enable(), cdppage.Enable(),
		emulation.SetDeviceMetricsOverride(int64(width), 900, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}})))
	return w
}

// seen is what was noted so far.
func (w *watched) seen() (faults, requests []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.faults), slices.Clone(w.requests)
}

func (w *watched) listen(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.faults = append(w.faults, "exception: "+e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			w.faults = append(w.faults, fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			w.faults = append(w.faults, "log: "+e.Entry.Text)
		}
	case *cdppage.EventJavascriptDialogOpening:
		w.faults = append(w.faults, "dialog: "+e.Message)
		go func() { _ = chromedp.Run(w, cdppage.HandleJavaScriptDialog(true)) }() // else the page waits for ever
	case *network.EventRequestWillBeSent:
		w.requests = append(w.requests, e.Request.URL)
	}
}

func (w *watched) run(actions ...chromedp.Action) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Run(w, actions...))
}

// text is what an element says.
func (w *watched) text(selector string) string {
	w.t.Helper()
	return value[string](w, "document.querySelector("+quoted(selector)+").innerText")
}

// open goes to a page and waits until its script has run.
func (w *watched) open(url string) {
	w.t.Helper()
	w.run(chromedp.Navigate(url))
	w.eventually(`document.readyState === "complete" && !document.getElementById("find").hidden && document.getElementById("found").textContent !== ""`, "the page is ready")
}

// press puts the focus on an element and presses keys.
func (w *watched) press(selector, keys string) {
	w.t.Helper()
	require.True(w.t, value[bool](w, "(e => { e.focus(); return document.activeElement === e })(document.querySelector("+quoted(selector)+"))"), "%s takes the focus", selector)
	w.run(chromedp.KeyEvent(keys))
}

// value evaluates an expression.
func value[T any](w *watched, expression string) T {
	w.t.Helper()
	var out T
	w.run(chromedp.Evaluate(expression, &out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return out
}

// eventually waits for an expression to become true.
func (w *watched) eventually(expression, reason string) {
	w.t.Helper()
	for range 100 {
		if value[bool](w, expression) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.Fail(w.t, "never true: "+expression, reason)
}

// address is that of a report to look at: that of REPORT_RUN, or the golden one.
func address(t testing.TB) string {
	t.Helper()
	path := filepath.Join("..", "..", "golden", "reports", "report.html")
	if run := os.Getenv("REPORT_RUN"); run != "" {
		path = filepath.Join(run, "report.html")
	}
	abs, err := filepath.Abs(path)
	require.NoError(t, err)
	_, err = os.Stat(abs)
	require.NoError(t, err)
	return "file://" + abs
}
