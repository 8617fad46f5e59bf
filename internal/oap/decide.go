package oap

import (
	"fmt"
	"slices"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// decide is pure: the same environment and moment give the same reasons. No
// reason means that nothing stands against the request.
func (l *Layer) decide(env *condition.Env, at time.Time) []authz.Reason {
	if r := l.gate(env, at); r != nil {
		return []authz.Reason{*r}
	}
	var reasons []authz.Reason
	for i := range l.rules {
		rule := &l.rules[i]
		switch rule.program.Eval(env) {
		case condition.True, condition.Absent:
		case condition.False:
			reasons = append(reasons, rule.reason(rule.DenyCode, env))
		case condition.Missing:
			// An earlier rule has denied for what this one misses: a cap of a
			// currency that is not supported.
			if len(reasons) == 0 {
				reasons = append(reasons, rule.reason(authz.ReasonPolicyError, env))
			}
		default:
			reasons = append(reasons, rule.reason(authz.ReasonPolicyError, env))
		}
	}
	return reasons
}

func (r *boundRule) reason(code authz.DenialReason, env *condition.Env) authz.Reason {
	out := authz.Reason{Code: code, Rule: r.Name, Message: r.Description, Values: make([]authz.Seen, r.program.Leaves())}
	for i := range out.Values {
		out.Values[i] = authz.Seen(r.program.Leaf(i, env))
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
}

// buildGates lays the gates out once; own are the pack's rules by gate.
func (l *Layer) buildGates(own map[string]boundRule) {
	l.gates = []gate{
		{gatePassport, authz.ReasonPassportSuspended, l.passportGate, nil},
		{gateCapability, l.capabilityCode(), always(l.capabilityMessage()), nil},
		{gateAssurance, authz.ReasonAssurance, always(l.assuranceMessage()), nil},
		{gateContext, authz.ReasonInvalidContext, l.contextGate, nil},
		{gateRegion, authz.ReasonRegionBlocked, l.regionGate, nil},
	}
	for i := range l.gates {
		if r, ok := own[l.gates[i].name]; ok {
			l.gates[i].code, l.gates[i].rule = r.DenyCode, &r
		}
	}
}

// always is a check whose answer is known at load.
func always(message string) func(*condition.Env, time.Time) string {
	return func(*condition.Env, time.Time) string { return message }
}

// gate returns why the request does not reach the rules.
func (l *Layer) gate(env *condition.Env, at time.Time) *authz.Reason {
	for i := range l.gates {
		g := &l.gates[i]
		if message := g.check(env, at); message != "" {
			return &authz.Reason{Code: g.code, Rule: g.name, Message: message}
		}
		if g.rule == nil {
			continue
		}
		switch g.rule.program.Eval(env) {
		case condition.True, condition.Absent:
		case condition.False:
			r := g.rule.reason(g.code, env)
			return &r
		default:
			r := g.rule.reason(authz.ReasonPolicyError, env)
			return &r
		}
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
