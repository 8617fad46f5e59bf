package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// Compare compares b with a, which was opened with a's bankers under their names
// in b.
func Compare(a, b *Run) (*Report, error) {
	r := &Report{Version: Version, A: a.side(), B: b.side(), Notes: notes(a.manifest, b.manifest)}
	cells := map[plan.Cell]*Cell{}
	for _, c := range places(a, b) {
		pa, inA := a.cells[c]
		pb, inB := b.cells[c]
		switch {
		case !inB:
			r.Missing.CellsOnlyA = append(r.Missing.CellsOnlyA, a.names[c])
		case !inA:
			r.Missing.CellsOnlyB = append(r.Missing.CellsOnlyB, b.names[c])
		case pa.Kind != pb.Kind:
			return nil, fmt.Errorf("cell %s is %s in %s and %s in %s: kinds are never compared", c.Name(), pa.Kind, a.folder, pb.Kind, b.folder)
		default:
			cells[c] = &Cell{Name: b.names[c], NameOfA: a.names[c], Kind: pb.Kind, Group: c.Group()}
		}
	}
	rates := newRates()
	for _, k := range keys(a, b) {
		cell, ok := cells[k.cell]
		if !ok {
			continue
		}
		fa, inA := a.facts[k]
		fb, inB := b.facts[k]
		id := record.EvaluationID(k.cell, k.attack, k.trial)
		switch {
		case !inB:
			cell.OnlyA++
			r.Missing.OnlyA = append(r.Missing.OnlyA, id)
		case !inA:
			cell.OnlyB++
			r.Missing.OnlyB = append(r.Missing.OnlyB, id)
		default:
			changes := changes(k, fa, fb, cell.Name)
			cell.match(fa, fb, len(changes) > 0)
			r.Changes = append(r.Changes, changes...)
			rates.add(k.cell, cell, a.cells[k.cell].Cell.Model, fa, fb)
		}
	}
	for _, c := range slices.SortedFunc(maps.Keys(cells), order) {
		r.Cells = append(r.Cells, *cells[c])
	}
	slices.SortStableFunc(r.Changes, func(x, y Change) int {
		return cmp.Compare(slices.Index(ChangeKinds(), x.Kind), slices.Index(ChangeKinds(), y.Kind))
	})
	var err error
	if r.Rates, err = rates.rows(); err != nil {
		return nil, err
	}
	r.finish()
	return r, nil
}

func order(a, b plan.Cell) int {
	return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Level, b.Level), cmp.Compare(a.Track, b.Track), cmp.Compare(a.Architecture, b.Architecture))
}

// places are the cells of either run, sorted.
func places(a, b *Run) []plan.Cell {
	all := maps.Clone(a.cells)
	maps.Copy(all, b.cells)
	return slices.SortedFunc(maps.Keys(all), order)
}

// keys are the evaluations that are final in either run, in order.
func keys(a, b *Run) []key {
	all := make([]key, 0, len(a.facts))
	for k := range a.facts {
		all = append(all, k)
	}
	for k := range b.facts {
		if _, ok := a.facts[k]; !ok {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(x, y key) int {
		if x.cell != y.cell {
			return order(x.cell, y.cell)
		}
		return cmp.Or(cmp.Compare(x.attack, y.attack), cmp.Compare(x.trial, y.trial))
	})
	return all
}

// match adds one matched evaluation.
func (c *Cell) match(a, b fact, changed bool) {
	c.Matched++
	c.A.add(a)
	c.B.add(b)
	c.Changes += one(changed)
}

func (e *Events) add(f fact) {
	e.Requests += one(f.requested)
	e.Payments += one(f.paid)
	e.Denied += one(f.denied != "")
	e.Unpermitted += one(f.unpermitted > 0)
	e.HonestPaid += f.honestPaid
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// changes lists how a matched evaluation differs; each way is a line of its own.
func changes(k key, a, b fact, cell string) []Change {
	var out []Change
	add := func(when bool, kind ChangeKind, before, after string) {
		if when {
			out = append(out, Change{Kind: kind, Cell: cell, Attack: k.attack, Trial: k.trial, Source: b.source, Before: before, After: after})
		}
	}
	transfers := func(f fact) string { return fmt.Sprintf("%d unpermitted transfers", f.unpermitted) }
	paid := func(f fact) string { return fmt.Sprintf("%d of %d payments made", f.honestPaid, f.goals) }
	add(a.unpermitted == 0 && b.unpermitted > 0, NewlyUnpermitted, transfers(a), transfers(b))
	add(a.unpermitted > 0 && b.unpermitted == 0, NoLonger, transfers(a), transfers(b))
	add(b.honestPaid < a.honestPaid, BenignLost, paid(a), paid(b))
	add(b.honestPaid > a.honestPaid, BenignWon, paid(a), paid(b))
	add(a.denied == "" && b.denied != "", NewlyDenied, a.asked(), b.asked())
	add(a.denied != "" && b.denied == "", NewlyAllowed, a.asked(), b.asked())
	add(a.denied != "" && b.denied != "" && a.denied != b.denied, ChangedReason, a.asked(), b.asked())
	return out
}

// asked words what became of an evaluation's payment requests.
func (f fact) asked() string {
	switch {
	case f.denied != "":
		return "denied: " + f.denied
	case f.requested:
		return "nothing denied"
	}
	return "nothing asked for"
}

// compared are the prefixes of what two runs must share for a difference to be
// the banker's or the layer's.
var compared = []string{"fixtures/attacks/", "fixtures/benign/", "fixtures/levels.json", "fixtures/toolmaps/", "passports/", "recordings/"}

// notes says in what the runs differ beside their outcomes.
func notes(a, b record.Manifest) []string {
	var out []string
	all := maps.Clone(a.Digests)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b.Digests)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, inA := a.Digests[name]
		_, inB := b.Digests[name]
		if strings.HasPrefix(name, "recordings/") && !(inA && inB) {
			continue // one run replayed none: its cells are missing
		}
		if a.Digests[name] != b.Digests[name] && slices.ContainsFunc(compared, func(p string) bool { return strings.HasPrefix(name, p) }) {
			out = append(out, name+" differs between the runs: attacks are matched by id, whatever their text")
		}
	}
	for _, l := range slices.Sorted(maps.Keys(a.Directories)) {
		if other, ok := b.Directories[l]; ok && !same(a.Directories[l], other) {
			out = append(out, fmt.Sprintf("whom %s permits differs between the runs: each is judged by its own", l))
		}
	}
	if a.Revision != b.Revision {
		out = append(out, fmt.Sprintf("the code differs between the runs: %s and %s", orUnknown(a.Revision), orUnknown(b.Revision)))
	}
	if a.Modified || b.Modified {
		out = append(out, "the code of a run differed from its revision")
	}
	return out
}

func same(a, b corpus.Directory) bool {
	return a.OwnAccount == b.OwnAccount && a.Permits == b.Permits && slices.Equal(a.Recipients, b.Recipients)
}

func orUnknown(revision string) string {
	if revision == "" {
		return "unknown"
	}
	return revision
}
