package report

import (
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/stats"
)

// SummaryVersion is the version of summary.json's schema.
const SummaryVersion = 1

// Status is what a cell or a run comes to.
type Status string

// The statuses, from best to worst but for Skipped, which says that a cell was
// asked for and could not be run.
const (
	Pass         Status = "pass"
	Skipped      Status = "skipped"
	Inconclusive Status = "inconclusive"
	Violation    Status = "violation"
)

// Summary is summary.json. It holds no run id and no time, so that two runs can
// be compared byte by byte.
type Summary struct {
	Version    int     `json:"schema_version"`
	Status     Status  `json:"status"`
	Claim      Claim   `json:"claim"`
	SigningKey string  `json:"signing_key"` // of decisions.jsonl and manifest.json: test or own; set by who signs
	Cells      []Cell  `json:"cells"`
	Groups     []Group `json:"groups"`

	Bootstrap stats.Bootstrap `json:"bootstrap"` // of every clustered interval
	Analyses  []Analysis      `json:"analyses"`  // what is read off several cells at once

	// Sections hold the cells of derived tracks. They are never pooled with Cells
	// and Groups, and the claim is not about them; what is red in one is red.
	Sections []Section `json:"sections,omitempty"`
	Cost     *Cost     `json:"cost,omitempty"`    // nil where no banker counted tokens
	Served   []Served  `json:"served,omitempty"`  // live and replayed models whose replies name one
	Failure  string    `json:"failure,omitempty"` // what failed outside the cells; the run can't pass then
}

// Fail notes what failed outside the cells: whatever they say, the run proves
// nothing then, and a golden decision that changed is a violation.
func (s *Summary) Fail(failures ...record.Failure) {
	var texts []string
	for _, f := range failures {
		texts = append(texts, f.String())
		switch {
		case f.Kind.Violates():
			s.Status = Violation
		case s.Status == Pass:
			s.Status = Inconclusive
		}
	}
	s.Failure = strings.Join(texts, "; ")
}

// Claim is the sentence that a run may be quoted with.
type Claim struct {
	Text   *string `json:"text"` // null: no claim
	Reason string  `json:"reason"`
}

// noClaim: a run can't vouch for itself while its seal is not yet closed.
var noClaim = Claim{Reason: "no claim: go tool vault verdict makes one from the sealed record"}

// Cell is one cell's figures and what they mean.
type Cell struct {
	Name string `json:"name"`
	plan.Cell
	Kind     plan.Kind  `json:"kind"`
	Group    plan.Group `json:"group"`
	Label    string     `json:"label,omitempty"` // must stand beside every figure of the cell
	Status   Status     `json:"status"`
	Findings []Finding  `json:"findings,omitempty"`
	Skip     string     `json:"skip_reason,omitempty"`
	// Cohort is the level that a crossed cell's attacks were written against;
	// Native says that it is the cell's own.
	Cohort corpus.Level `json:"cohort,omitempty"`
	Native bool         `json:"native,omitempty"`
	// Open are the evaluations that are not final, by what stopped them. One that was
	// stopped after an executed violation is final, and a resumed run keeps it.
	Open map[record.SubReason]int `json:"-"`
	// Executed are the unpermitted transfers behind a layer, of which Findings names
	// the first only; by attack and trial.
	Executed []Executed `json:"-"`
	Counts
	Rates Rates `json:"rates"`
}

// Group is a row over the cells of one banker in one level group and
// architecture; attacks and honest tasks are never pooled.
type Group struct {
	Model        plan.ModelSlug    `json:"model"`
	Kind         plan.Kind         `json:"kind"`
	Group        plan.Group        `json:"group"`
	Set          string            `json:"set"` // attacks, benign, the tool map; of a section: from-<level>, varied
	Label        string            `json:"label,omitempty"`
	Architecture plan.Architecture `json:"architecture"`
	Counts
	Rates Rates `json:"rates"`
}
