package oap_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap"
)

// ruleOn is a rule of the given condition, to stand before the shipped ones.
func ruleOn(condition string) string {
	return fmt.Sprintf(`{"name": "own_rule", "condition": %q, "deny_code": "oap.limit_exceeded", "description": "A rule of our own."}`, condition)
}

const unreadByAny = "no rule of any pack reads it, so it limits nothing: delete it, or write the rule"

// unreadRows are rules of one's own and what a passport says for them. Where read
// is empty passport and pack join and lint is silent; otherwise the loader names
// it, and lint says the lines.
var unreadRows = []struct {
	name, condition, patch string
	unread                 string
	lint                   []string
	reason                 string
}{
	{"a list that is derived where it is not written", "amount > 0", `{"supported_currencies":["EUR"]}`,
		"supported_currencies", []string{"error: " + charge + "/supported_currencies: " + unreadByAny}, "dollars would still be paid"},
	{"the same, read", "currency in limits.supported_currencies", `{"supported_currencies":["EUR"]}`, "", nil, "a rule holds payments to it"},
	{"another name of a list that nobody reads", "amount > 0", `{"reason_codes":["a"]}`,
		"reason_codes", []string{"error: " + charge + "/reason_codes: " + unreadByAny}, "that of another pack"},
	{"another name of a list that is read", "limits.refund_reason_codes.length > 0", `{"reason_codes":["a"]}`, "", nil, "it counts under both"},
	{"one currency's limit", "amount <= limits.payments.charge.currency_limits.USD.weekly", `{"currency_limits":{"USD":{"weekly":500000}}}`, "", nil, "as the engine decides by it"},
	{"another currency's limit", "amount <= limits.payments.charge.currency_limits.USD.weekly", `{"currency_limits":{"USD":{"weekly":5},"EUR":{"max_per_tx":5,"daily_cap":5,"weekly":3}}}`,
		"currency_limits.EUR.weekly", []string{"error: " + charge + "/currency_limits/EUR/weekly: " + unreadByAny}, "payments in euro would not be held to it"},
	{"one currency's limit, by an index", "limits.currency_limits['EUR'].max_per_tx > 1 OR amount > 0", `{"currency_limits":{"EUR":{"max_per_tx":5,"daily_cap":5}}}`, "", nil, "a literal index is a name"},
	{"a table of one's own", "amount <= limits.payees[merchant_id].once", `{"payees":{"rent@oakhall.example":{"once":5}}}`, "", nil, "each entry is read"},
	{"a misspelt member in it", "amount <= limits.payees[merchant_id].once", `{"payees":{"rent@oakhall.example":{"once":5,"dayly":3}}}`,
		"payees.rent@oakhall.example.dayly", []string{"error: " + charge + "/payees/rent@oakhall.example/dayly: " + unreadByAny}, "it looks like a daily cap"},
	{"a member that is near another", "amount <= limits.payees[merchant_id].once", `{"payees":{"rent@oakhall.example":{"once":5,"onze":3}}}`,
		"payees.rent@oakhall.example.onze", []string{"error: " + charge + "/payees/rent@oakhall.example/onze: " + unreadByAny + " (once was meant?)"}, "likewise"},
	{"a table in a table", "amount <= limits.payees[merchant_id].caps[currency].once", `{"payees":{"rent@oakhall.example":{"caps":{"USD":{"once":5,"twice":3}}}}}`,
		"payees.rent@oakhall.example.caps.USD.twice", []string{"error: " + charge + "/payees/rent@oakhall.example/caps/USD/twice: " + unreadByAny}, "at any depth"},
	{"a table in a currency", "amount <= limits.currency_limits.USD.payees[merchant_id]", `{"currency_limits":{"USD":{"payees":{"rent@oakhall.example":5}}}}`, "", nil, "each entry is read"},
	{"one entry of two", "amount <= limits.payees.bob.once", `{"payees":{"bob":{"once":5},"eve":{"once":3}}}`,
		"payees.eve", []string{"error: " + charge + "/payees/eve: " + unreadByAny}, "nobody is held to the other"},
	{"a table read for its keys", "merchant_id in limits.payees", `{"payees":{"rent@oakhall.example":true,"bob":{}}}`, "", nil, "a set, as a table says it"},
	{"a value in a table that is read for its keys", "merchant_id in limits.payees", `{"payees":{"rent@oakhall.example":5}}`,
		"payees.rent@oakhall.example", []string{"error: " + charge + "/payees/rent@oakhall.example: " + unreadByAny}, "no payment is held to it"},
	{"a no in a table that is read for its keys", "merchant_id in limits.payees", `{"payees":{"rent@oakhall.example":false}}`,
		"payees.rent@oakhall.example", []string{"error: " + charge + "/payees/rent@oakhall.example: " + unreadByAny}, "it would be a yes"},
	{"a table in a list that is read for its words", "merchant_id in limits.payees", `{"payees":["bob",{"once":5}]}`,
		"payees.1.once", []string{"error: " + charge + "/payees/1/once: " + unreadByAny}, "no payment is held to it"},
	{"a list", "merchant_id in limits.payees AND limits.payees.length > 0", `{"payees":["bob"]}`, "", nil, "a list is read as a whole"},
	{"one entry of a list", "limits.sellers[0] == merchant_id", `{"sellers":["bob","eve"]}`,
		"sellers.1", []string{"error: " + charge + "/sellers/1: " + unreadByAny}, "nobody looks at the other"},
	{"any entry of a list", "limits.sellers[amount] == merchant_id", `{"sellers":["bob","eve"]}`, "", nil, "each may be meant"},
	{"a list of tables", "any(p.id == merchant_id AND amount <= p.once for p in limits.sellers)", `{"sellers":[{"id":"bob","once":5}]}`, "", nil, "what is read of the variable is read"},
	{"a misspelt member of a list of tables", "any(p.id == merchant_id AND amount <= p.once for p in limits.sellers)", `{"sellers":[{"id":"bob","once":5,"dayly":3}]}`,
		"sellers.0.dayly", []string{"error: " + charge + "/sellers/0/dayly: " + unreadByAny}, "it looks like a daily cap"},
	{"a list of lists", "limits.sellers.some(s => s.includes(merchant_id))", `{"sellers":[["bob"],["eve"]]}`, "", nil, "each of the lists is read"},
	{"a variable of another loop", "any(p.id == merchant_id for p in limits.sellers) OR any(p.once > 1 for p in limits.others)", `{"sellers":[{"id":"bob","once":5}],"others":[{"once":5}]}`,
		"sellers.0.once", []string{"error: " + charge + "/sellers/0/once: " + unreadByAny}, "the name is the same, the list is not"},
	{"a variable of a loop over the context", "any(p.id == merchant_id for p in limits.sellers) OR any(p.sku == 'a' for p in items)", `{"sellers":[{"id":"bob","sku":"a"}]}`,
		"sellers.0.sku", []string{"error: " + charge + "/sellers/0/sku: " + unreadByAny}, "likewise"},
	{"a key that looks like any", "amount <= limits.payees['*'].once", `{"payees":{"*":{"once":5},"bob":{"once":3}}}`,
		"payees.bob", []string{"error: " + charge + "/payees/bob: " + unreadByAny}, "* is a key as any other"},
	{"named like a member of a table", "amount <= limits.payees.caps.once", `{"payees":{"caps":{"once":5}},"caps":{"once":5}}`,
		"caps", []string{"error: " + charge + "/caps: " + unreadByAny}, "the whole path counts"},
}

// TestUnread: what a passport writes is enforced by a rule, or refused at load, and
// lint says the same.
func TestUnread(t *testing.T) {
	for _, tt := range unreadRows {
		t.Run(tt.name, func(t *testing.T) {
			raw := withRule(t, ruleOn(tt.condition))
			_, err := joinRule(t, ruleOn(tt.condition), limits(tt.patch))
			if tt.unread == "" {
				require.NoError(t, err, tt.reason)
			} else {
				require.EqualError(t, err, "passport level-2.json: limits of payments.charge: no rule of finance.payment.charge.v1 reads "+tt.unread+", so it limits nothing: delete it, or write the rule", tt.reason)
			}
			o := lintOptions(t)
			o.Opening = nil // whose account it is, is another question
			o.Packs, err = oap.ReadPacks(fstest.MapFS{"charge.json": {Data: raw}})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.lint, lintLines(t, o, limits(tt.patch))); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestPublishedCapsInPart: a published cap that a rule reads of one currency is no
// cap of another; one that no rule reads may stand.
func TestPublishedCapsInPart(t *testing.T) {
	euro := limits(`{"currency_limits":{"EUR":{"max_per_tx":3,"daily_cap":5}}}`)
	for _, tt := range []struct{ name, old, changed, want, reason string }{
		{"of any", "none", "none", "", "each currency is held to its own"},
		{"of one", "currency_limits[currency].max_per_tx", "currency_limits.USD.max_per_tx", "no rule of finance.payment.charge.v1 reads currency_limits.EUR.max_per_tx, ", "euro would be held to nothing"},
		{"of none", "amount <= limits.payments.charge.currency_limits[currency].max_per_tx", "amount > 0", "", "as published passports have it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pack, err := oap.ParsePack(packFile, bytes.ReplaceAll(shippedBytes(t, packFile), []byte(tt.old), []byte(tt.changed)))
			require.NoError(t, err)
			p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2), euro))
			require.NoError(t, err)
			_, err = oap.NewLayer(p, pack, oap.ProfileOAP)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestLintTables: what a table lacks, as the loader would say.
func TestLintTables(t *testing.T) {
	for _, tt := range []struct {
		name, condition, patch string
		want                   []string
		reason                 string
	}{
		{"member missing", "amount <= limits.payees[merchant_id].once", `{"payees":{"bob":{}}}`, []string{"error: " + charge + "/payees/bob: once is missing, which rule own_rule of finance.payment.charge.v1 reads: add it"}, "the loader refuses it"},
		{"member misspelt", "amount <= limits.payees[merchant_id].once", `{"payees":{"bob":{"onze":3}}}`, []string{"error: " + charge + "/payees/bob/onze: misspelt here or there: rule own_rule of finance.payment.charge.v1 reads once: rename one of the two"}, "one finding, where it can be mended"},
		{"misspelt twice", "amount <= limits.payees[merchant_id].once", `{"payees":{"bob":{"onze":3},"eve":{"onse":3}}}`, []string{
			"error: " + charge + "/payees/bob/onze: misspelt here or there: rule own_rule of finance.payment.charge.v1 reads once: rename one of the two",
			"error: " + charge + "/payees/eve/onse: misspelt here or there: rule own_rule of finance.payment.charge.v1 reads once: rename one of the two",
		}, "each in its entry"},
		{"member missing in one, near in another", "amount <= limits.payees[merchant_id].once", `{"payees":{"bob":{"once":5,"onze":3},"eve":{}}}`, []string{
			"error: " + charge + "/payees/bob/onze: " + unreadByAny + " (once was meant?)",
			"error: " + charge + "/payees/eve: once is missing, which rule own_rule of finance.payment.charge.v1 reads: add it",
		}, "what one entry has is no slip of another's"},
		{"member missing in one, misspelt in another", "amount <= limits.payees[merchant_id].once", `{"payees":{"bob":{},"eve":{"onze":3}}}`, []string{
			"error: " + charge + "/payees/bob: once is missing, which rule own_rule of finance.payment.charge.v1 reads: add it",
			"error: " + charge + "/payees/eve/onze: misspelt here or there: rule own_rule of finance.payment.charge.v1 reads once: rename one of the two",
		}, "each in its own entry"},
		{"member missing that a limit is named as", "amount <= limits.payees.bob.max_items_per_tx", `{"payees":{"bob":{}}}`, []string{"error: " + charge + "/payees/bob: max_items_per_tx is missing, which rule own_rule of finance.payment.charge.v1 reads: add it"}, "that one stands elsewhere"},
		{"entry missing", "amount <= limits.payees.bob.once", `{"payees":{}}`, []string{"error: " + charge + "/payees: bob is missing, which rule own_rule of finance.payment.charge.v1 reads: add it"}, "the loader refuses it"},
		{"no entry", "amount <= limits.payees[merchant_id].once", `{"payees":{}}`, []string{"error: " + charge + "/payees: empty table: rule own_rule of finance.payment.charge.v1 can never hold: add an entry"}, "nobody is in it"},
		{"no entry of plain values", "amount <= limits.payees[merchant_id]", `{"payees":{}}`, []string{"error: " + charge + "/payees: empty table: rule own_rule of finance.payment.charge.v1 can never hold: add an entry"}, "nobody is in it"},
		{"no entry, deeper", "amount <= limits.payees.bob.caps[currency].once", `{"payees":{"bob":{"caps":{}}}}`, []string{"error: " + charge + "/payees/bob/caps: empty table: rule own_rule of finance.payment.charge.v1 can never hold: add an entry"}, "nothing is in it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := withRule(t, ruleOn(tt.condition))
			o := lintOptions(t)
			var err error
			o.Packs, err = oap.ReadPacks(fstest.MapFS{"charge.json": {Data: raw}})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, lintLines(t, o, limits(tt.patch))); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
