package progress_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/progress"
)

func TestLine(t *testing.T) {
	begun := time.Date(2031, 3, 3, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		planned int
		ended   []string // error kinds
		elapsed time.Duration
		waiting []progress.Wait
		spent   string
		want    string
		reason  string
	}{
		{"begun", 4000, nil, 0, nil, "", "progress: 0/4000 evaluations", "no rate of nothing"},
		{"going on", 40, []string{"", "", "", ""}, 2 * time.Second, nil, "", "progress: 4/40 evaluations, 2.0/s, about 18s left", "36 at 2 a second"},
		{"done", 2, []string{"", ""}, time.Second, nil, "", "progress: 2/2 evaluations, 2.0/s", "nothing is left"},
		{"errors", 9, []string{"provider_error", "", "harness_error", "provider_error"}, time.Second, nil, "", "progress: 4/9 evaluations, 4.0/s, about 1s left, 1 harness_error, 2 provider_error", "by kind, in a fixed order"},
		{"waiting", 9, nil, 0, []progress.Wait{{Provider: "acme", Until: begun.Add(90 * time.Second)}}, "", "progress: 0/9 evaluations, waiting on acme for 1m30s", "as the provider asked"},
		{"key used up", 9, nil, 0, []progress.Wait{{Provider: "acme", Why: "quota used up"}}, "", "progress: 0/9 evaluations, acme is not asked any more: quota used up", "nobody waits for it"},
		{"spend", 9, nil, 0, nil, "$1.20 of $5.00", "progress: 0/9 evaluations, $1.20 of $5.00", "what it cost so far"},
		{"hostile reason", 9, nil, 0, []progress.Wait{{Provider: "acme", Why: "x\n::error::y\x1b[31m"}}, "", "", "no second line, no escape sequence"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := begun
			p := progress.Start(progress.Config{
				Out: &bytes.Buffer{}, Every: time.Hour, Now: func() time.Time { return now },
				Waiting: func() []progress.Wait { return tt.waiting }, Spent: func() string { return tt.spent },
			})
			defer p.Stop()
			p.Plan(tt.planned)
			for _, kind := range tt.ended {
				p.Ended(kind)
			}
			now = begun.Add(tt.elapsed)
			got := p.Line()
			require.NotContains(t, got, "\n")
			require.NotContains(t, got, "\x1b")
			if tt.want != "" {
				require.Equal(t, tt.want, got, tt.reason)
			}
		})
	}
}

// lines is a writer that may be read while it is written to.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }
func (l *lines) text() string                { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// TestPlainLines: one every so often, one at the end, and none of a run that ends
// before the first is due.
func TestPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lines
		p := progress.Start(progress.Config{Out: &out})
		p.Plan(3)
		time.Sleep(29 * time.Second)
		synctest.Wait()
		require.Empty(t, out.text())
		p.Ended("")
		time.Sleep(32 * time.Second)
		synctest.Wait()
		require.Equal(t, "progress: 1/3 evaluations, 0.0/s, about 1m0s left\nprogress: 1/3 evaluations, 0.0/s, about 2m0s left\n", out.text())
		p.Ended("provider_error")
		p.Stop()
		require.Equal(t, 3, strings.Count(out.text(), "\n"))
		require.Contains(t, out.text(), "2/3 evaluations, 0.0/s, about 31s left, 1 provider_error\n")
	})
	synctest.Test(t, func(t *testing.T) {
		var out lines
		p := progress.Start(progress.Config{Out: &out})
		time.Sleep(29 * time.Second)
		p.Stop()
		require.Empty(t, out.text(), "a short run says nothing")
	})
}

// TestTerminal: one line, redrawn.
func TestTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lines
		p := progress.Start(progress.Config{Out: &out, Terminal: true})
		p.Plan(8)
		for range 4 {
			p.Ended("")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		require.Contains(t, out.text(), "\rprogress: 4/8 evaluations, 1.1/s, about 4s left")
		require.NotContains(t, out.text(), "\n", "nothing scrolls")
		p.Stop()
		require.Equal(t, 1, strings.Count(out.text(), "\n"), "the last state stays")
	})
}
