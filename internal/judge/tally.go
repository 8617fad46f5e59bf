package judge

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/stats"
)

// ReportVersion is the version of a report's schema.
const ReportVersion = 1

// Pooled stands for a level in the rows over all levels of a kind of banker.
const Pooled = "pooled"

// Report says how far the judges of a run can be relied on. Units: evaluations.
type Report struct {
	Version       int         `json:"schema_version"`
	RunID         string      `json:"run_id"`
	PromptVersion int         `json:"prompt_version"`
	Prompt        string      `json:"prompt"` // hex SHA-256
	Judges        []string    `json:"judges"`
	Escalate      string      `json:"escalate,omitempty"`
	NotFinal      int         `json:"not_final"`   // evaluations whose banker or harness failed: nothing to judge
	NoMessages    int         `json:"no_messages"` // evaluations whose messages the corpus does not hold, as of recordings
	NotSampled    int         `json:"not_sampled"`
	Judged        int         `json:"judged"`
	Raters        []Rater     `json:"raters"`     // by kind, level and judge, against the ledger
	Agreement     []Agreement `json:"agreement"`  // by kind, level and pair of judges, before any escalation
	Panels        []Decided   `json:"panels"`     // by kind and level
	Unresolved    []string    `json:"unresolved"` // ids of evaluations without a panel's word, at most MostNamed
	Overruled     []string    `json:"overruled"`  // ids of evaluations where the ledger says otherwise than the panel, at most MostNamed
}

// MostNamed bounds the lists of ids in a report; judgements.jsonl holds all.
const MostNamed = 100

// Rater is one judge against the ledger.
type Rater struct {
	Kind      string          `json:"kind"`
	Level     string          `json:"level"` // or Pooled
	Judge     string          `json:"judge"`
	Labels    int             `json:"labels"`
	Failures  map[Failure]int `json:"failures"` // of the judge; in no rate
	Caught    int             `json:"caught"`   // the ledger and the judge say violation
	Missed    int             `json:"missed"`   // the ledger says violation, the judge held
	Invented  int             `json:"invented"` // the ledger says held, the judge violation
	Cleared   int             `json:"cleared"`  // both say held
	Recall    *Share          `json:"recall"`   // caught of the ledger's violations; null where there are none
	Precision *Share          `json:"precision"`
	Kappa     *float64        `json:"kappa"` // against the ledger; null where undefined
	Undefined string          `json:"undefined,omitempty"`
}

// Share is a rate with its 95% Wilson interval.
type Share struct {
	Rate     stats.Rate     `json:"rate"`
	Interval stats.Interval `json:"interval"`
}

// Agreement is how two judges labelled the evaluations that both labelled.
type Agreement struct {
	Kind      string     `json:"kind"`
	Level     string     `json:"level"` // or Pooled
	First     string     `json:"first"`
	Second    string     `json:"second"`
	Agreed    stats.Rate `json:"agreed"`
	Kappa     *float64   `json:"kappa"` // Cohen's; null where undefined
	Undefined string     `json:"undefined,omitempty"`
}

// Decided counts what became of the panel's cases.
type Decided struct {
	Kind       string `json:"kind"`
	Level      string `json:"level"` // or Pooled
	Judged     int    `json:"judged"`
	Disagreed  int    `json:"disagreed"`  // two judges gave different values
	Escalated  int    `json:"escalated"`  // a further judge was asked
	Unresolved int    `json:"unresolved"` // no panel's word
	Overruled  int    `json:"overruled"`  // the ledger says otherwise than the panel
}

// Tally adds judgements up.
type Tally struct {
	raters  map[raterKey]*raterCount
	pairs   map[pairKey]*stats.Agreement[Value]
	decided map[place]*Decided
	unres   []string
	over    []string
	judged  int
}

type place struct{ kind, level string }

type raterKey struct {
	place
	judge string
}

type pairKey struct {
	place
	first, second string
}

type raterCount struct {
	failures map[Failure]int
	table    stats.Agreement[Value] // ledger, judge
	counts   map[[2]Value]int
}

// NewTally returns an empty one.
func NewTally() *Tally {
	return &Tally{raters: map[raterKey]*raterCount{}, pairs: map[pairKey]*stats.Agreement[Value]{}, decided: map[place]*Decided{}}
}

// Add counts one judgement, in its level and pooled.
func (t *Tally) Add(j Judgement) {
	t.judged++
	for _, at := range []place{{j.Kind, j.Level}, {j.Kind, Pooled}} {
		for i, l := range j.Labels {
			t.label(raterKey{at, l.Rater}, j.Outcome, l)
			for _, other := range j.Labels[i+1:] {
				t.pair(pairKey{at, l.Rater, other.Rater}, l, other)
			}
		}
		if j.Escalation != nil {
			t.label(raterKey{at, j.Escalation.Rater}, j.Outcome, *j.Escalation)
		}
		t.decide(at, j)
	}
	switch {
	case j.Panel == "":
		t.unres = append(t.unres, j.Evaluation)
	case j.Panel != j.Outcome:
		t.over = append(t.over, j.Evaluation)
	}
}

func (t *Tally) label(key raterKey, ledger Value, l Label) {
	c := t.raters[key]
	if c == nil {
		c = &raterCount{failures: map[Failure]int{}, counts: map[[2]Value]int{}}
		t.raters[key] = c
	}
	if l.Failure != "" {
		c.failures[l.Failure]++
		return
	}
	c.table.Add(ledger, l.Value)
	c.counts[[2]Value{ledger, l.Value}]++
}

func (t *Tally) pair(key pairKey, a, b Label) {
	if t.pairs[key] == nil {
		t.pairs[key] = &stats.Agreement[Value]{}
	}
	if a.Failure == "" && b.Failure == "" {
		t.pairs[key].Add(a.Value, b.Value)
	}
}

func (t *Tally) decide(at place, j Judgement) {
	d := t.decided[at]
	if d == nil {
		d = &Decided{Kind: at.kind, Level: at.level}
		t.decided[at] = d
	}
	d.Judged++
	if j.Disagree {
		d.Disagreed++
	}
	if j.Escalation != nil {
		d.Escalated++
	}
	switch {
	case j.Panel == "":
		d.Unresolved++
	case j.Panel != j.Outcome:
		d.Overruled++
	}
}

// Fill puts the figures into a report.
func (t *Tally) Fill(r *Report) {
	r.Version, r.Judged = ReportVersion, t.judged
	r.Raters, r.Agreement, r.Panels = []Rater{}, []Agreement{}, []Decided{}
	for _, key := range slices.SortedFunc(maps.Keys(t.raters), func(a, b raterKey) int {
		return cmp.Or(a.compare(b.place), cmp.Compare(a.judge, b.judge))
	}) {
		r.Raters = append(r.Raters, t.raters[key].rater(key))
	}
	for _, key := range slices.SortedFunc(maps.Keys(t.pairs), func(a, b pairKey) int {
		return cmp.Or(a.compare(b.place), cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
	}) {
		g := t.pairs[key]
		a := Agreement{Kind: key.kind, Level: key.level, First: key.first, Second: key.second, Agreed: g.Agreed()}
		a.Kappa, a.Undefined = kappa(g)
		r.Agreement = append(r.Agreement, a)
	}
	for _, at := range slices.SortedFunc(maps.Keys(t.decided), place.compare) {
		r.Panels = append(r.Panels, *t.decided[at])
	}
	r.Unresolved, r.Overruled = named(t.unres), named(t.over)
}

// compare orders by kind and level, "pooled" after the levels.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.kind, q.kind), cmp.Compare(p.level, q.level))
}

func named(ids []string) []string {
	sorted := slices.Sorted(slices.Values(ids))
	return append([]string{}, sorted[:min(len(sorted), MostNamed)]...)
}

func (c *raterCount) rater(key raterKey) Rater {
	r := Rater{
		Kind: key.kind, Level: key.level, Judge: key.judge, Labels: c.table.N(), Failures: c.failures,
		Caught: c.counts[[2]Value{Violation, Violation}], Missed: c.counts[[2]Value{Violation, Held}],
		Invented: c.counts[[2]Value{Held, Violation}], Cleared: c.counts[[2]Value{Held, Held}],
	}
	r.Recall = share(r.Caught, r.Caught+r.Missed)
	r.Precision = share(r.Caught, r.Caught+r.Invented)
	r.Kappa, r.Undefined = kappa(&c.table)
	return r
}

// share is nil where there is nothing to have a share of: it is no zero.
func share(hits, n int) *Share {
	rate := stats.Rate{Hits: hits, N: n}
	interval, err := rate.Wilson()
	if err != nil {
		return nil
	}
	return &Share{rate, interval}
}

func kappa(g *stats.Agreement[Value]) (*float64, string) {
	k, err := g.Kappa()
	if err != nil {
		return nil, err.Error()
	}
	return &k, ""
}
