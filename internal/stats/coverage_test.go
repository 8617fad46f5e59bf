package stats_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"vaultbench/internal/stats"
)

// simulate is a corpus with session effects: each session has 1 to 10
// evaluations and a rate of its own, drawn from a beta distribution of mean p;
// the smaller the strength, the more sessions differ.
func simulate(seed uint64, sessions int, p, strength float64) *stats.Sessions {
	source := rand.NewPCG(seed, 77)
	r := rand.New(source)
	effect := distuv.Beta{Alpha: p * strength, Beta: (1 - p) * strength, Src: source}
	s := stats.NewSessions(2)
	for i := range sessions {
		rate := effect.Rand()
		row := s.Row(fmt.Sprintf("s%05d", i))
		for range 1 + r.IntN(10) {
			row[1]++
			if r.Float64() < rate {
				row[0]++
			}
		}
	}
	return s
}

// TestCoverage: the clustered interval holds the true rate in about 95% of
// corpora with session effects; Wilson's, which takes evaluations as
// independent, does not. 2,000 corpora under VAULT_LONG=1, else 200.
func TestCoverage(t *testing.T) {
	t.Parallel()
	corpora, low, high := 200, 0.91, 0.985 // three standard errors of 200
	if os.Getenv("VAULT_LONG") == "1" {
		corpora, low, high = 2000, 0.93, 0.97
	}
	for _, p := range []float64{0.3, 0.08} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			clustered, naive := 0, 0
			for i := range corpora {
				s := simulate(uint64(i), 200, p, 1)
				got, err := stats.DefaultBootstrap().Interval(s, stats.Ratio(0, 1))
				require.NoError(t, err)
				clustered += inside(p, got)
				total := s.Totals()
				wilson, err := stats.Rate{Hits: int(total[0]), N: int(total[1])}.Wilson()
				require.NoError(t, err)
				naive += inside(p, wilson)
			}
			covered, fooled := float64(clustered)/float64(corpora), float64(naive)/float64(corpora)
			t.Logf("rate %v: clustered interval covers %.4f, naive %.4f of %d corpora", p, covered, fooled, corpora)
			assert.GreaterOrEqual(t, covered, low)
			assert.LessOrEqual(t, covered, high)
			assert.Less(t, fooled, 0.85, "the naive interval fails")
		})
	}
}

func inside(p float64, i stats.Interval) int {
	if i.Low <= p && p <= i.High {
		return 1
	}
	return 0
}
