// Package compare is the charge pack once more in Cedar, CEL and Rego, to hold
// the project's engine against three engines that others wrote: in what they
// decide, and in how long it takes. It is a module of its own so that their
// dependencies stay out of the project's.
//
// Cedar and Rego have no order of denials. So each policy here answers with the
// set of the gates and rules that fail, and Order makes the decision of it.
package compare

import (
	"encoding/json"
	"fmt"
	"slices"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/reference"
)

// The gates, in their order, with the codes that the pack may replace.
var gates = []reference.Denial{
	{Rule: "passport_status_active", Code: authz.ReasonPassportSuspended},
	{Rule: "capability", Code: authz.ReasonCapabilityMissing},
	{Rule: "assurance_minimum", Code: authz.ReasonAssurance},
	{Rule: "context_schema", Code: authz.ReasonInvalidContext},
	{Rule: "region", Code: authz.ReasonRegionBlocked},
}

// Order is the pack's order of gates and rules in one profile, with their codes.
type Order struct {
	all   []reference.Denial
	place map[string]int
}

// ReadOrder reads it off the pack's JSON.
func ReadOrder(pack []byte, published bool) (*Order, error) {
	var doc struct {
		Rules []struct {
			Name     string             `json:"name"`
			Code     authz.DenialReason `json:"deny_code"`
			Profiles []string           `json:"profiles"`
		} `json:"evaluation_rules"`
	}
	if err := json.Unmarshal(pack, &doc); err != nil {
		return nil, fmt.Errorf("read pack: %w", err)
	}
	o, profile := &Order{all: slices.Clone(gates), place: map[string]int{}}, "oap"
	if published {
		o.all[1].Code, profile = authz.ReasonUnknownCapability, "published"
	}
	for i, g := range gates {
		o.place[g.Rule] = i
	}
	for _, r := range doc.Rules {
		if len(r.Profiles) > 0 && !slices.Contains(r.Profiles, profile) {
			continue
		}
		if at, isGate := o.place[r.Name]; isGate {
			o.all[at].Code = r.Code
			continue
		}
		o.place[r.Name] = len(o.all)
		o.all = append(o.all, reference.Denial{Rule: r.Name, Code: r.Code})
	}
	return o, nil
}

// Denials are the reasons of a decision, of the names that failed in any order:
// the first gate alone, or all rules. A name that does not stand in the profile
// is left out.
func (o *Order) Denials(failed []string) []reference.Denial {
	var places []int
	for _, name := range failed {
		if at, ok := o.place[name]; ok && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	slices.Sort(places)
	if len(places) > 0 && places[0] < len(gates) {
		places = places[:1]
	}
	var out []reference.Denial
	for _, at := range places {
		out = append(out, o.all[at])
	}
	return out
}

// ranks is the order of the assurance levels, for a language that has no other
// way to tell it.
var ranks = map[string]int64{"L0": 0, "L1": 1, "L2": 2, "L3": 3, "L4KYC": 4, "L4FIN": 5}

// granted are the capabilities that the policies ask for.
func granted(p *reference.Policy) []string {
	if p.Granted {
		return []string{"payments.charge"}
	}
	return nil
}
