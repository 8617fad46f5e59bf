package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
)

// TestGoldens pins what the layer decides, and by which rule: the right denial
// for the wrong reason is a fault. Rewritten by -update.
func TestGoldens(t *testing.T) {
	noted.pins(t)
	shippedOnly(t, "golden/decisions-*.jsonl pin what is decided of that one")
	cases, err := pinned.Load()
	require.NoError(t, err)
	for _, level := range corpus.Levels() {
		sub(t, string(level), func(t *testing.T) {
			layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
			require.NoError(t, err)
			got, err := cases.Decide(level, layer)
			require.NoError(t, err)
			if *update {
				goldens[pinned.File(level)], err = got.Encode()
				require.NoError(t, err)
				return
			}
			for _, d := range againstGolden(t, changed, cases, level, got) {
				noted.changedGolden(d)
				t.Error(d.line)
			}
		})
	}
}

// drift is in what way a golden is not what is decided.
type drift int

// The ways, the one that a failure names before the others first.
const (
	driftChanged drift = iota
	driftHead
	driftGone
	driftNew
	driftOrder
)

// String begins the failure of a run.
func (d drift) String() string {
	return [...]string{"a golden decision changed", "a golden was made with another policy", "a golden decision is left over", "a golden decision is missing", "a golden has its lines in another order"}[d]
}

// drifted is one difference from a golden, with what to do.
type drifted struct {
	how  drift
	line string
}

// againstGolden returns each difference, and notes it for the digest.
func againstGolden(t *testing.T, note *policyChange, cases pinned.Cases, level corpus.Level, got pinned.Golden) []drifted {
	t.Helper()
	want, err := pinned.Read(level)
	require.NoError(t, err)
	file := pinned.File(level)
	var out []drifted
	if want.Head != got.Head {
		out = append(out, drifted{driftHead, headsDiffer(note, level, want.Head, got.Head)})
	}
	where, attacks := cases.Places(level), map[string]corpus.Attack{}
	for _, a := range cases.Of(level) {
		attacks[string(a.ID)] = a
	}
	for _, d := range want.Compare(got.Decisions) {
		id, goal, _ := strings.Cut(d.ID, "#")
		attack, known := attacks[id]
		n, _ := strconv.Atoi(goal) // a probe's call is no goal
		forbids := known && d.Got != nil && d.Got.Allow && note.allows(attack, n, cases.Level(level).Directory)
		switch {
		case d.Want == nil && forbids:
			out = append(out, drifted{driftNew, fmt.Sprintf("%s: golden/%s has no line %s: it is new, and the layer allows what the level forbids: mend the policy or the goal", where(d.ID), file, d.ID)})
		case d.Want == nil:
			out = append(out, drifted{driftNew, fmt.Sprintf("%s: golden/%s has no line %s: it is new: go test ./vault_test -update adds it once nothing else fails", where(d.ID), file, d.ID)})
		case d.Got == nil:
			out = append(out, drifted{driftGone, fmt.Sprintf("golden/%s: %s was not decided: the attack or probe is gone: go test ./vault_test -update drops it", file, d.ID)})
		default:
			out = append(out, drifted{driftChanged, fmt.Sprintf("%s: golden/%s: %s: %s", where(d.ID), file, d.ID, note.decision(d, attack.Twin != ""))})
		}
	}
	if len(out) == 0 {
		return inOrder(file, want.Decisions, got.Decisions)
	}
	return out
}

// inOrder: lines stand as they are decided, or the next -update moves them in
// somebody else's change.
func inOrder(file string, want, got []pinned.Decision) []drifted {
	for i := range want {
		if want[i].ID != got[i].ID {
			return []drifted{{driftOrder, fmt.Sprintf("golden/%s:%d: %s stands where %s is decided: go test ./vault_test -update moves it", file, i+2, want[i].ID, got[i].ID)}}
		}
	}
	return nil
}

// headsDiffer says what a golden was made with, in one sentence.
func headsDiffer(note *policyChange, level corpus.Level, want, got pinned.Head) string {
	say := note.head(level, want, got)
	if len(say) == 0 {
		return fmt.Sprintf("golden/%s:1: the head is %+v, want %+v", pinned.File(level), got, want)
	}
	return fmt.Sprintf("golden/%s:1: %s", pinned.File(level), strings.Join(say, " and "))
}

// goldens are the files that -update rewrites, filled by the tests that made
// them; goldenCounts is the file of event counts before it is encoded.
var (
	goldens      = map[string][]byte{}
	goldenCounts = map[string]report.Counts{}
)

// collectGolden keeps a simulated cell's counts for -update.
func collectGolden(c report.Cell) {
	if *update && c.Kind == plan.Simulated {
		goldenCounts[c.Name] = c.Counts
	}
}

// harmless are the variables under which -update writes the goldens of the whole
// grid all the same. A variable that is not named here must be unset: a new one is
// refused until somebody has thought about it.
var harmless = []string{
	"VAULT_RESULTS", "VAULT_CONCURRENCY", "VAULT_ATTEMPT_TIMEOUT", "VAULT_BUDGET_USD", "VAULT_BUDGET_TOKENS", "VAULT_SIGNING_KEY",
	"VAULT_LOG", "VAULT_LONG", "VAULT_LOCAL_URL",
}

// checkUpdate refuses to rewrite the goldens from anything but the whole grid,
// asked for in the default way.
func checkUpdate(settings []config.Setting) error {
	for _, s := range settings {
		if s.Source != "default" && !slices.Contains(harmless, s.Name) {
			return fmt.Errorf("-update rewrites whole files: unset %s", s.Name)
		}
	}
	return nil
}

// updateFault says why what ran must not become the golden; code is the status of
// the tests. What a later run is held against must itself be whole.
func updateFault(code int, cells []plan.Cell, counts map[string]report.Counts) error {
	if code != 0 {
		return errors.New("the run failed or was stopped: mend what failed, then run again with -update")
	}
	if len(cells) == 0 {
		return errors.New("no cell ran")
	}
	for _, cell := range cells {
		switch c, ran := counts[cell.Name()]; {
		case !ran:
			return fmt.Errorf("cell %s did not run", cell.Name())
		case c.Denominator != c.Planned:
			return fmt.Errorf("cell %s: %d of %d evaluations are final", cell.Name(), c.Denominator, c.Planned)
		}
	}
	return nil
}

// writeGoldens rewrites the files and returns how many lines changed.
func writeGoldens() (int, error) {
	events, err := report.EncodeGolden(goldenCounts)
	if err != nil {
		return 0, err
	}
	goldens[report.EventsFile] = events
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	root, err := config.Root(dir)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, file := range slices.Sorted(maps.Keys(goldens)) {
		path := filepath.Join(root, "golden", file)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return total, err
		}
		if err := os.WriteFile(path, goldens[file], 0o644); err != nil {
			return total, err
		}
		changed := changedLines(old, goldens[file])
		total += changed
		fmt.Printf("golden/%s: %d of %d lines changed\n", file, changed, bytes.Count(goldens[file], []byte("\n")))
	}
	return total, nil
}

// changedLines counts the lines of now that were not in old, and the other way
// round for lines that are gone.
func changedLines(old, now []byte) int {
	before, after := lineSet(old), lineSet(now)
	return max(missing(before, after), missing(after, before))
}

func lineSet(text []byte) map[string]bool {
	set := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		set[l] = l != ""
	}
	return set
}

func missing(from, in map[string]bool) int {
	n := 0
	for l, real := range from {
		if real && !in[l] {
			n++
		}
	}
	return n
}
