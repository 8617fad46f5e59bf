package harness_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// TestUnloadablePolicy: a pack with a slip in it leaves a run whose one reason is
// what the loader says. No decision changed, since none was made. It builds the
// benchmark once more, so it runs under VAULT_LONG=1.
func TestUnloadablePolicy(t *testing.T) {
	_, options, err := settings.Load()
	require.NoError(t, err)
	if !options.Long {
		t.Skip("builds the benchmark with another pack: VAULT_LONG unset")
	}
	pack, err := filepath.Abs("../../passports/packs/finance.payment.charge.v1.json")
	require.NoError(t, err)
	raw, err := os.ReadFile(pack)
	require.NoError(t, err)
	broken := strings.Replace(string(raw), "daily_total + amount", "daily_total + + amount", 1)
	require.NotEqual(t, string(raw), broken)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pack.json"), []byte(broken), 0o644))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {pack: filepath.Join(dir, "pack.json")}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644))
	binary, err := build("broken.test", "-overlay="+filepath.Join(dir, "overlay.json"))
	require.NoError(t, err)

	p := beginBinary(t, binary, nil).wait(t)
	assert.Equal(t, 1, p.code, p.tail())
	p.says(t, "vault: inconclusive: the policy can't be used and nothing was run: load pack: packs/finance.payment.charge.v1.json: rule daily_cap_check: column 15: ")
	v := verdictOf(t, filepath.Join(p.results, "latest"))
	assert.Equal(t, report.StateInconclusive, v.State)
	require.Len(t, v.Reasons, 1)
	assert.Contains(t, v.Reasons[0].Message, "rule daily_cap_check: column 15: ")
}
