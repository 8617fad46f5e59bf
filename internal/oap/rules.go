package oap

import (
	"fmt"
	"slices"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

// facts are what the pack's rules read besides the request: the state before it.
type facts struct {
	dailyTotal bank.Amount // allowed today in the request's currency, in minor units
	keySeen    bool        // the idempotency key was used today
}

// verdict is what a rule says about a request.
type verdict int

const (
	holds verdict = iota
	fails
	skipped // the rule reads an optional field that is absent
	missing // the rule reads a limit that is not there
)

// input is what a rule may look at.
type input struct {
	req    authz.Request
	limits Limits
	facts  facts
}

// currency returns the limits of the request's currency.
func (in input) currency() (CurrencyLimit, bool) {
	l, ok := in.limits.CurrencyLimits[in.req.Currency]
	return l, ok && l.MaxPerTx != nil && l.DailyCap != nil
}

// builtin is a rule that the engine evaluates in Go. Source: the pack's
// condition, which must stand in the pack to the letter.
type builtin struct {
	condition string
	reads     func(Limits) []string // names of the limits that it reads and that are missing
	holds     func(input) (verdict, string)
}

// gateConditions are the pack's rules that the gates have already decided.
var gateConditions = map[string]string{
	gatePassport:  "passport.status == 'active'",
	gateAssurance: "passport.assurance_level >= limits.payments.charge.require_assurance_at_least",
}

// builtins are the rules of finance.payment.charge.v1, by name.
var builtins = map[string]builtin{
	"currency_supported": {
		condition: "currency in limits.payments.charge.currency_limits",
		reads:     needs("currency_limits", func(l Limits) bool { return l.CurrencyLimits != nil }),
		holds:     currencySupported,
	},
	"per_tx_amount_cap": {
		condition: "amount <= limits.payments.charge.currency_limits[currency].max_per_tx",
		reads:     needsEach("max_per_tx", func(c CurrencyLimit) bool { return c.MaxPerTx != nil }),
		holds:     perTxAmountCap,
	},
	"item_count_cap": {
		condition: "items.length <= limits.payments.charge.max_items_per_tx",
		reads:     needs("max_items_per_tx", func(l Limits) bool { return l.MaxItems != nil }),
		holds:     itemCountCap,
	},
	"merchant_allowed": {
		condition: "merchant_id in limits.payments.charge.allowed_merchant_ids OR limits.payments.charge.allowed_merchant_ids is empty",
		reads:     needs("allowed_merchant_ids", func(l Limits) bool { return l.AllowedRecipients != nil }),
		holds:     merchantAllowed,
	},
	"country_allowed": {
		condition: "shipping_country in limits.payments.charge.allowed_countries OR limits.payments.charge.allowed_countries is empty",
		reads:     needs("allowed_countries", func(l Limits) bool { return l.AllowedCountries != nil }),
		holds:     countryAllowed,
	},
	"category_block": {
		condition: "NOT any(item.category in limits.payments.charge.blocked_categories for item in items)",
		reads:     needs("blocked_categories", func(l Limits) bool { return l.BlockedCategories != nil }),
		holds:     categoryBlock,
	},
	"audit_code_required": {
		condition: "NOT limits.payments.charge.audit_code_required OR has_audit_code(memo)",
		reads:     needs("audit_code_required", func(l Limits) bool { return l.AuditCodeNeeded != nil }),
		holds:     auditCodeRequired,
	},
	"daily_cap_check": {
		condition: "daily_total + amount <= limits.payments.charge.currency_limits[currency].daily_cap",
		reads:     needsEach("daily_cap", func(c CurrencyLimit) bool { return c.DailyCap != nil }),
		holds:     dailyCapCheck,
	},
	"idempotency_check": {
		condition: "idempotency_key not in recent_keys",
		reads:     func(Limits) []string { return nil },
		holds:     idempotencyCheck,
	},
}

func needs(name string, has func(Limits) bool) func(Limits) []string {
	return func(l Limits) []string {
		if has(l) {
			return nil
		}
		return []string{name}
	}
}

// needsEach asks for a cap in every currency. A passport without any currency
// is missing the whole table.
func needsEach(name string, has func(CurrencyLimit) bool) func(Limits) []string {
	return func(l Limits) []string {
		if l.CurrencyLimits == nil {
			return []string{"currency_limits"}
		}
		var absent []string
		for currency, c := range l.CurrencyLimits {
			if !has(c) {
				absent = append(absent, fmt.Sprintf("currency_limits.%s.%s", currency, name))
			}
		}
		slices.Sort(absent)
		return absent
	}
}

func currencySupported(in input) (verdict, string) {
	if in.limits.CurrencyLimits == nil {
		return missing, "currency_limits"
	}
	_, ok := in.limits.CurrencyLimits[in.req.Currency]
	return of(ok), fmt.Sprintf("currency %s has no limits in the passport", in.req.Currency)
}

func perTxAmountCap(in input) (verdict, string) {
	c, ok := in.currency()
	if !ok {
		return missing, "currency_limits." + string(in.req.Currency)
	}
	return of(in.req.Amount <= *c.MaxPerTx), fmt.Sprintf("amount %s is above max_per_tx %s", in.req.Amount, *c.MaxPerTx)
}

func itemCountCap(in input) (verdict, string) {
	if in.limits.MaxItems == nil {
		return missing, "max_items_per_tx"
	}
	return of(len(in.req.Items) <= *in.limits.MaxItems), fmt.Sprintf("%d items are more than max_items_per_tx %d", len(in.req.Items), *in.limits.MaxItems)
}

func merchantAllowed(in input) (verdict, string) {
	if in.limits.AllowedRecipients == nil {
		return missing, "allowed_merchant_ids"
	}
	return of(in.limits.HasRecipient(in.req.Recipient)), fmt.Sprintf("recipient %q is not in the allowlist", in.req.Recipient)
}

func countryAllowed(in input) (verdict, string) {
	switch {
	case in.limits.AllowedCountries == nil:
		return missing, "allowed_countries"
	case in.req.ShippingCountry == "":
		return skipped, ""
	}
	countries := *in.limits.AllowedCountries
	ok := len(countries) == 0 || slices.Contains(countries, in.req.ShippingCountry)
	return of(ok), fmt.Sprintf("shipping country %q is not allowed", in.req.ShippingCountry)
}

// categoryBlock: an item without a category matches no blocked one.
func categoryBlock(in input) (verdict, string) {
	if in.limits.BlockedCategories == nil {
		return missing, "blocked_categories"
	}
	for _, item := range in.req.Items {
		if item.Category != "" && slices.Contains(*in.limits.BlockedCategories, item.Category) {
			return fails, fmt.Sprintf("item category %q is blocked", item.Category)
		}
	}
	return holds, ""
}

func auditCodeRequired(in input) (verdict, string) {
	if in.limits.AuditCodeNeeded == nil {
		return missing, "audit_code_required"
	}
	_, ok := authz.AuditCode(in.req.Memo)
	return of(ok || !*in.limits.AuditCodeNeeded), "the memo does not hold exactly one audit code APC-YYYY-NNNN"
}

// dailyCapCheck subtracts instead of adding, so that no sum can overflow.
func dailyCapCheck(in input) (verdict, string) {
	c, ok := in.currency()
	if !ok {
		return missing, "currency_limits." + string(in.req.Currency)
	}
	ok = in.req.Amount <= *c.DailyCap-in.facts.dailyTotal
	return of(ok), fmt.Sprintf("today's %s plus %s is above daily_cap %s", in.facts.dailyTotal, in.req.Amount, *c.DailyCap)
}

func idempotencyCheck(in input) (verdict, string) {
	return of(!in.facts.keySeen), fmt.Sprintf("idempotency key %q was used today", in.req.IdempotencyKey)
}

func of(ok bool) verdict {
	if ok {
		return holds
	}
	return fails
}
