package pipelines_test

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clone is a checkout of the current revision, as a CI system makes one.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	out, err := command(t, root, "", "git", "clone", "-q", ".", dir)
	require.NoError(t, err, out)
	return dir
}

// environ is this process's without what the suite itself reads: a template brings
// its own.
func environ(vars map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "VAULT_") || strings.HasPrefix(kv, "GITHUB_")
	})
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}

// steps runs the commands of a template one after the other, as its system does:
// the first that fails ends it.
func steps(t *testing.T, dir string, vars map[string]string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		cmd := exec.Command("bash", "-eo", "pipefail", "-c", line)
		cmd.Dir, cmd.Env = dir, environ(vars)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", line, out[max(0, len(out)-4000):])
	}
}

// expand resolves variables of variables, as GitLab does before a job starts.
func expand(j job, vars map[string]string) map[string]string {
	all := maps.Clone(vars)
	for _, name := range slices.Sorted(maps.Keys(j.Variables)) {
		all[name] = os.Expand(j.Variables[name], func(v string) string { return vars[v] })
	}
	return all
}

// TestPolicyRuns runs the policy job of GitLab's template on the main branch and
// that of Jenkins' after it: benchmark, verdict, what flips, and what is kept.
func TestPolicyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the job is only read")
	}
	dir := clone(t)
	_, jobs := gitlab(t)
	policy := jobs["policy"]
	vars := expand(policy, map[string]string{
		"CI_PIPELINE_ID": "11", "CI_JOB_ID": "12", "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD",
	})
	require.Equal(t, "policy-11-12", vars["VAULT_RUN_ID"])
	steps(t, dir, vars, policy.Script...)
	junit := os.Expand(policy.Artifacts.Reports.JUnit, func(v string) string { return vars[v] })
	assert.FileExists(t, filepath.Join(dir, junit))
	assert.FileExists(t, filepath.Join(dir, "results", "last", "manifest.json"), "the next pull request is held against it")

	p, out, err := read(t, blocks(t, "groovy")[0])
	require.NoError(t, err, out)
	steps(t, dir, p.Environment, p.Shell...)
	run := filepath.Join(dir, "results", p.Environment["VAULT_RUN_ID"])
	assert.FileExists(t, filepath.Join(run, "junit.xml"))
	flips, err := os.ReadFile(filepath.Join(run, "policy.md"))
	require.NoError(t, err)
	assert.Contains(t, string(flips), "Payment requests of the last run, decided again")
	assert.NotContains(t, string(flips), "could not be told")
}

// TestNightRuns runs Jenkins' night against a simulated banker in the place of the
// model, and keeps it for the next one.
func TestNightRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the job is only read")
	}
	dir := clone(t)
	url := serveSim(t, dir)
	p, out, err := read(t, blocks(t, "groovy")[1])
	require.NoError(t, err, out)
	vars := p.Environment
	vars["VAULT_MODELS"], vars["VAULT_LOCAL_URL"], vars["LOCAL_API_KEY"] = "local", url, "any"
	vars["VAULT_LEVELS"] = "l2,l5" // the rest of the grid says nothing more of the template
	steps(t, dir, vars, p.Shell...)
	assert.FileExists(t, filepath.Join(dir, "results", vars["VAULT_RUN_ID"], "junit.xml"))
	assert.FileExists(t, filepath.Join(dir, "results", "last-night", "manifest.json"), "the next night is held against it")
}

// serveSim has a simulated banker answer for a model, and returns its address.
func serveSim(t *testing.T, dir string) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "vault")
	out, err := command(t, dir, "", "go", "build", "-o", tool, "./scripts/vault")
	require.NoError(t, err, out)
	cmd := exec.Command(tool, "serve-sim")
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, environ(nil), &errs
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it serves until it is told to stop
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(pipe)
	require.True(t, lines.Scan(), errs.String())
	return lines.Text()
}
