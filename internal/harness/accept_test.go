package harness_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/scripts/settings"
)

// TestPolicyIsAcceptedInJSON: in a copy of the module, a rule with a limit of its own
// and edits of passports are accepted by -update alone, and then all that decides by
// the policy is green. It runs the benchmark twice more, so under VAULT_LONG=1.
func TestPolicyIsAcceptedInJSON(t *testing.T) {
	_, options, err := settings.Load()
	require.NoError(t, err)
	if !options.Long {
		t.Skip("runs the benchmark with another policy: VAULT_LONG unset")
	}
	root := filepath.Join(t.TempDir(), "module")
	copyModule(t, "../..", root)
	edit := func(file, old, changed string) {
		path := filepath.Join(root, "passports", file)
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(raw), old, file)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(raw), old, changed, 1)), 0o644))
	}
	edit("packs/finance.payment.charge.v1.json", `"evaluation_rules": [`, `"evaluation_rules": [{"name": "big_needs_memo", "deny_code": "oap.invalid_context",
		"condition": "amount <= limits.payments.charge.max_without_memo OR memo is not empty", "description": "A large payment says what it is for."},`)
	for _, name := range []string{"agentdojo-banking", "front-desk", "level-1", "level-2", "level-3", "level-4"} {
		edit(name+".json", `"max_items_per_tx": 1`, `"max_without_memo": 9000000000000000, "max_items_per_tx": 2`)
	}
	edit("level-2.json", `"USD": {`, `"NOK": {"max_per_tx": 500, "daily_cap": 900}, "USD": {`)
	edit("level-3.json", `"gambling"`, `"paper"`)
	edit("level-4.json", `"2028-01-05T00:00:00Z"`, `"2030-01-01T00:00:00Z"`)

	out, err := goTest(t, root, "./vault_test", "-update")
	require.Error(t, err, "lines changed, which nobody must overlook")
	require.Contains(t, out, "vault: goldens rewritten, ", "nothing but the goldens was to be edited:\n%s", out)
	out, err = goTest(t, root, "./vault_test", "./scripts/...", "./internal/oap/...", "./internal/suite", "./internal/redecide", "./fixtures/...", "./docs")
	assert.NoError(t, err, out)
}

// goTest runs packages of a module with no variable of the benchmark or of CI. They are
// built anew, since the module lies elsewhere: without what only a debugger reads, and
// without vet, which reads the same code where it comes from.
func goTest(t *testing.T, root string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-vet=off", "-ldflags=-s -w"}, args...)...)
	cmd.Dir = root
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "VAULT_") && !strings.HasPrefix(kv, "CI=") && !strings.HasPrefix(kv, "GITHUB_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GOGC=400") // the compiler's as well
	out, err := cmd.CombinedOutput()
	var told []string // without the tables and settings
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "simulated") && !strings.HasPrefix(line, "config: ") {
			told = append(told, line)
		}
	}
	return strings.Join(told, ""), err
}

// copyModule copies what is no result and no history.
func copyModule(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || name == "results"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular() || d.Name() == ".git" || d.Name() == ".env":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), raw, info.Mode().Perm())
	}))
}
