package harness_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSectionsChangeNothingNative: with both sections, every native figure of the
// summary is the same to the byte.
func TestSectionsChangeNothingNative(t *testing.T) {
	t.Parallel()
	summary := func(env map[string]string) map[string]json.RawMessage {
		for name, value := range map[string]string{"VAULT_LEVELS": "l5", "VAULT_SIMS": "sim-compromised", "VAULT_TRACKS": "single", "VAULT_SHARD": "1/3"} {
			env[name] = value
		}
		p := launch(t, env, "-test.run=^(TestVault|TestCross|TestVariants)$")
		require.Zero(t, p.code, p.tail())
		members := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(p.read(t, "summary.json"), &members))
		return members
	}
	native, with := summary(map[string]string{}), summary(map[string]string{"VAULT_CROSS": "1", "VAULT_VARIANTS": "1"})
	assert.NotContains(t, native, "sections")
	assert.Contains(t, with, "sections")
	delete(with, "sections")
	if diff := cmp.Diff(native, with, cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })); diff != "" {
		t.Errorf("native members (-alone +beside sections):\n%s", diff)
	}
}
