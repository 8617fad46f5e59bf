package vault_test

import (
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
)

// without is the level's layer under a pack that lacks a rule.
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
		require.Len(t, kept, len(pack["evaluation_rules"].([]any))-1, "no rule %s", rule)
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
