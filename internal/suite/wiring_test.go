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

// checkout is a repository with one commit of a package, and a git that works in it.
func checkout(t *testing.T) (root string, git func(args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root = t.TempDir()
	git = func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=n@n.example"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	put(t, root, "internal/oap/engine.go", "package oap // denies")
	put(t, root, "README.md", "one")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	return root, git
}

func put(t *testing.T, root, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
}

// TestRevision: the manifest names the commit that the code is of, and whether it
// was changed since.
func TestRevision(t *testing.T) {
	root, git := checkout(t)
	revision := func() record.Manifest {
		r, err := suite.Start(newSuite(), root, t.TempDir(), "r1", record.Manifest{})
		require.NoError(t, err)
		require.NoError(t, r.Close())
		return manifest(t, r.Dir())
	}
	clean := revision()
	assert.Equal(t, git("rev-parse", "HEAD"), clean.Revision)
	assert.False(t, clean.Modified)
	assert.Empty(t, clean.Digests, "the revision says it all")
	put(t, root, "file", "")
	changed := revision()
	assert.Equal(t, clean.Revision, changed.Revision)
	assert.True(t, changed.Modified)
	assert.Contains(t, changed.Digests, "code")
}

// TestCodeBetweenAttempts: where no revision says what the code is, a run that was
// begun with one code neither goes on with another nor is merged with it.
func TestCodeBetweenAttempts(t *testing.T) {
	const engine = "internal/oap/engine.go"
	for _, tt := range []struct {
		name   string
		file   string // what is written between the attempts
		text   string
		same   bool
		reason string
	}{
		{"nothing", engine, "package oap // changed once", true, "the same code goes on"},
		{"the engine", engine, "package oap // allows", false, "one run would mix two engines"},
		{"the engine, as it was committed", engine, "package oap // denies", false, "the same"},
		{"a file more", "internal/oap/more.go", "package oap", false, "an init of its own may change all"},
		{"embedded text", "internal/oap/words.txt", "x", false, "it may be embedded"},
		{"a dependency", "go.mod", "module m", false, "other versions are other code"},
		{"a log beside the code", "run.log", "run begins", true, "it grows while the run goes on"},
		{"a document", "README.md", "two", true, "nothing is built of it"},
		{"test data", "internal/oap/testdata/x.go", "x", true, "nor of it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, _ := checkout(t)
			bare, other := t.TempDir(), t.TempDir() // without git, as from an archive
			for _, dir := range []string{root, bare, other} {
				put(t, dir, engine, "package oap // changed once")
			}
			results, m := t.TempDir(), record.Manifest{Sims: []string{"sim-a"}}
			begin := func(root, id string) error {
				r, err := suite.Start(newSuite(), root, results, id, m)
				if err == nil {
					err = r.Close()
				}
				return err
			}
			require.NoError(t, begin(root, "dirty"))
			require.NoError(t, begin(bare, "bare"))
			for _, dir := range []string{root, other} {
				put(t, dir, tt.file, tt.text)
			}
			for root, id := range map[string]string{root: "dirty", other: "bare"} {
				if err := begin(root, id); tt.same {
					require.NoError(t, err, tt.reason)
				} else {
					require.ErrorContains(t, err, "digest of code: was ", tt.reason)
				}
			}
		})
	}
}
