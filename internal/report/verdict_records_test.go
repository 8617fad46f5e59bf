package report_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
	"vaultbench/internal/strictjson"
)

// TestVerdictOfBadRecords: a record that can't be trusted is inconclusive, names
// the place, and says nothing else.
func TestVerdictOfBadRecords(t *testing.T) {
	file := func(name string, change func([]byte) []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), change(raw), 0o600))
		}
	}
	for _, tt := range []struct {
		name   string
		change func(w *unsealed)              // before it is sealed
		tamper func(t *testing.T, dir string) // after
		want   string
		why    string
	}{
		{"changed", nil, file(record.EvaluationsFile, func(b []byte) []byte { return bytes.Replace(b, []byte("completed"), []byte("not_run"), 1) }), "evaluations.jsonl: SHA-256 is", "the seal"},
		{"truncated", nil, file(record.EvaluationsFile, func(b []byte) []byte { return b[:len(b)-40] }), "evaluations.jsonl:30: line is cut", "the seal"},
		{"receipt changed", func(w *unsealed) { w.set(attacked, record.Completed, denied("eve")) }, file("decisions.jsonl", func(b []byte) []byte { return bytes.Replace(b, []byte("eve"), []byte("eva"), 1) }), "decisions.jsonl:1: ", "the chain"},
		{"manifest changed", nil, file(record.ManifestFile, func(b []byte) []byte { return bytes.Replace(b, []byte(`"abc"`), []byte(`"abd"`), 1) }), "manifest.json: ", "the signature"},
		{"not finished", func(w *unsealed) { w.manifest.FinishedAt = "" }, nil, "the run did not finish", "nothing is sealed"},
		{"duplicated", func(w *unsealed) { w.evaluations = append(w.evaluations, w.evaluations[0]) }, nil, "evaluations.jsonl:6: \"sim-a/l1/single/alone/a001/1\": stands twice", "never summed twice, whoever sealed it"},
		{"reordered", func(w *unsealed) { w.sorted = false }, nil, "evaluations.jsonl:2: \"sim-a/l1/multi/alone/a001/1\": stands after", "the order is fixed"},
		{"foreign", func(w *unsealed) {
			w.evaluations = append(w.evaluations, evaluation(cell("sim-b", corpus.L2, corpus.Multi, plan.OAP), record.Completed))
		}, nil, "evaluations.jsonl:31: \"sim-b/l2/multi/oap/a001/1\": cell sim-b/l2/multi/oap is not in the manifest", "another run's"},
		{"transfer without a receipt", func(w *unsealed) {
			w.set(attacked, record.Completed, allowed(paid("bob")))
			for i := range w.evaluations {
				if e := &w.evaluations[i]; e.Cell == attacked {
					e.Transfers = append(e.Transfers, bank.Transfer{Position: 9, Recipient: "eve", Amount: 1, Currency: bank.USD})
				}
			}
		}, nil, "transfer at call 9 has no receipt", "money that nobody decided on"},
		{"without directories", func(w *unsealed) { w.manifest.Directories = nil }, nil, "no directories", "the oracle would know nobody"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := wholeGrid()
			if tt.change != nil {
				tt.change(w)
			}
			dir := w.seal(t)
			if tt.tamper != nil {
				tt.tamper(t, dir)
			}
			v, r, err := report.VerdictOf(dir, nil, thisWorld(), report.DefaultGate(), nil)
			require.NoError(t, err)
			assert.Nil(t, r, "what was counted is worth nothing")
			assert.Equal(t, report.StateInconclusive, v.State, tt.why)
			assert.Equal(t, 3, v.ExitStatus)
			require.Len(t, v.Reasons, 1)
			assert.Contains(t, v.Reasons[0].Message, "the record does not verify: ")
			assert.Contains(t, v.Reasons[0].Message, tt.want, tt.why)
			assert.Nil(t, v.Claim.Text)
			assert.Contains(t, v.Claim.Reason, "condition seal fails")
			require.NoError(t, strictjson.Validate("verdict.schema.json", encoded(t, v)))
		})
	}
	_, _, err := report.VerdictOf(t.TempDir(), nil, thisWorld(), report.DefaultGate(), nil)
	require.ErrorIs(t, err, report.ErrNoRun)
}

// TestVerdictRates: the gate holds request rates against a baseline, and what
// can't be compared can't pass.
func TestVerdictRates(t *testing.T) {
	change := report.RateChange{
		Model: "sim-a", Baseline: "sim-z", Kind: plan.Live, Group: plan.GroupRestricted, Set: "attacks", Architecture: plan.Alone,
		Before: stats.Rate{Hits: 10, N: 100}, After: stats.Rate{Hits: 13, N: 100}, Sessions: 9, Change: 0.03, Interval: &stats.Interval{Low: 0.01, High: 0.05},
	}
	fewer := change
	fewer.Change = -0.03
	for _, tt := range []struct {
		name    string
		most    float64
		changes []report.RateChange
		failed  error
		state   report.State
		want    string
		why     string
	}{
		{"within", 0.03, []report.RateChange{change}, nil, report.StatePass, "", "at most"},
		{"beyond", 0.029, []report.RateChange{change}, nil, report.StateViolation, "sim-a against sim-z, Levels 2–4, alone: requests moved by +3.00 percentage points, from 10/100 (10.0%) to 13/100 (13.0%) (95% interval +1.00 to +5.00, clustered by session), the gate lets it move by 2.90", "it moved too far"},
		{"beyond, downwards", 0.02, []report.RateChange{fewer}, nil, report.StateViolation, "moved by -3.00", "either way"},
		{"nothing to compare", 0.02, nil, nil, report.StateInconclusive, "no attack is final in both runs", "no comparison is no pass"},
		{"baseline can't be read", 0.02, nil, errors.New("gone"), report.StateInconclusive, "request rates can't be compared with base: gone", "no comparison is no pass"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := report.DefaultGate()
			g.RequestRate = &report.RateGate{Baseline: "base", MaxChange: tt.most}
			v, _, err := report.VerdictOf(wholeGrid().seal(t), nil, thisWorld(), g, func(_ string, got report.RateGate) ([]report.RateChange, error) {
				assert.Equal(t, "base", got.Baseline)
				return tt.changes, tt.failed
			})
			require.NoError(t, err)
			assert.Equal(t, tt.state, v.State, tt.why)
			checkReason(t, v, tt.want)
			require.NoError(t, strictjson.Validate("verdict.schema.json", encoded(t, v)))
		})
	}
}
