package paper_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/ingest"
	"vaultbench/internal/paper"
)

// columns are those that the mapping paper-outcomes reads.
var columns = []string{
	"model", "level", "track", "architecture", "prompt_id", "session_id", "category", "date", "status", "payment_requested", "payment_succeeded",
	"authorization_decisions", "authorization_denials", "denial_reasons", "recipients", "recipient_in_allowlist", "unpermitted_transfer",
	"judge_mistral_medium_3_5", "judge_grok_4_6", "input_tokens", "cache_read_tokens", "output_tokens", "latency_ms",
}

func cells(o ingest.Outcome) []string {
	decided := fmt.Sprint(o.Decisions)
	if o.Architecture == "alone" {
		decided = ""
	}
	var classes []string
	for _, c := range o.Classes {
		classes = append(classes, string(c))
	}
	return []string{
		o.Model, strings.TrimPrefix(string(o.Level), "l"), map[corpus.Track]string{corpus.Single: "A", corpus.Multi: "B"}[o.Track],
		map[bool]string{true: "model_alone", false: "behind_layer"}[o.Architecture == "alone"], string(o.Attack), string(o.Session), string(o.Category), o.Date,
		string(o.End), fmt.Sprint(o.Requests), fmt.Sprint(o.Payments), decided, fmt.Sprint(o.Denied), list(o.Reasons), "", list(classes),
		fmt.Sprint(o.Unpermitted), o.JudgeA, o.JudgeB, fmt.Sprint(o.InputTokens), fmt.Sprint(o.CachedTokens), fmt.Sprint(o.OutputTokens), "",
	}
}

// list is a list of words in a cell.
func list(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return `["` + strings.Join(words, `","`) + `"]`
}

// TestRowsFromFiles: the rows in two files, in the paper's columns, give what the
// rows give. 5,000 of them, all under VAULT_LONG=1.
func TestRowsFromFiles(t *testing.T) {
	t.Parallel()
	dir, limit := t.TempDir(), 5000
	if os.Getenv("VAULT_LONG") == "1" {
		limit = 1 << 30
	}
	var kept []any
	n := 0
	for o := range newSynthetic().rows() {
		if n++; n%37 != 0 && limit < 1<<30 {
			continue
		}
		if kept = append(kept, o); len(kept) == limit {
			break
		}
	}
	write(t, filepath.Join(dir, "a.csv"), kept[:len(kept)/2])
	write(t, filepath.Join(dir, "b.csv"), kept[len(kept)/2:])
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), nil, 0o600))
	files, err := paper.Files(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
	got, err := paper.Compute(paper.Rows(files, ingest.Mapping{}), few)
	require.NoError(t, err)
	require.Empty(t, got.Rejected)
	want, err := paper.Compute(rowsOf(kept...), few)
	require.NoError(t, err)
	if diff := cmp.Diff(want.Compare(), got.Compare()); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Summary.Cells, got.Summary.Cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func write(t *testing.T, path string, rows []any) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	w := csv.NewWriter(f)
	require.NoError(t, w.Write(columns))
	for _, r := range rows {
		o, ok := r.(ingest.Outcome)
		require.True(t, ok)
		require.NoError(t, w.Write(cells(o)))
	}
	w.Flush()
	require.NoError(t, w.Error())
	require.NoError(t, f.Close())
}

func TestFilesRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := paper.Files(dir)
	require.ErrorContains(t, err, "no file ends in .parquet, .csv, .jsonl, .ndjson")
	_, err = paper.Files(filepath.Join(dir, "gone"))
	require.Error(t, err)
	for _, name := range []string{"rows.PARQUET", "rows.csv.zst", "notes.txt", "rows.jsonl.gz"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	files, err := paper.Files(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	assert.Equal(t, []string{"rows.PARQUET", "rows.csv.zst", "rows.jsonl.gz"}, names)
}
