package condition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// TestLimitDialects: the packs write one limit in three ways, and capabilities
// have one, two or three parts.
func TestLimitDialects(t *testing.T) {
	for _, capability := range []string{"", "payout", "payments.charge", "finance.payment.refund"} {
		parts := strings.Split(capability, ".")
		if capability == "" {
			parts = nil
		}
		s := scope(func(s *condition.Scope) { s.Capability = parts })
		dotted := strings.TrimSuffix("."+capability, ".")
		t.Run("capability "+capability, func(t *testing.T) {
			evaluate(t, s, []evaluation{
				{"behind the capability", "limits" + dotted + ".max_per_tx == 500", nil, yes, "the charge pack writes so"},
				{"alone", "limits.max_per_tx == 500", nil, yes, "the payout pack writes so"},
				{"behind the passport", "passport.limits" + dotted + ".max_per_tx == 500", nil, yes, "the transaction pack writes so"},
				{"behind the passport alone", "passport.limits.max_per_tx == 500", nil, yes, "both short cuts"},
				{"a table behind the capability", "limits" + dotted + ".caps[currency].max == 150", nil, yes, "members and indexes go on behind it"},
				{"a method behind it", "limits" + dotted + ".merchants.includes(merchant)", nil, yes, "methods too"},
			})
		})
	}
}

// TestCapabilityAsLimit: a limit may be called like the capability's first part.
func TestCapabilityAsLimit(t *testing.T) {
	s := scope(func(s *condition.Scope) {
		s.Capability = []string{"payout"}
		s.Limits = pointers(vars{"payout": condition.Int(5), "payments": condition.Int(6)})
	})
	require.Equal(t, yes, bind(t, "limits.payout == 5", s).Eval(env(nil)), "alone it is the limit")
	require.Equal(t, yes, bind(t, "limits.payout.payments == 6", s).Eval(env(nil)), "with more behind it, the capability")
}

func TestNames(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"bare field", "amount == 100", nil, yes, "the context's"},
		{"field behind context", "context.amount == 100", nil, yes, "the same"},
		{"bare state", "daily_total == 900", nil, yes, "what the engine keeps"},
		{"passport", "passport.status == 'active'", nil, yes, "a field"},
		{"passport's list", "'DE' in passport.regions", nil, yes, "a field"},
		{"passport's map", "passport.owner.id == 'o1'", nil, yes, "members go on"},
		{"passport's map by key", "passport.owner['id'] == 'o1'", nil, yes, "the same"},
		{"member", "home.country == 'DE'", nil, yes, "of an object"},
		{"member behind context", "context.home.country == 'DE'", nil, yes, "the same"},
		{"element", "items[1].category == 'toy'", nil, yes, "from 0, as in JavaScript"},
		{"element by a sum", "items[qty - 1].price == 5", nil, yes, "any integer"},
		{"element of an element", "items[0].parts[0].code == 'p'", vars{"items": condition.List(parts("toy", words(), "p", 1))}, yes, "and on"},
		{"element beyond the end", "counts[3] == 1", nil, missing, "not undefined, not 0"},
		{"element before the start", "counts[0 - 1] == 1", nil, missing, "no counting from the end"},
		{"element at a place beyond 64 bits", "counts[9223372036854775807 * 2] == 1", nil, fault, "no place"},
		{"keyword as member", "limits.in == 9", nil, yes, "behind a dot no word is a keyword"},
		{"keyword as member in upper case", "limits.by_land.IN == 7", nil, yes, "India, not the word in"},
		{"keyword as member in lower case", "limits.by_land.in == 8", nil, yes, "another key"},
		{"is as a member", "'fish' in limits.by_land.IS", nil, yes, "Iceland"},
		{"length as a member of nothing", "currency.length == 3", nil, yes, "JavaScript's, not a field"},
	})
}

func TestTables(t *testing.T) {
	eur := vars{"currency": condition.String("EUR")}
	evaluate(t, scope(), []evaluation{
		{"cap of a key", "amount <= limits.caps[currency].max", nil, yes, "100 of 150"},
		{"cap of another key", "amount <= limits.caps[currency].max", eur, no, "100 of 99"},
		{"cap of no key", "amount <= limits.caps[currency].max", vars{"currency": condition.String("GBP")}, missing, "no cap is no licence"},
		{"cap of an absent key", "amount <= limits.caps[order_currency].max", nil, absent, "an optional field skips"},
		{"cap by a literal", "limits.caps['EUR'].daily == 2000", nil, yes, "known at load"},
		{"cap by members", "limits.caps.EUR.daily == 2000", nil, yes, "the same"},
		{"flat table", "limits.rates[currency] * 50 == amount", nil, yes, "a map of plain values"},
		{"flat table, no key", "limits.rates[currency] > 0", vars{"currency": condition.String("GBP")}, missing, "no rate"},
		{"whole entry", "'max' in limits.caps[currency]", nil, yes, "an entry is a map"},
		{"entry of two steps", "limits.caps[currency]['daily'] == 1000", nil, yes, "indexes go on"},
		{"key from a table of the context", "limits.caps[home.country].max > 0", vars{"home": object(condition.String("EUR"), condition.Value{})}, yes, "any string"},
		{"in a quantifier", "all(limits.caps[c].max > 90 for c in tags)", vars{"tags": words("USD", "EUR")}, yes, "the variable is the key"},
		{"empty table", "limits.no_table[currency].max > 0", nil, missing, "no entry"},
	})
}

func TestTotals(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"a key", "totals['acme'] == 40", nil, yes, "its sum"},
		{"no key", "totals['other'] == 0", nil, yes, "nothing was spent"},
		{"in a sum", "totals[merchant] + amount <= limits.max_per_tx", nil, yes, "the transaction pack's rule"},
		{"at the cap", "totals[merchant] + amount <= limits.max_per_tx", vars{"merchant": condition.String("acme"), "amount": condition.Int(460)}, yes, "40 + 460"},
		{"above the cap", "totals[merchant] + amount <= limits.max_per_tx", vars{"merchant": condition.String("acme"), "amount": condition.Int(461)}, no, "40 + 461"},
		{"an absent key", "totals[order_currency] == 0", nil, absent, "an optional field skips"},
		{"no totals at all", "totals['acme'] == 0", vars{"totals": {}}, absent, "the engine gives them or the rule is not read"},
		{"nil totals", "totals['acme'] == 0", vars{"totals": {Kind: condition.KindTotals}}, yes, "the first payment of a day"},
	})
}

// TestUnboundPassport: with only a pack at hand every type of a limit is open,
// and evaluation finds nothing.
func TestUnboundPassport(t *testing.T) {
	s := scope(unbound)
	evaluate(t, s, []evaluation{
		{"limit", "amount <= limits.whatever", nil, missing, "no passport"},
		{"limit behind the capability", "amount <= limits.payments.charge.whatever[currency].max", nil, missing, "no passport"},
		{"passport", "passport.status == 'active'", nil, missing, "no passport"},
		{"level", "passport.assurance_level >= limits.level", nil, missing, "no order is known either"},
		{"level against a word", "passport.assurance_level >= 'L3'", nil, missing, "what is ordered is known without a passport"},
		{"list", "any(x in limits.a for x in limits.b)", nil, missing, "no passport"},
		{"is empty", "limits.a is empty", nil, missing, "missing is not empty"},
		{"not", "not limits.a", nil, missing, "missing is not false"},
		{"or", "limits.a or true", nil, missing, "missing is not excused by what follows"},
		{"function", "same(limits.a, 1)", nil, missing, "no argument"},
		{"without a passport's values", "amount == 100", nil, yes, "what can be answered is"},
	})
}
