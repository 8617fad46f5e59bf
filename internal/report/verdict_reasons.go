package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

func reasonOf(s State, cell, message string) Reason {
	return Reason{State: s, Cell: cell, Message: escape.Short(message, 2000)}
}

// reasons lists what keeps a run from passing, the worst first; within a state what
// failed outside the cells, which may explain them, and then the cells in order.
func (r *Recount) reasons(w World, g Gate, changes []RateChange, failed error) []Reason {
	out := []Reason{}
	for _, f := range r.Manifest.Failures {
		state := StateInconclusive
		if f.Kind.Violates() {
			state = StateViolation
		}
		out = append(out, reasonOf(state, "", f.String()))
	}
	for _, c := range r.Summary.AllCells() {
		out = append(out, cellReasons(c)...)
	}
	if len(r.Summary.AllCells()) == 0 && len(r.Manifest.Failures) == 0 {
		out = append(out, reasonOf(StateInconclusive, "", "no cell was planned"))
	} else if len(r.Summary.AllCells()) > 0 && !idle(r.Summary.AllCells()) && !slices.ContainsFunc(r.Summary.AllCells(), func(c Cell) bool { return c.Skip == "" }) {
		out = append(out, reasonOf(StateInconclusive, "", "every cell was skipped"))
	}
	if _, held := r.Manifest.Digests[goldenDigest]; held && !w.sameGolden(r.Manifest) {
		out = append(out, reasonOf(StateInconclusive, "", fmt.Sprintf("the run was held against another %s than that of this checkout: ask where revision %s is checked out", goldenDigest, r.Manifest.Revision)))
	}
	out = append(out, rateReasons(g, changes, failed)...)
	slices.SortStableFunc(out, func(a, b Reason) int {
		return cmp.Compare(slices.Index(States(), a.State), slices.Index(States(), b.State))
	})
	return out
}

// stateOf says what a finding comes to.
func stateOf(k FindingKind) State {
	switch k {
	case FoundUnpermitted, FoundFalseDenial, FoundGolden:
		return StateViolation
	}
	return StateInconclusive
}

func cellReasons(c Cell) []Reason {
	var out []Reason
	for _, f := range c.Findings {
		out = append(out, reasonOf(stateOf(f.Kind), c.Name, fmt.Sprintf("%s: %s", f.Kind, f.Message)))
	}
	for sub, state := range map[record.SubReason]State{record.Interrupted: StateInterrupted, record.Budget: StateBudget} {
		if n := c.Open[sub]; n > 0 {
			out = append(out, reasonOf(state, c.Name, fmt.Sprintf("%d of %d evaluations were not run: %s", n, c.Planned, sub)))
		}
	}
	return out
}

// rateReasons holds the changes of request rates against the gate. What can't be
// compared can't pass.
func rateReasons(g Gate, changes []RateChange, failed error) []Reason {
	var out []Reason
	switch {
	case g.RequestRate == nil:
		return nil
	case failed != nil:
		return []Reason{reasonOf(StateInconclusive, "", fmt.Sprintf("request rates can't be compared with %s: %v", g.RequestRate.Baseline, failed))}
	case len(changes) == 0:
		return []Reason{reasonOf(StateInconclusive, "", fmt.Sprintf("request rates can't be compared with %s: no attack is final in both runs (models in the gate maps names that differ)", g.RequestRate.Baseline))}
	}
	for _, c := range changes {
		if math.Abs(c.Change) > g.RequestRate.MaxChange {
			out = append(out, reasonOf(StateViolation, "", c.Text()+fmt.Sprintf(", the gate lets it move by %.2f", 100*g.RequestRate.MaxChange)))
		}
	}
	return out
}

// Text words a change.
func (c RateChange) Text() string {
	who := string(c.Model)
	if c.Baseline != c.Model {
		who += " against " + string(c.Baseline)
	}
	where := levels(c.Group)
	if c.Group == plan.GroupRecorded {
		where = c.Set
	}
	text := fmt.Sprintf("%s, %s, %s: requests moved by %+.2f percentage points, from %s to %s", who, where, c.Architecture, 100*c.Change, c.Before, c.After)
	if c.Interval != nil {
		text += fmt.Sprintf(" (95%% interval %+.2f to %+.2f, clustered by session)", 100*c.Interval.Low, 100*c.Interval.High)
	}
	return text
}

// levels words a level group.
func levels(g plan.Group) string {
	switch g {
	case plan.GroupOpen:
		return "Level 1"
	case plan.GroupRestricted:
		return "Levels 2–4"
	case plan.GroupVault:
		return "Level 5"
	}
	return string(corpus.Recorded)
}
