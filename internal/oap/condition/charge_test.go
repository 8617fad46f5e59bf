package condition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// chargeRules are the conditions that the charge pack has, under the tests'
// names, in the pack's order.
var chargeRules = []evaluation{
	{"status", "passport.status == 'active'", nil, yes, "active"},
	{"assurance", "passport.assurance_level >= limits.payments.charge.level", nil, yes, "L4KYC reaches L2"},
	{"currency", "currency in limits.payments.charge.caps", nil, yes, "USD has caps"},
	{"amount", "amount <= limits.payments.charge.caps[currency].max", nil, yes, "100 of 150"},
	{"items", "items.length <= limits.payments.charge.max_items", nil, yes, "2 of 3"},
	{"merchant", "merchant in limits.payments.charge.merchants OR limits.payments.charge.merchants is empty", nil, yes, "listed"},
	{"country", "country in limits.payments.charge.nobody OR limits.payments.charge.nobody is empty", nil, absent, "not given: skipped"},
	{"category", "NOT any(item.category in limits.payments.charge.blocked for item in items)", nil, yes, "a book and a toy"},
	{"daily cap", "daily_total + amount <= limits.payments.charge.caps[currency].daily", nil, yes, "exactly 1,000"},
	{"key", "note not in recent_keys", vars{"note": condition.String("k2")}, yes, "not used"},
}

func TestChargeRules(t *testing.T) {
	evaluate(t, scope(), chargeRules)
	evaluate(t, scope(), []evaluation{
		{"amount above", chargeRules[3].text, vars{"amount": condition.Int(151)}, no, "151 of 150"},
		{"amount in a currency without caps", chargeRules[3].text, vars{"currency": condition.String("GBP")}, missing, "no cap to be within"},
		{"merchant not listed", chargeRules[5].text, vars{"merchant": condition.String("other")}, no, "not listed, and the list is not empty"},
		{"country, empty list", chargeRules[6].text, vars{"country": condition.String("DE")}, yes, "an empty list means any"},
		{"category blocked", chargeRules[7].text, vars{"items": condition.List(item("book", 1), item("arms", 1))}, no, "the second item"},
		{"daily cap, one above", chargeRules[8].text, vars{"daily_total": condition.Int(901)}, no, "1,001 of 1,000"},
		{"key used", chargeRules[9].text, vars{"note": condition.String("k1")}, no, "used"},
	})
}

// TestAllocations: evaluation allocates only what it makes: a total's value and a
// function's arguments.
func TestAllocations(t *testing.T) {
	rows := []struct {
		text string
		most float64
	}{
		{"!(urgent || amount * 2 < qty) && limits.label.startsWith('north') && 'a' in currency", 0},
		{"any(any(p.weight > 1 for p in x.parts) for x in items) or counts[qty - 2 + 1] == 2", 1},
		{"totals[merchant] + amount <= limits.max_per_tx", 1},
		{"double(amount) > 1", 2},
	}
	for _, r := range chargeRules {
		rows = append(rows, struct {
			text string
			most float64
		}{r.text, 0})
	}
	e := env(vars{"note": condition.String("k2"), "urgent": condition.Bool(false)})
	for _, r := range rows {
		p := bind(t, r.text, scope())
		require.LessOrEqual(t, testing.AllocsPerRun(100, func() { p.Eval(e) }), r.most, r.text)
	}
}
