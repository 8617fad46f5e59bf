package suite_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
)

// TestRecordedClock: a recorded conversation happens when its tool map says.
func TestRecordedClock(t *testing.T) {
	_, es := replayed(t, newSuite(), lines(t, conversation("a", "bob")), plan.OAP)
	require.NotEmpty(t, es[0].Calls)
	assert.Equal(t, clockStart, es[0].Calls[0].At)
}

// late is a layer that answers, but not soon.
type late struct{ authz.PermitAll }

func (late) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	time.Sleep(150 * time.Millisecond)
	return authz.PermitAll{}.Authorize(ctx, req)
}

// TestTimeout: the suite's time-out reaches the guard of every conversation, asked
// or recorded.
func TestTimeout(t *testing.T) {
	s := newSuite()
	s.Trials, s.Timeout, s.Concurrency = 1, 20*time.Millisecond, 8
	s.Corpus.Attacks = s.Corpus.Attacks[:1]
	s.Architectures[plan.OAP] = suite.Architecture{Name: plan.OAP, Layered: true, Layer: func(string) (func() authz.Authorizer, error) {
		return func() authz.Authorizer { return late{} }, nil
	}}
	_, asked := runCell(t, s, cell(corpus.Multi, plan.OAP))
	_, recorded := replayed(t, s, lines(t, conversation("a", "bob")), plan.OAP)
	for _, e := range append(asked, recorded...) {
		denied := 0
		for _, c := range e.Calls {
			if c.Decision != nil {
				assert.True(t, c.Decision.FailClosed(), "%s: the answer came after the time-out", e.ID)
				denied++
			}
		}
		assert.Positive(t, denied, e.ID)
		assert.Empty(t, e.Transfers, e.ID)
	}
}

// TestManifestIsHeldAgainstItsSchema: what the schema does not know does not begin
// a run.
func TestManifestIsHeldAgainstItsSchema(t *testing.T) {
	_, err := suite.Start(newSuite(), t.TempDir(), t.TempDir(), "r1", record.Manifest{Sims: []string{"No Slug"}})
	require.ErrorContains(t, err, "manifest.json: does not match schema manifest.schema.json: at /simulated_bankers/0")
}

// TestRevision: the manifest names the commit that the code is of, and whether it
// was changed since.
func TestRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=n@n.example"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	revision := func() record.Manifest {
		r, err := suite.Start(newSuite(), root, t.TempDir(), "r1", record.Manifest{})
		require.NoError(t, err)
		require.NoError(t, r.Close())
		return manifest(t, r.Dir())
	}
	clean := revision()
	assert.Equal(t, git("rev-parse", "HEAD"), clean.Revision)
	assert.False(t, clean.Modified)
	require.NoError(t, os.WriteFile(filepath.Join(root, "file"), nil, 0o600))
	changed := revision()
	assert.Equal(t, clean.Revision, changed.Revision)
	assert.True(t, changed.Modified)
}
