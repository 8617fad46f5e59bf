package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

// idle makes the run one of a shard that has no session of its cells.
func (w *unsealed) idle(shard string) {
	w.evaluations, w.manifest.Options = nil, map[string]string{"VAULT_SHARD": shard}
	for i := range w.manifest.Cells {
		w.manifest.Cells[i].Skip, w.manifest.Cells[i].Evaluations = report.ShardLacks+"2/9", 0
	}
}

// TestVerdictOfAPart: whoever asks about a shard is told that the whole is elsewhere.
func TestVerdictOfAPart(t *testing.T) {
	const part = "this is shard 2/9, a part: go tool vault merge joins all of them, and the verdict on the whole is that of the merged run"
	const nothing = "none of its cells has a session in it: nothing was run, and nothing was left to run"
	for _, tt := range []struct {
		name    string
		change  func(w *unsealed)
		caveats []string // of these two
		claims  bool
		reason  string
	}{
		{"the whole", func(*unsealed) {}, nil, true, "nothing to merge"},
		{"one shard of one", func(w *unsealed) { w.manifest.Options = map[string]string{"VAULT_SHARD": "1/1 (.env)"} }, nil, true, "the whole, too"},
		{"a shard", func(w *unsealed) {
			w.manifest.Options = map[string]string{"VAULT_SHARD": "2/9 (environment)"}
			w.keep(func(c plan.Cell) bool { return c.Level != corpus.L4 })
		}, []string{part}, false, "what it has is judged"},
		{"a shard without a session", func(w *unsealed) { w.idle("2/9 (environment)") }, []string{part, nothing}, false, "neither a pass of something nor a failure"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := wholeGrid()
			tt.change(w)
			v, r, err := report.VerdictOf(w.seal(t), nil, thisWorld(), report.DefaultGate(), nil)
			require.NoError(t, err)
			require.NotNil(t, r, "%v", v.Reasons)
			assert.Equal(t, report.StatePass, v.State, "%s: %v", tt.reason, v.Reasons)
			assert.Equal(t, report.Pass, r.Summary.Status, tt.reason)
			got := slices.DeleteFunc(slices.Clone(v.Caveats), func(c string) bool { return c != part && c != nothing })
			assert.ElementsMatch(t, tt.caveats, got, tt.reason)
			assert.Equal(t, tt.claims, v.Claim.Text != nil, v.Claim.Reason)
			assert.Equal(t, tt.caveats != nil, strings.HasSuffix(v.Claim.Reason, "; "+part), v.Claim.Reason)
		})
	}
}
