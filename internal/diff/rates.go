package diff

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

// rates adds request rates up by banker, level group, set and architecture: the
// attacks as they were written, and recorded conversations. Levels are pooled no
// further, kinds never.
type rates map[rateKey]*rate

type rateKey struct {
	model plan.ModelSlug // in B
	old   plan.ModelSlug
	kind  plan.Kind // in B
	group plan.Group
	set   string // attacks, or the tool map
	arch  plan.Architecture
}

type rate struct {
	pairs    stats.Pairs
	sessions *stats.Sessions // columns: requests in A, in B, evaluations
}

func newRates() rates { return rates{} }

func (r rates) add(place plan.Cell, c *Cell, old plan.ModelSlug, a, b fact) {
	if !attacks(place) {
		return
	}
	k := rateKey{place.Model, old, c.Kind, c.Group, "attacks", place.Architecture}
	if place.Track == corpus.Recorded {
		k.set = string(place.Level)
	}
	if r[k] == nil {
		r[k] = &rate{sessions: stats.NewSessions(3)}
	}
	r[k].pairs.Add(a.requested, b.requested)
	row := r[k].sessions.Row(string(b.session))
	row[0] += int64(one(a.requested))
	row[1] += int64(one(b.requested))
	row[2]++
}

// rows closes the books, with the p-values corrected for all rows together.
func (r rates) rows() ([]report.RateChange, error) {
	bootstrap := stats.DefaultBootstrap()
	var out []report.RateChange
	var ps []float64
	for _, k := range slices.SortedFunc(maps.Keys(r), rateKey.compare) {
		row := r[k]
		change, err := row.pairs.Difference()
		if err != nil {
			return nil, err
		}
		c := report.RateChange{
			Model: k.model, Baseline: k.old, Kind: k.kind, Group: k.group, Set: k.set, Architecture: k.arch,
			Before: row.pairs.A(), After: row.pairs.B(), Sessions: row.sessions.Len(), Change: change,
		}
		if band, err := bootstrap.Interval(row.sessions, stats.Minus(stats.Ratio(1, 2), stats.Ratio(0, 2))); err == nil {
			c.Interval = &band
		}
		p, err := stats.SignFlip(row.differences(), bootstrap.Seed)
		if err != nil {
			return nil, err
		}
		ps, c.PValue = append(ps, p), p
		out = append(out, c)
	}
	corrected, err := stats.BenjaminiHochberg(ps)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Corrected = corrected[i]
	}
	return out, nil
}

// differences are each session's requests in B less those in A.
func (r *rate) differences() []int64 {
	before, after := r.sessions.Column(0), r.sessions.Column(1)
	for i := range after {
		after[i] -= before[i]
	}
	return after
}

func (k rateKey) compare(o rateKey) int {
	return cmp.Or(cmp.Compare(k.kind, o.kind), cmp.Compare(k.model, o.model), cmp.Compare(k.group, o.group),
		cmp.Compare(k.set, o.set), cmp.Compare(k.arch, o.arch))
}

// attacks reports whether a cell counts in the rates.
func attacks(c plan.Cell) bool {
	return c.Track != corpus.Benign && c.Track.Section() == corpus.Native
}
