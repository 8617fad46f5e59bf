package vault_test

import (
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// simulatedGrid is the suite with every simulated banker, and its cells.
func simulatedGrid(b *testing.B) (*suite.Suite, []plan.Cell) {
	b.Helper()
	s, err := settings.Suite()
	require.NoError(b, err)
	s.Concurrency = config.ConcurrencyPerProcessor * runtime.GOMAXPROCS(0)
	var models []plan.ModelSlug
	for slug := range s.Bankers {
		models = append(models, slug)
	}
	cells, err := plan.Cells(models, corpus.Levels(), corpus.Tracks(), []plan.Architecture{plan.Alone, plan.OAP})
	require.NoError(b, err)
	return s, cells
}

// runAll runs cells into a run and returns how many evaluations they have; after
// is called behind each cell.
func runAll(b *testing.B, s *suite.Suite, r *suite.Run, cells []plan.Cell, after func(evaluations int)) (evaluations int) {
	b.Helper()
	for _, c := range cells {
		p, err := s.Planned(c)
		require.NoError(b, err)
		require.NoError(b, r.Plan(p))
		_, err = s.RunCell(b.Context(), p)
		require.NoError(b, err)
		evaluations += p.Evaluations
		after(evaluations)
	}
	return evaluations
}

// cpu is the processor time of the process, which, unlike the wall clock, does
// not depend on what else the machine does.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for no process of its own
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSimulated runs the whole grid of simulated bankers as TestVault does,
// into a journal on disk, with as many evaluations at a time as by
// default. One iteration is the grid once.
func BenchmarkSimulated(b *testing.B) {
	s, cells := simulatedGrid(b)
	evaluations, began := 0, cpu()
	for b.Loop() {
		r, err := suite.Start(s, b.TempDir(), filepath.Join(b.TempDir(), "results"), "", record.Manifest{})
		require.NoError(b, err)
		evaluations += runAll(b, s, r, cells, func(int) {})
		require.NoError(b, r.Close())
	}
	b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds(), "evaluations/s")
	b.ReportMetric(float64((cpu()-began).Microseconds())/float64(evaluations), "cpu-µs/evaluation")
}

// BenchmarkQuarterMillion runs at least 250,000 simulated evaluations, says how
// many of them end in a second, how much memory is live and how much processor
// time each takes in the first and the last quarter, and how long a resumed run
// takes until it is ready.
func BenchmarkQuarterMillion(b *testing.B) {
	s, cells := simulatedGrid(b)
	once := 0
	for _, c := range cells {
		once += len(s.Corpus.Select(c.Level, c.Track))
	}
	s.Trials, s.Golden = (250_000+once-1)/once, nil
	results, root := filepath.Join(b.TempDir(), "results"), b.TempDir()
	for b.Loop() {
		started := time.Now()
		r, err := suite.Start(s, root, results, "r1", record.Manifest{})
		require.NoError(b, err)
		var m runtime.MemStats
		total, quarter, at, last := once*s.Trials, 0, cpu(), 0
		runAll(b, s, r, cells, func(done int) {
			if done*4 < (quarter+1)*total {
				return
			}
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.Logf("%d evaluations: %.1f MiB live, %.1f MiB from the system, %.1f µs of processor time each",
				done, float64(m.HeapAlloc)/(1<<20), float64(m.Sys)/(1<<20), float64((cpu()-at).Microseconds())/float64(done-last))
			quarter, at, last = quarter+1, cpu(), done
		})
		require.NoError(b, r.Close())
		b.ReportMetric(float64(total)/time.Since(started).Seconds(), "evaluations/s")
		began, busy := time.Now(), cpu()
		r, err = suite.Start(s, root, results, "r1", record.Manifest{})
		require.NoError(b, err)
		recorded, final, _ := r.Resumed()
		b.ReportMetric(time.Since(began).Seconds(), "s-to-resume")
		b.ReportMetric((cpu() - busy).Seconds(), "cpu-s-to-resume")
		require.Equal(b, []int{total, total}, []int{recorded, final})
		require.NoError(b, r.Close())
		b.ReportMetric(float64(total), "evaluations")
	}
}
