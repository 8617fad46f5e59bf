package stats

import (
	"math/bits"
	"math/rand/v2"
)

// exactSignFlips is up to how many sessions that differ the sign-flip test visits
// every assignment of signs; beyond, it draws signFlipDraws of them.
const (
	exactSignFlips = 16
	signFlipDraws  = 20_000
)

// SignFlip is the two-sided p-value of no difference between matched conditions,
// from each session's difference (hits of B less hits of A): if neither condition
// matters, each session's difference might as well have the other sign. Whole
// sessions are flipped, so what happens inside one need not be independent. It is
// exact up to 16 sessions that differ; beyond, 20,000 assignments are drawn with
// the given seed, and the observed one counts as one more. Without sessions it is
// undefined, and 1 where none differs.
// Source: Fisher, R. A. (1935), The Design of Experiments, section 21; for drawn
// assignments Phipson, B. and Smyth, G. K. (2010), Stat. Appl. Genet. Mol. Biol. 9, 39.
func SignFlip(differences []int64, seed uint64) (float64, error) {
	if len(differences) == 0 {
		return 0, undefined("sign-flip test of %d sessions", len(differences))
	}
	var d []int64
	var observed int64
	for _, v := range differences {
		if v != 0 {
			d = append(d, v)
			observed += v
		}
	}
	if len(d) <= exactSignFlips {
		return allFlips(d, magnitude(observed)), nil
	}
	source, beyond := rand.NewPCG(seed, 0), 1
	for range signFlipDraws {
		var sum int64
		var word uint64
		for i, v := range d {
			if i%64 == 0 {
				word = source.Uint64()
			}
			if word&1 == 1 {
				v = -v
			}
			word >>= 1
			sum += v
		}
		if magnitude(sum) >= magnitude(observed) {
			beyond++
		}
	}
	return float64(beyond) / (signFlipDraws + 1), nil
}

// allFlips visits every assignment in the order of a Gray code, one sign at a time.
func allFlips(d []int64, observed int64) float64 {
	var sum int64
	signs := make([]int64, len(d))
	for i, v := range d {
		signs[i], sum = 1, sum+v
	}
	n, beyond := 1<<len(d), 0
	for step := 1; ; step++ {
		if magnitude(sum) >= observed {
			beyond++
		}
		if step == n {
			return float64(beyond) / float64(n)
		}
		at := bits.TrailingZeros(uint(step))
		signs[at] = -signs[at]
		sum += 2 * signs[at] * d[at]
	}
}

func magnitude(v int64) int64 { return max(v, -v) }
