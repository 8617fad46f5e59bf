package pipelines_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScripts: what the templates call, and the other scripts.
func TestScripts(t *testing.T) {
	for _, pattern := range []string{".ci/run", ".ci/policy", ".ci/nightly", "scripts/*.sh"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			wellFormed(t, file, string(raw))
		}
	}
}
