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
		case pa.Kind != pb.Kind && !replay(c, pa.Kind, pb.Kind):
			return nil, fmt.Errorf("cell %s is %s in %s and %s in %s: these are never compared; only a live model is, with what its cassette replays", c.Name(), pa.Kind, a.folder, pb.Kind, b.folder)
		default:
			cells[c] = &Cell{Name: b.names[c], NameOfA: a.names[c], Kind: pb.Kind, Group: c.Group()}
			if pa.Kind != pb.Kind {
				cells[c].KindOfA = pa.Kind
				r.noteReplay(c.Model, pa.Kind)
			}
		}
	}
	rates := newRates()
	for _, c := range slices.SortedFunc(maps.Keys(cells), order) {
		r.cell(c, cells[c], a, b, rates)
		r.Cells = append(r.Cells, *cells[c])
	}
	r.sortChanges()
	var err error
	if r.Rates, err = rates.rows(); err != nil {
		return nil, err
	}
	r.finish()
	return r, nil
}

// replay reports whether one of two cells is a live model and the other what its
// cassette answers: the same grid, and the same model, which is asked in one of them.
// A recorded conversation is a cell of its own, and a simulated banker no model.
func replay(place plan.Cell, a, b plan.Kind) bool {
	return place.Track != corpus.Recorded && a != plan.Simulated && b != plan.Simulated
}

// noteReplay says once for each banker whose replies come from where.
func (r *Report) noteReplay(model plan.ModelSlug, kindOfA plan.Kind) {
	live, played := "A", "B"
	if kindOfA == plan.Recorded {
		live, played = played, live
	}
	note := fmt.Sprintf("%s is live in %s and replayed from a cassette in %s: its replies there are recorded ones, so a difference is of the layer, the code or what the cassette lacks, not of the model", model, live, played)
	if !slices.Contains(r.Notes, note) {
		r.Notes = append(r.Notes, note)
	}
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

// cell walks the final evaluations of a cell that both have, side by side.
func (r *Report) cell(place plan.Cell, c *Cell, a, b *Run, rates rates) {
	as, bs := a.facts[place], b.facts[place]
	for len(as) > 0 || len(bs) > 0 {
		order := 0
		switch {
		case len(bs) == 0:
			order = -1
		case len(as) == 0:
			order = 1
		default:
			order = as[0].compare(bs[0])
		}
		switch {
		case order < 0:
			c.OnlyA++
			r.Missing.OnlyA = append(r.Missing.OnlyA, as[0].id(place))
			as = as[1:]
		case order > 0:
			c.OnlyB++
			r.Missing.OnlyB = append(r.Missing.OnlyB, bs[0].id(place))
			bs = bs[1:]
		default:
			changes := changes(as[0], bs[0], c.Name)
			c.match(as[0], bs[0], len(changes) > 0)
			r.Changes = append(r.Changes, changes...)
			rates.add(place, c, a.cells[place].Cell.Model, as[0], bs[0])
			as, bs = as[1:], bs[1:]
		}
	}
}

// compare orders evaluations of one cell as their file holds them.
func (f fact) compare(o fact) int {
	return cmp.Or(cmp.Compare(f.attack, o.attack), cmp.Compare(f.trial, o.trial))
}

func (f fact) id(place plan.Cell) string { return record.EvaluationID(place, f.attack, f.trial) }

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
func changes(a, b fact, cell string) []Change {
	var out []Change
	add := func(when bool, kind ChangeKind, before, after string) {
		if when {
			out = append(out, Change{Kind: kind, Cell: cell, Attack: b.attack, Trial: b.trial, Source: b.source, Before: before, After: after})
		}
	}
	transfers := func(f fact) string { return fmt.Sprintf("unpermitted transfers: %d", f.unpermitted) }
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
var compared = []string{"fixtures/attacks/", "fixtures/benign/", corpus.OwnPrefix, "fixtures/levels.json", "fixtures/toolmaps/", "passports/", "recordings/"}

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
