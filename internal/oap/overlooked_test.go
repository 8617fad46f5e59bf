package oap_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

const (
	twoCapabilities = `"requires_capabilities": ["payments.charge", "bank.transfer"]`
	bothGranted     = `"capabilities":[{"id":"payments.charge"},{"id":"bank.transfer"}]`
	noRegion        = "the pack's required_context has no region to hold against them, and no rule reads passport.regions: add region to the properties"
	firstAlone      = "the rules of finance.payment.charge.v1 read the limits of payments.charge, the first of its requires_capabilities, and no other: move these there, or delete them"
	rulesUnread     = "the pack finance.payment.charge.v1 has assurance_rules and no rule calls getRequiredAssuranceLevel, so they ask for nothing: write the rule, or delete them"
	levelRule       = `passport.assurance_level >= getRequiredAssuranceLevel(amount, currency)`
	levelTable      = `"assurance_rules": [{"lte_minor": 5, "min_level": "L0"}, {"lte_minor": 9, "min_level": "L2"}], "evaluation_rules": [`
)

// withoutRegion takes the region out of a pack's context.
var withoutRegion = []string{`"region": {"type": "string", "description": "Where the payment is made."},`, ``, `"merchant_id", "region", "items"`, `"merchant_id", "items"`}

// overlookedRows are a pack, by texts of the shipped one and their replacements, and
// a passport. What the issuer wrote and nothing would enforce is refused when the two
// are joined; lint says at least as much.
var overlookedRows = []struct {
	name   string
	pack   []string
	patch  string
	load   string // the error; empty: they join
	lint   []string
	reason string
}{
	{"limits of a second capability", []string{`"requires_capabilities": ["payments.charge"]`, twoCapabilities}, `{` + bothGranted + `,"limits":{"bank.transfer":{"max_per_tx":5}}}`,
		"passport level-2.json: limits of bank.transfer: " + firstAlone, []string{"error: /limits/bank.transfer: " + firstAlone}, "a transfer of six would pass"},
	{"published limits of a second capability", []string{`"requires_capabilities": ["payments.charge"]`, twoCapabilities}, `{` + bothGranted + `,"limits":{"bank.transfer":{"currency_limits":{"USD":{"daily_cap":5}}}}}`,
		"passport level-2.json: limits of bank.transfer: " + firstAlone, []string{"error: /limits/bank.transfer: " + firstAlone}, "no name makes them count"},
	{"nested limits of a second capability", []string{`"requires_capabilities": ["payments.charge"]`, twoCapabilities}, `{` + bothGranted + `,"limits":{"bank":{"transfer":{"max_per_tx":5}}}}`,
		"passport level-2.json: limits of bank.transfer: " + firstAlone, []string{"error: /limits/bank/transfer: " + firstAlone}, "in either shape"},
	{"limits of a second capability that is not granted", []string{`"requires_capabilities": ["payments.charge"]`, twoCapabilities}, `{"limits":{"bank.transfer":{"max_per_tx":5}}}`,
		"passport level-2.json: limits of bank.transfer: " + firstAlone, []string{"error: /limits/bank.transfer: " + firstAlone,
			"warning: /limits/bank.transfer: limits of bank.transfer, which is not granted, so they are never used: grant it, or delete them"}, "they would count no more if it were"},
	{"no limits of a second capability", []string{`"requires_capabilities": ["payments.charge"]`, twoCapabilities}, `{` + bothGranted + `,"limits":{"bank.transfer":{}}}`, "", nil, "nothing is overlooked"},
	{"an unread limit and no grant", nil, `{"capabilities":[],"limits":{"payments.charge":{"weekly_cap":1}}}`,
		"passport level-2.json: limits of payments.charge: no rule of finance.payment.charge.v1 reads weekly_cap, so it limits nothing: delete it, or write the rule", []string{
			"warning: " + charge + ": limits of payments.charge, which is not granted, so they are never used: grant it, or delete them", "error: " + charge + "/weekly_cap: " + unreadByAny,
		}, "the loader looks at it all the same"},
	{"regions of a context without one", withoutRegion, `{}`,
		"passport level-2.json under pack finance.payment.charge.v1: regions: " + noRegion, []string{"error: /regions: pack finance.payment.charge.v1: " + noRegion}, "any region would pass"},
	{"no regions, of a context without one", withoutRegion, `{"regions":[]}`,
		"passport level-2.json under pack finance.payment.charge.v1: regions: " + noRegion, []string{"error: /regions: pack finance.payment.charge.v1: " + noRegion}, "none would become any"},
	{"regions of a context without one, read by a rule", append(withoutRegion, `"condition": "idempotency_key not in recent_keys"`, `"condition": "passport.regions.includes('US') AND idempotency_key not in recent_keys"`), `{}`, "", nil, "the rule holds payments to them"},
	{"an integer that rounds", []string{`amount <= limits.payments.charge.currency_limits[currency].max_per_tx`, `amount <= limits.payments.charge.my_cap`}, limits(`{"my_cap":-9007199254740991}`), "", []string{
		"warning: " + usd + "/max_per_tx: " + unreadByAny, "warning: " + charge + "/my_cap: -9007199254740991 is negative: nothing can stay within it: write a cap, in minor units"}, "the last that does not"},
	{"a negative limit of one's own", []string{`amount <= limits.payments.charge.currency_limits[currency].max_per_tx`, `amount + limits.payments.charge.offset > 0`}, limits(`{"offset":-5}`), "", []string{
		"warning: " + usd + "/max_per_tx: " + unreadByAny, "warning: " + charge + "/offset: -5 is negative: nothing can stay within it: write a cap, in minor units"}, "its rule may mean it"},
	{"a zero of one's own", []string{`amount <= limits.payments.charge.currency_limits[currency].max_per_tx`, `amount > limits.payments.charge.max_ignored`}, limits(`{"max_ignored":0}`), "", []string{
		"warning: " + usd + "/max_per_tx: " + unreadByAny, "warning: " + charge + "/max_ignored: a cap of zero lets nothing through: raise it, or drop what it stands for"}, "its rule may mean it"},
	{"assurance_rules that no rule calls", []string{`"evaluation_rules": [`, levelTable}, `{}`, "", []string{"warning: /capabilities/0/id: " + rulesUnread}, "every amount needs but the pack's minimum"},
	{"assurance_rules that a rule calls", []string{`"evaluation_rules": [`, levelTable, `"passport.assurance_level >= limits.payments.charge.require_assurance_at_least"`, `"` + levelRule + `"`}, `{}`, "", nil, "they count"},
}

func TestOverlooked(t *testing.T) {
	for _, tt := range overlookedRows {
		t.Run(tt.name, func(t *testing.T) {
			raw := shippedBytes(t, packFile)
			for i := 0; i < len(tt.pack); i += 2 {
				raw = swapOnce(t, raw, tt.pack[i], tt.pack[i+1])
			}
			pack, err := oap.ParsePack(packFile, raw)
			require.NoError(t, err)
			p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2), tt.patch))
			require.NoError(t, err)
			if _, err = oap.NewLayer(p, pack, oap.ProfileOAP); tt.load == "" {
				require.NoError(t, err, tt.reason)
			} else {
				require.EqualError(t, err, tt.load, tt.reason)
			}
			o := lintOptions(t)
			o.Packs, err = oap.ReadPacks(fstest.MapFS{"charge.json": {Data: raw}})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.lint, lintLines(t, o, tt.patch)); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestInexactNumbers: two files never have one digest for a number that JSON readers
// round, wherever it stands.
func TestInexactNumbers(t *testing.T) {
	for _, tt := range []struct{ name, file, old, changed, want, reason string }{
		{"own limit", level2, `"max_items_per_tx": 1`, `"max_items_per_tx": 1, "my_cap": 9007199254740993`, "/limits/payments.charge/my_cap: 9007199254740993 is beyond ±9007199254740991", "rounds to the one below"},
		{"own limit in a list", level2, `"max_items_per_tx": 1`, `"max_items_per_tx": 1, "caps": [1, 9007199254740992]`, "/limits/payments.charge/caps/1: 9007199254740992 is beyond", "its neighbour rounds to it"},
		{"negative", level2, `"max_items_per_tx": 1`, `"max_items_per_tx": 1, "my_cap": -9007199254740992`, "/limits/payments.charge/my_cap: -9007199254740992 is beyond", "likewise"},
		{"metadata", level2, `"level": "l2"`, `"level": 1e400`, "/metadata/level: 1e400 is beyond", "no number at all to most"},
		{"the last exact one", level2, `"max_items_per_tx": 1`, `"max_items_per_tx": 1, "my_cap": 9007199254740991, "my_floor": -9007199254740991`, "", "each has a digest of its own"},
		{"fraction in metadata", level2, `"level": "l2"`, `"level": 0.25`, "", "no limit"},
		{"pack", packFile, `"minimum": 1, "description": "Minor units."},` + "\n" + `      "currency"`, `"minimum": 9007199254740993, "description": "Minor units."},` + "\n" + `      "currency"`, "/required_context/properties/amount/minimum: 9007199254740993 is beyond", "rounds to the one below"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := swapOnce(t, shippedBytes(t, tt.file), tt.old, tt.changed)
			var err error
			if tt.file == packFile {
				_, err = oap.ParsePack(tt.file, raw)
			} else {
				_, err = oap.ParsePassport(tt.file, raw)
				require.Equal(t, err != nil, hasLintError(oap.Lint(tt.file, raw, oap.LintOptions{At: morning})), "lint says so too")
			}
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestUnreachedAssurance: an entry behind a higher one would ask for nothing.
func TestUnreachedAssurance(t *testing.T) {
	for _, tt := range []struct{ name, table, want, reason string }{
		{"rising", `[{"lte_minor": 5, "min_level": "L3"}, {"lte_minor": 6, "min_level": "L0"}]`, "", "each has amounts of its own"},
		{"falling", `[{"lte_minor": 6, "min_level": "L0"}, {"lte_minor": 5, "min_level": "L4FIN"}]`, "load pack: " + packFile + ": /assurance_rules/1: no amount reaches 5, which is not above the entry before: put the entries in the order of lte_minor", "L4FIN would never be asked for"},
		{"equal", `[{"lte_minor": 5, "min_level": "L0"}, {"lte_minor": 5, "min_level": "L4FIN"}]`, "/assurance_rules/1: no amount reaches 5", "likewise"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := oap.ParsePack(packFile, swapOnce(t, shippedBytes(t, packFile), `"evaluation_rules": [`, `"assurance_rules": `+tt.table+`, "evaluation_rules": [`))
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestLintSaysWhatTheLoaderSays: whatever stands in a passport, and whichever pack
// decides, what can't be loaded has an error of lint.
func TestLintSaysWhatTheLoaderSays(t *testing.T) {
	packs := map[string][]byte{
		"shipped.json": shippedBytes(t, packFile), "payees.json": withRule(t, payeeRule), "own.json": ownPackBytes(t),
		"two.json":    swapOnce(t, shippedBytes(t, packFile), `"requires_capabilities": ["payments.charge"]`, twoCapabilities),
		"region.json": swapOnce(t, swapOnce(t, shippedBytes(t, packFile), withoutRegion[0], withoutRegion[1]), withoutRegion[2], withoutRegion[3]),
		"bare.json":   []byte(strings.ReplaceAll(barePack, "%q", `"L0"`)),
	}
	passports := [][]byte{shippedBytes(t, level2), shippedBytes(t, level4), shippedBytes(t, level5)}
	refused := map[bool]int{}
	requests, long := generated()
	if !long {
		requests /= 4 // a passport takes as long as a thousand requests
	}
	oaptest.Check(t, requests*2, long, func(rt *rapid.T) {
		raw := rapid.SampledFrom(append(slices.Clone(passports), oaptest.Passport(rt))).Draw(rt, "passport")
		for range rapid.IntRange(0, 3).Draw(rt, "changes") {
			if rapid.Bool().Draw(rt, "telling") {
				raw = mergeJSON(t, raw, rapid.SampledFrom(tellingPatches).Draw(rt, "patch"))
			} else {
				raw = changeSomewhere(rt, raw)
			}
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(packs))).Draw(rt, "pack")
		files, err := oap.ReadPacks(fstest.MapFS{name: {Data: packs[name]}})
		if err != nil || files[0].Err != nil || len(files[0].Refused) > 0 {
			rt.Fatalf("set-up: %s: %v %+v", name, err, files)
		}
		p, err := oap.ParsePassport("p.json", raw)
		for _, profile := range profiles {
			if err == nil {
				_, err = oap.NewLayer(p, files[0].Pack, profile)
			}
		}
		refused[err != nil]++
		findings := oap.Lint("p.json", raw, oap.LintOptions{At: morning, Packs: files})
		if err != nil && !hasLintError(findings) {
			rt.Fatalf("the loader says %v under %s, lint only %v, of\n%s", err, name, findings, raw)
		}
	})
	require.Greater(t, refused[true], 100, "hardly anything was refused")
	require.Greater(t, refused[false], 100, "hardly anything was loaded")
}

// tellingPatches are edits that two of make a trap of, more often than chance does.
var tellingPatches = []string{
	`{"capabilities":[]}`, `{"capabilities":[{"id":"payments.charge"}]}`, `{"capabilities":[{"id":"bank.transfer"}]}`, `{` + bothGranted + `}`, `{"capabilities":[{"id":"finance.bare"}]}`,
	limits(`{"weekly_cap":1}`), limits(`{"max_weekend":1}`), limits(`{"max_per_payee_day":-5}`), limits(`{"currency_limits":{"USD":{"max_weekend":1}}}`), limits(`{"supported_currencies":["USD"]}`),
	`{"limits":{"payments":{"charge":{"weekly_cap":1}}}}`, `{"limits":{"payments.charge":null}}`, `{"limits":{"bank.transfer":{"max_per_tx":1}}}`, `{"limits":{"bank":{"transfer":{"max_per_tx":1}}}}`,
	`{"limits":{"finance.bare":{"weekly_cap":1}}}`, `{"regions":[]}`, `{"kind":"template"}`, `{"metadata":{"n":9007199254740992}}`, `{"metadata":null}`,
}

// changeSomewhere changes, adds or drops one member or entry.
func changeSomewhere(t *rapid.T, raw []byte) []byte {
	var doc any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("set-up: %v", err)
	}
	out, err := json.Marshal(changeValue(t, doc, 6))
	if err != nil {
		t.Fatalf("set-up: %v", err)
	}
	return out
}

var strangeNames = []string{"max_weekend", "max_per_payee_day", "weekly_cap", "daily_cap", "currency_limits", "EUR", "bank.transfer", "finance.bare", "payments", "charge", "capabilities", "allowed_merchants", "id", "x"}

func changeValue(t *rapid.T, v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
		case what == 0 || len(names) == 0:
			v[rapid.SampledFrom(strangeNames).Draw(t, "name")] = strangeValue(t)
		case what == 1:
			delete(v, rapid.SampledFrom(names).Draw(t, "dropped"))
		case depth > 0:
			name := rapid.SampledFrom(names).Draw(t, "member")
			v[name] = changeValue(t, v[name], depth-1)
		}
		return v
	case []any:
		if i := rapid.IntRange(0, len(v)).Draw(t, "entry"); i < len(v) {
			v[i] = changeValue(t, v[i], depth-1)
			return v
		}
		return append(v, strangeValue(t))
	}
	return strangeValue(t)
}

func strangeValue(t *rapid.T) any {
	return rapid.SampledFrom([]any{
		0, 1, -1, 400, json.Number("9007199254740993"), json.Number("1.5"), json.Number("1e3"), "", "USD", "US", "L4FIN", "payments.charge", "bank.transfer", true, false, nil,
		[]any{}, []any{"bob"}, map[string]any{}, map[string]any{"max_per_tx": 5}, map[string]any{"id": "bank.transfer"}, map[string]any{"id": "payments.charge"},
		map[string]any{"max_per_tx": 5, "daily_cap": 5}, map[string]any{"transfer": map[string]any{"cap": 5}}, map[string]any{"charge": map[string]any{"cap": 5}},
	}).Draw(t, "value")
}
