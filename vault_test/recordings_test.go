package vault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/plan"
	"vaultbench/internal/suite"
)

// TestRecordings replays recorded conversations through the same dispatch path:
// those of the folder named by VAULT_RECORDINGS, else the ones that ship with
// the suite (written by us, and named so). The loop is open.
func TestRecordings(t *testing.T) {
	b := theBench(t)
	if !b.Suite.Shard.First() {
		t.Skipf("recorded conversations are replayed by shard 1/%d", b.Suite.Shard.Of)
	}
	fsys := b.recordings(t)
	recordings, err := b.Suite.Recordings(fsys)
	if errors.Is(err, recorded.ErrNone) && len(b.Cassettes) > 0 {
		t.Skip("VAULT_RECORDINGS holds cassettes alone: TestVault plays them")
	}
	noted.able(t, err)
	nothingMissing(t, fsys, recordings)
	digests := map[string]string{}
	for _, r := range recordings {
		require.NoError(t, suite.Digests(digests, "recordings/", fsys, r.File))
	}
	require.NoError(t, b.run.Digest(digests))
	ran := 0
	for _, r := range recordings {
		for _, arch := range typed[plan.Architecture](b.Options.Architectures) {
			p, err := b.Suite.PlannedRecording(r, arch)
			require.NoError(t, err)
			sub(t, p.Cell.Name(), func(t *testing.T) {
				ran++
				require.NoError(t, b.run.Plan(p))
				got, err := b.Suite.RunRecording(runContext(t), p, fsys, r)
				if err != nil {
					t.Fatalf("harness fault: %v", err)
				}
				changed.cell(got)
				reportCell(t, got)
				noted.red(t.Name(), got)
				t.Logf("%s: %s", p.Cell.Name(), p.Label)
				compareFigures(t, fsys, got)
			})
		}
	}
	if ran == 0 {
		t.Errorf("inconclusive: -run %q selects none of %d recordings", testFlag("run"), len(recordings))
	}
}

func (b *bench) recordings(t *testing.T) fs.FS {
	t.Helper()
	if b.Options.Recordings == "" {
		fsys, err := fs.Sub(fixtures.FS, "recordings")
		require.NoError(t, err)
		return fsys
	}
	info, err := os.Stat(b.Options.Recordings)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", b.Options.Recordings)
	}
	if err != nil {
		noted.able(t, fmt.Errorf("VAULT_RECORDINGS names the folder with recorded conversations: %w", err))
	}
	return os.DirFS(b.Options.Recordings)
}
