package oap_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

func TestLoadPack(t *testing.T) {
	p, err := oap.LoadPack(oaptest.Fixed(), oap.ChargePack)
	require.NoError(t, err)
	var names []string
	for _, r := range p.Rules {
		names = append(names, r.Name)
	}
	want := []string{
		"passport_status_active", "assurance_minimum", "currency_supported", "per_tx_amount_cap", "item_count_cap",
		"merchant_allowed", "country_allowed", "category_block", "audit_code_required", "daily_cap_check", "idempotency_check",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("rules of %s: the order decides (-want +got):\n%s", p.ID, diff)
	}
}

func TestLoadPackNamesTheFile(t *testing.T) {
	_, err := oap.LoadPack(fstest.MapFS{}, "finance.payment.refund.v1")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "load pack finance.payment.refund.v1: open packs/finance.payment.refund.v1.json: file does not exist")

	renamed := fstest.MapFS{"packs/finance.payment.refund.v1.json": {Data: shippedBytes(t, packFile)}}
	_, err = oap.LoadPack(renamed, "finance.payment.refund.v1")
	require.EqualError(t, err, `load pack: packs/finance.payment.refund.v1.json: id is "finance.payment.charge.v1": name the file after it`,
		"a pack that is not the one asked for must not decide")
}

func TestParsePackErrors(t *testing.T) {
	for _, tt := range badPacks {
		t.Run(tt.name, func(t *testing.T) {
			raw := swapOnce(t, shippedBytes(t, packFile), tt.old, tt.changed)
			_, err := oap.ParsePack(packFile, raw)
			require.ErrorContains(t, err, "load pack: "+packFile, "the file is named")
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

var badPacks = []struct{ name, old, changed, want, reason string }{
	{"prose", "NOT any(item.category in limits.payments.charge.blocked_categories for item in items)", "no item may be of a blocked category", "rule category_block: column 4: prose", "a sentence is no rule"},
	{"unknown function", "has_audit_code(memo)", "has_valid_code(memo)", "rule audit_code_required: column 51: function is not registered: has_valid_code", "nobody gave it"},
	{"unknown name", "idempotency_key not in recent_keys", "idempotency_key not in recent_key", `rule idempotency_check: column 24: unknown name: "recent_key"`, "a misspelt name would be absent for ever"},
	{"unknown context field", "NOT any(item.category", "NOT any(item.kind", `rule category_block: column 9: unknown name: no member "kind"`, "the schema does not have it"},
	{"type clash", "currency in limits.payments.charge.currency_limits\"", "currency < 5\"", "rule currency_supported: column 1: type clash: string where integer is wanted", "it would never hold"},
	{"syntax error", "currency in limits.payments.charge.currency_limits\"", "currency in\"", "rule currency_supported: column 12: syntax error: the condition is cut", "a cut condition says nothing"},
	{"quoted once too often", "currency in limits.payments.charge.currency_limits\"", "'currency in limits.payments.charge.currency_limits'\"", `rule currency_supported: column 1: tests nothing: the quotes make a text of "currency in limits`, "a text is true for ever"},
	{"nothing read", "currency in limits.payments.charge.currency_limits\"", "1 < 2\"", "rule currency_supported: column 1: tests nothing: it reads no field, limit or state", "the same for every payment"},
	{"another dialect", "currency in limits.payments.charge.currency_limits\"", "currency =~ /US/\"", "rule currency_supported: column 10: syntax error", "an operator that nobody defined"},
	{"unknown deny_code", "oap.category_blocked", "oap.category_forbidden", `rule category_block: unknown deny_code "oap.category_forbidden"`, "the vocabulary is closed"},
	{"deny_code of another case", "oap.category_blocked", "oap.Category_blocked", "deny_code", "the vocabulary is closed"},
	{"oap.allowed as deny_code", "oap.category_blocked", "oap.allowed", `rule category_block: unknown deny_code "oap.allowed"`, "a denial that says allowed"},
	{"rule twice", `"item_count_cap"`, `"per_tx_amount_cap"`, "rule per_tx_amount_cap stands twice: delete one", "which one would count?"},
	{"duplicate key", `"status": "active",`, `"status": "active", "status": "draft",`, `duplicate object member name "status"`, "the second would win in silence"},
	{"unknown profile", `"profiles": ["oap"]`, `"profiles": ["local"]`, "/profiles/0: value must be one of", "a rule of no profile would never stand"},
	{"empty profiles", `"profiles": ["oap"]`, `"profiles": []`, "/profiles: minItems", "it would stand in all of them"},
	{"unknown field", `"min_assurance"`, `"min_asurance"`, "at /min_asurance: unknown member", "a misspelt gate would be none"},
	{"no capability", `"requires_capabilities": ["payments.charge"]`, `"requires_capabilities": []`, "requires_capabilities: minItems", "a pack without a capability permits everybody"},
	{"context of unknown type", `"amount": {"type": "integer", "minimum": 1, "description": "Minor units."},` + "\n" + `      "currency"`, `"amount": {"type": "money"},` + "\n" + `      "currency"`, "required_context", "a schema that can't be followed"},
	{"context with a bad pattern", `"pattern": "^[A-Z]{3}$"`, `"pattern": "^[A-Z{3}$"`, "required_context", "a schema that can't be followed"},
	{"context refers to nothing", `"minItems": 1,`, `"minItems": 1, "$ref": "#/$defs/none",`, "required_context", "a schema that can't be followed"},
	{"context in another file", `"minItems": 1,`, `"minItems": 1, "$ref": "file:///etc/hostname",`, `items: keyword "$ref" is not followed`, "the digest would not cover it"},
	{"context is no object", `"required_context": {`, `"required_context": true, "x": {`, "required_context", "true matches everything"},
}

// TestWhiteSpaceInConditions: a condition that is broken over lines is the same
// condition.
func TestWhiteSpaceInConditions(t *testing.T) {
	raw := swapOnce(t, shippedBytes(t, packFile), "NOT any(item.category in limits", `\n  NOT   any(item.category\t in\n limits`)
	pack, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	l, err := oap.NewLayer(shippedPassport(t, level2), pack, oap.ProfileOAP)
	require.NoError(t, err)
	d := ask(t, l.Open(), payment(func(r *authz.Request) { r.Items[0].Category = "weapons" }))
	require.Equal(t, []judged{{"category_block", authz.ReasonCategoryBlocked}}, reasonsOf(d))
}

// TestDenyCodes: a rule may deny with each code that denies, and with no other.
func TestDenyCodes(t *testing.T) {
	for _, code := range authz.Reasons() {
		raw := swapOnce(t, shippedBytes(t, packFile), "oap.category_blocked", string(code))
		_, err := oap.ParsePack(packFile, raw)
		require.Equal(t, code == authz.ReasonAllowed, err != nil, "deny_code %s: %v", code, err)
	}
}

// otherCodes are those of the published packs that a decision about a payment can't
// give: a guard takes one for a fault of the layer.
var otherCodes = []string{
	"oap.destination_type_forbidden", "oap.compliance_check_required", "oap.invalid_reason_code", "oap.cross_currency_denied",
	"oap.action_forbidden", "oap.asset_class_forbidden", "oap.account_type_restricted", "oap.commingling_of_funds_forbidden",
	"oap.counterparty_limit_exceeded",
}

// TestDenyCodesOfOtherPacks: a pack that may decide about payments has no code that a
// guard does not know; any other pack may.
func TestDenyCodesOfOtherPacks(t *testing.T) {
	const id, capability = `"id": "finance.payment.charge.v1"`, `"requires_capabilities": ["payments.charge"]`
	for _, tt := range []struct {
		name, id, capability string
		want                 bool
		reason               string
	}{
		{"the charge pack", id, capability, false, "the levels are decided by it"},
		{"of its name alone", id, `"requires_capabilities": ["payments.refund"]`, false, "it is loaded by its name"},
		{"of its capability alone", `"id": "finance.payment.own.v1"`, capability, false, "it decides about payments"},
		{"of its capability among others", `"id": "finance.payment.own.v1"`, `"requires_capabilities": ["bank.transfer", "payments.charge"]`, false, "likewise"},
		{"neither", `"id": "finance.payment.own.v1"`, `"requires_capabilities": ["bank.transfer"]`, true, "no payment comes to it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := swapOnce(t, swapOnce(t, shippedBytes(t, packFile), id, tt.id), capability, tt.capability)
			for _, code := range otherCodes {
				decision := authz.Decision{Effect: authz.Deny, Reasons: []authz.Reason{{Code: authz.DenialReason(code)}}}
				require.Error(t, decision.CheckReasons(), "%s: the guard does not know it", code)
				_, err := oap.ParsePack(packFile, swapOnce(t, raw, "oap.category_blocked", code))
				if tt.want {
					require.NoError(t, err, tt.reason)
					continue
				}
				require.EqualError(t, err, "load pack: "+packFile+`: rule category_block: deny_code "`+code+
					`" is of another pack, and no decision about a payment can give it: use one of `+denyCodeList, tt.reason)
			}
			_, err := oap.ParsePack(packFile, swapOnce(t, raw, "oap.category_blocked", "oap.category_forbidden"))
			require.ErrorContains(t, err, `rule category_block: unknown deny_code "oap.category_forbidden": the codes are a closed list: `+denyCodeList, tt.reason)
			require.Equal(t, tt.want, strings.HasSuffix(err.Error(), strings.Join(otherCodes, ", ")), "those that may stand: %s", tt.reason)
		})
	}
}

// withoutRule is the shipped pack less one rule.
func withoutRule(t *testing.T, name string) oap.PolicyPack {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(shippedBytes(t, packFile), &doc))
	var kept []any
	for _, rule := range doc["evaluation_rules"].([]any) {
		if rule.(map[string]any)["name"] != name {
			kept = append(kept, rule)
		}
	}
	require.Len(t, kept, strings.Count(string(shippedBytes(t, packFile)), `"deny_code"`)-1, "set-up: rule %s", name)
	doc["evaluation_rules"] = kept
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	pack, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	return pack
}
