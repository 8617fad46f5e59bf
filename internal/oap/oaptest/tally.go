package oaptest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/reference"
)

// The least share of the requests, in percent.
const (
	minAllowed = 20.0
	minEach    = 1.0
)

// Tally counts what requests came to.
type Tally struct {
	Requests, reasons int
	codes             map[authz.DenialReason]int // that decided
	rules             map[string]int             // among all failing reasons
}

// NewTally starts at zero.
func NewTally() *Tally {
	return &Tally{codes: map[authz.DenialReason]int{}, rules: map[string]int{}}
}

// Add counts one decision.
func (c *Tally) Add(denials []reference.Denial) {
	c.Requests++
	if len(denials) == 0 {
		c.codes[authz.ReasonAllowed]++
		return
	}
	c.codes[denials[0].Code]++
	c.reasons += len(denials)
	for _, d := range denials {
		c.rules[d.Rule]++
	}
}

// codes are what a well-formed passport and pack can give: all but
// oap.policy_error, which says that one of them is not.
func codes() []authz.DenialReason {
	return slices.DeleteFunc(authz.Reasons(), func(r authz.DenialReason) bool { return r == authz.ReasonPolicyError })
}

// rules are the gates and rules by their names in a decision, in order.
var rules = []string{
	"passport_status_active", "capability", "assurance_minimum", "context_schema", "region",
	"currency_supported", "per_tx_amount_cap", "item_count_cap", "merchant_allowed", "country_allowed",
	"category_block", "audit_code_required", "daily_cap_check", "idempotency_check",
}

// Check prints the distribution and fails the test where a proof over these
// requests would say little: too few allowed, or hardly any of a code or rule.
func (c *Tally) Check(t *testing.T) {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "%d requests by code:\n", c.Requests)
	for _, code := range sorted(codes(), c.codes) {
		share := line(&out, string(code), c.codes[code], c.Requests)
		least := minEach
		if code == authz.ReasonAllowed {
			least = minAllowed
		}
		if share < least {
			t.Errorf("%s: %.2f%% of the requests, want at least %.0f%%", code, share, least)
		}
	}
	fmt.Fprintf(&out, "%d failing reasons by rule or gate:\n", c.reasons)
	for _, rule := range sorted(rules, c.rules) {
		if share := line(&out, rule, c.rules[rule], c.reasons); share < minEach {
			t.Errorf("%s: %.2f%% of the failing reasons, want at least %.0f%%", rule, share, minEach)
		}
	}
	if extra := len(c.codes) + len(c.rules) - len(codes()) - len(rules); extra > 0 {
		t.Errorf("%v and %v hold %d that nobody knows", slices.Collect(maps.Keys(c.codes)), slices.Collect(maps.Keys(c.rules)), extra)
	}
	t.Log(out.String())
}

func line(out *strings.Builder, name string, n, of int) float64 {
	share := 100 * float64(n) / float64(max(of, 1))
	fmt.Fprintf(out, "  %-26s %8d  %5.2f%%\n", name, n, share)
	return share
}

// sorted puts the most frequent first.
func sorted[K comparable](all []K, counts map[K]int) []K {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b K) int { return cmp.Compare(counts[b], counts[a]) })
	return out
}
