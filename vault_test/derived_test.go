package vault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/derived"
	"vaultbench/internal/oap"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/settings"
)

// TestCross replays every attack at every level, so that policy and attackers
// come apart. Asked for by VAULT_CROSS; reported in a section of its own.
func TestCross(t *testing.T) {
	testDerived(t, corpus.Crossed)
}

// TestVariants replays what the operators make of every attack. Asked for by
// VAULT_VARIANTS; reported in a section of its own.
func TestVariants(t *testing.T) {
	testDerived(t, corpus.Varied)
}

func testDerived(t *testing.T, section corpus.Section) {
	_, options, err := settings.Load()
	require.NoError(t, err)
	switch {
	case section == corpus.Crossed && !options.Cross:
		t.Skip("VAULT_CROSS=1 replays every attack at every level: unset")
	case section == corpus.Varied && options.Variants == 0:
		t.Skip("VAULT_VARIANTS=n replays n variants of every attack: unset")
	}
	b := theBench(t)
	cells, err := b.cellsOn(b.Tracks(section))
	require.NoError(t, err, "VAULT_TRACKS must hold single or multi: honest tasks are not derived from")
	b.runCells(t, cells)
}

// TestCrossedGoldens pins what the layer decides about every attack at every
// level, whether or not VAULT_CROSS runs it. Rewritten by -update.
func TestCrossedGoldens(t *testing.T) {
	noted.pins(t)
	shippedOnly(t, "golden/"+pinned.CrossedFile+" pins what is decided of that one")
	cases, err := pinned.Load()
	require.NoError(t, err)
	layers := map[corpus.Level]*oap.Layer{}
	for _, level := range corpus.Levels() {
		layers[level], err = pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
	}
	open := func(l corpus.Level) authz.Authorizer { return layers[l].Open() }
	var let []string
	got := cases.Cross(open, func(moved corpus.Attack, goal corpus.Payment) {
		spec := cases.Level(moved.Level)
		permitted := spec.Permits == corpus.PermitsAny || spec.Permits == corpus.PermitsListed && spec.ClassOf(goal.Recipient) == corpus.ClassPermitted
		if !permitted {
			let = append(let, fmt.Sprintf("%s at %s: %q (%s) is allowed, whom the level forbids", moved.ID, moved.Level, goal.Recipient, spec.ClassOf(goal.Recipient)))
		}
	})
	for _, line := range summedUp(let) {
		t.Error(line)
	}
	if *update {
		goldens[pinned.CrossedFile], err = pinned.EncodeCrossed(got)
		require.NoError(t, err)
		return
	}
	want, err := pinned.ReadCrossed()
	require.NoError(t, err)
	if lines := pinned.Crossed(want, got); len(lines) > 0 {
		next := "if that is meant, go test ./vault_test -update rewrites it once nothing else fails"
		if len(let) > 0 {
			next = "mend the policy first, which pays whom a level forbids"
		}
		t.Errorf("golden/%s: decided otherwise, %s: %s:\n%s", pinned.CrossedFile, count(len(lines), "decision"), next, strings.Join(summedUp(lines), "\n"))
	} else {
		require.Equal(t, want, got, "the same lines in another order")
	}
	agreesWithNative(t, want)
}

// summedUp sums up lines that say the same of several attacks, in order of the first: an
// id, a blank, and what is said of it. One edit of a policy moves hundreds of them.
func summedUp(lines []string) []string {
	first, times := map[string]string{}, map[string]int{}
	var order []string
	for _, line := range lines {
		id, say, _ := strings.Cut(line, " ")
		if times[say]++; times[say] == 1 {
			first[say] = id
			order = append(order, say)
		}
	}
	var out []string
	for _, say := range order {
		line := first[say] + " " + say
		if more := times[say] - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more alike)", more)
		}
		out = append(out, line)
	}
	return out
}

func TestSummedUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lines  []string
		want   []string
		reason string
	}{
		{"none", nil, nil, "nothing differs"},
		{"each its own", []string{"a at l1: x → y", "a at l2: x → y", "b has no line"}, []string{"a at l1: x → y", "a at l2: x → y", "b has no line"}, "different facts stay apart"},
		{"the same of several", []string{"a at l1: x → y", "b has no line", "c at l1: x → y", "d at l1: x → y"}, []string{"a at l1: x → y (and 2 more alike)", "b has no line"}, "a fact once, the rest as a count"},
	} {
		sub(t, tt.name, func(t *testing.T) { assert.Equal(t, tt.want, summedUp(tt.lines), tt.reason) })
	}
}

// agreesWithNative holds the crossed golden against those of the levels: an
// attack that stays at its level is the attack.
func agreesWithNative(t *testing.T, crossed []pinned.Crossing) {
	t.Helper()
	native := map[string]string{}
	for _, level := range corpus.Levels() {
		g, err := pinned.Read(level)
		require.NoError(t, err)
		for _, d := range g.Decisions {
			if native[d.ID] = string(d.Code); !d.Allow {
				native[d.ID] += "/" + d.Rule
			}
		}
	}
	for _, c := range crossed {
		at := map[string]string{"l1": c.L1, "l2": c.L2, "l3": c.L3, "l4": c.L4, "l5": c.L5}
		assert.Equal(t, native[c.ID], at[c.ID[:2]], c.ID)
	}
}

// TestDerivedCells runs a few cells of each section: at their own level attacks
// count as they do natively, nothing is pooled, and a careless layer turns a
// derived cell red as it does a native one.
func TestDerivedCells(t *testing.T) {
	t.Parallel()
	b, err := settings.Suite()
	require.NoError(t, err)
	_, options, err := settings.Load()
	require.NoError(t, err)
	options.Cross, options.Variants = true, len(derived.Operators())
	require.NoError(t, settings.Derive(b, options))
	cell := func(level corpus.Level, track corpus.Track) plan.Cell {
		return plan.Cell{Model: "sim-compromised", Level: level, Track: track, Architecture: plan.OAP}
	}
	native := runCell(t, b, cell(corpus.L3, corpus.Multi))
	own := runCell(t, b, cell(corpus.L3, "all-from-l3"))
	assert.True(t, own.Native)
	assert.Empty(t, cmp.Diff(native.Counts, own.Counts), "the level's own attacks, by another name")
	moved := runCell(t, b, cell(corpus.L3, "all-from-l2"))
	assert.False(t, moved.Native)
	assert.Equal(t, corpus.L2, moved.Cohort)
	assert.Equal(t, len(b.Corpus.Select(corpus.L2, corpus.Multi)), moved.Planned)
	assert.Positive(t, moved.Payments.Permitted, "what Level 2 permits has its counterpart at Level 3")
	assert.Equal(t, report.Pass, moved.Status, moved.Findings)
	varied := runCell(t, b, cell(corpus.L4, "last-varied"))
	assert.Greater(t, varied.Planned, 5*len(b.Corpus.Select(corpus.L4, corpus.Single)))
	assert.Equal(t, varied.Planned, varied.Requests.Evaluations+withoutGoal(b.Corpus.Select(corpus.L4, "last-varied")), "the banker finds each variant's goal")
	assert.Equal(t, report.Pass, varied.Status, varied.Findings)

	b.Architectures[plan.OAP] = broken(b.Architectures[plan.OAP], allowAll)
	for _, track := range []corpus.Track{"all-from-l2", "all-varied"} {
		c := runCell(t, b, cell(corpus.L3, track))
		assert.Equal(t, report.Violation, c.Status, track)
		assert.Contains(t, c.Findings[0].Message, "unpermitted transfer executed behind the layer", track)
	}
}

func withoutGoal(attacks []corpus.Attack) int {
	n := 0
	for _, a := range attacks {
		n += one(len(a.Goal) == 0)
	}
	return n
}
