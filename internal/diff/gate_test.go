package diff_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/diff"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// TestGateRates: nothing of the run may go ungated because the baseline lacks it.
func TestGateRates(t *testing.T) {
	newer := cell("sim-b", alone.Track, plan.Alone)
	var many []record.Evaluation
	for n := range 20 {
		many = append(many, did(alone, n))
	}
	for _, tt := range []struct {
		name   string
		base   []record.Evaluation
		run    []record.Evaluation
		models map[plan.ModelSlug]plan.ModelSlug
		err    string
		reason string
	}{
		{"the same", []record.Evaluation{did(alone, 1)}, []record.Evaluation{did(alone, 1)}, nil, "", "the control"},
		{"renamed", []record.Evaluation{did(alone, 1)}, []record.Evaluation{did(newer, 1)}, map[plan.ModelSlug]plan.ModelSlug{"sim-b": "sim-a"}, "", "as the gate says"},
		{"not renamed", []record.Evaluation{did(alone, 1)}, []record.Evaluation{did(newer, 1)}, nil, "it has no cell sim-b/l2/multi/alone", "a model of another name"},
		{"a cell more", []record.Evaluation{did(alone, 1)}, []record.Evaluation{did(alone, 1), did(behind, 1)}, nil, "it has no cell sim-a/l2/multi/oap", "it would go ungated"},
		{"an honest cell more", []record.Evaluation{did(alone, 1)}, []record.Evaluation{did(alone, 1), did(honest, 1)}, nil, "", "the gate is about attacks"},
		{"most of a cell", many[:19], many, nil, "", "95% are enough"},
		{"too little of a cell", many[:18], many, nil, "of the 20 final evaluations of cell sim-a/l2/multi/alone it has 18, 95% are needed", "the rest would go ungated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, dir := run(t, "base", nil, tt.base...), run(t, "run", nil, tt.run...)
			rows, err := diff.Rates(dir, report.RateGate{Baseline: base, MaxChange: 0.1, Models: tt.models})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err, tt.reason)
				return
			}
			require.NoError(t, err, tt.reason)
			assert.NotEmpty(t, rows)
		})
	}
}
