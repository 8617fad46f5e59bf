package oap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// The gates, in their order. A gate that fails ends the decision.
const (
	gatePassport   = "passport_status_active"
	gateCapability = "capability"
	gateAssurance  = "assurance_minimum"
	gateContext    = "context_schema"
	gateRegion     = "region"
)

// decisionValidity is how long a decision holds on the virtual clock.
const decisionValidity = time.Minute

// requireAssurance is the limit that the assurance gate reads.
const requireAssurance = "require_assurance_at_least"

// Layer is a passport under a pack in one profile, compiled. It is immutable and
// shared; the state of a conversation lives in the Engines that it opens.
type Layer struct {
	passport Passport
	pack     PolicyPack
	profile  Profile
	rules    []boundRule // of the profile, in order, without those of a gate
	fillers  []filler
	region   int            // the slot of the context's region; -1: the pack has none
	amount   int            // likewise of its amount
	assured  AssuranceLevel // what the limits ask for; empty: nothing
	allowed  []authz.Reason
	gates    []gate
}

// boundRule is a rule whose condition is bound to the passport's limits.
type boundRule struct {
	Rule
	program *condition.Program
	seen    []authz.Seen // what it reads; without the values that a request gives
	live    []int        // the places of those
}

func bound(r Rule, program *condition.Program) boundRule {
	b := boundRule{Rule: r, program: program, seen: make([]authz.Seen, program.Leaves())}
	for i := range b.seen {
		text, known := program.Constant(i)
		b.seen[i] = authz.Seen{Name: program.Leaf(i), Value: text}
		if !known {
			b.live = append(b.live, i)
		}
	}
	return b
}

// errNotRead marks a pack that did not come from ReadPack.
var errNotRead = errors.New("the pack was not read from its JSON")

// NewLayer joins a passport and a pack. A limit that a rule reads and that a
// passport granting the pack's capability lacks is an error here, not a surprise
// at run time. A passport that grants nothing loads, and its gate denies.
func NewLayer(passport Passport, pack PolicyPack, profile Profile) (*Layer, error) {
	l := &Layer{
		passport: passport, pack: pack, profile: profile, region: slices.Index(pack.context.typ.Names, "region"), amount: slices.Index(pack.context.typ.Names, "amount"),
		fillers: fillers(pack.context.typ),
		allowed: []authz.Reason{{Code: authz.ReasonAllowed, Rule: string(pack.ID)}},
	}
	for _, r := range pack.Rules {
		if r.refused != nil || r.expr == nil {
			return nil, fmt.Errorf("pack %s: rule %s can't be followed: %w", pack.ID, r.Name, cmp.Or(r.refused, errNotRead))
		}
	}
	if len(pack.RequiresCapabilities) == 0 {
		return nil, fmt.Errorf("pack %s: requires_capabilities is empty: name the capability that its limits stand under", pack.ID)
	}
	capability := pack.RequiresCapabilities[0]
	limits, err := passport.Limits(capability)
	if err != nil {
		return nil, fmt.Errorf("load passport: %w", err)
	}
	for _, id := range pack.RequiresCapabilities {
		written, err := passport.written(id)
		if err == nil {
			err = pack.refuseUnread(id, written)
		}
		if err != nil {
			return nil, fmt.Errorf("passport %s: limits of %s: %w", passport.Name, id, err)
		}
	}
	granted := !slices.ContainsFunc(pack.RequiresCapabilities, func(c CapabilityID) bool { return !passport.Grants(c) })
	if granted && limits == nil {
		limits = Limits{}
	}
	if !granted {
		l.buildGates(nil)
		return l, nil
	}
	if pack.decidesPayments() && pack.overlooksRegions(profile) {
		return nil, fmt.Errorf("passport %s under pack %s: regions: %s", passport.Name, pack.ID, regionsOverlooked)
	}
	if v := limits[requireAssurance]; v != nil {
		l.assured = AssuranceLevel(v.Str)
		if !slices.Contains(assuranceOrder, l.assured) {
			return nil, fmt.Errorf("passport %s: limits of %s: %s is %s: use one of %v", passport.Name, capability, requireAssurance, v.Text(), assuranceOrder)
		}
	}
	if err := l.bind(capability, limits); err != nil {
		return nil, err
	}
	return l, nil
}

var gateNames = []string{gatePassport, gateCapability, gateAssurance, gateContext, gateRegion}

// bind compiles the profile's rules against the passport.
func (l *Layer) bind(capability CapabilityID, limits Limits) error {
	scope := l.pack.scope(limits, l.passport.fields())
	own := map[string]boundRule{} // the pack's rules that have a gate's name: part of the gate
	for _, r := range l.pack.Rules {
		if !r.in(l.profile) {
			continue
		}
		program, err := r.expr.BindRule(scope)
		var refused *condition.Error
		switch {
		case errors.As(err, &refused) && errors.Is(err, condition.ErrMissingLimit):
			return fmt.Errorf("passport %s: limits of %s lack %s, which rule %s of %s reads: add it (an empty list is a value of its own)",
				l.passport.Name, capability, refused.Detail, r.Name, l.pack.ID)
		case err != nil:
			return fmt.Errorf("passport %s under pack %s: rule %s: %w", l.passport.Name, l.pack.ID, r.Name, err)
		}
		if slices.Contains(gateNames, r.Name) {
			own[r.Name] = bound(r, program)
			continue
		}
		l.rules = append(l.rules, bound(r, program))
	}
	l.buildGates(own)
	return nil
}

// PassportDigest is the hex SHA-256 of the passport's canonical JSON.
func (l *Layer) PassportDigest() string { return l.passport.Digest }

// PolicyDigest is the hex SHA-256 of the pack's canonical JSON.
func (l *Layer) PolicyDigest() string { return l.pack.Digest }

// WithPassport is the layer with its passport's JSON changed: what another
// passport would decide under the same pack and profile.
func (l *Layer) WithPassport(change func(raw []byte) ([]byte, error)) (*Layer, error) {
	raw, err := change(slices.Clone(l.passport.raw))
	if err != nil {
		return nil, fmt.Errorf("change passport %s: %w", l.passport.Name, err)
	}
	p, err := ParsePassport(l.passport.Name, raw)
	if err != nil {
		return nil, err
	}
	return NewLayer(p, l.pack, l.profile)
}

// WithProfile is the layer's passport and pack in another profile.
func (l *Layer) WithProfile(profile Profile) (*Layer, error) {
	if profile == l.profile {
		return l, nil
	}
	return NewLayer(l.passport, l.pack, profile)
}

// Open starts the state of one conversation: no totals, no keys.
func (l *Layer) Open() *Engine {
	return &Engine{layer: l, env: l.newEnv(), state: newState(l.pack.readsParties())}
}

func (l *Layer) newEnv() *condition.Env {
	return &condition.Env{Slots: make([]condition.Value, len(l.pack.context.typ.Names)+len(stateTypes))}
}

// fields are the context's slots of an environment.
func (l *Layer) fields(env *condition.Env) []condition.Value {
	return env.Slots[:len(l.pack.context.typ.Names)]
}

// field is one slot of the context by name; nil where the pack has none.
func (l *Layer) field(env *condition.Env, name string) *condition.Value {
	i := slices.Index(l.pack.context.typ.Names, name)
	if i < 0 {
		return nil
	}
	return &env.Slots[i]
}
