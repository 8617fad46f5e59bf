package oap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// StepOutcome says what a gate or rule came to.
type StepOutcome string

// The outcomes.
const (
	StepHeld       StepOutcome = "held"
	StepFailed     StepOutcome = "failed"
	StepSkipped    StepOutcome = "skipped"       // an optional field of the context is absent
	StepError      StepOutcome = "error"         // can't be followed: denied, oap.policy_error
	StepOvertaken  StepOutcome = "overtaken"     // an operand is missing for which an earlier rule has denied
	StepNotReached StepOutcome = "not reached"   // an earlier gate ended the decision
	StepElsewhere  StepOutcome = "other profile" // the rule is not of this profile
)

// Step is a gate or rule on the way to a decision.
type Step struct {
	Name      string
	Gate      bool
	Outcome   StepOutcome
	Code      authz.DenialReason // of a step that denies
	Condition string             // of the pack's rule, where it has one
	Message   string             // why, of a gate
	Values    []authz.Seen       // what it saw; lists written out
}

// ExplainContext is DecideContext with what each gate and rule saw, in order.
// The steps that failed are the decision's reasons.
func (e *Engine) ExplainContext(raw []byte, at time.Time) (authz.Decision, []Step) {
	var steps []Step
	d := e.decideContext(raw, at, func() { steps = e.layer.explain(e.env, at) })
	if steps == nil {
		steps = e.layer.unread(d.Reasons[0])
	}
	return d, steps
}

// unread explains a context that is no context: it is refused before any gate.
func (l *Layer) unread(why authz.Reason) []Step {
	var steps []Step
	for i := range l.gates {
		s := l.gateStep(&l.gates[i])
		if s.Name == why.Rule {
			s.Outcome, s.Code, s.Message = StepFailed, why.Code, why.Message
		}
		steps = append(steps, s)
	}
	return append(steps, l.ruleSteps(nil)...)
}

// explain evaluates what decide does, one step after the other.
func (l *Layer) explain(env *condition.Env, at time.Time) []Step {
	var steps []Step
	ended := false
	for i := range l.gates {
		g := &l.gates[i]
		s := l.gateStep(g)
		if !ended {
			l.explainGate(&s, g, env, at)
		}
		ended = ended || s.Code != ""
		steps = append(steps, s)
	}
	if ended {
		env = nil
	}
	return append(steps, l.ruleSteps(env)...)
}

func (l *Layer) gateStep(g *gate) Step {
	s := Step{Name: g.name, Gate: true, Outcome: StepNotReached}
	if i := slices.IndexFunc(l.pack.Rules, func(r Rule) bool { return r.Name == g.name }); i >= 0 && l.pack.Rules[i].in(l.profile) {
		s.Condition = l.pack.Rules[i].Condition
	}
	return s
}

func (l *Layer) explainGate(s *Step, g *gate, env *condition.Env, at time.Time) {
	s.Outcome, s.Values = StepHeld, l.gateValues(g.name, env, at)
	if g.name == gateRegion && (l.region < 0 || env.Slots[l.region].Kind == condition.KindAbsent) {
		s.Outcome = StepSkipped
	}
	if message := g.check(env, at); message != "" {
		s.Outcome, s.Code, s.Message = StepFailed, g.code, message
		return
	}
	if g.rule == nil {
		return
	}
	for _, seen := range g.rule.program.Shown(env) {
		if !slices.Contains(s.Values, authz.Seen(seen)) {
			s.Values = append(s.Values, authz.Seen(seen))
		}
	}
	switch g.rule.program.Eval(env) {
	case condition.True, condition.Absent:
	case condition.False:
		s.Outcome, s.Code, s.Message = StepFailed, g.code, g.rule.Description
	default:
		s.Outcome, s.Code, s.Message = StepError, authz.ReasonPolicyError, g.rule.Description
	}
}

// gateValues are what the engine's own check of a gate looks at.
func (l *Layer) gateValues(name string, env *condition.Env, at time.Time) []authz.Seen {
	p := l.passport
	switch name {
	case gatePassport:
		expires := "never"
		if p.ExpiresAt != nil {
			expires = p.ExpiresAt.Format(time.RFC3339)
		}
		return []authz.Seen{{Name: "passport.status", Value: fmt.Sprintf("%q", p.Status)}, {Name: "passport.expires_at", Value: expires}, {Name: "now", Value: at.Format(time.RFC3339)}}
	case gateCapability:
		return []authz.Seen{{Name: "requires_capabilities", Value: list(l.pack.RequiresCapabilities)}, {Name: "passport.capabilities", Value: list(p.granted())}}
	case gateAssurance:
		values := []authz.Seen{{Name: "passport.assurance_level", Value: fmt.Sprintf("%q", p.AssuranceLevel)}, {Name: "min_assurance", Value: fmt.Sprintf("%q", l.pack.MinAssurance)}}
		if l.assured != "" {
			values = append(values, authz.Seen{Name: "limits." + requireAssurance, Value: fmt.Sprintf("%q", l.assured)})
		}
		return values
	case gateRegion:
		region := "absent"
		if l.region >= 0 {
			region = env.Slots[l.region].Text()
		}
		return []authz.Seen{{Name: "region", Value: region}, {Name: "passport.regions", Value: list(p.Regions)}}
	}
	return nil
}

func list[T ~string](words []T) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// ruleSteps are the pack's rules in order; a nil env stands for a decision that
// ended before them.
func (l *Layer) ruleSteps(env *condition.Env) []Step {
	var steps []Step
	denied := false
	for _, r := range l.pack.Rules {
		s := Step{Name: r.Name, Outcome: StepNotReached, Condition: r.Condition}
		bound := slices.IndexFunc(l.rules, func(b boundRule) bool { return b.Name == r.Name })
		switch {
		case !r.in(l.profile):
			s.Outcome = StepElsewhere
		case slices.Contains(gateNames, r.Name):
			continue // part of its gate
		case env != nil && bound >= 0:
			explainRule(&s, &l.rules[bound], env, denied)
		}
		denied = denied || s.Code != ""
		steps = append(steps, s)
	}
	return steps
}

func explainRule(s *Step, r *boundRule, env *condition.Env, denied bool) {
	for _, seen := range r.program.Shown(env) {
		s.Values = append(s.Values, authz.Seen(seen))
	}
	switch result := r.program.Eval(env); {
	case result == condition.True:
		s.Outcome = StepHeld
	case result == condition.Absent:
		s.Outcome = StepSkipped
	case result == condition.False:
		s.Outcome, s.Code = StepFailed, r.DenyCode
	case result == condition.Missing && denied:
		s.Outcome = StepOvertaken
	default:
		s.Outcome, s.Code = StepError, authz.ReasonPolicyError
	}
}
