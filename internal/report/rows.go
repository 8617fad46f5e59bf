package report

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// Refusal is an honest payment that a layer denied.
type Refusal struct {
	Evaluation string
	Attack     corpus.AttackID // the honest task
	Level      corpus.Level
	Kind       plan.Kind
	Position   int
	Payment    record.ParsedPayment
	Code       record.DenialReason
	Rule       string
}

// maxRefusals keeps a broken layer from filling the page; the counts are whole.
const maxRefusals = 200

func (b *Book) addRefused(s seen) {
	if s.Cell.Track != corpus.Benign || !s.planned.Layered {
		return
	}
	for _, c := range s.Honest().FalseDenials {
		if len(b.refused) < maxRefusals {
			b.refused = append(b.refused, Refusal{s.ID, s.Attack, s.Cell.Level, s.Kind, c.Position, *c.Payment, c.Decision.Reason(), c.Decision.Rule()})
		}
	}
}

// Usage is what a banker took.
type Usage struct {
	Kind         plan.Kind
	Model        plan.ModelSlug
	Evaluations  int
	Replies      int
	InputTokens  int64
	OutputTokens int64
	CachedTokens int64
	MedianMS     *int64 // wall clock per evaluation; null where none was taken
	P95MS        *int64
	latencies    []int64
}

type usageKey struct {
	kind  plan.Kind
	model plan.ModelSlug
}

type usageTally map[usageKey]*Usage

func (t usageTally) add(s seen) {
	key := usageKey{s.Kind, s.Cell.Model}
	u, ok := t[key]
	if !ok {
		u = &Usage{Kind: s.Kind, Model: s.Cell.Model}
		t[key] = u
	}
	u.Evaluations++
	latency := int64(0)
	for _, r := range s.Replies {
		u.Replies++
		u.InputTokens += r.InputTokens
		u.OutputTokens += r.OutputTokens
		u.CachedTokens += r.CachedTokens
		latency += r.LatencyMS
	}
	if latency > 0 {
		u.latencies = append(u.latencies, latency)
	}
}

// kindRank puts live bankers first: they are models, the others instruments or
// open loops.
func kindRank(k plan.Kind) int {
	return slices.Index([]plan.Kind{plan.Live, plan.Recorded, plan.Simulated}, k)
}

func (t usageTally) rows() []Usage {
	var out []Usage
	for _, key := range slices.SortedFunc(maps.Keys(t), func(x, y usageKey) int {
		return cmp.Or(cmp.Compare(kindRank(x.kind), kindRank(y.kind)), cmp.Compare(x.model, y.model))
	}) {
		u := *t[key]
		if n := len(u.latencies); n > 0 {
			sorted := slices.Sorted(slices.Values(u.latencies))
			u.MedianMS, u.P95MS = &sorted[(n-1)/2], &sorted[min(n-1, n*95/100)]
		}
		u.latencies = nil
		out = append(out, u)
	}
	return out
}
