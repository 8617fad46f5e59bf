package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// TestShards: two machines run a half each, and the merged run is the one that
// was never divided: lines, receipts, figures and claim.
func TestShards(t *testing.T) {
	t.Parallel()
	env := func(shard string) map[string]string {
		return map[string]string{"VAULT_LEVELS": "l2", "VAULT_SIMS": "sim-compromised", "VAULT_SHARD": shard}
	}
	run := func(shard string) process {
		p := launch(t, env(shard), "-test.run=TestVault|TestRecordings")
		require.Zero(t, p.code, p.tail())
		return p
	}
	whole, one, two := run(""), run("1/2"), run("2/2")
	results := t.TempDir()
	cmd := exec.Command("go", "tool", "vault", "merge", filepath.Join(two.results, "latest"), filepath.Join(one.results, "latest"), "--id", "merged")
	cmd.Env = append(os.Environ(), "VAULT_RESULTS="+results)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	dir := filepath.Join(results, "merged")
	for _, file := range []string{record.EvaluationsFile, receipt.File, "summary.json", report.JUnitFile} {
		want := whole.read(t, file)
		got, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), file)
	}
	_, err = receipt.Verify(dir, nil)
	require.NoError(t, err)

	gap := exec.Command("go", "tool", "vault", "merge", filepath.Join(two.results, "latest"))
	gap.Env = append(os.Environ(), "VAULT_RESULTS="+results)
	out, err = gap.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "shard 1/2 is missing")
	for shard, want := range map[string]string{"3/2": "VAULT_SHARD", "x": "VAULT_SHARD"} {
		p := launch(t, env(shard), "-test.run=TestVault")
		assert.NotZero(t, p.code)
		p.says(t, want)
	}
}
