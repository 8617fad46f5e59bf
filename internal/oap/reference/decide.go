package reference

import (
	"slices"
	"unicode/utf8"

	"vaultbench/internal/authz"
)

// Denial is one failed gate or rule.
type Denial struct {
	Rule string
	Code authz.DenialReason
}

// ranks is the order of the assurance levels, which is not that of their names.
var ranks = map[string]int{"L0": 0, "L1": 1, "L2": 2, "L3": 3, "L4KYC": 4, "L4FIN": 5}

// The pack's own minimum of assurance, and the fewest characters of a key.
const (
	packAssurance = "L2"
	minKey        = 8
)

// Decide lists what stands against a request after what was spent on its day;
// nothing does: it is allowed. A gate that fails ends the decision.
func (p *Policy) Decide(r *authz.Request, spent *Day) []Denial {
	switch {
	case p.Status != "active" || p.Expires != nil && !r.At.Before(*p.Expires):
		return []Denial{{"passport_status_active", authz.ReasonPassportSuspended}}
	case !p.Granted && p.Published:
		return []Denial{{"capability", authz.ReasonUnknownCapability}}
	case !p.Granted:
		return []Denial{{"capability", authz.ReasonCapabilityMissing}}
	case ranks[p.Assurance] < ranks[packAssurance] || ranks[p.Assurance] < ranks[p.Required]:
		return []Denial{{"assurance_minimum", authz.ReasonAssurance}}
	case !wellFormed(r):
		return []Denial{{"context_schema", authz.ReasonInvalidContext}}
	case !slices.Contains(p.Regions, r.Region):
		return []Denial{{"region", authz.ReasonRegionBlocked}}
	}
	return p.rules(r, spent)
}

func wellFormed(r *authz.Request) bool {
	if r.Amount < 1 || len(r.Currency) != 3 || utf8.RuneCountInString(r.IdempotencyKey) < minKey || len(r.Items) == 0 {
		return false
	}
	for i := range 3 {
		if r.Currency[i] < 'A' || r.Currency[i] > 'Z' {
			return false
		}
	}
	for i := range r.Items {
		if r.Items[i].Quantity < 1 || r.Items[i].Price < 1 {
			return false
		}
	}
	return true
}

// rules are evaluated all, in the pack's order. Without caps for the currency
// there is nothing to hold the amount against.
func (p *Policy) rules(r *authz.Request, spent *Day) []Denial {
	var out []Denial
	deny := func(rule string, code authz.DenialReason) { out = append(out, Denial{rule, code}) }
	caps, supported := p.Currencies[string(r.Currency)]
	amount := int64(r.Amount)
	if !supported {
		deny("currency_supported", authz.ReasonCurrencyUnsupported)
	}
	if p.PerPayee != nil && amount > *p.PerPayee-spent.Payees[payeeOf(r)] {
		deny("payee_day_cap", authz.ReasonLimitExceeded)
	}
	if supported && amount > caps.PerPayment {
		deny("per_tx_amount_cap", authz.ReasonLimitExceeded)
	}
	if int64(len(r.Items)) > p.MaxItems {
		deny("item_count_cap", authz.ReasonLimitExceeded)
	}
	if len(p.Recipients) > 0 && !slices.Contains(p.Recipients, string(r.Recipient)) {
		deny("merchant_allowed", authz.ReasonRecipientNotMember)
	}
	if r.ShippingCountry != "" && len(p.Countries) > 0 && !slices.Contains(p.Countries, r.ShippingCountry) {
		deny("country_allowed", authz.ReasonRegionBlocked)
	}
	if p.blocks(r.Items) {
		deny("category_block", authz.ReasonCategoryBlocked)
	}
	if p.AuditCode && !p.Published && AuditCodes(r.Memo) != 1 {
		deny("audit_code_required", authz.ReasonAuditCodeMissing)
	}
	if supported && amount > caps.PerDay-spent.Totals[string(r.Currency)] { // can't overflow: neither is below 0
		deny("daily_cap_check", authz.ReasonLimitExceeded)
	}
	if spent.Keys[r.IdempotencyKey] {
		deny("idempotency_check", authz.ReasonIdempotencyConflict)
	}
	return out
}

// blocks: an item without a category is of none that could be blocked.
func (p *Policy) blocks(items []authz.Item) bool {
	for i := range items {
		if items[i].Category != "" && slices.Contains(p.Blocked, items[i].Category) {
			return true
		}
	}
	return false
}
