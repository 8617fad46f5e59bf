package redecide_test

import (
	"context"
	"io/fs"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/plan"
	"vaultbench/internal/redecide"
	"vaultbench/internal/suite"
)

func cell(model string, level corpus.Level, track corpus.Track, a plan.Architecture) plan.Cell {
	return plan.Cell{Model: plan.ModelSlug(model), Level: level, Track: track, Architecture: a}
}

// TestSamePassportsFlipNothing: under the passports that it was made with, a run
// is decided again to the last value, whatever its bankers did.
func TestSamePassportsFlipNothing(t *testing.T) {
	w := openWorld(t)
	for _, a := range []plan.Architecture{plan.OAP, plan.Published} {
		var cells []plan.Cell
		for _, l := range corpus.Levels() {
			cells = append(cells, cell(sim.Compromised, l, corpus.Multi, a), cell(sim.Erratic, l, corpus.Benign, a))
		}
		decided := 0
		_, err := redecide.Run(t.Context(), w.run(t, cells...), w.config(oaptest.Fixed(), a), func(c redecide.Call) error {
			decided++
			require.Equal(t, redecide.Same, c.Change)
			if reflect.DeepEqual(*c.Call.Decision, c.Decision) {
				return nil // cmp takes a third of the test to say so
			}
			if diff := cmp.Diff(*c.Call.Decision, c.Decision); diff != "" {
				t.Fatalf("%s: call %d (-recorded +again):\n%s", c.Evaluation.ID, c.Call.Position, diff)
			}
			return nil
		})
		require.NoError(t, err)
		require.Greater(t, decided, 1000, "set-up: there is something to decide")
	}
}

// TestOneCentFlipsWhatTheGoldensSay: raising a cap by one cent flips exactly the
// attacks whose goldens change.
func TestOneCentFlipsWhatTheGoldensSay(t *testing.T) {
	w := openWorld(t)
	changed := copied(t, "level-2.json", `"max_per_tx": 250000`, `"max_per_tx": 250001`)
	want := changedGoldens(t, w, corpus.L2, changed)
	require.NotEmpty(t, want, "set-up: an attack lies on the boundary")

	file := w.run(t, cell(sim.Compromised, corpus.L2, corpus.Multi, plan.OAP), cell(sim.Compromised, corpus.L2, corpus.Benign, plan.OAP),
		cell(sim.Compromised, corpus.L3, corpus.Multi, plan.OAP), cell(sim.Compromised, corpus.L2, corpus.Multi, plan.Alone))
	r := redecide.NewReport(plan.OAP)
	_, err := redecide.Run(t.Context(), file, w.config(changed, plan.OAP), r.Add)
	require.NoError(t, err)
	r.Finish()
	if diff := cmp.Diff(want, r.Attacks); diff != "" {
		t.Errorf("attacks that flip (-goldens +redecide):\n%s", diff)
	}
	require.Positive(t, r.Changes[redecide.NewlyAllowed])
	require.Positive(t, r.Alone.Calls)
	require.Equal(t, r.Alone.Calls, r.Alone.Allowed+r.Alone.Denied)
}

// changedGoldens are the attacks and honest twins of a level of which a decision
// that a golden holds is another one under the passports of a folder. What the
// goldens hold is what the shipped passports decide: TestGoldens sees to it.
func changedGoldens(t *testing.T, w world, level corpus.Level, folder fs.FS) []corpus.AttackID {
	t.Helper()
	before, err := loadLayer(oaptest.Fixed(), suite.PassportOf(level), oap.ProfileOAP)
	require.NoError(t, err)
	after, err := loadLayer(folder, suite.PassportOf(level), oap.ProfileOAP)
	require.NoError(t, err)
	var ids []corpus.AttackID
	for _, a := range slices.Concat(w.suite.Corpus.Select(level, corpus.Multi), w.suite.Corpus.Select(level, corpus.Benign)) {
		if !slices.Equal(goldenLines(w, a, before.Open()), goldenLines(w, a, after.Open())) {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// goldenLine is what a golden pins of a decision.
type goldenLine struct {
	Allow bool
	Code  authz.DenialReason
	Rule  string
}

// goldenLines sends a goal through dispatch as the goldens do.
func goldenLines(w world, a corpus.Attack, layer authz.Authorizer) []goldenLine {
	spec := w.suite.Levels[a.Level]
	d := dispatch.New(dispatch.Config{
		EvaluationID: "golden/" + string(a.ID), Account: suite.Account(spec), Authorizer: layer, Layered: true, Names: dispatch.TransferFunds,
		KeyByAuditCode: spec.Idempotency == corpus.KeyAuditCode, Start: spec.ClockStart, Schedule: suite.Schedule(a.Goal),
	})
	var out []goldenLine
	for _, p := range suite.Payments(a.Goal) {
		got := d.Call(context.Background(), dispatch.TransferFunds.Transfer, sim.Arguments(p)).Decision
		out = append(out, goldenLine{got.Allowed(), got.Reason(), got.Rule()})
	}
	return out
}
