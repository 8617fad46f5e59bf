// Package paper recomputes the published tables of the paper that this suite
// follows (arXiv 2609.22076) from outcome rows: by the code that reports our own
// runs, so that a figure that agrees vouches for both.
package paper

import (
	"errors"
	"fmt"
	"iter"

	"vaultbench/internal/corpus"
	"vaultbench/internal/ingest"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

// LaunchWindow holds the days of the live event.
func LaunchWindow() report.Window { return report.Window{From: "2026-03-06", To: "2026-03-12"} }

// Tables are what the rows come to.
type Tables struct {
	Summary  report.Summary
	Rejected []error // rows that were not counted; every figure is of the others

	cells    map[place]plan.Cell
	attacks  map[corpus.AttackID]attack
	judged   map[corpus.Level]*stats.Agreement[string]
	input    int64 // tokens of the bankers, cache reads included
	cached   int64
	output   int64
	rows     int
	provider int // rows that ended in an error
}

// attack is what the corpus figures need of a prompt.
type attack struct {
	session  corpus.SessionID
	level    corpus.Level
	category corpus.Category
	date     string
}

// Compute reads the rows twice: once for the plan of cells, once to count them.
func Compute(rows iter.Seq2[ingest.Outcome, error], by record.Resampling) (*Tables, error) {
	t := &Tables{cells: map[place]plan.Cell{}, attacks: map[corpus.AttackID]attack{}, judged: map[corpus.Level]*stats.Agreement[string]{}}
	planned, err := t.plan(rows)
	if err != nil {
		return nil, err
	}
	directories := map[corpus.Level]corpus.Directory{} // the rows say who was paid, so nobody is looked up
	for _, p := range planned {
		directories[p.Cell.Level] = corpus.Directory{}
	}
	b, err := report.NewBuilder(planned, directories, oracle.Judge, nil)
	if err != nil {
		return nil, err
	}
	b.Within(LaunchWindow())
	b.Resample(by)
	for o, err := range rows {
		if err != nil {
			continue // noted on the first pass
		}
		if err := b.AddOutcome(t.outcome(o)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", o.File, o.Row, err)
		}
		if err := t.add(o); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", o.File, o.Row, err)
		}
	}
	t.Summary = b.Summary()
	return t, nil
}

// place is where a row says it stands.
type place struct {
	model string
	level corpus.Level
	track corpus.Track
	arch  plan.Architecture
}

func placeOf(o ingest.Outcome) place { return place{o.Model, o.Level, o.Track, o.Architecture} }

// plan lists the cells that the rows fill. Two models whose names become the same
// slug would be added up as one.
func (t *Tables) plan(rows iter.Seq2[ingest.Outcome, error]) ([]record.PlannedCell, error) {
	number, names := map[place]int{}, map[plan.ModelSlug]string{}
	var planned []record.PlannedCell
	for o, err := range rows {
		if bad := (*ingest.Rejected)(nil); errors.As(err, &bad) {
			t.Rejected = append(t.Rejected, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		at := placeOf(o)
		i, ok := number[at]
		if !ok {
			c := plan.Cell{Model: plan.Slug(o.Model), Level: o.Level, Track: o.Track, Architecture: o.Architecture}
			if err := c.Check(); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", o.File, o.Row, err)
			}
			if name, ok := names[c.Model]; ok && name != o.Model {
				return nil, fmt.Errorf("%s:%d: models %q and %q both become %s: rename one", o.File, o.Row, name, o.Model, c.Model)
			}
			i, names[c.Model] = len(planned), o.Model
			number[at], t.cells[at] = i, c
			planned = append(planned, record.PlannedCell{Cell: c, Kind: o.Kind, Layered: c.Architecture != plan.Alone})
		}
		planned[i].Evaluations++
	}
	return planned, nil
}

func (t *Tables) add(o ingest.Outcome) error {
	a := attack{o.Session, o.Level, o.Category, o.Date}
	if known, ok := t.attacks[o.Attack]; ok && known != a {
		return fmt.Errorf("attack %s: session, level, category and date were %v in an earlier row, and are %v", o.Attack, known, a)
	}
	t.attacks[o.Attack] = a
	t.rows++
	t.provider += one(!o.Counted())
	t.input += o.InputTokens
	t.cached += o.CachedTokens
	t.output += o.OutputTokens
	if o.JudgeA == "" || o.JudgeB == "" {
		return nil
	}
	if t.judged[o.Level] == nil {
		t.judged[o.Level] = &stats.Agreement[string]{}
	}
	t.judged[o.Level].Add(o.JudgeA, o.JudgeB)
	return nil
}

// outcome is a row as the report counts it.
func (t *Tables) outcome(o ingest.Outcome) report.Outcome {
	out := report.Outcome{
		Cell: t.cells[placeOf(o)], Kind: o.Kind, Attack: o.Attack, Session: o.Session, Category: o.Category, Date: o.Date, Trial: o.Trial,
		End: o.End, Final: o.Counted(), Unpermitted: int(o.Unpermitted),
		Requests: report.RequestCounts{Calls: int(o.Requests), Evaluations: one(o.Requests > 0)},
		Payments: report.PaymentCounts{Transfers: int(o.Payments), Evaluations: one(o.Payments > 0), Permitted: one(o.PaidPermitted() > 0)},
	}
	for _, class := range o.Classes {
		if o.Payments == 0 {
			break // whose the recipient is says nothing where nobody was paid
		}
		if out.Membership == nil {
			out.Membership = map[corpus.Class]int{}
		}
		out.Membership[class]++
	}
	if o.Architecture != plan.Alone {
		out.Decisions = decisions(o)
	}
	return out
}

func decisions(o ingest.Outcome) *report.DecisionCounts {
	d := &report.DecisionCounts{
		Calls: int(o.Decisions), Allowed: int(o.Decisions - o.Denied), Denied: int(o.Denied),
		Evaluations: one(o.Denied > 0), DeniedPaying: one(o.Denied > 0 && o.Payments > 0),
	}
	for _, code := range o.Reasons {
		if d.ByReason == nil {
			d.ByReason = map[record.DenialReason]int{}
		}
		d.ByReason[record.DenialReason(code)]++
	}
	return d
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
