package oaptest

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"
)

// object is a JSON object.
type object map[string]any

// The expiries lie before, within and at the end of the conversations' days.
const (
	longGone = "2025-12-31T23:59:59Z"
	someDays = "2026-03-10T00:00:00Z"
	elsewhen = "2026-03-08T10:00:00.5+05:30"
)

// Passport draws a well-formed instance passport: one in four has a defect that
// its gates must find, of status, expiry, capability or assurance.
func Passport(t *rapid.T) []byte {
	p := object{
		"passport_id": "7c0e1a59-52d4-4b1f-9a37-6f1d0c2b8e09", "kind": "instance", "spec_version": "oap/1.0",
		"owner_id": "org_generated", "owner_type": "org", "status": "active",
		"created_at": "2026-01-05T00:00:00Z", "updated_at": "2026-02-20T00:00:00Z", "version": "1.0.0",
		"regions": pick(t, "regions", []string{"US"}, []string{"US", "EU"}, []string{"DE", "US-CA", "GB"}),
	}
	if end := pick(t, "expiry", "", someDays, elsewhen); end != "" {
		p["expires_at"] = end
	}
	charge := limits(t)
	granted := []string{"payments.charge"}
	required := pick(t, "required assurance", "L2", "L0", "L1", "L3", "L4KYC", "L4FIN")
	p["assurance_level"] = pick(t, "assurance", atLeast(required)...)
	switch pick(t, "defect",
		"none", "none", "none", "none", "none", "none", "none", "none", "none", "none", "none", "status", "expired", "assurance", "capability", "capability") {
	case "status":
		p["status"] = pick(t, "status", "suspended", "draft", "revoked")
	case "expired":
		p["expires_at"] = longGone
	case "capability":
		granted = pick(t, "granted", []string{}, []string{"payments.refund"}, []string{"payments"}, []string{"payments.charge.eu"})
	case "assurance":
		p["assurance_level"] = pick(t, "low assurance", below(required)...)
	}
	charge["require_assurance_at_least"] = required
	p["capabilities"] = capabilities(t, granted)
	p["limits"] = pick(t, "shape", object{"payments.charge": charge}, object{"payments": object{"charge": charge}})
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatalf("passport: %v", err)
	}
	return raw
}

func capabilities(t *rapid.T, ids []string) []object {
	out := []object{}
	for _, id := range ids {
		out = append(out, object{"id": id})
	}
	if pick(t, "another capability", false, true) {
		out = append(out, object{"id": "payments.payout"})
	}
	return out
}

var levels = []string{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}

// atLeast are the levels that reach both the required one and the pack's L2.
func atLeast(required string) []string {
	for i, l := range levels {
		if l == required {
			return levels[max(i, 2):]
		}
	}
	panic(fmt.Sprintf("unknown level %q", required))
}

// below are those that miss one of the two.
func below(required string) []string { return levels[:len(levels)-len(atLeast(required))] }

// limits draws the limits of the charge capability.
func limits(t *rapid.T) object {
	currencies := object{}
	for _, currency := range pick(t, "currencies", []string{"USD"}, []string{"USD", "EUR"}, []string{"JPY", "USD", "CHF"}, []string{"GBP"}) {
		one := pick[int64](t, "cap", 250000, 1, 2, 99, 100, 5000000, maxLimit)
		day := pick(t, "daily cap", 2*one, one, 3*one, 10*one, one+one/2, maxLimit, one/2)
		currencies[currency] = object{"max_per_tx": one, "daily_cap": min(day, maxLimit)}
	}
	return object{
		"currency_limits": currencies,
		pick(t, "list name", "allowed_merchant_ids", "allowed_merchants"): pick(t, "recipients", members[:2], members, members[:1], []string{}),
		"allowed_countries":    pick(t, "countries", []string{"US"}, []string{"US", "DE"}, []string{}),
		"blocked_categories":   pick(t, "blocked", []string{"gambling", "weapons"}, []string{"weapons"}, []string{}),
		"max_items_per_tx":     pick(t, "max items", 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3),
		"idempotency_required": true,
		"audit_code_required":  pick(t, "audit code", false, true, true),
	}
}

// maxLimit is the largest number that a limit may be.
const maxLimit = int64(1)<<53 - 1

var members = []string{"invoices@brightwater.example", "rent@oakhall.example", "Zahlung@müller.example"}
