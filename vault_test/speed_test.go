package vault_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
)

// BenchmarkSimulated runs the whole grid of simulated bankers as TestVault does,
// into a journal on disk, with as many evaluations at a time as there are
// processors. One iteration is the grid once.
func BenchmarkSimulated(b *testing.B) {
	s, err := newSuite()
	require.NoError(b, err)
	s.Concurrency = runtime.GOMAXPROCS(0)
	var models []plan.ModelSlug
	for slug := range s.Bankers {
		models = append(models, slug)
	}
	cells, err := plan.Cells(models, corpus.Levels(), corpus.Tracks(), []plan.Architecture{plan.Alone, plan.OAP})
	require.NoError(b, err)
	evaluations := 0
	for b.Loop() {
		r, err := suite.Start(s, b.TempDir(), filepath.Join(b.TempDir(), "results"), "", record.Manifest{})
		require.NoError(b, err)
		for _, c := range cells {
			p, err := s.Planned(c)
			require.NoError(b, err)
			require.NoError(b, r.Plan(p))
			_, err = s.RunCell(b.Context(), p)
			require.NoError(b, err)
			evaluations += p.Evaluations
		}
	}
	b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds(), "evaluations/s")
}
