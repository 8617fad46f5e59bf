package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/receipt"
)

// TestExportCommand: there and back, by each format.
func TestExportCommand(t *testing.T) {
	run, out := signedRun(t, receipt.TestKey()), filepath.Join(t.TempDir(), "e")
	status, stdout, stderr := vault("export", run, "--out", out)
	require.Zero(t, status, stderr)
	assert.Regexp(t, `: 1 evaluations, 1 prompts, 1 transcript entries; snapshot sha256:[0-9a-f]{64}\n$`, stdout)
	for _, format := range []string{"parquet", "jsonl", "csv"} {
		back := filepath.Join(t.TempDir(), "back")
		status, stdout, stderr = vault("import", "run", out, "--out", back, "--format", format)
		require.Zero(t, status, stderr)
		assert.Contains(t, stdout, ": 1 evaluations and 1 receipts, as sealed; status inconclusive; snapshot sha256:")
		want, err := os.ReadFile(filepath.Join(run, "evaluations.jsonl"))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(back, "evaluations.jsonl"))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
	status, _, stderr = vault("export", run)
	require.Zero(t, status, stderr)
	assert.FileExists(t, filepath.Join(run, "export", "outcomes.parquet"), "in the run's folder by default")
}

// endsAfter is a context that ends once it was asked so often.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupted: wherever it is stopped, nothing is left; and a slash behind a
// new folder's name changes nothing.
func TestInterrupted(t *testing.T) {
	run, dir := signedRun(t, receipt.TestKey()), t.TempDir()
	whole := filepath.Join(dir, "whole") + "/"
	status, _, stderr := vault("export", run, "--out", whole)
	require.Zero(t, status, stderr)
	status, _, stderr = vault("import", "run", whole, "--out", filepath.Join(dir, "again")+"/")
	require.Zero(t, status, stderr)
	for _, tt := range []struct {
		name string
		run  func(ctx context.Context, out string) error
	}{
		{"export", func(ctx context.Context, out string) error {
			return (&exportCommand{Folder: run, Out: out}).export(ctx, io.Discard)
		}},
		{"import", func(ctx context.Context, out string) error {
			return (&importRun{Folder: whole, Out: out, Format: "jsonl"}).restore(ctx, io.Discard)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent, stopped := t.TempDir(), 0
			for left := 0; ; left++ {
				err := tt.run(&endsAfter{t.Context(), left}, filepath.Join(parent, "x"))
				if err == nil {
					break
				}
				require.ErrorContains(t, err, "interrupted, nothing was written")
				found, err := os.ReadDir(parent)
				require.NoError(t, err)
				require.Empty(t, found, "stopped at question %d", left+1)
				stopped++
			}
			assert.Greater(t, stopped, 1, "it asks before the end too")
			assert.DirExists(t, filepath.Join(parent, "x"))
		})
	}
}

// skippedRun is a finished run of which nothing was asked, as without a key.
func skippedRun(t *testing.T) string {
	t.Helper()
	t.Setenv("VAULT_RESULTS", t.TempDir())
	b, run := begunRun(t)
	cells, err := b.Cells([]string{"sim-refuser"}, []corpus.Track{corpus.Single})
	require.NoError(t, err)
	p, err := b.Suite.Planned(cells[0])
	require.NoError(t, err)
	p.Skip = "live: KEY unset"
	require.NoError(t, run.Plan(p))
	_, err = run.Finish()
	require.NoError(t, err)
	return run.Dir()
}

func TestExportCommandErrors(t *testing.T) {
	none, here, run := t.TempDir(), t.TempDir(), signedRun(t, receipt.TestKey())
	empty := skippedRun(t)
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
		reason string
	}{
		{"no evaluation", []string{"export", empty, "--out", filepath.Join(here, "x")}, 1, "the run holds no evaluation", "tables of nothing"},
		{"no run", []string{"export", none, "--out", filepath.Join(here, "x")}, 1, "manifest.json", "give a run's folder"},
		{"out exists", []string{"export", run, "--out", here}, 1, "exists: delete it", "nothing is overwritten"},
		{"no export", []string{"import", "run", none, "--out", filepath.Join(here, "x")}, 1, "SHA256SUMS", "give what export wrote"},
		{"import over a folder", []string{"import", "run", none, "--out", here}, 1, "exists: delete it", "nothing is overwritten"},
		{"unknown format", []string{"import", "run", none, "--out", here, "--format", "xlsx"}, 2, "--format must be one of", "wrong usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, tt.reason)
			assert.Contains(t, stderr, tt.want, tt.reason)
		})
	}
}
