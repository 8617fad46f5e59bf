package record

import (
	"cmp"
	"errors"
	"fmt"
)

// ReadPlanned reads a run's evaluations.jsonl as Read does and holds each line
// against the run's manifest, so that nothing is summed that the run did not do:
// a line of a foreign cell or kind, of a trial that was not planned, out of the
// order cell, attack, trial, standing twice, or beyond what its cell planned is an
// error with its line. Fewer lines than planned are none: what is missing counts
// as not final.
func ReadPlanned(path string, m Manifest, each func(Evaluation) error) error {
	p := newPlanned(m)
	return Read(path, func(e Evaluation) error {
		if err := p.check(e); err != nil {
			return err
		}
		return each(e)
	})
}

// planned walks a run's lines beside its plan.
type planned struct {
	trials int
	cells  map[string]PlannedCell
	seen   int // lines of the cell at hand
	last   place
}

// place is where a line belongs in the order of the file.
type place struct {
	id, cell, attack string
	trial            int
}

func newPlanned(m Manifest) *planned {
	p := &planned{trials: m.Trials, cells: map[string]PlannedCell{}}
	for _, c := range m.Cells {
		p.cells[c.Cell.Name()] = c
	}
	return p
}

func (p *planned) check(e Evaluation) error {
	if _, err := p.follow(e); err != nil {
		return err
	}
	return p.count(e)
}

// follow holds a line against the plan and the line before it.
func (p *planned) follow(e Evaluation) (place, error) {
	at := place{e.ID, e.Cell.Name(), string(e.Attack), e.Trial}
	c, ok := p.cells[e.Cell.Name()]
	switch {
	case !ok:
		return at, fmt.Errorf("cell %s is not in the manifest: the line is another run's", e.Cell.Name())
	case e.Kind != c.Kind:
		return at, fmt.Errorf("kind is %q, the manifest says %q of cell %s", e.Kind, c.Kind, e.Cell.Name())
	case c.Skip != "":
		return at, fmt.Errorf("cell %s was skipped (%s), so it has no evaluation", e.Cell.Name(), c.Skip)
	case e.Trial < 1 || e.Trial > p.trials:
		return at, fmt.Errorf("trial %d of %d that were planned", e.Trial, p.trials)
	}
	if at.cell != p.last.cell {
		p.seen = 0
	}
	switch order := at.compare(p.last); {
	case order == 0:
		return at, errors.New("stands twice")
	case order < 0:
		return at, fmt.Errorf("stands after %q: lines are in the order cell, attack, trial, so one was moved", p.last.id)
	}
	p.last = at
	return at, nil
}

// count holds the lines of a cell against how many it planned.
func (p *planned) count(e Evaluation) error {
	c := p.cells[e.Cell.Name()]
	if p.seen++; p.seen > c.Evaluations {
		return fmt.Errorf("is line %d of its cell, %d were planned", p.seen, c.Evaluations)
	}
	return nil
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.attack, b.attack), cmp.Compare(a.trial, b.trial))
}
