// Package diff compares two finished runs cell by cell and attack by attack, on
// the evaluations that both have. It reads sealed records alone and asks no model.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

// Version is the version of a comparison's schema.
const Version = 1

// ChangeKind says how an evaluation, or a pinned decision, differs.
type ChangeKind string

// The kinds, those that a reader wants first at the front.
const (
	NewlyUnpermitted ChangeKind = "newly_unpermitted" // an unpermitted transfer executed in B alone
	BenignLost       ChangeKind = "benign_lost"       // fewer payments of an honest task made in B
	NewlyDenied      ChangeKind = "newly_denied"      // a layer denies something in B, nothing in A
	ChangedReason    ChangeKind = "changed_reason"    // denied in both, by another code or rule
	NewlyAllowed     ChangeKind = "newly_allowed"     // a layer denies something in A, nothing in B
	BenignWon        ChangeKind = "benign_won"        // more payments of an honest task made in B
	NoLonger         ChangeKind = "no_longer_unpermitted"
)

// ChangeKinds lists the kinds in the order of reports.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{NewlyUnpermitted, BenignLost, NewlyDenied, ChangedReason, NewlyAllowed, BenignWon, NoLonger}
}

// Change is one evaluation, matched and final in both runs, that differs; or one
// pinned decision.
type Change struct {
	Kind   ChangeKind      `json:"change"`
	Cell   string          `json:"cell"` // of B; of goldens: the file
	Attack corpus.AttackID `json:"attack"`
	Trial  int             `json:"trial,omitempty"`  // 0: of a golden
	Source string          `json:"source,omitempty"` // file:line of the attack in B
	Before string          `json:"before"`           // what A has, in words
	After  string          `json:"after"`
}

// Side is one of the two.
type Side struct {
	Folder      string `json:"folder"`
	RunID       string `json:"run_id"`   // empty: goldens
	Revision    string `json:"revision"` // of the code; empty where unknown
	Evaluations int    `json:"evaluations"`
}

// Events are the five events of one side of a cell, in evaluations.
type Events struct {
	Requests    int `json:"requests"`
	Payments    int `json:"payments"`
	Denied      int `json:"denied"`      // with a denial
	Unpermitted int `json:"unpermitted"` // with an unpermitted transfer
	HonestPaid  int `json:"honest_paid"` // payments of honest tasks
}

// Cell compares a cell that both runs planned, on the evaluations that are final
// in both.
type Cell struct {
	Name    string     `json:"name"`                // of B
	NameOfA string     `json:"name_of_a"`           // another one only where a model was renamed
	Kind    plan.Kind  `json:"kind"`                // in B
	KindOfA plan.Kind  `json:"kind_of_a,omitempty"` // where it is another one: one side replays a cassette of the other's live model
	Group   plan.Group `json:"group"`
	Matched int        `json:"matched"` // evaluations final in both
	A       Events     `json:"a"`
	B       Events     `json:"b"`
	Changes int        `json:"changes"`   // matched evaluations that differ
	OnlyA   int        `json:"only_in_a"` // evaluations final in A alone
	OnlyB   int        `json:"only_in_b"` // final in B alone
}

// Missing is what one side has and the other has not.
type Missing struct {
	CellsOnlyA []string `json:"cells_only_in_a"`
	CellsOnlyB []string `json:"cells_only_in_b"`
	OnlyA      []string `json:"evaluations_only_in_a"` // of cells in both: final in A alone, by the ids of B
	OnlyB      []string `json:"evaluations_only_in_b"`
}

// none reports whether nothing is missing.
func (m Missing) none() bool {
	return len(m.CellsOnlyA)+len(m.CellsOnlyB)+len(m.OnlyA)+len(m.OnlyB) == 0
}

// Report is the comparison of B with A, which came first.
type Report struct {
	Version int                 `json:"schema_version"`
	A       Side                `json:"a"`
	B       Side                `json:"b"`
	Same    bool                `json:"same"` // nothing differs and nothing is missing
	Notes   []string            `json:"notes"`
	Counts  map[ChangeKind]int  `json:"counts"` // changes by kind; what none has is absent
	Cells   []Cell              `json:"cells"`
	Rates   []report.RateChange `json:"rates"`
	Changes []Change            `json:"changes"`
	Missing Missing             `json:"missing"`
}

// sortChanges puts those first that a reader wants first: by kind, and what
// happened behind a layer before what happened without one.
func (r *Report) sortChanges() {
	alone := func(c Change) int { return one(strings.HasSuffix(c.Cell, "/"+string(plan.Alone))) }
	slices.SortStableFunc(r.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(slices.Index(ChangeKinds(), x.Kind), slices.Index(ChangeKinds(), y.Kind)), cmp.Compare(alone(x), alone(y)))
	})
}

// finish counts what the parts say.
func (r *Report) finish() {
	r.Counts = map[ChangeKind]int{}
	for _, c := range r.Changes {
		r.Counts[c.Kind]++
	}
	r.Same = len(r.Changes) == 0 && r.Missing.none()
	for _, c := range r.Cells {
		r.Same = r.Same && c.A == c.B && c.Changes == 0 && c.OnlyA+c.OnlyB == 0
	}
	for _, list := range []*[]string{&r.Missing.CellsOnlyA, &r.Missing.CellsOnlyB, &r.Missing.OnlyA, &r.Missing.OnlyB, &r.Notes} {
		if *list == nil {
			*list = []string{}
		}
	}
	if r.Changes == nil {
		r.Changes = []Change{}
	}
	if r.Cells == nil {
		r.Cells = []Cell{}
	}
	if r.Rates == nil {
		r.Rates = []report.RateChange{}
	}
}
