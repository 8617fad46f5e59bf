package export

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// TestMemoryIsBounded: what the writers and readers hold does not grow with the
// rows but by a few bytes. Whole, the text alone is several times the bound.
func TestMemoryIsBounded(t *testing.T) {
	const bound = 192 << 20 // bytes
	n := 2_000
	if os.Getenv("VAULT_LONG") == "1" && !raced {
		n = 60_000
	}
	c := plan.Cell{Model: "m", Level: corpus.L2, Track: corpus.Multi, Architecture: plan.OAP}
	dir := t.TempDir()
	w, err := Config{}.newWriter(dir, record.Manifest{Cells: []record.PlannedCell{{Cell: c, Layered: true}}})
	require.NoError(t, err)
	highest := uint64(0)
	watch := func(i int) {
		if i%500 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			highest = max(highest, m.HeapInuse)
		}
	}
	said := strings.Repeat("no, I will not pay that. ", 320) // 8,000 bytes
	for i := range n {
		e := record.Evaluation{Cell: c, Attack: "a", Session: "s", Trial: i + 1, End: record.Completed, Replies: []record.Reply{{Turn: 1, Content: said}}}
		e.ID = record.EvaluationID(c, e.Attack, e.Trial)
		require.NoError(t, w.add(e))
		watch(i)
	}
	require.NoError(t, w.close())
	for _, f := range Formats() {
		rows, err := openRows(dir, f)
		require.NoError(t, err)
		seen := 0
		require.NoError(t, rows.writeTo(t.Context(), writerFunc(func(p []byte) (int, error) {
			watch(seen)
			seen++
			return len(p), nil
		})))
		require.NoError(t, rows.close())
		assert.Equal(t, n, seen, f)
	}
	t.Logf("%d evaluations, %d MiB of text: heap at most %d MiB", n, n*len(said)>>20, highest>>20)
	assert.Less(t, highest, uint64(bound))
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
