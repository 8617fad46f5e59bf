package pipelines_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lint is what actionlint, with shellcheck for the steps, says of a workflow.
func lint(t *testing.T, name, text string) string {
	t.Helper()
	var out strings.Builder
	l, err := actionlint.NewLinter(&out, &actionlint.LinterOptions{Shellcheck: "shellcheck", Color: actionlint.ColorOptionKindNever, Oneline: true})
	require.NoError(t, err)
	faults, err := l.Lint(name, []byte(text), nil)
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range faults {
		fmt.Fprintln(&all, f.Error())
	}
	return all.String()
}

func TestGitHub(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, lint(t, file, string(raw)))
	}
}

// TestGitHubBroken: the check sees what breaks a workflow.
func TestGitHubBroken(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "vault.yml"))
	require.NoError(t, err)
	for _, tt := range []struct{ name, old, text, want string }{
		{"key", "runs-on:", "run-on:", "run-on"},
		{"expression", "${{ github.event_name == 'push' }}", "${{ github.event_nam == 'push' }}", "event_nam"},
		{"job that is needed", "needs: night", "needs: nigth", "nigth"},
		{"input of an action", "go-version-file:", "go-version-fil:", "go-version-fil"},
		{"shell", `cp -R "results/$VAULT_RUN_ID" results/last`, `cp -R results/$VAULT_RUN_ID results/last`, "SC2086"},
		{"schedule", `"17 1 * * *"`, `"17 25 * * *"`, "CRON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, string(raw), tt.old)
			assert.Contains(t, lint(t, "vault.yml", strings.Replace(string(raw), tt.old, tt.text, 1)), tt.want)
		})
	}
}
