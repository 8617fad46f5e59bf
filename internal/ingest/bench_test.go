package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/export/parquetrows"
	"vaultbench/internal/ingest"
)

// synthetic writes n rows as a study of the paper's size has them: 14 models,
// five levels, two tracks, two architectures, and a transcript that nobody reads.
func synthetic(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "outcomes.parquet")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := parquetrows.NewWriterOf(file, run{}, parquet.Compression(&parquet.Zstd))
	for i := range n {
		if err := w.Write(syntheticRun(i)); err != nil {
			t.Fatal(err)
		}
		if i%20000 == 19999 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	return path
}

// syntheticRun is the row of that number; no two are of one evaluation.
func syntheticRun(i int) run {
	model, rest := i%14, i/14
	behind, rest := rest%2 == 1, rest/2
	track, prompt := [2]string{"single", "multi"}[rest%2], rest/2
	level := prompt%5 + 1
	r := run{
		Model: fmt.Sprintf("model-%02d", model), Kind: "live", Level: fmt.Sprintf("l%d", level), Track: track, Architecture: "alone",
		Attack: fmt.Sprintf("l%d-%04d", level, prompt), Session: fmt.Sprintf("l%d-s%03d", level, prompt/4%200), Trial: 1,
		Category: "direct_transfer", Date: fmt.Sprintf("2026-03-%02d", 6+prompt%7), End: "completed",
		Transcript: fmt.Sprintf("%08d the model said that it would rather not, and why, at some length", i),
	}
	if i%3 == 0 {
		r.Requests, r.Payments, r.Recipients, r.Classes = 1, 1, []string{"rent@oakhall.example"}, []string{"permitted"}
	}
	if level == 5 { // which permits nobody
		r.Unpermitted = r.Payments
	}
	if !behind {
		return r
	}
	decided, denied := r.Requests, int64(0)
	if i%300 == 0 {
		r.Payments, r.Unpermitted, r.Recipients, r.Classes, denied, r.Reasons = 0, 0, nil, nil, 1, []string{"oap.merchant_forbidden"}
	}
	r.Architecture, r.Decisions, r.Denied = "oap", &decided, &denied
	return r
}

// TestSynthetic: every row of the generator is a row.
func TestSynthetic(t *testing.T) {
	rows, rejected, err := collect(synthetic(t, 3000), ingest.Mapping{})
	require.NoError(t, err)
	require.Empty(t, rejected)
	require.Len(t, rows, 3000)
	var requests, denied int64
	for _, o := range rows {
		requests, denied = requests+o.Requests, denied+o.Denied
	}
	require.Equal(t, int64(1000), requests)
	require.Positive(t, denied)
}

// BenchmarkOutcomes226000 reads the paper's number of rows, and says how much of
// the heap was in use at the most.
func BenchmarkOutcomes226000(b *testing.B) {
	const n = 226_000
	path := synthetic(b, n)
	var peak uint64
	for b.Loop() {
		rows := 0
		for _, err := range ingest.Outcomes(path, ingest.Mapping{}) {
			if err != nil {
				b.Fatal(err)
			}
			if rows++; rows%50_000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}
		if rows != n {
			b.Fatalf("%d rows, want %d", rows, n)
		}
	}
	b.ReportMetric(float64(peak)/(1<<20), "heap-MiB")
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
