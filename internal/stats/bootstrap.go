package stats

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Bootstrap is a percentile bootstrap over source sessions: whole sessions are
// drawn with replacement, since what an attacker sends in one session is not
// independent. Source: Efron, B. and Tibshirani, R. J. (1993), An Introduction to
// the Bootstrap, chapter 13; Davison, A. C. and Hinkley, D. V. (1997), section 3.8.
type Bootstrap struct {
	Resamples int    `json:"resamples"`
	Seed      uint64 `json:"seed"`
}

// DefaultBootstrap is what every figure uses unless it says otherwise.
func DefaultBootstrap() Bootstrap { return Bootstrap{Resamples: 1500, Seed: 20260915} }

// ErrNoVariation reports that all resamples agree, as they do of a zero: an
// interval of no width would say that the figure is certain.
var ErrNoVariation = errors.New("every resample gives the same figure: quote the bound, no interval")

// maxUndefined is the share of resamples that may leave a statistic undefined.
const maxUndefined = 0.01

// Estimated is a statistic's 95% interval, or why it has none.
type Estimated struct {
	Interval
	Err error
}

// Intervals computes the 95% percentile intervals of statistics over the same
// resamples. The same sessions, resamples and seed give the same intervals.
func (b Bootstrap) Intervals(s *Sessions, statistics ...Statistic) []Estimated {
	out := make([]Estimated, len(statistics))
	if s.Len() < 2 || b.Resamples < 1 {
		for i := range out {
			out[i].Err = undefined("bootstrap of %d sessions, %d resamples", s.Len(), b.Resamples)
		}
		return out
	}
	values := make([][]float64, len(statistics))
	b.each(s, func(totals []int64) {
		for i, f := range statistics {
			if v, ok := f(totals); ok {
				values[i] = append(values[i], v)
			}
		}
	})
	for i, v := range values {
		out[i] = percentiles(v, b.Resamples)
	}
	return out
}

// Interval is Intervals of one statistic.
func (b Bootstrap) Interval(s *Sessions, f Statistic) (Interval, error) {
	e := b.Intervals(s, f)[0]
	return e.Interval, e.Err
}

// each draws the resamples and hands out the totals of each. It counts how often
// each session was drawn before it adds up, since most columns are mostly zero.
func (b Bootstrap) each(s *Sessions, visit func(totals []int64)) {
	n := uint64(s.Len())
	columns := s.sparse()
	source := rand.NewPCG(b.Seed, 0)
	drawn, totals := make([]int64, n), make([]int64, s.width)
	for range b.Resamples {
		clear(drawn)
		for range n {
			// PCG's numbers are specified; how rand.Rand draws an index from them is not.
			index, _ := bits.Mul64(source.Uint64(), n)
			drawn[index]++
		}
		for j, entries := range columns {
			total := int64(0)
			for _, e := range entries {
				total += drawn[e.session] * e.sum
			}
			totals[j] = total
		}
		visit(totals)
	}
}

func percentiles(values []float64, resamples int) Estimated {
	if float64(resamples-len(values)) > maxUndefined*float64(resamples) {
		return Estimated{Err: undefined("%d of %d resamples", resamples-len(values), resamples)}
	}
	slices.Sort(values)
	if values[0] == values[len(values)-1] {
		return Estimated{Err: ErrNoVariation}
	}
	return Estimated{Interval: Interval{Low: quantile(values, 0.025), High: quantile(values, 0.975)}}
}

// quantile is the least of the sorted values that at least that share of them does
// not exceed. It is not gonum's, which would bring linear algebra into every binary
// that counts something; a test holds it equal.
func quantile(values []float64, share float64) float64 {
	at := int(math.Ceil(share*float64(len(values)))) - 1
	return values[max(at, 0)]
}
