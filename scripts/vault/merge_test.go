package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/publish"
)

// TestMergeCommand: the command joins the halves of a run in any order; what they
// come to is held in the harness, by the benchmark's own shards.
func TestMergeCommand(t *testing.T) {
	results := t.TempDir()
	for name, value := range map[string]string{"VAULT_SIMS": "sim-refuser", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_RESULTS": results} {
		t.Setenv(name, value)
	}
	half := func(shard, id string) string {
		t.Setenv("VAULT_SHARD", shard)
		t.Setenv("VAULT_RUN_ID", id)
		b, run := begunRun(t)
		cells, err := b.Cells(b.Models(), b.Tracks(corpus.Native))
		require.NoError(t, err)
		for _, cell := range cells {
			p, err := b.Suite.Planned(cell)
			require.NoError(t, err)
			require.NoError(t, run.Plan(p))
			_, err = b.Suite.RunCell(t.Context(), p)
			require.NoError(t, err)
		}
		_, err = run.Finish()
		require.NoError(t, err)
		return run.Dir()
	}
	one, two := half("1/2", "one"), half("2/2", "two")
	t.Setenv("VAULT_SHARD", "")
	t.Setenv("VAULT_RUN_ID", "")
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
		reason string
	}{
		{"both", []string{two, one, "--id", "merged"}, 0, "run: " + filepath.Join(results, "merged") + "\n", "the order is of no account, and the folder is named"},
		{"a gap", []string{two}, 1, "shard 1/2 is missing", "half a grid is no run"},
		{"twice", []string{one, one}, 1, "overlap: both hold the same sessions", "it would be counted twice"},
		{"a path for a name", []string{two, one, "--id", "../elsewhere"}, 1, `--id "../elsewhere": a name of one folder`, "nothing is written beside the results"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(append([]string{"merge"}, tt.args...)...)
			require.Equal(t, tt.status, status, "%s: %s", tt.reason, stderr)
			assert.Contains(t, stdout+stderr, tt.want, tt.reason)
		})
	}
	assert.FileExists(t, filepath.Join(results, "merged", publish.PageFile), "with its reports")
}
