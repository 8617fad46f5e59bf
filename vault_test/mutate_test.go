package vault_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
)

// without is the level's layer under a pack that lacks a rule; the shipped one where
// the pack has no such rule.
func without(rule string) func(*testing.T, corpus.Level) *oap.Layer {
	return func(t *testing.T, level corpus.Level) *oap.Layer {
		t.Helper()
		var pack map[string]any
		shipped, err := fs.ReadFile(passports.FS, "packs/"+string(oap.ChargePack)+".json")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(shipped, &pack))
		var kept []any
		for _, r := range pack["evaluation_rules"].([]any) {
			if r.(map[string]any)["name"] != rule {
				kept = append(kept, r)
			}
		}
		if _, ok := ruleOf(writtenPack(t), rule); !ok {
			t.Fatalf("no pack had a rule %s", rule)
		}
		pack["evaluation_rules"] = kept
		raw, err := json.Marshal(pack)
		require.NoError(t, err)
		parsed, err := oap.ParsePack("packs/changed.json", raw)
		require.NoError(t, err)
		passport, err := oap.LoadPassport(passports.FS, suite.PassportOf(level))
		require.NoError(t, err)
		layer, err := oap.NewLayer(passport, parsed, oap.ProfileOAP)
		require.NoError(t, err)
		return layer
	}
}

// limits is the level's layer under a passport whose limits are merge-patched.
func limits(patch string) func(*testing.T, corpus.Level) *oap.Layer {
	return func(t *testing.T, level corpus.Level) *oap.Layer {
		t.Helper()
		layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		layer, err = pinned.Patched(layer, `{"limits":{"payments.charge":`+patch+`}}`)
		require.NoError(t, err)
		return layer
	}
}

// byCents moves a cap of dollars of the level's passport.
func byCents(name string, cents int64) func(*testing.T, corpus.Level) *oap.Layer {
	return func(t *testing.T, level corpus.Level) *oap.Layer {
		t.Helper()
		return limits(fmt.Sprintf(`{"currency_limits":{"USD":{%q:%d}}}`, name, capOf(t, level, name)+cents))(t, level)
	}
}

// capOf is a cap of dollars of the level's passport, in cents; 0 where it has none.
func capOf(t *testing.T, level corpus.Level, name string) int64 {
	t.Helper()
	p, err := oap.LoadPassport(passports.FS, suite.PassportOf(level))
	require.NoError(t, err)
	limits, err := p.Limits(oap.ChargeCapability)
	require.NoError(t, err)
	table := limits["currency_limits"]
	if table == nil || table.Map["USD"] == nil || table.Map["USD"].Map[name] == nil {
		return 0
	}
	return table.Map["USD"].Map[name].Int
}

// isShipped says whether a layer is the shipped one: what was to be broken is not in
// the policy.
func isShipped(t *testing.T, level corpus.Level, l *oap.Layer) bool {
	t.Helper()
	shipped, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
	require.NoError(t, err)
	return l.PassportDigest() == shipped.PassportDigest() && l.PolicyDigest() == shipped.PolicyDigest()
}
