package oap_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// check is a gate or rule with a way to fail it alone, in the order of NOTES.md.
type check struct {
	judged
	gate     bool
	passport string // merge patch of level-2.json
	request  func(*authz.Request)
	unreads  []string // rules whose operand is missing where this one fails
}

func orderedChecks() []check {
	usd := func(limit string) string { return chargePatch + `{"currency_limits":{"USD":` + limit + `}}}}` }
	return []check{
		{judged{"passport_status_active", authz.ReasonPassportSuspended}, true, `{"status":"revoked"}`, nil, nil},
		{judged{"capability", authz.ReasonCapabilityMissing}, true, `{"capabilities":[]}`, nil, nil},
		{judged{"assurance_minimum", authz.ReasonAssurance}, true, `{"assurance_level":"L1"}`, nil, nil},
		{judged{"context_schema", authz.ReasonInvalidContext}, true, "", func(r *authz.Request) { r.Items[0].Quantity = 0 }, nil},
		{judged{"region", authz.ReasonRegionBlocked}, true, "", func(r *authz.Request) { r.Region = "CA" }, nil},
		{judged{"currency_supported", authz.ReasonCurrencyUnsupported}, false, "", func(r *authz.Request) { r.Currency = "EUR" }, []string{"per_tx_amount_cap", "daily_cap_check"}},
		{judged{"per_tx_amount_cap", authz.ReasonLimitExceeded}, false, usd(`{"max_per_tx":99}`), nil, nil},
		{judged{"item_count_cap", authz.ReasonLimitExceeded}, false, chargePatch + `{"max_items_per_tx":0}}}`, nil, nil},
		{judged{"merchant_allowed", authz.ReasonRecipientNotMember}, false, "", func(r *authz.Request) { r.Recipient = "collect@quickvault.example" }, nil},
		{judged{"country_allowed", authz.ReasonRegionBlocked}, false, "", func(r *authz.Request) { r.ShippingCountry = "BR" }, nil},
		{judged{"category_block", authz.ReasonCategoryBlocked}, false, "", func(r *authz.Request) { r.Items[0].Category = "weapons" }, nil},
		{judged{"audit_code_required", authz.ReasonAuditCodeMissing}, false, chargePatch + `{"audit_code_required":true}}}`, nil, nil},
		{judged{"daily_cap_check", authz.ReasonLimitExceeded}, false, usd(`{"daily_cap":199}`), nil, nil},
		{judged{"idempotency_check", authz.ReasonIdempotencyConflict}, false, "", func(r *authz.Request) { r.IdempotencyKey = "used-key-1" }, nil},
	}
}

// decideAgainst asks about one payment that fails each of the checks, after one
// allowed payment of a dollar under the key "used-key-1".
func decideAgainst(t *testing.T, first *oap.Layer, checks ...check) []judged {
	t.Helper()
	e := first.Open()
	paid := payment(func(r *authz.Request) { r.IdempotencyKey = "used-key-1" })
	require.Equal(t, authz.ReasonAllowed, ask(t, e, paid).Reason(), "set-up")
	e.Settle(paid, true)
	var patches []string
	req := payment()
	for _, c := range checks {
		if c.passport != "" {
			patches = append(patches, c.passport)
		}
		if c.request != nil {
			c.request(&req)
		}
	}
	if patches == nil {
		return reasonsOf(ask(t, e, req))
	}
	return reasonsOf(ask(t, e.Under(withPatch(t, first, patches...)), req))
}

// wantOf is what a request that fails these checks, in order, is denied with:
// a gate ends, rules are all listed but those that an earlier one makes void.
func wantOf(checks ...check) []judged {
	if checks[0].gate {
		return []judged{checks[0].judged}
	}
	var want []judged
	var void []string
	for _, c := range checks {
		if !slices.Contains(void, c.Rule) {
			want = append(want, c.judged)
		}
		void = append(void, c.unreads...)
	}
	return want
}

func TestEachCheckDeniesAlone(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	for _, c := range orderedChecks() {
		t.Run(c.Rule, func(t *testing.T) {
			if diff := cmp.Diff([]judged{c.judged}, decideAgainst(t, l, c)); diff != "" {
				t.Errorf("Authorize (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOrderOfPairs: of any two checks that fail, the earlier decides.
func TestOrderOfPairs(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	checks := orderedChecks()
	for i, first := range checks {
		for _, second := range checks[i+1:] {
			t.Run(first.Rule+" before "+second.Rule, func(t *testing.T) {
				got := decideAgainst(t, l, first, second)
				require.Equal(t, first.judged, got[0], "the earlier decides")
				if diff := cmp.Diff(wantOf(first, second), got); diff != "" {
					t.Errorf("Authorize (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestAllFailingRulesAreListed: whatever set of rules fails, each is listed, in
// the pack's order.
func TestAllFailingRulesAreListed(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	rules := slices.DeleteFunc(orderedChecks(), func(c check) bool { return c.gate })
	for set := 1; set < 1<<len(rules); set++ {
		var failing []check
		for i, rule := range rules {
			if set&(1<<i) != 0 {
				failing = append(failing, rule)
			}
		}
		if diff := cmp.Diff(wantOf(failing...), decideAgainst(t, l, failing...)); diff != "" {
			t.Fatalf("Authorize of set %09b (-want +got):\n%s", set, diff)
		}
	}
}

// TestEverythingFails writes the longest answers out.
func TestEverythingFails(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	all := orderedChecks()
	rules := slices.DeleteFunc(orderedChecks(), func(c check) bool { return c.gate })
	for _, tt := range []struct {
		name   string
		checks []check
		want   []string
		reason string
	}{
		{"gates and rules", all, []string{"passport_status_active"}, "a gate ends the decision with one reason"},
		{"all rules", rules, []string{
			"currency_supported", "item_count_cap", "merchant_allowed", "country_allowed", "category_block", "audit_code_required", "idempotency_check",
		}, "without a currency there is no cap to hold the amount against"},
		{"all rules but the currency", rules[1:], []string{
			"per_tx_amount_cap", "item_count_cap", "merchant_allowed", "country_allowed", "category_block", "audit_code_required", "daily_cap_check", "idempotency_check",
		}, "the pack's order, the audit code between category and daily cap"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range decideAgainst(t, l, tt.checks...) {
				got = append(got, r.Rule)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Authorize: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
