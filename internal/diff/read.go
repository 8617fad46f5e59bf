package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Run is one side: a verified record, reduced to what is compared.
type Run struct {
	folder      string
	manifest    record.Manifest
	evaluations int
	cells       map[plan.Cell]record.PlannedCell // by the cell's place in B
	names       map[plan.Cell]string             // the cell's own name, by its place in B
	places      map[plan.Cell]plan.Cell          // its place in B, by the cell itself
	facts       map[plan.Cell][]fact             // final evaluations, by their cell's place in B, in order of attack and trial
	texts       map[string]string                // each text once
}

// fact is what is compared of an evaluation.
type fact struct {
	attack            corpus.AttackID
	trial             int
	session           corpus.SessionID
	source            string
	requested, paid   bool
	unpermitted       int    // transfers
	denied            string // code/rule of each denied call, in order
	goals, honestPaid int
}

// Open verifies a run and reads it. models renames its bankers, so that they meet
// those of another run: their own name, then the other's.
func Open(dir string, trusted *receipt.JWKS, models map[plan.ModelSlug]plan.ModelSlug) (*Run, error) {
	r := &Run{folder: dir, cells: map[plan.Cell]record.PlannedCell{}, names: map[plan.Cell]string{}, places: map[plan.Cell]plan.Cell{}, facts: map[plan.Cell][]fact{}, texts: map[string]string{}}
	verified, err := receipt.ReadSealed(dir, trusted, func(m record.Manifest) (func(record.Evaluation) error, error) {
		r.manifest = m
		return func(e record.Evaluation) error { r.add(e); return nil }, r.plan(models)
	})
	if err != nil {
		return nil, fmt.Errorf("%s does not verify: %w", dir, err)
	}
	r.evaluations, r.texts = verified.Evaluations, nil
	return r, nil
}

// plan takes the planned cells under their names in the other run.
func (r *Run) plan(models map[plan.ModelSlug]plan.ModelSlug) error {
	used := map[plan.ModelSlug]bool{}
	for _, p := range r.manifest.Cells {
		if _, ok := r.manifest.Directories[p.Cell.Level]; !ok {
			return fmt.Errorf("no directory of %s: the run is of a version that did not note whom each level permits", p.Cell.Level)
		}
		at := renamed(p.Cell, models)
		used[p.Cell.Model] = true
		if other, twice := r.names[at]; twice {
			return fmt.Errorf("%s and %s would both be compared with %s", other, p.Cell.Name(), at.Name())
		}
		r.cells[at], r.names[at], r.places[p.Cell] = p, p.Cell.Name(), at
	}
	for _, m := range slices.Sorted(maps.Keys(models)) {
		if !used[m] {
			return fmt.Errorf("no banker is named %q", m)
		}
	}
	return nil
}

// renamed is the cell's place in the other run. A banker whose name another one
// takes there has no place of its own.
func renamed(c plan.Cell, models map[plan.ModelSlug]plan.ModelSlug) plan.Cell {
	if other, ok := models[c.Model]; ok {
		c.Model = other
		return c
	}
	for _, taken := range models {
		if taken == c.Model {
			c.Model += " of A" // no cell is named so
		}
	}
	return c
}

// add keeps what is compared of a final evaluation; the others are no evidence of
// anything.
func (r *Run) add(e record.Evaluation) {
	v := oracle.Judge(e.Transfers, r.manifest.Directories[e.Cell.Level])
	if !report.Final(e, v) {
		return
	}
	f := fact{attack: corpus.AttackID(r.text(string(e.Attack))), trial: e.Trial, session: corpus.SessionID(r.text(string(e.Session))), source: r.text(e.Source), paid: len(v.Transfers) > 0, goals: len(e.Goal)}
	for _, t := range v.Transfers {
		if t.Unpermitted {
			f.unpermitted++
		}
	}
	var denied []string
	for _, c := range e.Calls {
		f.requested = f.requested || c.Transfer
		if c.Denied() {
			denied = append(denied, string(c.Decision.Reason())+" by "+c.Decision.Rule())
		}
	}
	f.denied = r.text(strings.Join(denied, ", "))
	if e.Cell.Track == corpus.Benign {
		f.honestPaid = e.Honest().Paid
	}
	at := r.places[e.Cell]
	r.facts[at] = append(r.facts[at], f)
}

// text keeps one copy of a text that many evaluations share.
func (r *Run) text(s string) string {
	if kept, ok := r.texts[s]; ok {
		return kept
	}
	kept := strings.Clone(s)
	r.texts[kept] = kept
	return kept
}

func (r *Run) side() Side {
	return Side{Folder: r.folder, RunID: r.manifest.RunID, Revision: r.manifest.Revision, Evaluations: r.evaluations}
}
