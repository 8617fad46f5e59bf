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

// Pace is how long a banker took for an evaluation, of wall clock.
type Pace struct {
	Kind     plan.Kind
	Model    plan.ModelSlug
	MedianMS int64
	P95MS    int64
}

// banker is who was asked, whatever the cell.
type banker struct {
	kind  plan.Kind
	model plan.ModelSlug
}

func bankerOf(e record.Evaluation) banker { return banker{e.Kind, e.Cell.Model} }

// byBanker puts live ones first, then sorts by name.
func byBanker(x, y banker) int {
	return cmp.Or(cmp.Compare(kindRank(x.kind), kindRank(y.kind)), cmp.Compare(x.model, y.model))
}

// paceTally holds the milliseconds of each evaluation that took any.
type paceTally map[banker][]int64

func (t paceTally) add(e record.Evaluation) {
	took := int64(0)
	for _, r := range e.Replies {
		took += r.LatencyMS
	}
	if took > 0 {
		t[bankerOf(e)] = append(t[bankerOf(e)], took)
	}
}

// kindRank puts live bankers first: they are models, the others instruments or
// open loops.
func kindRank(k plan.Kind) int {
	return slices.Index([]plan.Kind{plan.Live, plan.Recorded, plan.Simulated}, k)
}

func (t paceTally) rows() []Pace {
	var out []Pace
	for _, who := range slices.SortedFunc(maps.Keys(t), byBanker) {
		sorted := slices.Sorted(slices.Values(t[who]))
		n := len(sorted)
		out = append(out, Pace{who.kind, who.model, sorted[(n-1)/2], sorted[min(n-1, n*95/100)]})
	}
	return out
}
