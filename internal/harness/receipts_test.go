package harness_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/receipt"
	"vaultbench/internal/strictjson"
)

// TestOwnSigningKey: a run that is signed with one's own key verifies under it,
// and the secret half lands nowhere.
func TestOwnSigningKey(t *testing.T) {
	t.Parallel()
	seed := []byte(canary + strings.Repeat("-", 32-len(canary)))
	forms := []string{string(seed), hex.EncodeToString(seed), base64.StdEncoding.EncodeToString(seed), base64.RawURLEncoding.EncodeToString(seed)}
	file := filepath.Join(t.TempDir(), "seed")
	require.NoError(t, os.WriteFile(file, []byte(forms[1]+"\n"), 0o600))
	p := launch(t, map[string]string{"VAULT_SIGNING_KEY": file, "VAULT_SIMS": "sim-compromised", "VAULT_LEVELS": "l2"}, "-test.run=TestVault", "-test.v")
	require.Zero(t, p.code, p.output)
	assert.Contains(t, p.output, "config: VAULT_SIGNING_KEY="+file+" (environment)", "the path is no secret")
	assertNoCanary(t, p)
	require.NoError(t, filepath.WalkDir(p.results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, form := range forms {
			assert.NotContains(t, string(raw)+p.output, form, path)
		}
		return err
	}))
	assert.Contains(t, string(p.read(t, "summary.json")), `"signing_key": "own"`)
	report, err := receipt.Verify(filepath.Join(p.results, "latest"), nil)
	require.NoError(t, err)
	assert.Equal(t, receipt.SignedOwn, report.SigningKey)
	assertNamed(t, p)
}

// assertNamed: what the layer decides bears the names of passport and pack, in
// both naming sets; what dispatch denies in its stead bears none.
func assertNamed(t *testing.T, p process) {
	t.Helper()
	lines, err := strictjson.Lines(receipt.File, p.read(t, receipt.File))
	require.NoError(t, err)
	for _, l := range lines {
		var r receipt.Receipt
		require.NoError(t, json.Unmarshal(l.Raw, &r))
		if r.Origin != authz.FromLayer {
			assert.Empty(t, r.PassportID+r.PolicyID, "line %d", l.Number)
			continue
		}
		require.NoError(t, strictjson.Validate("decision.schema.json", l.Raw), "line %d", l.Number)
		assert.Equal(t, "finance.payment.charge.v1", r.PolicyID, "line %d", l.Number)
		assert.NotEmpty(t, r.PassportID, "line %d: no passport of passports/ has digest %s", l.Number, r.PassportDigest)
		assert.Equal(t, r.PassportID, r.AgentID, "line %d", l.Number)
	}
}

// TestBadSigningKey: a run that could not be signed as asked for does not begin,
// and the message quotes no key.
func TestBadSigningKey(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	short := filepath.Join(folder, "short")
	require.NoError(t, os.WriteFile(short, []byte(hex.EncodeToString([]byte(canary))), 0o600))
	for _, tt := range []struct {
		name, value, want, reason string
	}{
		{"no such file", filepath.Join(folder, "none"), "open signing key: ", "a typing error must not fall back to the test key"},
		{"too short", short, "signing key " + short + ": want an Ed25519 seed, 32 bytes as 64 hex digits or base64", "what to do"},
		{"the key itself", hex.EncodeToString([]byte(canary + strings.Repeat("-", 32-len(canary)))), "VAULT_SIGNING_KEY: this looks like the key itself", "it would be printed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := launch(t, map[string]string{"VAULT_SIGNING_KEY": tt.value}, "-test.run=TestVault")
			assert.NotZero(t, p.code, p.output)
			assert.Contains(t, p.output, tt.want, tt.reason)
			assert.NotContains(t, p.output, hex.EncodeToString([]byte(canary)), "no key is quoted")
			assert.NoDirExists(t, p.results)
		})
	}
}
