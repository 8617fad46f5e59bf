package harness_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// verdictOf is what go tool vault verdict says of a run's folder, under the
// default gate.
func verdictOf(t *testing.T, dir string) report.Verdict {
	t.Helper()
	w, _, err := settings.World()
	require.NoError(t, err)
	v, _, err := report.VerdictOf(dir, nil, w, report.DefaultGate(), nil)
	require.NoError(t, err)
	return v
}

// TestVerdicts: runs of processes of their own, and what their records come to.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		env   map[string]string // nil: the shared finished run
		args  []string
		state report.State
		claim report.ConditionName // the first that fails
		why   string
	}{
		{"a part", nil, nil, report.StatePass, report.ConditionGrid, "it passes, and is not to be quoted"},
		{"a failed test beside it", map[string]string{"VAULT_SIMS": "sim-compromised", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "benign", "VAULT_RECORDINGS": "none/there"}, []string{"-test.run=^TestVault$|^TestRecordings$"}, report.StateInconclusive, report.ConditionVerdict, "the cells alone do not say that the run passed"},
		{"every cell skipped", map[string]string{"VAULT_SIMS": "none", "VAULT_MODELS": "deepseek-v4-pro", "VAULT_LEVELS": "l1", "VAULT_TRACKS": "multi"}, []string{"-test.run=^TestVault$"}, report.StateInconclusive, report.ConditionVerdict, "nothing was decided"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p process
			if tt.env == nil {
				p = finishedRun(t)
			} else {
				p = launch(t, tt.env, tt.args...)
			}
			v := verdictOf(t, filepath.Join(p.results, "latest"))
			assert.Equal(t, tt.state, v.State, "%s: %v", tt.why, v.Reasons)
			assert.Equal(t, tt.state == report.StatePass, p.code == 0, "go test and the verdict agree")
			for _, c := range v.Conditions {
				if !c.Holds {
					assert.Equal(t, tt.claim, c.Name, c.Detail)
					break
				}
			}
			assert.Nil(t, v.Claim.Text)
		})
	}
}
