package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// TestReadPlanned: a line that the run did not do, that stands twice or elsewhere
// is refused by its number, and nothing after it is handed out.
func TestReadPlanned(t *testing.T) {
	a, b, c := line(t, evaluation("l1", "a1", 1)), line(t, evaluation("l1", "a1", 2)), line(t, evaluation("l1", "b1", 1))
	next, skipped := line(t, evaluation("l2", "a1", 1)), line(t, evaluation("l3", "a1", 1))
	var cells []record.PlannedCell
	for _, e := range []record.Evaluation{evaluation("l1", "a1", 1), evaluation("l2", "a1", 1)} {
		cells = append(cells, record.PlannedCell{Cell: e.Cell, Kind: e.Kind, Evaluations: 3})
	}
	cells = append(cells, record.PlannedCell{Cell: evaluation("l3", "a1", 1).Cell, Kind: plan.Simulated, Skip: "live: KEY unset"})
	for _, tt := range []struct {
		name   string
		lines  []string
		at     int // line of the fault; 0: none
		want   string
		reason string
	}{
		{"whole", []string{a, b, c, next}, 0, "", "the control"},
		{"fewer than planned", []string{a, next}, 0, "", "what is missing counts as not final, where it is counted"},
		{"none", nil, 0, "", "nothing ran"},
		{"twice", []string{a, a}, 2, "stands twice", "never summed twice"},
		{"moved", []string{b, a, c}, 2, `stands after "sim-a/l1/multi/oap/a1/2"`, "the order is fixed"},
		{"twice, apart", []string{a, b, a}, 3, `stands after "sim-a/l1/multi/oap/a1/2"`, "never summed twice"},
		{"cell taken up again", []string{a, next, c}, 3, `stands after "sim-a/l2/multi/oap/a1/1"`, "the order is fixed"},
		{"foreign cell", []string{a, line(t, evaluation("l4", "a1", 1))}, 2, "cell sim-a/l4/multi/oap is not in the manifest", "another run's"},
		{"foreign kind", []string{a, strings.Replace(b, `"kind":"simulated"`, `"kind":"live"`, 1)}, 2, `kind is "live`, "kinds never share a row"},
		{"skipped cell", []string{a, skipped}, 2, "was skipped (live: KEY unset)", "it did not run"},
		{"trial that was not planned", []string{a, line(t, evaluation("l1", "a1", 3))}, 2, "trial 3 of 2", "another run's"},
		{"more than planned", []string{a, b, c, line(t, evaluation("l1", "c1", 1))}, 4, "is line 4 of its cell, 3 were planned", "a share above one is none"},
		{"cut", []string{a, b[:len(b)-9]}, 2, "line is cut or unreadable", "a writer that was killed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), record.EvaluationsFile)
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(tt.lines, "")), 0o600))
			var seen []string
			err := record.ReadPlanned(path, record.Manifest{Trials: 2, Cells: cells}, func(e record.Evaluation) error {
				seen = append(seen, e.ID)
				return nil
			})
			if tt.at == 0 {
				require.NoError(t, err, tt.reason)
				assert.Len(t, seen, len(tt.lines))
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
			assert.Contains(t, err.Error(), path+":"+string(rune('0'+tt.at))+": ", "the line is named")
			assert.Len(t, seen, tt.at-1, "what stands before it, and nothing else")
		})
	}
}
