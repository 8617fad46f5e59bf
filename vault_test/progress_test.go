package vault_test

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/progress"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
)

// counted is a run whose evaluations are counted as they end.
type counted struct {
	*suite.Run
	progress *progress.Tracker
}

// Append records an evaluation, and then counts it.
func (w counted) Append(e record.Evaluation) error {
	if err := w.Run.Append(e); err != nil {
		return err
	}
	kind := ""
	if e.End != record.Completed && e.End != record.InputFiltered {
		kind = string(e.End)
	}
	w.progress.Ended(kind)
	return nil
}

// watch shows how far the run is: on the terminal, past the pipe of go test, where
// live models make it long and there is one; else by lines.
func (b *bench) watch() {
	out, terminal := io.Writer(os.Stdout), false
	if !b.Options.CI && len(b.Options.Models) > 0 {
		if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
			out, terminal = tty, true
		}
	}
	b.progress = progress.Start(progress.Config{Out: out, Terminal: terminal, Waiting: b.waits, Spent: b.budget.String})
	b.Suite.Sink = counted{b.run, b.progress}
	_, final, _ := b.run.Resumed()
	b.progress.Plan(-final)
}

// waits are the providers that let the run wait.
func (b *bench) waits() []progress.Wait {
	var waits []progress.Wait
	for _, l := range b.limiters {
		if s := l.State(); s.Dead != "" || !s.Until.IsZero() {
			waits = append(waits, progress.Wait{Provider: s.Provider, Until: s.Until, Why: s.Dead})
		}
	}
	return waits
}

// expect tells the progress what the selected cells come to.
func (b *bench) expect(test string, cells []plan.Cell) error {
	selects := selector(testFlag("run"))
	for _, cell := range cells {
		if !selects(test + "/" + cell.Name()) {
			continue
		}
		p, err := b.Suite.Planned(cell)
		if err != nil {
			return err
		}
		if p.Skip == "" {
			b.progress.Plan(p.Evaluations)
		}
	}
	return nil
}

// selector reports of names whether a pattern of go test -run selects the subtest. It
// serves an estimate: of a pattern with brackets it says yes.
func selector(pattern string) func(name string) bool {
	var wanted [][]*regexp.Regexp // by alternative; nil: no regular expression, which go test reports
	for _, alternative := range alternatives(pattern) {
		var elements []*regexp.Regexp
		for element := range strings.SplitSeq(alternative, "/") {
			re, _ := regexp.Compile(element)
			elements = append(elements, re)
		}
		wanted = append(wanted, elements)
	}
	return func(name string) bool {
		parts := strings.Split(name, "/")
		return slices.ContainsFunc(wanted, func(elements []*regexp.Regexp) bool {
			for i, re := range elements {
				if re != nil && i < len(parts) && !re.MatchString(parts[i]) {
					return false
				}
			}
			return true
		})
	}
}

func TestSelects(t *testing.T) {
	const name = "TestVault/sim-teller/l2/multi/oap"
	for _, tt := range []struct {
		pattern string
		want    bool
		reason  string
	}{
		{"", true, "no pattern, no selection"},
		{"TestVault", true, "the test and all below"},
		{"TestRecordings", false, "another test"},
		{"TestVault/sim-teller/l2", true, "the first elements"},
		{"TestVault/sim-teller/l3", false, "another level"},
		{"TestVault//l2", true, "an empty element selects any"},
		{"TestVault/./^l[1-2]$/", true, "of brackets it says yes"},
		{"TestRecordings|TestVault/sim-teller", true, "one alternative is enough"},
		{"TestRecordings|TestVault/sim-refuser", false, "neither"},
	} {
		sub(t, tt.pattern, func(t *testing.T) {
			require.Equal(t, tt.want, selector(tt.pattern)(name), tt.reason)
		})
	}
}
