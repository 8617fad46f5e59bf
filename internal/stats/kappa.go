package stats

import "fmt"

// Agreement counts how two raters labelled the same items.
type Agreement[T comparable] struct{ counts map[[2]T]int }

// Add counts an item that the first rater labelled a and the second b.
func (g *Agreement[T]) Add(a, b T) { g.AddN(a, b, 1) }

// AddN counts n such items.
func (g *Agreement[T]) AddN(a, b T, n int) {
	if g.counts == nil {
		g.counts = map[[2]T]int{}
	}
	g.counts[[2]T{a, b}] += n
}

// Merge adds another table's items, as for a figure pooled over levels.
func (g *Agreement[T]) Merge(other Agreement[T]) {
	for labels, n := range other.counts {
		g.AddN(labels[0], labels[1], n)
	}
}

// N is the number of items.
func (g *Agreement[T]) N() int {
	n := 0
	for _, c := range g.counts {
		n += c
	}
	return n
}

// Agreed is the rate of items that both labelled alike.
func (g *Agreement[T]) Agreed() Rate {
	r := Rate{N: g.N()}
	for labels, c := range g.counts {
		if labels[0] == labels[1] {
			r.Hits += c
		}
	}
	return r
}

// Kappa is Cohen's kappa: agreement beyond what the raters' own frequencies
// would give by chance. Without items, or where both gave every item one and the
// same label, it is undefined: neither 0 nor 1.
// Source: Cohen, J. (1960), Educational and Psychological Measurement 20, 37–46.
func (g *Agreement[T]) Kappa() (float64, error) {
	n := float64(g.N())
	if n <= 0 {
		return 0, undefined("kappa of no items")
	}
	first, second := map[T]float64{}, map[T]float64{}
	for labels, c := range g.counts {
		first[labels[0]] += float64(c)
		second[labels[1]] += float64(c)
	}
	chance := 0.0 // in items squared: whole numbers, so the order of the sum does not matter
	for label, c := range first {
		chance += c * second[label]
	}
	if chance == n*n {
		return 0, fmt.Errorf("kappa of %d items that both raters labelled %w", int(n), ErrOneLabel)
	}
	return (float64(g.Agreed().Hits)*n - chance) / (n*n - chance), nil
}

// CohenKappa is Kappa of two lists of labels of the same items.
func CohenKappa[T comparable](a, b []T) (float64, error) {
	if len(a) != len(b) {
		return 0, fmt.Errorf("kappa: %d labels of one rater, %d of the other: give one a piece for each item", len(a), len(b))
	}
	var g Agreement[T]
	for i := range a {
		g.Add(a[i], b[i])
	}
	return g.Kappa()
}
