package oap_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// ownRule reads a limit of the issuer's own, and one of each currency.
const ownRule = `{"name": "weekend_cap", "condition": "amount <= limits.payments.charge.max_weekend AND amount <= limits.payments.charge.currency_limits[currency].max_weekend",
	"deny_code": "oap.limit_exceeded", "description": "A cap of our own."},
    {
      "name": "per_tx_amount_cap"`

func ownPack(t testing.TB) oap.PolicyPack {
	t.Helper()
	pack, err := oap.ParsePack(packFile, ownPackBytes(t))
	require.NoError(t, err)
	return pack
}

func ownPackBytes(t testing.TB) []byte {
	t.Helper()
	return swapOnce(t, shippedBytes(t, packFile), "{\n      \"name\": \"per_tx_amount_cap\"", ownRule)
}

// TestOwnLimits: a limit that a rule reads may stand in a passport, and decides; one
// that no rule reads looks like a limit, and is refused when passport and pack are
// joined. No Go knows its name.
func TestOwnLimits(t *testing.T) {
	for _, tt := range []struct {
		name, patch string
		pack        oap.PolicyPack
		want        string // of the error; empty: the payment of ten dollars is decided
		code        authz.DenialReason
		reason      string
	}{
		{"read, within", `{"max_weekend":1000,"currency_limits":{"USD":{"max_weekend":1000}}}`, ownPack(t), "", authz.ReasonAllowed, "the limit's own value"},
		{"read, above", `{"max_weekend":999,"currency_limits":{"USD":{"max_weekend":1000}}}`, ownPack(t), "", authz.ReasonLimitExceeded, "one cent less"},
		{"read, above in its currency", `{"max_weekend":1000,"currency_limits":{"USD":{"max_weekend":999}}}`, ownPack(t), "", authz.ReasonLimitExceeded, "one cent less"},
		{"missing", `{"currency_limits":{"USD":{"max_weekend":1000}}}`, ownPack(t), "passport level-2.json: limits of payments.charge lack max_weekend, which rule weekend_cap of finance.payment.charge.v1 reads: add it", "", "missing is not empty"},
		{"of no rule", `{"max_weekend":1000}`, shippedPack(t), "passport level-2.json: limits of payments.charge: no rule of finance.payment.charge.v1 reads max_weekend, so it limits nothing: delete it, or write the rule", "", "it looks like a limit"},
		{"misspelt", `{"max_items_per_tx":null,"max_item_per_tx":1}`, shippedPack(t), "no rule of finance.payment.charge.v1 reads max_item_per_tx, ", "", "a misspelt limit would be no limit"},
		{"of no rule, in a currency", `{"currency_limits":{"USD":{"weekly":1}}}`, shippedPack(t), "no rule of finance.payment.charge.v1 reads currency_limits.USD.weekly, ", "", "likewise"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2), limits(tt.patch)))
			require.NoError(t, err)
			l, err := oap.NewLayer(p, tt.pack, oap.ProfileOAP)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want, tt.reason)
				return
			}
			require.NoError(t, err, tt.reason)
			d := l.Open().DecideContext([]byte(`{"amount":1000,"currency":"USD","merchant_id":"rent@oakhall.example","region":"US","items":[{"sku":"a","qty":1,"price":1000}],"idempotency_key":"own-limit#1"}`), morning)
			require.Equal(t, tt.code, d.Reason(), tt.reason)
		})
	}
}

// TestLintOwnLimits: lint asks the packs too.
func TestLintOwnLimits(t *testing.T) {
	packs, err := oap.ReadPacks(fstest.MapFS{"charge.json": {Data: ownPackBytes(t)}})
	require.NoError(t, err)
	o := lintOptions(t)
	own := limits(`{"max_weekend":1000,"currency_limits":{"USD":{"max_weekend":1000}}}`)
	unread := "no rule of any pack reads it, so it limits nothing: delete it, or write the rule"
	want := []string{"error: " + usd + "/max_weekend: " + unread, "error: " + charge + "/max_weekend: " + unread}
	if diff := cmp.Diff(want, lintLines(t, o, own)); diff != "" {
		t.Errorf("Lint: nobody reads them (-want +got):\n%s", diff)
	}
	o.Packs = packs
	require.Empty(t, lintLines(t, o, own), "a rule reads them")
}

// TestPublishedLimits: what the schema names and what may stand unread are one list.
func TestPublishedLimits(t *testing.T) {
	raw, err := fs.ReadFile(fixtures.FS, "schema/passport.schema.json")
	require.NoError(t, err)
	var schema struct {
		Defs struct {
			Charge struct {
				Properties map[string]struct {
					PatternProperties map[string]struct{ Properties map[string]any }
				}
			}
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(raw, &schema))
	properties := schema.Defs.Charge.Properties
	limits, caps := oap.PublishedLimits()
	require.ElementsMatch(t, slices.Collect(maps.Keys(properties)), limits)
	require.ElementsMatch(t, slices.Collect(maps.Keys(properties["currency_limits"].PatternProperties["^[A-Z]{3}$"].Properties)), caps)
}
