package redecide

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// Report is what a re-decision came to.
type Report struct {
	Architecture plan.Architecture         `json:"architecture"`
	Decided      int                       `json:"decided"`      // calls that a layer had decided
	Changes      map[Change]int            `json:"changes"`      // of them; every kind has its entry
	Attacks      []corpus.AttackID         `json:"attacks"`      // those as written of which a call flips
	Honest       []corpus.AttackID         `json:"honest_tasks"` // likewise
	Derived      []corpus.AttackID         `json:"derived"`      // likewise: crossed and varied ones, which are never pooled with the others
	Unpermitted  int                       `json:"unpermitted"`  // newly allowed calls that would pay whom the policy does not permit
	Flips        []Line                    `json:"flips"`
	Alone        Alone                     `json:"alone"`
	Skipped      map[plan.Architecture]int `json:"skipped_evaluations,omitempty"` // of other architectures
}

// Alone is what the layer would have said to calls that none had decided.
type Alone struct {
	Calls       int                        `json:"calls"`
	Allowed     int                        `json:"would_allow"`
	Unpermitted int                        `json:"would_allow_unpermitted"` // of those: to whom the policy does not permit
	Denied      int                        `json:"would_deny"`
	Reasons     map[authz.DenialReason]int `json:"reasons"` // of the denials, by the code that decides
	Lines       []Line                     `json:"lines"`
}

// Set is what a call's evaluation belongs to. They are never pooled.
type Set string

// The sets.
const (
	Attacks Set = "attacks" // as written, and recorded conversations
	Honest  Set = "honest"  // tasks that are to be done
	Crossed Set = "crossed" // attacks replayed at other levels
	Varied  Set = "varied"  // attacks in other clothes
)

func setOf(c plan.Cell) Set {
	switch {
	case c.Track == corpus.Benign:
		return Honest
	case c.Track.Section() == corpus.Crossed:
		return Crossed
	case c.Track.Section() == corpus.Varied:
		return Varied
	}
	return Attacks
}

// Line is one call of a report.
type Line struct {
	Set      Set                   `json:"set"`
	Attack   corpus.AttackID       `json:"attack"`
	Cell     string                `json:"cell"`
	Trial    int                   `json:"trial"`
	Position int                   `json:"call"` // in the conversation, from 1
	Change   Change                `json:"change"`
	Payment  *record.ParsedPayment `json:"payment,omitempty"` // nil where the arguments did not parse
	Outcome  record.CallOutcome    `json:"outcome"`           // as recorded
	Old      *Verdict              `json:"old,omitempty"`     // nil where no layer had decided
	New      Verdict               `json:"new"`

	// Unpermitted: it is allowed now, and the policy does not permit its recipient.
	Unpermitted bool `json:"unpermitted,omitempty"`

	level corpus.Level
}

// Verdict is the part of a decision that counts.
type Verdict struct {
	Effect authz.Effect       `json:"effect"`
	Code   authz.DenialReason `json:"code"`
	Rule   string             `json:"rule"`
	Values []authz.Seen       `json:"values,omitempty"` // what the rule compared
}

func verdict(d authz.Decision) Verdict {
	v := Verdict{Effect: d.Effect, Code: d.Reason(), Rule: d.Rule()}
	if len(d.Reasons) > 0 {
		v.Values = d.Reasons[0].Values
	}
	return v
}

// NewReport starts a report.
func NewReport(a plan.Architecture) *Report {
	return &Report{
		Architecture: a, Changes: map[Change]int{Same: 0, NewlyDenied: 0, NewlyAllowed: 0, ChangedReason: 0},
		Attacks: []corpus.AttackID{}, Honest: []corpus.AttackID{}, Derived: []corpus.AttackID{}, Flips: []Line{}, Alone: Alone{Reasons: map[authz.DenialReason]int{}, Lines: []Line{}},
	}
}

// Add counts a call.
func (r *Report) Add(c Call) error {
	line := Line{
		level: c.Evaluation.Cell.Level, Set: setOf(c.Evaluation.Cell), Unpermitted: c.Unpermitted, Attack: c.Evaluation.Attack, Cell: c.Evaluation.Cell.Name(), Trial: c.Evaluation.Trial, Position: c.Call.Position,
		Change: c.Change, Payment: c.Call.Payment, Outcome: c.Call.Outcome, New: verdict(c.Decision),
	}
	if c.Call.Decision == nil {
		r.Alone.add(line)
		return nil
	}
	old := verdict(*c.Call.Decision)
	line.Old = &old
	r.Decided++
	r.Changes[c.Change]++
	if c.Change == NewlyAllowed && c.Unpermitted {
		r.Unpermitted++
	}
	if c.Change.Flips() {
		r.Flips = append(r.Flips, line)
	}
	return nil
}

func (a *Alone) add(line Line) {
	a.Calls++
	a.Lines = append(a.Lines, line)
	if line.Change == WouldAllow {
		a.Allowed++
		if line.Unpermitted {
			a.Unpermitted++
		}
		return
	}
	a.Denied++
	a.Reasons[line.New.Code]++
}

// Finish sorts the lines by attack, cell, trial and call.
func (r *Report) Finish() {
	r.Attacks, r.Honest, r.Derived = r.flipped(Attacks), r.flipped(Honest), r.flipped(Crossed, Varied)
	slices.SortStableFunc(r.Flips, compareLines)
	slices.SortStableFunc(r.Alone.Lines, compareLines)
}

// flipped are the attacks and tasks of sets of which a call flips, sorted.
func (r *Report) flipped(sets ...Set) []corpus.AttackID {
	ids := map[corpus.AttackID]bool{}
	for _, f := range r.Flips {
		if slices.Contains(sets, f.Set) {
			ids[f.Attack] = true
		}
	}
	return append([]corpus.AttackID{}, slices.Sorted(maps.Keys(ids))...) // never null in JSON
}

func compareLines(a, b Line) int {
	return cmp.Or(cmp.Compare(a.Attack, b.Attack), cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Position, b.Position))
}
