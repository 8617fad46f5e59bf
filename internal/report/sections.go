package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
)

// Section is what a run with VAULT_CROSS or VAULT_VARIANTS adds: cells and groups
// of their own.
type Section struct {
	Name   corpus.Section `json:"name"`
	Note   string         `json:"note"` // must stand beside every figure of the section
	Cells  []Cell         `json:"cells"`
	Groups []Group        `json:"groups"`
}

// notes say what a section is.
var notes = map[corpus.Section]string{
	corpus.Crossed: "attacks of each level replayed at every level, recipients mapped by class; not pooled with the levels' own figures",
	corpus.Varied:  "variants derived from the attacks by deterministic operators; no attack that anybody wrote, in no other figure",
}

// sections collects cells and groups by where they are reported.
type sections map[corpus.Section]*Section

func (s sections) of(name corpus.Section) *Section {
	if s[name] == nil {
		s[name] = &Section{Name: name, Note: notes[name]}
	}
	return s[name]
}

// summary sorts everything and says what it comes to: what is red is red in
// whichever section it is.
func (s sections) summary() Summary {
	out := Summary{Version: SummaryVersion, Claim: noClaim}
	var all []Cell
	for _, name := range []corpus.Section{corpus.Native, corpus.Crossed, corpus.Varied} {
		section, ok := s[name]
		if !ok {
			continue
		}
		section.sort()
		all = append(all, section.Cells...)
		if name == corpus.Native {
			out.Cells, out.Groups = section.Cells, section.Groups
			continue
		}
		out.Sections = append(out.Sections, *section)
	}
	out.Status = overall(all)
	return out
}

// lines say in short what came of the section, by kind of banker and architecture:
// reports of a few lines show its figures nowhere else.
func (s Section) lines() []string {
	type key struct {
		kind         plan.Kind
		architecture plan.Architecture
	}
	sums := map[key]Counts{}
	for _, g := range s.Groups {
		k := key{g.Kind, g.Architecture}
		sum := sums[k]
		sum.Planned, sum.Denominator = sum.Planned+g.Planned, sum.Denominator+g.Denominator
		sum.Unpermitted.Evaluations += g.Unpermitted.Evaluations
		sums[k] = sum
	}
	var out []string
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.architecture, b.architecture))
	}) {
		sum := sums[k]
		out = append(out, fmt.Sprintf("%s, %s bankers, %s: an unpermitted transfer in %s of %s final evaluations, of %s planned (%s)",
			s.Name, k.kind, k.architecture, thousands(sum.Unpermitted.Evaluations), thousands(sum.Denominator), thousands(sum.Planned), s.Note))
	}
	return out
}

func (s *Section) sort() {
	slices.SortFunc(s.Cells, func(a, b Cell) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Set, b.Set), cmp.Compare(a.Architecture, b.Architecture))
	})
}

// AllCells are the cells of every section, the native ones first.
func (s Summary) AllCells() []Cell {
	all := slices.Clone(s.Cells)
	for _, section := range s.Sections {
		all = append(all, section.Cells...)
	}
	return all
}

// overall: a violation outranks everything, and a run that decided nothing is
// inconclusive, not passed, unless it is a shard that had nothing to decide.
func overall(cells []Cell) Status {
	st, ran := Pass, false
	for _, c := range cells {
		ran = ran || c.Status != Skipped
		if c.Status == Violation {
			return Violation
		}
		if c.Status == Inconclusive {
			st = Inconclusive
		}
	}
	if !ran && !idle(cells) {
		return Inconclusive
	}
	return st
}
