// Package progress says how far a run is: one line that is redrawn on a terminal,
// or a plain line every so often where lines are kept, as in CI. It shows numbers
// and names of providers alone, never what a model or an attacker wrote.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"vaultbench/internal/escape"
)

// Every is how often a plain line is printed.
const Every = 30 * time.Second

// redraw is how often the line on a terminal is.
const redraw = 250 * time.Millisecond

// Config of a tracker.
type Config struct {
	Out      io.Writer
	Terminal bool             // redraw one line; else plain lines
	Every    time.Duration    // between plain lines; 0: Every
	Now      func() time.Time // nil: time.Now
	Waiting  func() []Wait    // whom the run waits for; nil: nobody
	Spent    func() string    // such as "$1.20 of $5.00"; nil or empty: nothing is said
}

// Wait is a provider that lets the run wait.
type Wait struct {
	Provider string
	Until    time.Time // when it may be asked again; zero: unknown
	Why      string    // such as why its key is no longer asked; may be empty
}

// Tracker counts evaluations as they end. It is safe for concurrent use.
type Tracker struct {
	cfg   Config
	begun time.Time

	mu      sync.Mutex
	planned int
	done    int
	errors  map[string]int // ends that are errors
	shown   int            // lines that were printed
	bar     *progressbar.ProgressBar

	stop    chan struct{}
	stopped sync.WaitGroup
}

// Start begins to show. Stop must be called.
func Start(c Config) *Tracker {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Every = cmp.Or(c.Every, Every)
	t := &Tracker{cfg: c, begun: c.Now(), errors: map[string]int{}, stop: make(chan struct{})}
	every := c.Every
	if c.Terminal {
		every = redraw
		t.bar = progressbar.NewOptions(0, progressbar.OptionSetWriter(c.Out), progressbar.OptionSetWidth(20),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionUseANSICodes(true), progressbar.OptionThrottle(redraw/2))
	}
	t.stopped.Add(1)
	go t.tick(every)
	return t
}

func (t *Tracker) tick(every time.Duration) {
	defer t.stopped.Done()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.show()
		case <-t.stop:
			return
		}
	}
}

// Plan adds evaluations that are to be run.
func (t *Tracker) Plan(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.planned += n
}

// Ended counts one evaluation; errorKind is empty for one that is final.
func (t *Tracker) Ended(errorKind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if errorKind != "" {
		t.errors[errorKind]++
	}
}

// Stop shows the last state, if any was shown before, and stops.
func (t *Tracker) Stop() {
	close(t.stop)
	t.stopped.Wait()
	if t.bar != nil {
		_ = t.bar.Finish() // a terminal that is gone hinders nobody
	}
	if t.shown > 0 {
		_, _ = fmt.Fprintln(t.cfg.Out, t.Line())
	}
}

// show prints or redraws. Progress that can't be written must not end a run.
func (t *Tracker) show() {
	line := t.Line()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shown++
	if t.bar == nil {
		_, _ = fmt.Fprintln(t.cfg.Out, line)
		return
	}
	t.bar.ChangeMax(max(t.planned, 1))
	t.bar.Describe(line)
	_ = t.bar.Set(t.done)
}

// Line is the state in words, one line that starts no CI command.
func (t *Tracker) Line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.cfg.Now()
	parts := []string{fmt.Sprintf("%d/%d evaluations", t.done, t.planned)}
	if elapsed := now.Sub(t.begun).Seconds(); t.done > 0 && elapsed > 0 {
		rate := float64(t.done) / elapsed
		parts = append(parts, fmt.Sprintf("%.1f/s", rate))
		if left := t.planned - t.done; left > 0 {
			parts = append(parts, "about "+(time.Duration(float64(left)/rate*float64(time.Second))).Round(time.Second).String()+" left")
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(t.errors)) {
		parts = append(parts, fmt.Sprintf("%d %s", t.errors[kind], kind))
	}
	if t.cfg.Waiting != nil {
		for _, w := range t.cfg.Waiting() {
			parts = append(parts, w.words(now))
		}
	}
	if t.cfg.Spent != nil {
		if spent := t.cfg.Spent(); spent != "" {
			parts = append(parts, spent)
		}
	}
	return escape.Line("progress: " + strings.Join(parts, ", "))
}

func (w Wait) words(now time.Time) string {
	switch {
	case w.Why != "":
		return w.Provider + " is not asked any more: " + w.Why
	case w.Until.IsZero():
		return "waiting on " + w.Provider
	}
	return fmt.Sprintf("waiting on %s for %s", w.Provider, w.Until.Sub(now).Round(time.Second))
}
