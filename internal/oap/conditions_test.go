package oap_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
)

const mine = `{"name": "mine", "condition": %q, "deny_code": "oap.limit_exceeded"}`

// TestNothingStandsForACondition: a rule of which a part was forgotten does not load,
// where the pack alone shows it with the pack, else with each passport.
func TestNothingStandsForACondition(t *testing.T) {
	const (
		inPack     = "load pack: packs/finance.payment.charge.v1.json: rule mine: column "
		inPassport = "passport level-2.json under pack finance.payment.charge.v1: rule mine: column "
		wanted     = " where a condition is wanted: "
	)
	for _, tt := range []struct{ name, condition, patch, want, reason string }{
		{"a list, its in forgotten", "amount <= 5 OR limits.payments.charge.allowed_merchant_ids", `{}`, inPassport + "16: tests nothing: list" + wanted, "anyone would be paid"},
		{"a number, its comparison forgotten", "amount <= 5 OR limits.payments.charge.max_items_per_tx", `{}`, inPassport + "16: tests nothing: integer" + wanted, "it would hold for ever"},
		{"the used keys", "amount <= 5 OR recent_keys", `{}`, inPack + "16: tests nothing: key set" + wanted, "likewise"},
		{"a total", "amount <= 5 OR daily_total + amount", `{}`, inPack + "16: tests nothing: integer" + wanted, "likewise"},
		{"an amount", "amount OR memo is empty", `{}`, inPack + "1: tests nothing: integer" + wanted, "none is 0"},
		{"a required text before and", "NOT (merchant_id AND merchant_id == 'a')", `{}`, inPack + "6: tests nothing: string" + wanted, "it is always given"},
		{"an optional text before and", "NOT (memo AND memo.startsWith('INV-'))", `{}`, "", "as the published refund pack has it"},
		{"a number without a type", "amount <= 5 OR items[0]", `{}`, inPack + "16: tests nothing: object" + wanted, "there is an item"},
		{"a flag that is a text", "limits.lax OR amount <= 5", `{"lax": "false"}`, inPassport + "1: tests nothing: string" + wanted + "compare it, ask what is in it, or make the limit true or false", "no text but the empty one is false"},
		{"a flag that is a number", "NOT limits.strict OR amount <= 5", `{"strict": 1}`, inPassport + "5: tests nothing: integer" + wanted, "likewise"},
		{"a flag", "limits.lax OR amount <= 5", `{"lax": false}`, "", "as it should be"},
		{"a flag of a currency", "limits.currency_limits[currency].lax OR amount <= 5", `{"currency_limits": {"USD": {"lax": false}, "EUR": {"max_per_tx": 1, "daily_cap": 5, "lax": "false"}}}`,
			inPassport + "1: type clash: currency_limits.EUR.lax is string, currency_limits.USD.lax is boolean", "each entry is looked at"},
		{"a cap that one currency lacks", "amount <= limits.currency_limits[currency].sub.max", `{"currency_limits": {"USD": {"sub": {"max": 10}}, "EUR": {"max_per_tx": 1, "daily_cap": 5, "sub": {}}}}`,
			"passport level-2.json: limits of payments.charge lack currency_limits.EUR.sub.max, which rule mine of", "found at load, not at a payment in euros"},
		{"a cap that is a text", "amount <= limits.currency_limits[currency].sub.max", `{"currency_limits": {"USD": {"sub": {"max": 10}}, "EUR": {"max_per_tx": 1, "daily_cap": 5, "sub": {"max": "ten"}}}}`,
			inPassport + "11: type clash: currency_limits.EUR.sub.max is string, currency_limits.USD.sub.max is integer", "likewise"},
		{"a list of texts and numbers", "merchant_id in limits.vips", `{"vips": ["a", 5, "m1"]}`, inPassport + "16: type clash: vips.0 is string, vips.1 is integer", "found at load, not at a payment"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := joinRule(t, fmt.Sprintf(mine, tt.condition), limits(tt.patch))
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestFlagOfAPassportThatGrantsNothing: what it says of the flag is never asked.
func TestFlagOfAPassportThatGrantsNothing(t *testing.T) {
	pack, err := oap.ParsePack(packFile, withRule(t, fmt.Sprintf(mine, "limits.lax OR amount <= 5")))
	require.NoError(t, err)
	p, err := oap.ParsePassport(level5, mergeJSON(t, shippedBytes(t, level5), limits(`{"lax": "false"}`)))
	require.NoError(t, err)
	l, err := oap.NewLayer(p, pack, oap.ProfileOAP)
	require.NoError(t, err)
	require.Equal(t, []judged{{"capability", authz.ReasonCapabilityMissing}}, reasonsOf(ask(t, l.Open(), payment())))
}

// TestAbsentCountryOnEitherSide: a rule that reads an optional field which a payment
// does not fill is skipped, in whatever order it is written.
func TestAbsentCountryOnEitherSide(t *testing.T) {
	allowed, denied := []judged{{string(oap.ChargePack), authz.ReasonAllowed}}, []judged{{"mine", authz.ReasonLimitExceeded}}
	for _, condition := range []string{"amount <= 5 AND shipping_country == 'US'", "shipping_country == 'US' AND amount <= 5"} {
		l, err := joinRule(t, fmt.Sprintf(mine, condition), `{}`)
		require.NoError(t, err)
		for _, tt := range []struct {
			name, country string
			amount        bank.Amount
			want          []judged
			reason        string
		}{
			{"no country", "", 100, allowed, "NOTES.md: an absent optional field skips the rule that reads it"},
			{"the country, above", "US", 100, denied, "the rule is asked"},
			{"the country, within", "US", 5, allowed, "it holds"},
			{"another country", "CA", 5, append(denied, judged{"country_allowed", authz.ReasonRegionBlocked}), "it does not"},
		} {
			d := ask(t, l.Open(), payment(func(r *authz.Request) { r.ShippingCountry, r.Amount = tt.country, tt.amount }))
			require.Equal(t, tt.want, reasonsOf(d), "%s, %s: %s", condition, tt.name, tt.reason)
		}
	}
}
