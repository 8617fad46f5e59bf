package vault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

// TestUpdateRefusesVariables: every variable, those to come included, that is not
// known to leave the goldens alone.
func TestUpdateRefusesVariables(t *testing.T) {
	require.NoError(t, checkUpdate([]config.Setting{{Name: "VAULT_SHARD", Source: "default"}}))
	for _, tt := range []struct{ name, reason string }{
		{"VAULT_SHARD", "a part of each cell"},
		{"VAULT_CROSS", "rows of a section"},
		{"VAULT_VARIANTS", "rows of a section"},
		{"VAULT_RUN_ID", "what an earlier process recorded"},
		{"VAULT_LEVELS", "a part of the grid"},
		{"VAULT_TRIALS", "each count is multiplied"},
		{"VAULT_MODELS", "costs money"},
		{"VAULT_RECORDINGS", "a cassette's model"},
		{"VAULT_CORPUS", "another corpus"},
		{"VAULT_GATE", "what passes"},
		{"VAULT_TO_COME", "nobody has thought about it"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			for _, source := range []string{"environment", ".env"} {
				require.ErrorContains(t, checkUpdate([]config.Setting{{Name: tt.name, Value: "1", Source: source}}), "unset "+tt.name, tt.reason)
			}
		})
	}
	assert.Subset(t, config.Variables(), harmless, "a name that is gone is harmless to nobody")
	for _, name := range harmless {
		require.NoError(t, checkUpdate([]config.Setting{{Name: name, Value: "1", Source: "environment"}}))
	}
}

func TestUpdateWantsTheWhole(t *testing.T) {
	a, b := plan.Cell{Model: "sim-a", Level: "l1", Track: "multi", Architecture: "oap"}, plan.Cell{Model: "sim-b", Level: "l1", Track: "multi", Architecture: "oap"}
	whole := report.Counts{Planned: 4, Denominator: 4}
	for _, tt := range []struct {
		name   string
		code   int
		cells  []plan.Cell
		counts map[string]report.Counts
		want   string // empty: the goldens are written
		reason string
	}{
		{"whole", 0, []plan.Cell{a, b}, map[string]report.Counts{a.Name(): whole, b.Name(): whole}, "", "the control"},
		{"failed or stopped", 1, []plan.Cell{a, b}, map[string]report.Counts{a.Name(): whole, b.Name(): whole}, "failed or was stopped", "a signal has the status of a failure"},
		{"a cell short", 0, []plan.Cell{a, b}, map[string]report.Counts{a.Name(): whole}, "cell sim-b/l1/multi/oap did not run", "its line would be lost"},
		{"not final", 0, []plan.Cell{a}, map[string]report.Counts{a.Name(): {Planned: 40, Denominator: 39}}, "39 of 40 evaluations are final", "enough for the gate is not enough for a golden"},
		{"nothing", 0, nil, nil, "no cell ran", "an empty file holds nothing"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			err := updateFault(tt.code, tt.cells, tt.counts)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}
