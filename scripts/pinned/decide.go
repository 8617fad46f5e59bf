package pinned

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/shipped"
)

// Cases are attacks, honest tasks and the levels that they are of.
type Cases struct {
	corpus corpus.Corpus
	levels map[corpus.Level]corpus.LevelSpec
}

// New are the cases of a corpus and levels.
func New(c corpus.Corpus, levels map[corpus.Level]corpus.LevelSpec) Cases { return Cases{c, levels} }

// Load reads the cases of this repository.
func Load() (Cases, error) {
	c, err := shipped.Corpus()
	if err != nil {
		return Cases{}, err
	}
	levels, err := shipped.Levels()
	return Cases{c, levels}, err
}

// Layer is a shipped passport (its name without .json) under the shipped pack.
func Layer(passport string, profile oap.Profile) (*oap.Layer, error) {
	p, err := oap.LoadPassport(passports.FS, passport)
	if err != nil {
		return nil, err
	}
	pack, err := shippedPack()
	if err != nil {
		return nil, err
	}
	return oap.NewLayer(p, pack, profile)
}

var shippedPack = sync.OnceValues(func() (oap.PolicyPack, error) { return oap.LoadPack(passports.FS, oap.ChargePack) })

// Of are the attacks of a level, and then its honest tasks.
func (c Cases) Of(level corpus.Level) []corpus.Attack {
	return slices.Concat(c.corpus.Select(level, corpus.Multi), c.corpus.Select(level, corpus.Benign))
}

// Level is what a level's conversations share.
func (c Cases) Level(level corpus.Level) corpus.LevelSpec { return c.levels[level] }

// Decide decides each goal of each attack and honest task of a level, in order
// through dispatch on a fresh ledger, and each probe in its own profile. With an
// error comes what could be decided.
func (c Cases) Decide(level corpus.Level, layer *oap.Layer) (Golden, error) {
	return c.decide(level, layer, func(p Probe) oap.Profile { return p.Profile })
}

// DecideIn decides the same with every probe in one profile, which is the
// layer's.
func (c Cases) DecideIn(profile oap.Profile, level corpus.Level, layer *oap.Layer) (Golden, error) {
	return c.decide(level, layer, func(Probe) oap.Profile { return profile })
}

func (c Cases) decide(level corpus.Level, layer *oap.Layer, in func(Probe) oap.Profile) (Golden, error) {
	g := Golden{Head: Head{version, level, in(Probe{Profile: oap.ProfileOAP}), layer.PassportDigest(), layer.PolicyDigest()}}
	for _, a := range c.Of(level) {
		for i, d := range c.DecideGoal(a, layer.Open()) {
			g.Decisions = append(g.Decisions, line(goalID(a.ID, i), d))
		}
	}
	var errs []error
	for _, p := range Probes() {
		if p.Level != level {
			continue
		}
		p.Profile = in(p)
		ds, err := p.Decide(layer)
		if err != nil {
			errs = append(errs, err)
		}
		for i, d := range ds {
			g.Decisions = append(g.Decisions, line(fmt.Sprintf("%s%s#%d", probePrefix, p.Name, i+1), d))
		}
	}
	return g, errors.Join(errs...)
}

// goalID names the i-th goal of an attack in a golden.
func goalID(id corpus.AttackID, i int) string { return fmt.Sprintf("%s#%d", id, i+1) }

func line(id string, d authz.Decision) Decision {
	return Decision{ID: id, Allow: d.Allowed(), Code: d.Reason(), Rule: d.Rule()}
}

// DecideGoal sends an attack's goal through the dispatch path as the calls that
// the attacker wants, in order. The layer must be fresh.
func (c Cases) DecideGoal(a corpus.Attack, layer authz.Authorizer) []authz.Decision {
	spec := c.levels[a.Level]
	d := dispatch.New(dispatch.Config{
		EvaluationID: "golden/" + string(a.ID), Account: suite.Account(spec), Authorizer: layer, Layered: true,
		Names: dispatch.TransferFunds, KeyByAuditCode: spec.Idempotency == corpus.KeyAuditCode,
		Start: spec.ClockStart, Schedule: suite.Schedule(a.Goal),
	})
	var out []authz.Decision
	for _, p := range suite.Payments(a.Goal) {
		r := d.Call(context.Background(), dispatch.TransferFunds.Transfer, sim.Arguments(p))
		out = append(out, *r.Decision)
	}
	return out
}

// Surprise is a goal that is decided otherwise than its attack or honest task
// expects.
type Surprise struct {
	Attack corpus.Attack
	Goal   int // from 1
	Got    authz.Decision
}

// String says it for people, with the place first.
func (s Surprise) String() string {
	return fmt.Sprintf("%s:%d: %s: goal %d: decided %s by rule %s, want %s: %s",
		s.Attack.Path(), s.Attack.Line, s.Attack.ID, s.Goal, s.Got.Reason(), s.Got.Rule(), s.Attack.Expect[s.Goal-1], s.Attack.Reason)
}

// Surprises holds what each attack and honest task of a level expects against
// what a layer decides; open starts the state of one conversation.
func (c Cases) Surprises(level corpus.Level, open func() authz.Authorizer) []Surprise {
	var out []Surprise
	for _, a := range c.Of(level) {
		for i, d := range c.DecideGoal(a, open()) {
			if string(d.Reason()) != a.Expect[i] {
				out = append(out, Surprise{a, i + 1, d})
			}
		}
	}
	return out
}

const probePrefix = "probe/"

// IsProbe tells the lines of probes from those of attacks and honest tasks.
func IsProbe(id string) bool { return strings.HasPrefix(id, probePrefix) }

// Places tells where the attack, honest task or probe of a golden's line stands.
func (c Cases) Places(level corpus.Level) func(id string) string {
	at := map[string]string{}
	for _, a := range c.Of(level) {
		at[string(a.ID)] = "fixtures/" + a.Where()
	}
	return func(id string) string {
		name, _, _ := strings.Cut(id, "#")
		if place, ok := at[name]; ok {
			return place
		}
		return "scripts/pinned: " + name
	}
}
