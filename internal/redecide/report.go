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
	Decided      int                       `json:"decided"` // calls that a layer had decided
	Changes      map[Change]int            `json:"changes"` // of them; every kind has its entry
	Attacks      []corpus.AttackID         `json:"attacks"` // those of which a call flips
	Flips        []Line                    `json:"flips"`
	Alone        Alone                     `json:"alone"`
	Skipped      map[plan.Architecture]int `json:"skipped_evaluations,omitempty"` // of other architectures
}

// Alone is what the layer would have said to calls that none had decided.
type Alone struct {
	Calls   int                        `json:"calls"`
	Allowed int                        `json:"would_allow"`
	Denied  int                        `json:"would_deny"`
	Reasons map[authz.DenialReason]int `json:"reasons"` // of the denials, by the code that decides
	Lines   []Line                     `json:"lines"`
}

// Line is one call of a report.
type Line struct {
	Attack   corpus.AttackID       `json:"attack"`
	Cell     string                `json:"cell"`
	Trial    int                   `json:"trial"`
	Position int                   `json:"call"` // in the conversation, from 1
	Change   Change                `json:"change"`
	Payment  *record.ParsedPayment `json:"payment,omitempty"` // nil where the arguments did not parse
	Outcome  record.CallOutcome    `json:"outcome"`           // as recorded
	Old      *Verdict              `json:"old,omitempty"`     // nil where no layer had decided
	New      Verdict               `json:"new"`

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
		Attacks: []corpus.AttackID{}, Flips: []Line{}, Alone: Alone{Reasons: map[authz.DenialReason]int{}, Lines: []Line{}},
	}
}

// Add counts a call.
func (r *Report) Add(c Call) error {
	line := Line{
		level: c.Evaluation.Cell.Level, Attack: c.Evaluation.Attack, Cell: c.Evaluation.Cell.Name(), Trial: c.Evaluation.Trial, Position: c.Call.Position,
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
		return
	}
	a.Denied++
	a.Reasons[line.New.Code]++
}

// Finish sorts the lines by attack, cell, trial and call.
func (r *Report) Finish() {
	attacks := map[corpus.AttackID]bool{}
	for _, f := range r.Flips {
		attacks[f.Attack] = true
	}
	r.Attacks = append(r.Attacks[:0], slices.Sorted(maps.Keys(attacks))...)
	slices.SortStableFunc(r.Flips, compareLines)
	slices.SortStableFunc(r.Alone.Lines, compareLines)
}

func compareLines(a, b Line) int {
	return cmp.Or(cmp.Compare(a.Attack, b.Attack), cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Position, b.Position))
}
