package vault_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/oap"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
)

// shownNames is how many attacks or recipients a sentence names; it counts the rest.
const shownNames = 10

// forbidden are payments that a level forbids and a layer let through: what the run
// executed, or what the goldens' tests saw allowed.
type forbidden struct {
	payments   map[string]int // how many, by attack
	recipients map[string]int // the same by recipient and class
}

func (f *forbidden) add(attack corpus.AttackID, recipient string, class corpus.Class) {
	if f.payments == nil {
		f.payments, f.recipients = map[string]int{}, map[string]int{}
	}
	f.payments[string(attack)]++
	f.recipients[fmt.Sprintf("%q (%s)", recipient, class)]++
}

func (f *forbidden) total() int {
	n := 0
	for _, payments := range f.payments {
		n += payments
	}
	return n
}

// String says to whom and by which attacks, on one printable line.
func (f *forbidden) String() string {
	attacks := slices.Sorted(maps.Keys(f.payments))
	return escape.Line(fmt.Sprintf("to %s, by %s: %s", firstNames(slices.Sorted(maps.Keys(f.recipients))), count(len(attacks), "attack"), firstNames(attacks)))
}

// firstNames lists names, or the first of them and how many more there are.
func firstNames(names []string) string {
	if len(names) <= shownNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shownNames], ", "), len(names)-shownNames)
}

// count words a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// cell notes what a cell's layer let through.
func (p *policyChange) cell(c report.Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range c.Executed {
		if p.executed[c.Architecture] == nil {
			p.executed[c.Architecture] = &forbidden{}
		}
		p.executed[c.Architecture].add(e.Attack, e.Recipient, e.Class)
	}
}

// allows notes a goal that a layer allows, if its level forbids it, and says whether
// it does. Two tests decide the same goals: each is counted once.
func (p *policyChange) allows(a corpus.Attack, goal int, d corpus.Directory) bool {
	recipient := a.Goal[goal-1].Recipient
	if !oracle.Forbids(recipient, d) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("%s#%d", a.ID, goal)
	if !p.seen[id] {
		p.seen[id] = true
		p.allowed[place(a)] = append(p.allowed[place(a)], report.Executed{Attack: a.ID, Recipient: recipient, Class: d.ClassOf(recipient)})
	}
	return true
}

// unpermitted says what was let through, each architecture in one sentence, and what
// would be of which nothing was executed; empty where nothing was.
func (p *policyChange) unpermitted() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, arch := range slices.Sorted(maps.Keys(p.executed)) {
		f := p.executed[arch]
		verb := "were"
		if f.total() == 1 {
			verb = "was"
		}
		out = append(out, fmt.Sprintf("%s %s executed behind %s, %s", count(f.total(), "unpermitted transfer"), verb, arch, f))
	}
	var more forbidden
	for _, payments := range p.allowed {
		for _, e := range payments {
			if !p.wasExecuted(e.Attack) {
				more.add(e.Attack, e.Recipient, e.Class)
			}
		}
	}
	if n := more.total(); n > 0 {
		out = append(out, fmt.Sprintf("the layer allows %s that the level forbids, %s", count(n, "payment"), &more))
	}
	return out
}

func (p *policyChange) wasExecuted(attack corpus.AttackID) bool {
	for _, f := range p.executed {
		if f.payments[string(attack)] > 0 {
			return true
		}
	}
	return false
}

// otherFiles notes which policy files differ from the goldens' where the tests that
// compare them did not run: they are what a reader of a violation looks for.
func (p *policyChange) otherFiles() error {
	if len(p.unpermitted()) == 0 {
		return nil
	}
	for _, level := range corpus.Levels() {
		want, err := pinned.Read(level)
		if err != nil {
			return err
		}
		layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		if err != nil {
			return err
		}
		got := want.Head
		got.PassportDigest, got.PackDigest = layer.PassportDigest(), layer.PolicyDigest()
		p.head(level, want.Head, got)
	}
	return nil
}

// TestUnpermittedFirst: a policy that pays an attacker is a violation, said first
// and with no advice that would make it the norm.
func TestUnpermittedFirst(t *testing.T) {
	listed := corpus.Directory{Permits: corpus.PermitsListed, Recipients: []corpus.Recipient{{ID: "eve", Class: corpus.ClassAttacker}, {ID: "ann", Class: corpus.ClassPermitted}}}
	attack := func(n int, recipient string) corpus.Attack {
		return corpus.Attack{ID: corpus.AttackID(fmt.Sprintf("l2-%04d", n)), Goal: []corpus.Payment{{Recipient: recipient}}, File: "attacks/level-2.jsonl", Line: n}
	}
	paid := func(n int, recipient string) report.Executed {
		return report.Executed{Attack: corpus.AttackID(fmt.Sprintf("l2-%04d", n)), Recipient: recipient, Class: listed.ClassOf(recipient)}
	}
	var twelve []report.Executed
	for n := range 12 {
		twelve = append(twelve, paid(n+1, "eve"))
	}
	allowed := authz.Decision{Effect: authz.Allow}
	for _, tt := range []struct {
		name     string
		edited   bool // a passport
		cells    []report.Cell
		surprise []pinned.Surprise
		says     []string // what the failure says
		digest   string
		reason   string
	}{
		{"nothing", false, nil, nil, nil, "", "no policy changed"},
		{"executed", true, []report.Cell{executed(plan.OAP, twelve...), executed(plan.OAP, twelve[0])}, []pinned.Surprise{{Attack: attack(1, "eve"), Goal: 1, Got: allowed}},
			[]string{`13 unpermitted transfers were executed behind oap, to "eve" (attacker), by 12 attacks: l2-0001, l2-0002, l2-0003, l2-0004, l2-0005, l2-0006, l2-0007, l2-0008, l2-0009, l2-0010 and 2 more`}, `
policy:
  13 unpermitted transfers were executed behind oap, to "eve" (attacker), by 12 attacks: l2-0001, l2-0002, l2-0003, l2-0004, l2-0005, l2-0006, l2-0007, l2-0008, l2-0009, l2-0010 and 2 more
  ` + takeBack + `
  passports/level-2.json is not the file that the goldens were made with
  what flips of an earlier run: go tool vault redecide results/<a run before the change> --passports passports
`, "one attack in two cells is one attack; it is not to expect the payment"},
		{"allowed alone", true, nil, []pinned.Surprise{{Attack: attack(1, "eve"), Goal: 1, Got: allowed}, {Attack: attack(1, "eve"), Goal: 1, Got: allowed}, {Attack: attack(2, "ann"), Goal: 1, Got: allowed}},
			[]string{`the layer allows 1 payment that the level forbids, to "eve" (attacker), by 1 attack: l2-0001`}, `
policy:
  the layer allows 1 payment that the level forbids, to "eve" (attacker), by 1 attack: l2-0001
  ` + takeBack + `
  passports/level-2.json is not the file that the goldens were made with
  1 attacks and honest tasks expect otherwise than the policy decides: edit their expect and reason:
    fixtures/attacks/level-2.jsonl:2
  what flips of an earlier run: go tool vault redecide results/<a run before the change> --passports passports
  if the rest of the change is meant, once nothing unpermitted is paid: edit the lines above (README, Changing a policy), then go test ./vault_test -update
`, "the permitted payee is a lawful change, and keeps its advice"},
		{"two architectures", false, []report.Cell{executed(plan.Published, paid(2, "e\x1bve")), executed(plan.OAP, paid(1, "eve"))}, nil,
			[]string{`1 unpermitted transfer was executed behind oap, to "eve" (attacker), by 1 attack: l2-0001`, `1 unpermitted transfer was executed behind published, to "e\x1bve" (other), by 1 attack: l2-0002`}, `
policy:
  1 unpermitted transfer was executed behind oap, to "eve" (attacker), by 1 attack: l2-0001
  1 unpermitted transfer was executed behind published, to "e\x1bve" (other), by 1 attack: l2-0002
  ` + samePolicy + `
`, "each by itself; an id is an attacker's text"},
	} {
		sub(t, tt.name, func(t *testing.T) {
			p := newPolicyChange()
			if tt.edited {
				p.head(corpus.L2, pinned.Head{PassportDigest: "a"}, pinned.Head{PassportDigest: "b"})
			}
			for _, c := range tt.cells {
				p.cell(c)
			}
			for _, s := range tt.surprise {
				p.surprise(s, listed)
			}
			assert.Equal(t, tt.says, p.unpermitted(), tt.reason)
			var got bytes.Buffer
			require.NoError(t, p.write(&got, ""))
			assert.Equal(t, tt.digest, got.String(), tt.reason)
		})
	}
}

func executed(arch plan.Architecture, all ...report.Executed) report.Cell {
	return report.Cell{Cell: plan.Cell{Architecture: arch}, Executed: all}
}
