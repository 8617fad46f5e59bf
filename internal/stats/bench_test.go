package stats_test

import (
	"fmt"
	"testing"

	"vaultbench/internal/stats"
)

// BenchmarkQuarterMillion adds up 250,000 evaluations in the paper's grid of 280
// cells over 1,128 sessions and computes four clustered intervals a cell. The
// issue allows 3 s.
func BenchmarkQuarterMillion(b *testing.B) {
	b.ReportAllocs()
	names := make([]string, 1128)
	for i := range names {
		names[i] = fmt.Sprintf("s%04d", i)
	}
	for b.Loop() {
		cells := make([]*stats.Sessions, 280)
		for i := range cells {
			cells[i] = stats.NewSessions(5)
		}
		for i := range 250_000 {
			cell := i % len(cells)
			level := cell % 5 // a session belongs to one level
			row := cells[cell].Row(names[level*225+(i/len(cells))%225])
			row[0]++
			row[1] += int64(i >> 3 & 1)
			row[2] += int64(i >> 4 & 1)
			row[3] += int64(i >> 5 & 1)
			row[4] += int64(i >> 9 & 1)
		}
		for _, cell := range cells {
			stats.DefaultBootstrap().Intervals(cell, stats.Ratio(1, 0), stats.Ratio(2, 0), stats.Ratio(3, 0), stats.Ratio(4, 0))
		}
	}
	b.ReportMetric(250_000/b.Elapsed().Seconds()*float64(b.N), "evaluations/s")
}
