package oap

import (
	"fmt"
	"maps"
	"slices"

	"vaultbench/internal/oap/condition"
)

// publishedLimits are the limits of payments.charge that published passports have.
// They may stand there though no rule reads them. Source: the limits in
// fixtures/schema/passport.schema.json.
var publishedLimits = []string{
	"currency_limits", "allowed_merchant_ids", "allowed_merchants", "allowed_countries", "blocked_categories",
	"max_items_per_tx", requireAssurance, "idempotency_required", "audit_code_required",
}

// publishedCaps are likewise those of a currency.
var publishedCaps = []string{"max_per_tx", "daily_cap"}

// derivedLimits are those that complete adds.
var derivedLimits = []string{"supported_currencies"}

// refuseUnread refuses a limit of the issuer's own that no rule of the pack reads,
// in whatever profile: it looks like a limit and limits nothing.
func (p *PolicyPack) refuseUnread(l Limits) error {
	var reads readings
	for _, r := range p.Rules {
		for _, read := range p.Reads(r) {
			reads = append(reads, reading{Read: read})
		}
	}
	known := slices.Concat(publishedLimits, derivedLimits, reads.names())
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(known, name) && !readBySynonym(name, known) {
			return p.unread(name)
		}
		table, caps := l[name], slices.Concat(publishedCaps, reads.caps())
		if name != "currency_limits" || table.Kind != condition.KindMap {
			continue
		}
		for _, currency := range slices.Sorted(maps.Keys(table.Map)) {
			for _, entry := range slices.Sorted(maps.Keys(table.Map[currency].Map)) {
				if !slices.Contains(caps, entry) {
					return p.unread(name + "." + currency + "." + entry)
				}
			}
		}
	}
	return nil
}

func (p *PolicyPack) unread(path string) error {
	return fmt.Errorf("no rule of %s reads %s, so it limits nothing: delete it, or write the rule", p.ID, path)
}

// caps are the members of a currency's limits that rules read, of one currency or
// of any.
func (rs readings) caps() []string {
	var names []string
	for _, r := range rs {
		if len(r.Path) > 2 && r.Path[0] == "currency_limits" {
			names = append(names, r.Path[2])
		}
	}
	return names
}
