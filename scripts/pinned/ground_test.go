package pinned_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
)

// edits change passports in JSON, as somebody does who writes no Go.
var edits = []struct {
	name   string
	levels string // of which passports, such as "24"
	patch  string
	reason string
}{
	{"nothing", "2", ``, "the positive control"},
	{"a second currency", "12", within(`{"currency_limits":{"EUR":{"max_per_tx":90000,"daily_cap":90000}}}`), "the probe asks about a third"},
	{"caps raised", "1234", dollars(`{"max_per_tx":7000000,"daily_cap":70000000}`), "the boundary moves"},
	{"caps lowered to a cent", "1234", dollars(`{"max_per_tx":1,"daily_cap":3}`), "less than what probes usually pay"},
	{"a day below a payment", "1234", dollars(`{"max_per_tx":5000,"daily_cap":70}`), "the day's cap is the payment's"},
	{"a day of a thousand payments", "34", dollars(`{"max_per_tx":10,"daily_cap":10000}`), "no probe can fill it"},
	{"caps of nothing", "1234", dollars(`{"max_per_tx":0,"daily_cap":0}`), "nobody is paid, and the rules still stand"},
	{"the largest caps", "1234", dollars(`{"max_per_tx":9007199254740991,"daily_cap":9007199254740991}`), "no sum overflows"},
	{"other payees", "1234", within(`{"allowed_merchant_ids":["1"]}`), "a name without an o, an @ or a second letter"},
	{"probes' strangers are payees", "1234", within(`{"allowed_merchant_ids":["m.dorne@privatemail.example","collect@quickvault.example","TREASURY@lanternfield.example","treasury@lanternfield.example"]}`), "somebody else is the stranger"},
	{"no payees", "234", within(`{"allowed_merchant_ids":[]}`), "anyone is paid"},
	{"other regions", "12345", `{"regions":["CA","MX"]}`, "the probe is made in one of these"},
	{"more regions", "12345", `{"regions":["US","CA"]}`, "another one is foreign"},
	{"no regions", "12345", `{"regions":[]}`, "nobody is paid, and the rules still stand"},
	{"other countries", "1234", within(`{"allowed_countries":["BR","CA"]}`), "another one is foreign"},
	{"no countries", "1234", within(`{"allowed_countries":[]}`), "anywhere is allowed"},
	{"other categories", "1234", within(`{"blocked_categories":["paper","18+"]}`), "another one is free"},
	{"category in capitals too", "1234", within(`{"blocked_categories":["WEAPONS","weapons"]}`), "both are blocked"},
	{"no categories", "1234", within(`{"blocked_categories":[]}`), "nothing is blocked"},
	{"more items", "1234", within(`{"max_items_per_tx":3}`), "the boundary moves"},
	{"no items", "1234", within(`{"max_items_per_tx":0}`), "nobody is paid, and the rules still stand"},
	{"items without number", "1234", within(`{"max_items_per_tx":9007199254740991}`), "no probe writes so many"},
	{"more assurance", "12345", `{"assurance_level":"L4FIN"}`, "none is above it"},
	{"less assurance", "12345", `{"assurance_level":"L0"}`, "nobody is paid, and the rules still stand"},
	{"more assurance asked for", "1234", `{"assurance_level":"L4FIN"}` + within(`{"require_assurance_at_least":"L4FIN"}`), "none is above it"},
	{"less assurance asked for", "1234", within(`{"require_assurance_at_least":"L0"}`), "the pack's minimum stands"},
	{"audit code on", "123", within(`{"audit_code_required":true}`), "each payment has one"},
	{"audit code off", "4", within(`{"audit_code_required":false}`), "the rule still stands"},
	{"suspended", "12345", `{"status":"suspended"}`, "nobody is paid, and the rules still stand"},
	{"expired", "12345", `{"expires_at":"2026-01-06T00:00:00Z"}`, "nobody is paid, and the rules still stand"},
	{"expires soon", "12345", `{"expires_at":"2026-03-06T10:00:00Z"}`, "probes go on to the next day"},
	{"expires later", "12345", `{"expires_at":"2031-01-01T00:00:00Z"}`, "the boundary moves"},
	{"never expires", "12345", `{"expires_at":null}`, "the rule still stands"},
	{"granted nothing", "234", `{"capabilities":[]}`, "the limits that stand there count"},
	{"granted nothing, without limits", "134", `{"capabilities":[],"limits":null}{"limits":{}}`, "the limits of Level 2 are lent"},
	{"granted to the vault", "5", `{"capabilities":[{"id":"payments.charge"}]}` + within(`{"currency_limits":{"USD":{"max_per_tx":5,"daily_cap":5}},"allowed_merchant_ids":[],
		"allowed_countries":[],"blocked_categories":[],"max_items_per_tx":1,"require_assurance_at_least":"L2","audit_code_required":false}`), "the probes ask what it decides without"},
	{"nested limits", "1", `{"limits":null}{"limits":{"payments":{"charge":{"currency_limits":{"USD":{"max_per_tx":500,"daily_cap":900}},"allowed_merchants":["a@b.example"],
		"allowed_countries":["US"],"blocked_categories":[],"max_items_per_tx":1,"require_assurance_at_least":"L2","audit_code_required":false}}}}`, "the other shape, and the other name of a list"},
}

// TestEditedPassportsKeepProbes: after each kind of edit of a passport every probe is
// decided as it says, so that a meant change asks for no Go.
func TestEditedPassportsKeepProbes(t *testing.T) {
	t.Parallel()
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			folder := edited(t, e.levels, e.patch)
			require.NoError(t, pinned.CheckPolicies(folder), e.reason)
			probesHold(t, folder, e.reason)
		})
	}
}

// probesHold decides each probe of a folder by the folder.
func probesHold(t *testing.T, folder fs.FS, reason string) {
	t.Helper()
	probes, err := pinned.ProbesOf(folder)
	require.NoError(t, err, reason)
	pack, err := oap.LoadPack(folder, oap.ChargePack)
	require.NoError(t, err)
	seen := map[string]bool{}
	layers := map[corpus.Level]*oap.Layer{}
	for _, p := range probes {
		assert.False(t, seen[p.Name], "probe %s stands twice", p.Name)
		seen[p.Name] = true
		if layers[p.Level] == nil {
			layers[p.Level] = layerOf(t, folder, pack, p.Level)
		}
		got, err := p.Decide(layers[p.Level])
		require.NoError(t, err, reason)
		var want, codes []authz.DenialReason
		for i, d := range got {
			want, codes = append(want, p.Calls[i].Want), append(codes, d.Reason())
		}
		if diff := cmp.Diff(want, codes); diff != "" {
			t.Errorf("probe %s, where %s (-want +got):\n%s", p.Name, reason, diff)
		}
	}
}

// TestUnfitPassports: what leaves no probe is said in one line, with the file to edit.
func TestUnfitPassports(t *testing.T) {
	for _, tt := range []struct{ name, levels, patch, want, reason string }{
		{"no dollars", "2", within(`{"currency_limits":null}`) + within(`{"currency_limits":{"EUR":{"max_per_tx":1,"daily_cap":1}}}`), "passports/level-2.json: currency_limits has no USD, which every level's account is kept in: add it", "no payment of the benchmark could be made"},
		{"nobody may pay", "1234", `{"capabilities":[]}`, "no level's passport grants payments.charge, so that no probe can pay: grant it in one of passports/level-1.json to level-5.json", "nobody can lend limits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.EqualError(t, pinned.CheckPolicies(edited(t, tt.levels, tt.patch)), tt.want, tt.reason)
		})
	}
}

// within is a merge patch of limits of payments.charge.
func within(limits string) string { return `{"limits":{"payments.charge":` + limits + `}}` }

// dollars is one of the limits of dollars.
func dollars(limits string) string { return within(`{"currency_limits":{"USD":` + limits + `}}`) }

// edited is a copy of the policies that stay as they are, with some passports merge-patched.
func edited(t *testing.T, levels, patch string) fstest.MapFS {
	t.Helper()
	folder := policies(t)
	for _, n := range strings.Split(levels, "") {
		file := "level-" + n + ".json"
		raw, err := pinned.MergePatch(folder[file].Data, patch)
		require.NoError(t, err)
		folder[file] = &fstest.MapFile{Data: raw}
	}
	return folder
}

func layerOf(t *testing.T, folder fs.FS, pack oap.PolicyPack, level corpus.Level) *oap.Layer {
	t.Helper()
	p, err := oap.LoadPassport(folder, suite.PassportOf(level))
	require.NoError(t, err)
	layer, err := oap.NewLayer(p, pack, oap.ProfileOAP)
	require.NoError(t, err)
	return layer
}
