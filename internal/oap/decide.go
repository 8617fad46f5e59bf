package oap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// decide is pure: the same environment and moment give the same reasons. No
// reason means that nothing stands against the request.
func (l *Layer) decide(env *condition.Env, at time.Time, paper *paper) []authz.Reason {
	if why := l.gate(env, at, paper); why != nil {
		return why
	}
	failed := paper.failed[:0]
	for i := range l.rules {
		rule := &l.rules[i]
		if rule.program.Always() {
			continue
		}
		switch rule.program.Eval(env) {
		case condition.True, condition.Absent:
		case condition.False:
			failed = append(failed, failure{rule, rule.DenyCode})
		case condition.Missing:
			// An earlier rule has denied for what this one misses: a cap of a
			// currency that is not supported.
			if len(failed) == 0 {
				failed = append(failed, failure{rule, authz.ReasonPolicyError})
			}
		default:
			failed = append(failed, failure{rule, authz.ReasonPolicyError})
		}
	}
	paper.failed = failed
	return paper.reasons(env)
}

// paper is what a decision is drafted on; reused, since one is made at a time.
type paper struct {
	failed []failure
	texts  []byte
	ends   []int // in texts, of each value
}

// failure is a rule that denies, and by which code.
type failure struct {
	rule *boundRule
	code authz.DenialReason
}

// reasons words the failures. The texts of all values are parts of one string,
// and the values parts of one list: a denial costs as little as it can.
func (p *paper) reasons(env *condition.Env) []authz.Reason {
	if len(p.failed) == 0 {
		return nil
	}
	p.texts, p.ends = p.texts[:0], p.ends[:0]
	seen := 0
	for i := range p.failed {
		rule := p.failed[i].rule
		seen += len(rule.seen)
		for _, leaf := range rule.live {
			p.texts = rule.program.AppendLeaf(p.texts, leaf, env)
			p.ends = append(p.ends, len(p.texts))
		}
	}
	out, values, texts := make([]authz.Reason, len(p.failed)), make([]authz.Seen, seen), string(p.texts)
	from, ends := 0, p.ends
	for i := range p.failed {
		rule := p.failed[i].rule
		n := copy(values, rule.seen)
		for j, leaf := range rule.live {
			values[leaf].Value, from = texts[from:ends[j]], ends[j]
		}
		r := &out[i]
		r.Code, r.Rule, r.Message, r.Values = p.failed[i].code, rule.Name, rule.Description, values[:n:n]
		values, ends = values[n:], ends[len(rule.live):]
	}
	return out
}

// gate is one of the checks before the rules: the engine's own, and then the
// pack's rule of the gate's name, if it has one.
type gate struct {
	name  string
	code  authz.DenialReason
	check func(*condition.Env, time.Time) string // why not; empty: passed
	rule  *boundRule
	holds bool // known since load
}

// buildGates lays the gates out once; own are the pack's rules by gate.
func (l *Layer) buildGates(own map[string]boundRule) {
	l.gates = []gate{
		{name: gatePassport, code: authz.ReasonPassportSuspended, check: l.passportGate},
		always(gateCapability, l.capabilityCode(), l.capabilityMessage()),
		always(gateAssurance, authz.ReasonAssurance, l.assuranceMessage()),
		{name: gateContext, code: authz.ReasonInvalidContext, check: l.contextGate},
		{name: gateRegion, code: authz.ReasonRegionBlocked, check: l.regionGate},
	}
	for i := range l.gates {
		g := &l.gates[i]
		if r, ok := own[g.name]; ok {
			g.code, g.rule = r.DenyCode, &r
			g.holds = g.holds && r.program.Always()
		}
	}
}

// always is a gate whose own check is known at load.
func always(name string, code authz.DenialReason, message string) gate {
	return gate{name: name, code: code, check: func(*condition.Env, time.Time) string { return message }, holds: message == ""}
}

// gate returns why the request does not reach the rules.
func (l *Layer) gate(env *condition.Env, at time.Time, paper *paper) []authz.Reason {
	for i := range l.gates {
		g := &l.gates[i]
		if g.holds {
			continue
		}
		if message := g.check(env, at); message != "" {
			return []authz.Reason{{Code: g.code, Rule: g.name, Message: message}}
		}
		if g.rule == nil || g.rule.program.Always() {
			continue
		}
		switch g.rule.program.Eval(env) {
		case condition.True, condition.Absent:
			continue
		case condition.False:
			paper.failed = append(paper.failed[:0], failure{g.rule, g.code})
		default:
			paper.failed = append(paper.failed[:0], failure{g.rule, authz.ReasonPolicyError})
		}
		return paper.reasons(env)
	}
	return nil
}

func (l *Layer) passportGate(_ *condition.Env, at time.Time) string {
	p := l.passport
	switch {
	case p.Status != "active":
		return "passport is " + p.Status
	case p.ExpiresAt != nil && !at.Before(*p.ExpiresAt):
		return "passport expired at " + p.ExpiresAt.Format(time.RFC3339)
	}
	return ""
}

func (l *Layer) capabilityMessage() string {
	for _, c := range l.pack.RequiresCapabilities {
		if !l.passport.Grants(c) {
			return "capability " + string(c) + " is not granted"
		}
	}
	return ""
}

func (l *Layer) capabilityCode() authz.DenialReason {
	if l.profile == ProfileOAP {
		return authz.ReasonCapabilityMissing
	}
	return authz.ReasonUnknownCapability
}

func (l *Layer) assuranceMessage() string {
	have := l.passport.AssuranceLevel
	switch {
	case !have.AtLeast(l.pack.MinAssurance):
		return fmt.Sprintf("assurance %s is below the pack's %s", have, l.pack.MinAssurance)
	case l.assured != "" && !have.AtLeast(l.assured):
		return fmt.Sprintf("assurance %s is below the limits' %s", have, l.assured)
	}
	return ""
}

func (l *Layer) contextGate(env *condition.Env, _ time.Time) string {
	if err := l.pack.context.validate(l.fields(env)); err != nil {
		return "context does not match the pack: " + err.Error()
	}
	if l.amount < 0 || env.Slots[l.amount].Kind == condition.KindAbsent {
		return ""
	}
	// Whatever a pack's schema says: a negative amount would raise what a cap leaves.
	if v := &env.Slots[l.amount]; v.Kind != condition.KindInt || v.Int < 1 {
		return "amount is no positive integer of minor units"
	}
	return ""
}

// regionsOverlooked says of a passport's regions that no payment is held to them.
const regionsOverlooked = "the pack's required_context has no region to hold against them, and no rule reads passport.regions: add region to the properties"

// overlooksRegions reports whether a passport's regions say nothing to the pack.
func (p *PolicyPack) overlooksRegions(in Profile) bool {
	return !slices.Contains(p.context.typ.Names, "region") &&
		!slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.in(in) && strings.Contains(r.Condition, "passport.regions") })
}

// regionGate: a pack whose context has no region has nothing to check.
func (l *Layer) regionGate(env *condition.Env, _ time.Time) string {
	if l.region < 0 || env.Slots[l.region].Kind == condition.KindAbsent {
		return ""
	}
	if region := env.Slots[l.region].Str; !slices.Contains(l.passport.Regions, region) {
		return fmt.Sprintf("region %q is not among the passport's", region)
	}
	return ""
}
