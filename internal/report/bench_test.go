package report_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// The size of a model evaluator's run: seven models, each alone and behind the
// layer, on 300 attacks of 225 sessions and 20 honest tasks a level, six times.
const (
	benchModels   = 7
	benchAttacks  = 300
	benchSessions = 225
	benchHonest   = 20
	benchTrials   = 6
)

// BenchmarkFigures computes all that a report says of more than 250,000
// evaluations, without reading files or signatures: counts, analyses and every
// clustered interval. It prints the seconds that this takes, those of processor
// time, which a busy machine does not stretch, and what is live in memory when a quarter and when all have been added. The issue allows 3 s.
func BenchmarkFigures(b *testing.B) {
	for b.Loop() {
		began, burnt := time.Now(), cpu(b)
		total, quarter := 0, 0.0
		cells := benchCells()
		for _, p := range cells {
			total += p.Evaluations
		}
		books, err := report.NewBuilder(cells, directories(), oracle.Judge, nil)
		require.NoError(b, err)
		before, paused := heap()
		n := 0
		for trials := 1; trials <= benchTrials; trials++ { // a trial of every cell after another: memory shows what a trial adds
			for i, p := range cells {
				n += addTrial(b, books, p, trials, uint64(i/2))
			}
			if quarter == 0 && 4*n >= total {
				now, took := heap()
				quarter, paused = now-before, paused+took
			}
		}
		require.Equal(b, total, n)
		require.GreaterOrEqual(b, n, 250_000)
		now, took := heap()
		live := now - before
		paused += took
		s := books.Summary()
		used := (cpu(b) - burnt).Seconds()
		seconds := (time.Since(began) - paused).Seconds()
		require.Len(b, s.Cells, len(cells))
		require.NotEmpty(b, s.Analyses)
		b.ReportMetric(float64(n), "evaluations")
		b.ReportMetric(seconds, "s/report")
		b.ReportMetric(used, "cpu-s/report")
		b.ReportMetric(quarter, "MiB-at-a-quarter")
		b.ReportMetric(live, "MiB-live")
	}
}

// heap is what is live, in MiB, and how long it took to find out.
func heap() (live float64, took time.Duration) {
	began := time.Now()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20), time.Since(began)
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchCells pairs each cell with its twin behind the layer.
func benchCells() []record.PlannedCell {
	var cells []record.PlannedCell
	for m := range benchModels {
		for _, level := range corpus.Levels() {
			for _, track := range corpus.Tracks() {
				n := benchAttacks
				if track == corpus.Benign {
					n = benchHonest
				}
				for _, arch := range []plan.Architecture{plan.Alone, plan.OAP} {
					c := cell(plan.ModelSlug(fmt.Sprintf("m-%d", m)), level, track, arch)
					p := planned(c, n*benchTrials)
					p.Kind = plan.Live
					cells = append(cells, p)
				}
			}
		}
	}
	return cells
}

// addTrial adds one trial of a cell. Both twins of a cell have one seed: a model
// asks for the same with and without a layer, which denies most of it.
func addTrial(b *testing.B, books *report.Builder, p record.PlannedCell, trial int, seed uint64) int {
	rng := rand.New(rand.NewPCG(seed, uint64(trial)))
	refused, alone, behind := evaluation(p.Cell, record.Completed), evaluation(p.Cell, record.Completed, paid("eve")), evaluation(p.Cell, record.Completed, denied("eve"), allowed(paid("bob")))
	n := p.Evaluations / benchTrials
	for i := range n {
		e := refused
		if rng.IntN(10) < 3+i%5 {
			if e = alone; p.Layered {
				e = behind
			}
		}
		e.Kind, e.Trial, e.Session = plan.Live, trial, session(i%benchSessions)
		e.Date = fmt.Sprintf("2026-03-%02d", 1+i%28)
		require.NoError(b, books.Add(numbered(e, i)))
	}
	return n
}
