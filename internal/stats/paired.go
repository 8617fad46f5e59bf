package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Pairs are matched observations of two conditions A and B by who was hit.
type Pairs struct {
	Both    int `json:"both"`
	OnlyA   int `json:"only_a"`
	OnlyB   int `json:"only_b"`
	Neither int `json:"neither"`
}

// Add counts one pair.
func (p *Pairs) Add(a, b bool) {
	switch {
	case a && b:
		p.Both++
	case a:
		p.OnlyA++
	case b:
		p.OnlyB++
	default:
		p.Neither++
	}
}

// N is the number of pairs.
func (p Pairs) N() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// A is condition A's rate, B condition B's.
func (p Pairs) A() Rate { return Rate{p.Both + p.OnlyA, p.N()} }

// B is condition B's rate.
func (p Pairs) B() Rate { return Rate{p.Both + p.OnlyB, p.N()} }

// Discordant is the number of pairs of which one side alone was hit.
func (p Pairs) Discordant() int { return p.OnlyA + p.OnlyB }

// Difference is B's rate less A's, from −1 to 1.
func (p Pairs) Difference() (float64, error) {
	if p.N() <= 0 {
		return 0, undefined("difference of %d pairs", p.N())
	}
	return float64(p.OnlyB-p.OnlyA) / float64(p.N()), nil
}

// McNemar is the exact two-sided p-value of no difference: the binomial
// probability of a split of the discordant pairs at least as uneven, 1 where no
// pair is discordant. It takes pairs as independent, which those of one session
// are not. Source: McNemar, Q. (1947), Psychometrika 12, 153–157, in its exact
// form.
func (p Pairs) McNemar() (float64, error) {
	if p.N() <= 0 || min(p.Both, p.OnlyA, p.OnlyB, p.Neither) < 0 {
		return 0, undefined("McNemar's test of %+v", p)
	}
	if p.Discordant() == 0 {
		return 1, nil
	}
	fewer, more := min(p.OnlyA, p.OnlyB), max(p.OnlyA, p.OnlyB)
	tail := mathext.RegIncBeta(float64(more), float64(fewer+1), 0.5) // as few or fewer of Binomial(discordant, ½)
	return min(1, 2*tail), nil
}

// BenjaminiHochberg returns the p-values adjusted for being looked at together,
// in the order given: those at most q are discoveries at false discovery rate q.
// Source: Benjamini, Y. and Hochberg, Y. (1995), J. R. Statist. Soc. B 57, 289–300.
func BenjaminiHochberg(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, v := range p {
		if math.IsNaN(v) || v < 0 || v > 1 {
			return nil, undefined("p-value %d is %v", i+1, v)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	adjusted, least, m := make([]float64, len(p)), 1.0, float64(len(p))
	for i, at := range order { // from the greatest: rank m-i
		least = min(least, p[at]*m/(m-float64(i)))
		adjusted[at] = least
	}
	return adjusted, nil
}
