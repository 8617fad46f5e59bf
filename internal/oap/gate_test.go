package oap_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// TestGateCodes: where the pack has a rule of a gate's name, the pack's code
// counts, if the rule stands in the profile.
func TestGateCodes(t *testing.T) {
	const status, assurance = `"deny_code": "oap.passport_suspended"`, `"deny_code": "oap.assurance_insufficient"`
	for _, tt := range []struct {
		name, old, changed, passport string
		want                         judged
		reason                       string
	}{
		{"status", status, `"deny_code": "oap.invalid_context"`, `{"status":"draft"}`, judged{"passport_status_active", authz.ReasonInvalidContext}, "the pack has the word"},
		{"expiry", status, `"deny_code": "oap.invalid_context"`, `{"expires_at":"2026-01-01T00:00:00Z"}`, judged{"passport_status_active", authz.ReasonInvalidContext}, "expiry is the same gate"},
		{"assurance of the limits", assurance, `"deny_code": "oap.region_blocked"`, chargePatch + `{"require_assurance_at_least":"L3"}}}`, judged{"assurance_minimum", authz.ReasonRegionBlocked}, "the pack has the word"},
		{"assurance of the pack", assurance, `"deny_code": "oap.region_blocked"`, `{"assurance_level":"L0"}`, judged{"assurance_minimum", authz.ReasonRegionBlocked}, "the same gate"},
		{"in this profile", status, `"profiles": ["oap"], "deny_code": "oap.invalid_context"`, `{"status":"draft"}`, judged{"passport_status_active", authz.ReasonInvalidContext}, "the rule stands in the profile"},
		{"in another profile", status, `"profiles": ["published"], "deny_code": "oap.invalid_context"`, `{"status":"draft"}`, judged{"passport_status_active", authz.ReasonPassportSuspended}, "the rule does not stand, the gate does"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pack, err := oap.ParsePack(packFile, swapOnce(t, shippedBytes(t, packFile), tt.old, tt.changed))
			require.NoError(t, err)
			l, err := oap.NewLayer(shippedPassport(t, level2), pack, oap.ProfileOAP)
			require.NoError(t, err)
			got := reasonsOf(ask(t, withPatch(t, l, tt.passport).Open(), payment()))
			if diff := cmp.Diff([]judged{tt.want}, got); diff != "" {
				t.Errorf("Authorize: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestGatesStandWithoutTheirRule: a pack that drops a gate's rule does not open
// the gate.
func TestGatesStandWithoutTheirRule(t *testing.T) {
	for _, tt := range []struct {
		rule, passport string
		want           authz.DenialReason
	}{
		{"passport_status_active", `{"status":"suspended"}`, authz.ReasonPassportSuspended},
		{"assurance_minimum", `{"assurance_level":"L1"}`, authz.ReasonAssurance},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			l, err := oap.NewLayer(shippedPassport(t, level2), withoutRule(t, tt.rule), oap.ProfileOAP)
			require.NoError(t, err)
			require.Equal(t, []judged{{tt.rule, tt.want}}, reasonsOf(ask(t, withPatch(t, l, tt.passport).Open(), payment())))
		})
	}
}

// TestMissingOperandDenies: a rule that reads a limit which is not there denies
// with a policy error where no earlier rule has failed for it.
func TestMissingOperandDenies(t *testing.T) {
	euros := payment(func(r *authz.Request) { r.Currency = "EUR" })
	for _, tt := range []struct {
		name   string
		pack   oap.PolicyPack
		want   []judged
		reason string
	}{
		{"with the currency rule", shippedPack(t), []judged{{"currency_supported", authz.ReasonCurrencyUnsupported}}, "an earlier rule says why"},
		{"without it", withoutRule(t, "currency_supported"), []judged{{"per_tx_amount_cap", authz.ReasonPolicyError}}, "nobody has said why, and nothing may be taken as true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := oap.NewLayer(shippedPassport(t, level2), tt.pack, oap.ProfileOAP)
			require.NoError(t, err)
			e := l.Open()
			got := ask(t, e, euros)
			if diff := cmp.Diff(tt.want, reasonsOf(got)); diff != "" {
				t.Errorf("Authorize: %s (-want +got):\n%s", tt.reason, diff)
			}
			require.Equal(t, authz.Deny, got.Effect)
			require.Equal(t, authz.ReasonAllowed, ask(t, e, payment()).Reason(), "a denial uses nothing up")
		})
	}
}

// TestGateBoundaries holds the gates where two conditions meet in one.
func TestGateBoundaries(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	allowed := judged{string(oap.ChargePack), authz.ReasonAllowed}
	for _, tt := range []struct {
		name, passport string
		want           judged
		reason         string
	}{
		{"expires in a second", `{"expires_at":"2026-03-06T09:00:01Z"}`, allowed, "not yet"},
		{"expires now", `{"expires_at":"2026-03-06T09:00:00Z"}`, judged{"passport_status_active", authz.ReasonPassportSuspended}, "it does not hold at its own end"},
		{"expires now in another zone", `{"expires_at":"2026-03-06T10:00:00+01:00"}`, judged{"passport_status_active", authz.ReasonPassportSuspended}, "the same moment"},
		{"no expiry", `{"expires_at":null}`, allowed, "no end is no expiry"},
		{"below the pack alone", `{"assurance_level":"L1","limits":{"payments.charge":{"require_assurance_at_least":"L0"}}}`, judged{"assurance_minimum", authz.ReasonAssurance}, "the pack asks for L2 whatever the limits say"},
		{"below the limits alone", `{"limits":{"payments.charge":{"require_assurance_at_least":"L3"}}}`, judged{"assurance_minimum", authz.ReasonAssurance}, "the limits may ask for more than the pack"},
		{"limits below the pack", `{"limits":{"payments.charge":{"require_assurance_at_least":"L0"}}}`, allowed, "the passport reaches both"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reasonsOf(ask(t, withPatch(t, l, tt.passport).Open(), payment()))
			if diff := cmp.Diff([]judged{tt.want}, got); diff != "" {
				t.Errorf("Authorize: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestGateReadsBadContext: a gate's rule stands before the context's schema, and
// what it reads may be anything.
func TestGateReadsBadContext(t *testing.T) {
	for _, condition := range []string{
		"passport.status == 'active' AND items[0].price > 0",
		"passport.status == 'active' AND NOT any(item.price > 5000 for item in items)",
		"memo.startsWith('m') AND items.every(item => item.sku == 'transfer')",
	} {
		pack, err := oap.ParsePack(packFile, swapOnce(t, shippedBytes(t, packFile), "passport.status == 'active'", condition))
		require.NoError(t, err)
		l, err := oap.NewLayer(shippedPassport(t, level2), pack, oap.ProfileOAP)
		require.NoError(t, err)
		for _, items := range []string{`[1]`, `["a"]`, `[[]]`, `[null]`, `[1.5]`, `[true]`, `1`, `{}`, `[{}]`, `[{"price":"x"}]`} {
			d := l.Open().DecideContext([]byte(instead("items", items)), morning)
			require.False(t, d.Allowed(), "%s on items %s", condition, items)
			explained, _ := l.Open().ExplainContext([]byte(instead("items", items)), morning)
			require.Equal(t, reasonsOf(d), reasonsOf(explained), "%s on items %s", condition, items)
		}
	}
}

// TestReasonsShowTheirValues: each failing rule lists what it compared, under the
// names that stand in its condition.
func TestReasonsShowTheirValues(t *testing.T) {
	d := ask(t, shippedLayer(t, level2, oap.ProfileOAP).Open(), payment(func(r *authz.Request) {
		r.Recipient, r.Amount = "mallory@example.net", 900000
	}))
	const caps, at = "limits.payments.charge.currency_limits", "limits.payments.charge.currency_limits[currency]"
	want := [][]authz.Seen{
		{{Name: "amount", Value: "900000"}, {Name: caps, Value: "map of 1"}, {Name: "currency", Value: `"USD"`}, {Name: at + ".max_per_tx", Value: "250000"}},
		{{Name: "merchant_id", Value: `"mallory@example.net"`}, {Name: "limits.payments.charge.allowed_merchant_ids", Value: "list of 3"}},
		{{Name: "daily_total", Value: "0"}, {Name: "amount", Value: "900000"}, {Name: caps, Value: "map of 1"}, {Name: "currency", Value: `"USD"`}, {Name: at + ".daily_cap", Value: "500000"}},
	}
	var got [][]authz.Seen
	for _, r := range d.Reasons {
		got = append(got, r.Values)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values of the reasons (-want +got):\n%s", diff)
	}
}

// TestContextLeavesNothingBehind: what one context gave is absent in the next.
func TestContextLeavesNothingBehind(t *testing.T) {
	e := shippedLayer(t, level2, oap.ProfileOAP).Open()
	abroad := strings.Replace(instead("merchant_id", `"invoices@brightwater.example"`), `{`, `{"shipping_country":"DE",`, 1)
	require.Equal(t, authz.ReasonRegionBlocked, e.DecideContext([]byte(abroad), morning).Reason(), "set-up: a country that is not allowed")
	require.True(t, ask(t, e, payment()).Allowed(), "this payment names no country")
}
