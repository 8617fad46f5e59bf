package mutation

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// By says what noticed a mutant.
type By string

// What can notice a mutant. An expectation is the attack's own word, written
// before anything decided; a golden pins the rule as well.
const (
	Loader       By = "loader" // it does not load: nothing is decided by it
	AttackExpect By = "expectation of an attack"
	TwinExpect   By = "expectation of a twin"
	AttackGolden By = "golden of an attack"
	TwinGolden   By = "golden of a twin"
	ProbeGolden  By = "golden of a probe"
)

// Noticers lists what can notice a mutant.
func Noticers() []By {
	return []By{Loader, AttackExpect, TwinExpect, AttackGolden, TwinGolden, ProbeGolden}
}

// Kill is what noticed a mutant: how many, and the first of them.
type Kill struct {
	By    By     `json:"by"`
	Count int    `json:"count"`
	First string `json:"first"`
}

// Result is what became of a mutant.
type Result struct {
	ID         string `json:"id"`
	File       string `json:"file"`
	Operator   string `json:"operator"`
	Change     string `json:"change"`
	Kills      []Kill `json:"kills"`                // empty: it survived
	Equivalent string `json:"equivalent,omitempty"` // why no decision could differ, as listed
}

// Killed reports whether anything noticed the mutant.
func (r Result) Killed() bool { return len(r.Kills) > 0 }

// By reports whether this noticed the mutant.
func (r Result) By(b By) bool {
	return slices.ContainsFunc(r.Kills, func(k Kill) bool { return k.By == b })
}

// Run examines each mutant, several at a time, and keeps their order.
func Run(mutants []Mutant, examine func(Mutant) ([]Kill, error)) ([]Result, error) {
	results := make([]Result, len(mutants))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range mutants {
		g.Go(func() error {
			kills, err := examine(m)
			if err != nil {
				return fmt.Errorf("mutant %s: %w", m.ID, err)
			}
			if kills == nil {
				kills = []Kill{}
			}
			results[i] = Result{ID: m.ID, File: m.File, Operator: m.Operator, Change: m.Change, Kills: kills}
			return nil
		})
	}
	return results, g.Wait()
}

// Equivalent is a mutant that decides as its file does, whatever is asked.
type Equivalent struct{ ID, Reason string }

// ParseEquivalents reads the list of equivalent mutants: one "ID | reason" a
// line; a line that begins with # says something to people.
func ParseEquivalents(file string, text string) ([]Equivalent, error) {
	var out []Equivalent
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		id, reason, ok := strings.Cut(line, " | ")
		id, reason = strings.TrimSpace(id), strings.TrimSpace(reason)
		if !ok || id == "" || reason == "" {
			return nil, fmt.Errorf("%s:%d: want \"mutant | reason\"", file, i+1)
		}
		if slices.ContainsFunc(out, func(e Equivalent) bool { return e.ID == id }) {
			return nil, fmt.Errorf("%s:%d: %s stands twice: delete one", file, i+1, id)
		}
		out = append(out, Equivalent{id, reason})
	}
	return out, nil
}

// Report is the outcome of a run.
type Report struct {
	Mutants    int      `json:"mutants"`
	Killed     int      `json:"killed"`     // by a decision
	Refused    int      `json:"refused"`    // by the loader
	Equivalent int      `json:"equivalent"` // survived, and listed with a reason
	Survived   int      `json:"survived"`   // survived, and not listed
	Faults     []string `json:"faults"`     // survivors, and what is wrong with the list; empty: passed
	Results    []Result `json:"results"`
}

// NewReport counts the results against the list of equivalent mutants.
func NewReport(results []Result, equivalents []Equivalent) Report {
	r := Report{Mutants: len(results), Results: slices.Clone(results), Faults: []string{}}
	reasons := map[string]string{}
	for _, e := range equivalents {
		reasons[e.ID] = e.Reason
	}
	for i := range r.Results {
		m := &r.Results[i]
		m.Equivalent = reasons[m.ID]
		delete(reasons, m.ID)
		r.count(m)
	}
	for _, e := range equivalents {
		if _, unknown := reasons[e.ID]; unknown {
			r.Faults = append(r.Faults, fmt.Sprintf("%s is listed as equivalent and there is no such mutant: delete it", e.ID))
		}
	}
	return r
}

func (r *Report) count(m *Result) {
	switch {
	case m.Killed() && m.Equivalent != "":
		r.Faults = append(r.Faults, fmt.Sprintf("%s is listed as equivalent and was noticed by the %s (%s): delete it from the list", m.ID, m.Kills[0].By, m.Kills[0].First))
	case !m.Killed() && m.Equivalent == "":
		r.Survived++
		r.Faults = append(r.Faults, fmt.Sprintf("%s survives: %s", m.ID, m.Change))
	}
	switch {
	case m.By(Loader):
		r.Refused++
	case m.Killed():
		r.Killed++
	case m.Equivalent != "":
		r.Equivalent++
	}
}

// Score is the share of the mutants that were noticed by a decision, of those
// that load and are not equivalent.
func (r Report) Score() (noticed, of int) { return r.Killed, r.Killed + r.Survived }
