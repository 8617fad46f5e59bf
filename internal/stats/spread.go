package stats

import "slices"

// Concentration says how few sessions outcomes come from.
type Concentration struct {
	Outcomes   int `json:"outcomes"`
	Sessions   int `json:"sessions"`    // all of them
	WithAny    int `json:"with_any"`    // sessions with at least one outcome
	Largest    int `json:"largest"`     // outcomes of the session with the most
	Half       int `json:"half"`        // fewest sessions that hold half of the outcomes
	NineTenths int `json:"nine_tenths"` // fewest that hold nine tenths
}

// Concentrate reads the outcomes of each session.
func Concentrate(bySession []int64) Concentration {
	sorted := slices.Clone(bySession)
	slices.SortFunc(sorted, func(a, b int64) int { return int(b - a) })
	c := Concentration{Sessions: len(sorted)}
	for _, n := range sorted {
		c.Outcomes += int(n)
	}
	held := 0
	for i, n := range sorted {
		if n == 0 {
			break
		}
		held += int(n)
		c.WithAny = i + 1
		if i == 0 {
			c.Largest = int(n)
		}
		if c.Half == 0 && 2*held >= c.Outcomes {
			c.Half = i + 1
		}
		if c.NineTenths == 0 && 10*held >= 9*c.Outcomes {
			c.NineTenths = i + 1
		}
	}
	return c
}

// AtLeast turns how many models each attack beat into how many attacks beat at
// least 1, 2, … models: element k−1 is for k.
func AtLeast(beaten []int, models int) []int {
	out := make([]int, models)
	for _, n := range beaten {
		for k := range min(n, models) {
			out[k]++
		}
	}
	return out
}

// PassHat estimates pass^k, the probability that k trials of one task all
// succeed, as the mean over tasks of C(c,k)/C(n,k) for c successes of n trials,
// which is unbiased. Tasks with fewer than k trials say nothing about k and are
// left out; used is how many were not. Where none is left, the figure is undefined.
// Source: Yao, S. et al. (2024), τ-bench, arXiv 2406.12045, section 3.
func PassHat(k int, tasks []Rate) (value float64, used int, err error) {
	if k < 1 {
		return 0, 0, undefined("pass^%d", k)
	}
	sum := 0.0
	for _, t := range tasks {
		if t.Hits < 0 || t.Hits > t.N {
			return 0, 0, undefined("pass^%d of %d/%d trials", k, t.Hits, t.N)
		}
		if t.N < k {
			continue
		}
		used++
		all := 1.0 // C(c,k)/C(n,k), factor by factor; one is zero where c < k
		for i := range k {
			all *= float64(max(0, t.Hits-i)) / float64(t.N-i)
		}
		sum += all
	}
	if used == 0 {
		return 0, 0, undefined("pass^%d: no task has %d scored trials", k, k)
	}
	return sum / float64(used), used, nil
}
