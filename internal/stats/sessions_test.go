package stats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/stats"
)

// sessionsOf makes two columns, hits and n, of as many sessions.
func sessionsOf(rates ...stats.Rate) *stats.Sessions {
	s := stats.NewSessions(2)
	for i, r := range rates {
		row := s.Row(fmt.Sprintf("s%05d", i))
		row[0] += int64(r.Hits)
		row[1] += int64(r.N)
	}
	return s
}

func TestBootstrapIsRepeatable(t *testing.T) {
	rates := []stats.Rate{{1, 3}, {0, 2}, {4, 4}, {2, 9}, {0, 1}, {3, 5}}
	first, err := stats.DefaultBootstrap().Interval(sessionsOf(rates...), stats.Ratio(0, 1))
	require.NoError(t, err)
	reversed := stats.NewSessions(2)
	for i := len(rates) - 1; i >= 0; i-- {
		for range rates[i].N { // evaluation by evaluation
			reversed.Row(fmt.Sprintf("s%05d", i))[1]++
		}
		reversed.Row(fmt.Sprintf("s%05d", i))[0] += int64(rates[i].Hits)
	}
	again, err := stats.DefaultBootstrap().Interval(reversed, stats.Ratio(0, 1))
	require.NoError(t, err)
	assert.Equal(t, first, again, "the order of evaluations and sessions does not show")
	other, err := stats.Bootstrap{Resamples: 1500, Seed: 1}.Interval(reversed, stats.Ratio(0, 1))
	require.NoError(t, err)
	assert.NotEqual(t, first, other, "the seed does")
	together := stats.DefaultBootstrap().Intervals(reversed, stats.Ratio(1, 1), stats.Ratio(0, 1))
	assert.Equal(t, first, together[1].Interval, "nor does what is computed beside it")
	require.ErrorIs(t, together[0].Err, stats.ErrNoVariation)
	assert.Equal(t, stats.Bootstrap{Resamples: 1500, Seed: 20260915}, stats.DefaultBootstrap(), "as pre-registered")
}

// TestBootstrapAgainstTaylor: with many sessions the percentile interval comes
// near the normal one with the linearised variance of a ratio of cluster totals
// (Cochran, W. G. (1977), Sampling Techniques, 3rd ed., section 9A.2).
func TestBootstrapAgainstTaylor(t *testing.T) {
	corpus := simulate(1, 800, 0.3, 2)
	got, err := stats.DefaultBootstrap().Interval(corpus, stats.Ratio(0, 1))
	require.NoError(t, err)
	hits, n := corpus.Column(0), corpus.Column(1)
	total := corpus.Totals()
	p, squares := float64(total[0])/float64(total[1]), 0.0
	for i := range hits {
		residual := float64(hits[i]) - p*float64(n[i])
		squares += residual * residual
	}
	m := float64(len(hits))
	half := 1.96 * math.Sqrt(squares*m/(m-1)) / float64(total[1])
	assert.InEpsilon(t, 2*half, got.High-got.Low, 0.06)
	assert.InDelta(t, p, (got.Low+got.High)/2, 0.1*half)
}

// TestBootstrapByHand: of two sessions with 0/1 and 1/1, the resamples give 0, ½
// and 1 with probabilities ¼, ½, ¼, so the 95% interval is everything.
func TestBootstrapByHand(t *testing.T) {
	got, err := stats.DefaultBootstrap().Interval(sessionsOf(stats.Rate{Hits: 0, N: 1}, stats.Rate{Hits: 1, N: 1}), stats.Ratio(0, 1))
	require.NoError(t, err)
	assert.Equal(t, stats.Interval{Low: 0, High: 1}, got)
}

func TestNoIntervalFromNothing(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sessions *stats.Sessions
		want     error
		reason   string
	}{
		{"none", sessionsOf(), stats.ErrUndefined, "no session"},
		{"one", sessionsOf(stats.Rate{Hits: 3, N: 9}), stats.ErrUndefined, "one session can't vary"},
		{"zero", sessionsOf(stats.Rate{Hits: 0, N: 9}, stats.Rate{Hits: 0, N: 2}), stats.ErrNoVariation, "[0, 0] would be a certainty"},
		{"all", sessionsOf(stats.Rate{Hits: 9, N: 9}, stats.Rate{Hits: 2, N: 2}), stats.ErrNoVariation, "so would [1, 1]"},
		{"mostly empty", sessionsOf(stats.Rate{}, stats.Rate{}, stats.Rate{Hits: 1, N: 2}), stats.ErrUndefined, "resamples without an observation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := stats.DefaultBootstrap().Interval(tt.sessions, stats.Ratio(0, 1))
			require.ErrorIs(t, err, tt.want, tt.reason)
		})
	}
	_, err := stats.Bootstrap{Seed: 1}.Interval(sessionsOf(stats.Rate{Hits: 0, N: 1}, stats.Rate{Hits: 1, N: 1}), stats.Ratio(0, 1))
	require.ErrorIs(t, err, stats.ErrUndefined, "no resamples")
}

func TestPairs(t *testing.T) {
	var p stats.Pairs
	for _, ab := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, true}, {false, false}} {
		p.Add(ab[0], ab[1])
	}
	assert.Equal(t, stats.Pairs{Both: 1, OnlyA: 1, OnlyB: 2, Neither: 1}, p)
	assert.Equal(t, []any{5, 3, stats.Rate{Hits: 2, N: 5}, stats.Rate{Hits: 3, N: 5}}, []any{p.N(), p.Discordant(), p.A(), p.B()})
	d, err := p.Difference()
	require.NoError(t, err)
	assert.InDelta(t, 0.2, d, 1e-12, "B less A")
	_, err = stats.Pairs{}.Difference()
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = stats.Pairs{}.McNemar()
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = stats.Pairs{OnlyA: -1, OnlyB: 3}.McNemar()
	require.ErrorIs(t, err, stats.ErrUndefined)
}

func TestConcentrate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		by     []int64
		want   stats.Concentration
		reason string
	}{
		{"none", nil, stats.Concentration{}, "of nothing, nothing"},
		{"no outcome", []int64{0, 0}, stats.Concentration{Sessions: 2}, "sessions alone"},
		{"even", []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, stats.Concentration{Outcomes: 10, Sessions: 10, WithAny: 10, Largest: 1, Half: 5, NineTenths: 9}, "half of them hold half"},
		{"skewed", []int64{0, 2, 6, 0, 2}, stats.Concentration{Outcomes: 10, Sessions: 5, WithAny: 3, Largest: 6, Half: 1, NineTenths: 3}, "the greatest first"},
		{"exact half", []int64{5, 3, 2}, stats.Concentration{Outcomes: 10, Sessions: 3, WithAny: 3, Largest: 5, Half: 1, NineTenths: 3}, "half is half"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, stats.Concentrate(tt.by)); diff != "" {
				t.Errorf("Concentrate(%v): %s (-want +got):\n%s", tt.by, tt.reason, diff)
			}
		})
	}
}

func TestAtLeast(t *testing.T) {
	assert.Equal(t, []int{3, 2, 1}, stats.AtLeast([]int{0, 1, 2, 3}, 3))
	assert.Equal(t, []int{0, 0}, stats.AtLeast(nil, 2))
}

func TestLeaveOneOut(t *testing.T) {
	l, err := sessionsOf(stats.Rate{Hits: 8, N: 10}, stats.Rate{Hits: 1, N: 10}, stats.Rate{Hits: 0, N: 20}).LeaveOneOut(stats.Ratio(0, 1))
	require.NoError(t, err)
	assert.InDelta(t, 1.0/30, l.Low, 1e-12)
	assert.InDelta(t, 9.0/20, l.High, 1e-12)
	assert.Equal(t, "s00002", l.LeftOut, "9/40 moves furthest without the third")
	assert.InDelta(t, 9.0/20, l.Without, 1e-12)
	_, err = sessionsOf(stats.Rate{Hits: 1, N: 2}).LeaveOneOut(stats.Ratio(0, 1))
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = sessionsOf(stats.Rate{Hits: 1, N: 2}, stats.Rate{}).LeaveOneOut(stats.Ratio(0, 1))
	require.ErrorIs(t, err, stats.ErrUndefined, "without the first there is nothing")
}

func TestKappaUndefined(t *testing.T) {
	_, err := stats.CohenKappa[string](nil, nil)
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = stats.CohenKappa([]string{"no", "no"}, []string{"no", "no"})
	require.ErrorIs(t, err, stats.ErrOneLabel)
	_, err = stats.CohenKappa([]string{"no"}, []string{"no", "yes"})
	require.ErrorContains(t, err, "1 labels of one rater, 2 of the other")
	k, err := stats.CohenKappa([]string{"no", "no"}, []string{"yes", "yes"})
	require.NoError(t, err)
	assert.InDelta(t, 0, k, 0, "no agreement, and none by chance")
	k, err = stats.CohenKappa([]int{1, 2}, []int{1, 2})
	require.NoError(t, err)
	assert.InDelta(t, 1, k, 0)
}

func TestKappaPools(t *testing.T) {
	var a, b, both stats.Agreement[int]
	a.AddN(1, 1, 5)
	a.Add(1, 2)
	b.AddN(2, 2, 7)
	both.Merge(a)
	both.Merge(b)
	assert.Equal(t, stats.Rate{Hits: 12, N: 13}, both.Agreed())
	k, err := both.Kappa()
	require.NoError(t, err)
	assert.InDelta(t, (12.0/13-(6*5+7*8)/169.0)/(1-(6*5+7*8)/169.0), k, 1e-12)
}

func TestAdjustRefusesWhatIsNoProbability(t *testing.T) {
	for _, p := range []float64{math.NaN(), -0.1, 1.1} {
		_, err := stats.BenjaminiHochberg([]float64{0.5, p})
		require.ErrorContains(t, err, "p-value 2")
	}
	none, err := stats.BenjaminiHochberg(nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}
