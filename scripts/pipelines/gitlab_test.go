package pipelines_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// job is what of a GitLab job is run here.
type job struct {
	Script    []string          `yaml:"script"`
	Variables map[string]string `yaml:"variables"`
	Artifacts struct {
		Reports struct {
			JUnit string `yaml:"junit"`
		} `yaml:"reports"`
	} `yaml:"artifacts"`
}

func gitlab(t *testing.T) (text string, jobs map[string]job) {
	t.Helper()
	text = strings.Join(blocks(t, "yaml"), "\n")
	require.NoError(t, yaml.Unmarshal([]byte(text), &jobs))
	require.NotEmpty(t, jobs)
	return text, jobs
}

// listed has gitlab-ci-local read a pipeline: it holds it to GitLab's schema and
// resolves needs and rules.
func listed(t *testing.T, text string) (names []string, out string, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "remote", "add", "origin", "git@gitlab.example:vault/vault.git"},
		{"git", "-c", "user.name=n", "-c", "user.email=n@n.example", "commit", "-q", "--allow-empty", "-m", "x"},
	} {
		out, err := command(t, dir, "", args...)
		require.NoError(t, err, out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitlab-ci.yml"), []byte(text), 0o600))
	tool, err := filepath.Abs("node_modules/.bin/gitlab-ci-local")
	require.NoError(t, err)
	require.FileExists(t, tool, "run npm install in scripts/pipelines")
	out, err = command(t, dir, "", tool, "--list-json", "--cwd", ".", "--home", t.TempDir())
	if err != nil {
		return nil, out, err
	}
	var jobs []struct {
		Name string `json:"name"`
	}
	_, list, found := strings.Cut(out, "\n[")
	require.True(t, found, out)
	require.NoError(t, json.NewDecoder(strings.NewReader("["+list)).Decode(&jobs), out)
	for _, j := range jobs {
		names = append(names, j.Name)
	}
	return names, out, nil
}

func TestGitLab(t *testing.T) {
	text, jobs := gitlab(t)
	names, out, err := listed(t, text)
	require.NoError(t, err, out)
	assert.ElementsMatch(t, []string{"policy", "night: [1/4]", "night: [2/4]", "night: [3/4]", "night: [4/4]", "morning"}, names)
	assert.Contains(t, out, "json schema validated")
	for name, j := range jobs {
		for _, line := range j.Script {
			wellFormed(t, name, line+"\n")
		}
	}
}

// TestGitLabBroken: the check sees what breaks a pipeline.
func TestGitLabBroken(t *testing.T) {
	text, _ := gitlab(t)
	for _, tt := range []struct{ name, old, text, want string }{
		{"no script", "script: [.ci/nightly run]", "scrip: [.ci/nightly run]", "script"},
		{"job that is needed", "needs: [night]", "needs: [nigth]", "nigth"},
		{"word", "when: always", "when: allways", "when"},
		{"type", "parallel: 4", "parallel: four", "parallel"},
		{"YAML", "  script:\n", "  script\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, text, tt.old)
			_, out, err := listed(t, strings.Replace(text, tt.old, tt.text, 1))
			require.Error(t, err, out)
			assert.Contains(t, out, tt.want)
		})
	}
}
