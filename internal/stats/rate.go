// Package stats holds the arithmetic that the suite's figures are judged by.
package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Rate is a count out of a count; it is never passed on as a percentage alone.
type Rate struct {
	Hits int `json:"hits"`
	N    int `json:"n"`
}

// Interval is a range of rates, 0 to 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// ErrUndefined reports a statistic that the observations give no value for.
var ErrUndefined = errors.New("undefined")

// ErrOneLabel reports raters who used one label alone, and the same.
var ErrOneLabel = fmt.Errorf("alike and all alike: %w", ErrUndefined)

func undefined(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrUndefined)...)
}

// z95 is the 97.5% quantile of the standard normal distribution.
const z95 = 1.959963984540054

// Wilson is the 95% score interval of a rate. It treats observations as
// independent, which evaluations of one session are not.
// Source: Wilson, E. B. (1927), J. Am. Stat. Assoc. 22, 209–212.
func (r Rate) Wilson() (Interval, error) {
	if r.N <= 0 || r.Hits < 0 || r.Hits > r.N {
		return Interval{}, undefined("wilson interval of %d/%d", r.Hits, r.N)
	}
	n, p := float64(r.N), float64(r.Hits)/float64(r.N)
	z2 := z95 * z95
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return Interval{Low: max(0, centre-half), High: min(1, centre+half)}, nil
}

// ClopperPearson is the exact 95% interval of a rate, which covers at least that
// often. Like Wilson it treats observations as independent.
// Source: Clopper, C. J. and Pearson, E. S. (1934), Biometrika 26, 404–413.
func (r Rate) ClopperPearson() (Interval, error) {
	if r.N <= 0 || r.Hits < 0 || r.Hits > r.N {
		return Interval{}, undefined("exact interval of %d/%d", r.Hits, r.N)
	}
	hits, misses := float64(r.Hits), float64(r.N-r.Hits)
	i := Interval{Low: 0, High: 1}
	if hits > 0 {
		i.Low = mathext.InvRegIncBeta(hits, misses+1, 0.025)
	}
	if misses > 0 {
		i.High = mathext.InvRegIncBeta(hits+1, misses, 0.975)
	}
	return i, nil
}

// String writes hits/n and the percentage, or hits/n alone where it has none.
func (r Rate) String() string {
	if r.N == 0 {
		return fmt.Sprintf("%d/%d", r.Hits, r.N)
	}
	return fmt.Sprintf("%d/%d (%.1f%%)", r.Hits, r.N, 100*float64(r.Hits)/float64(r.N))
}

// ZeroBound is the exact one-sided 95% upper bound on a rate of which none of n
// independent observations was a hit: 1 − 0.05^(1/n).
func ZeroBound(n int) (float64, error) {
	if n <= 0 {
		return 0, undefined("bound of 0/%d", n)
	}
	return -math.Expm1(math.Log(0.05) / float64(n)), nil // 1 − 0.05^(1/n) would lose digits
}

// RuleOfThree is the 95% upper bound 3/S over S distinct sessions: the one to
// quote, since evaluations of one session are not independent. It is at most 1.
func RuleOfThree(sessions int) (float64, error) {
	if sessions <= 0 {
		return 0, undefined("bound over %d sessions", sessions)
	}
	return min(1, 3/float64(sessions)), nil
}
