package diff

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

// Goldens are the files of a golden folder: the counts of simulated cells, and
// what is pinned of each decision.
type Goldens struct {
	Folder    string
	Events    map[string]report.Counts     // by cell
	Decisions map[string]map[string]string // by file and id: the code, and of a denial the rule
}

// CompareGoldens compares goldens as Compare compares runs: a cell is matched by
// its name, a decision by file and id. There are no request rates: a golden has
// no sessions.
func CompareGoldens(a, b Goldens) (*Report, error) {
	r := &Report{Version: Version, A: Side{Folder: a.Folder}, B: Side{Folder: b.Folder}}
	for _, name := range union(a.Events, b.Events) {
		before, inA := a.Events[name]
		after, inB := b.Events[name]
		switch {
		case !inB:
			r.Missing.CellsOnlyA = append(r.Missing.CellsOnlyA, name)
		case !inA:
			r.Missing.CellsOnlyB = append(r.Missing.CellsOnlyB, name)
		default:
			c, err := countsOf(name, before, after)
			if err != nil {
				return nil, err
			}
			r.A.Evaluations, r.B.Evaluations = r.A.Evaluations+before.Denominator, r.B.Evaluations+after.Denominator
			r.Cells = append(r.Cells, c)
		}
	}
	for _, file := range union(a.Decisions, b.Decisions) {
		r.decisions(file, a.Decisions[file], b.Decisions[file])
	}
	r.sortChanges()
	r.finish()
	return r, nil
}

// countsOf compares the counts of one cell; any that differs is one change.
func countsOf(name string, a, b report.Counts) (Cell, error) {
	parts := strings.Split(name, "/")
	if len(parts) != 4 {
		return Cell{}, fmt.Errorf("golden cell %q: want model/level/track/architecture", name)
	}
	place := plan.Cell{Model: plan.ModelSlug(parts[0]), Level: corpus.Level(parts[1]), Track: corpus.Track(parts[2]), Architecture: plan.Architecture(parts[3])}
	return Cell{
		Name: name, NameOfA: name, Kind: plan.Simulated, Group: place.Group(), Matched: min(a.Denominator, b.Denominator),
		A: eventsOf(a), B: eventsOf(b), Changes: one(!reflect.DeepEqual(a, b)),
		OnlyA: max(0, a.Denominator-b.Denominator), OnlyB: max(0, b.Denominator-a.Denominator),
	}, nil
}

func eventsOf(c report.Counts) Events {
	e := Events{Requests: c.Requests.Evaluations, Payments: c.Payments.Evaluations, Unpermitted: c.Unpermitted.Evaluations}
	if c.Decisions != nil {
		e.Denied = c.Decisions.Evaluations
	}
	if c.Benign != nil {
		e.HonestPaid = c.Benign.Paid
	}
	return e
}

// decisions compares what one file pins.
func (r *Report) decisions(file string, a, b map[string]string) {
	for _, id := range union(a, b) {
		before, inA := a[id]
		after, inB := b[id]
		where := file + ": " + id
		switch {
		case !inB:
			r.Missing.OnlyA = append(r.Missing.OnlyA, where)
		case !inA:
			r.Missing.OnlyB = append(r.Missing.OnlyB, where)
		case before != after:
			r.Changes = append(r.Changes, Change{Kind: kindOf(before, after), Cell: file, Attack: corpus.AttackID(id), Before: before, After: after})
		}
	}
}

func kindOf(before, after string) ChangeKind {
	allowed := func(text string) bool {
		code, _, _ := strings.Cut(text, " ")
		return code == string(authz.ReasonAllowed)
	}
	switch {
	case allowed(before):
		return NewlyDenied
	case allowed(after):
		return NewlyAllowed
	}
	return ChangedReason
}

func union[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
