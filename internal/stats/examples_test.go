package stats_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"vaultbench/internal/stats"
)

// TestIntervalsAsPublished: Newcombe, R. G. (1998), Two-sided confidence intervals
// for the single proportion, Statistics in Medicine 17, 857–872, table I, methods
// 3 (score) and 5 (exact).
func TestIntervalsAsPublished(t *testing.T) {
	for _, tt := range []struct {
		name          string
		rate          stats.Rate
		wilson, exact stats.Interval
		reason        string
	}{
		{"81/263", stats.Rate{Hits: 81, N: 263}, stats.Interval{Low: 0.2553, High: 0.3662}, stats.Interval{Low: 0.2527, High: 0.3676}, "far from the ends"},
		{"15/148", stats.Rate{Hits: 15, N: 148}, stats.Interval{Low: 0.0624, High: 0.1605}, stats.Interval{Low: 0.0578, High: 0.1617}, "nearer"},
		{"0/20", stats.Rate{Hits: 0, N: 20}, stats.Interval{Low: 0, High: 0.1611}, stats.Interval{Low: 0, High: 0.1684}, "a zero is no certainty"},
		{"1/29", stats.Rate{Hits: 1, N: 29}, stats.Interval{Low: 0.0061, High: 0.1718}, stats.Interval{Low: 0.0009, High: 0.1776}, "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wilson, err := tt.rate.Wilson()
			require.NoError(t, err)
			near(t, tt.wilson, wilson, 0.00005, tt.reason)
			exact, err := tt.rate.ClopperPearson()
			require.NoError(t, err)
			near(t, tt.exact, exact, 0.00005, tt.reason)
		})
	}
}

func near(t *testing.T, want, got stats.Interval, delta float64, reason string) {
	t.Helper()
	assert.InDelta(t, want.Low, got.Low, delta, reason)
	assert.InDelta(t, want.High, got.High, delta, reason)
}

// TestIntervalsAgainstGonum: at its ends the exact interval leaves 2.5% of the
// binomial on the far side, and Wilson's ends are where the score test turns.
func TestIntervalsAgainstGonum(t *testing.T) {
	z := distuv.UnitNormal.Quantile(0.975)
	for _, r := range []stats.Rate{{1, 2}, {3, 10}, {140, 76842}, {28543, 76842}, {69296, 69297}, {1, 69297}} {
		exact, err := r.ClopperPearson()
		require.NoError(t, err)
		n, k := float64(r.N), float64(r.Hits)
		assert.InEpsilon(t, 0.025, 1-distuv.Binomial{N: n, P: exact.Low}.CDF(k-1), 1e-6, "%s low", r)
		assert.InEpsilon(t, 0.025, distuv.Binomial{N: n, P: exact.High}.CDF(k), 1e-6, "%s high", r)
		assert.InDelta(t, 0.025, mathext.RegIncBeta(k, n-k+1, exact.Low), 1e-9, "%s", r)
		wilson, err := r.Wilson()
		require.NoError(t, err)
		for _, p := range []float64{wilson.Low, wilson.High} {
			assert.InEpsilon(t, z*z, (k/n-p)*(k/n-p)*n/(p*(1-p)), 1e-6, "%s: score at %v", r, p)
		}
	}
	all, err := stats.Rate{Hits: 20, N: 20}.ClopperPearson()
	require.NoError(t, err)
	assert.InDelta(t, 1-0.1684, all.Low, 0.00005, "the mirror image of 0/20")
	assert.InDelta(t, 1, all.High, 0)
}

// TestZeroBoundAsPublished: Hanley, J. A. and Lippman-Hand, A. (1983), If nothing
// goes wrong, is everything all right?, JAMA 249, 1743–1745: exact 95% bounds beside
// the rule of three, in percent.
func TestZeroBoundAsPublished(t *testing.T) {
	for _, tt := range []struct {
		n                  int
		exact, ruleOfThree float64
	}{{10, 26, 30}, {20, 14, 15}, {30, 10, 10}, {50, 6, 6}, {100, 3, 3}} {
		exact, err := stats.ZeroBound(tt.n)
		require.NoError(t, err)
		assert.InDelta(t, tt.exact, 100*exact, 0.5, "0/%d", tt.n)
		rule, err := stats.RuleOfThree(tt.n)
		require.NoError(t, err)
		assert.InDelta(t, tt.ruleOfThree, 100*rule, 0.01, "3/%d", tt.n)
		assert.InEpsilon(t, 0.05, distuv.Binomial{N: float64(tt.n), P: exact}.CDF(0), 1e-9, "0/%d leaves exactly 5%%", tt.n)
		p, err := stats.Rate{Hits: 0, N: tt.n}.ClopperPearson()
		require.NoError(t, err)
		assert.Greater(t, p.High, exact, "two-sided lies above one-sided")
	}
}

// TestMcNemarAsPublished: Agresti, A. (1990), Categorical Data Analysis, table
// 10.1, approval of a prime minister in two surveys: 794 twice, 150 and 86 once,
// 570 never. The exact p-value is that of R's exact2x2 (Fay, M. P. (2010), The R
// Journal 2, 53–58), which works this table.
func TestMcNemarAsPublished(t *testing.T) {
	p, err := stats.Pairs{Both: 794, OnlyA: 150, OnlyB: 86, Neither: 570}.McNemar()
	require.NoError(t, err)
	assert.InDelta(t, 3.716e-5, p, 0.0005e-5)
	mirrored, err := stats.Pairs{Both: 1, OnlyA: 86, OnlyB: 150}.McNemar()
	require.NoError(t, err)
	assert.InDelta(t, p, mirrored, 0, "two-sided, and concordant pairs say nothing")
	even, err := stats.Pairs{OnlyA: 4, OnlyB: 4}.McNemar()
	require.NoError(t, err)
	assert.InDelta(t, 1, even, 0, "twice the half is no more than 1")
	six, err := stats.Pairs{OnlyB: 6}.McNemar()
	require.NoError(t, err)
	assert.InDelta(t, 2*1.0/64, six, 1e-12, "six of six, by hand")
	none, err := stats.Pairs{Neither: 9}.McNemar()
	require.NoError(t, err)
	assert.InDelta(t, 1, none, 0, "no pair disagrees")
}

// TestMcNemarAgainstGonum: twice the binomial tail, whatever the split.
func TestMcNemarAgainstGonum(t *testing.T) {
	for a := range 40 {
		for _, b := range []int{0, 1, 7, 39, 40, 5000} {
			p, err := stats.Pairs{Both: 1, OnlyA: a, OnlyB: b}.McNemar()
			require.NoError(t, err)
			want := min(1, 2*distuv.Binomial{N: float64(a + b), P: 0.5}.CDF(float64(min(a, b))))
			assert.InDelta(t, want, p, 0, "%d to %d", a, b)
		}
	}
}

// TestPercentilesAgainstGonum: the interval's ends are the empirical quantiles of
// what the resamples came to, whether or not 2.5% of them is a whole number.
func TestPercentilesAgainstGonum(t *testing.T) {
	s := stats.NewSessions(1)
	for i := range 9 {
		s.Row(fmt.Sprint(i))[0] = int64(i * i)
	}
	for _, resamples := range []int{1, 2, 3, 39, 40, 41, 79, 80, 81, 1500} {
		var values []float64
		got, err := stats.Bootstrap{Resamples: resamples, Seed: 1}.Interval(s, func(totals []int64) (float64, bool) {
			values = append(values, float64(totals[0]))
			return values[len(values)-1], true
		})
		slices.Sort(values)
		if values[0] == values[resamples-1] {
			require.ErrorIs(t, err, stats.ErrNoVariation, "%d resamples", resamples)
			continue
		}
		require.NoError(t, err)
		want := stats.Interval{Low: stat.Quantile(0.025, stat.Empirical, values, nil), High: stat.Quantile(0.975, stat.Empirical, values, nil)}
		assert.Equal(t, want, got, "%d resamples", resamples)
	}
}

// TestBenjaminiHochbergAsPublished: the worked example of Benjamini and Hochberg
// (1995), section 3.2: fifteen p-values, of which four are discoveries at 0.05.
func TestBenjaminiHochbergAsPublished(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	q, err := stats.BenjaminiHochberg(p)
	require.NoError(t, err)
	found := 0
	for i, v := range q {
		assert.GreaterOrEqual(t, v, p[i])
		if v <= 0.05 {
			found++
		}
	}
	assert.Equal(t, 4, found)
	assert.InDelta(t, 0.0095*15/4, q[3], 1e-12, "the fourth: p·m/rank")
	assert.InDelta(t, q[6], q[5], 1e-12, "a smaller p never has the greater q")
	shuffled, err := stats.BenjaminiHochberg([]float64{p[3], p[14], p[0]})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.01425, 1, 0.0003}, shuffled, 1e-12, "in the order given")
}

// TestKappaAsPublished: Cohen, J. (1960), table 2 (200 cases, three labels), and
// the grants of Fleiss, J. L., Levin, B. and Paik, M. C. (2003), Statistical Methods
// for Rates and Proportions, in its common two-by-two form.
func TestKappaAsPublished(t *testing.T) {
	var cohen stats.Agreement[string]
	for labels, n := range map[[2]string]int{
		{"a", "a"}: 88, {"a", "b"}: 14, {"a", "c"}: 18,
		{"b", "a"}: 10, {"b", "b"}: 40, {"b", "c"}: 10,
		{"c", "a"}: 2, {"c", "b"}: 6, {"c", "c"}: 12,
	} {
		cohen.AddN(labels[0], labels[1], n)
	}
	k, err := cohen.Kappa()
	require.NoError(t, err)
	assert.InDelta(t, 0.492, k, 0.0005)
	assert.Equal(t, stats.Rate{Hits: 140, N: 200}, cohen.Agreed())

	var grants stats.Agreement[bool]
	grants.AddN(true, true, 20)
	grants.AddN(true, false, 5)
	grants.AddN(false, true, 10)
	grants.AddN(false, false, 15)
	k, err = grants.Kappa()
	require.NoError(t, err)
	assert.InDelta(t, 0.4, k, 1e-12)
}

// TestPassHat: τ-bench's estimator against every subset counted by hand.
func TestPassHat(t *testing.T) {
	tasks := []stats.Rate{{4, 4}, {2, 4}, {0, 4}, {1, 2}}
	for k, want := range map[int]float64{
		1: (1 + 0.5 + 0 + 0.5) / 4,
		2: (1 + 1.0/6 + 0 + 0) / 4,
		3: (1 + 0 + 0) / 3.0,
		4: (1 + 0 + 0) / 3.0,
	} {
		got, used, err := stats.PassHat(k, tasks)
		require.NoError(t, err)
		assert.InDelta(t, want, got, 1e-12, "pass^%d", k)
		assert.Equal(t, map[int]int{1: 4, 2: 4, 3: 3, 4: 3}[k], used, "pass^%d: tasks with too few trials are left out", k)
	}
	got, _, err := stats.PassHat(5, []stats.Rate{{12, 20}})
	require.NoError(t, err)
	assert.InDelta(t, float64(combin.Binomial(12, 5))/float64(combin.Binomial(20, 5)), got, 1e-12)
	_, _, err = stats.PassHat(5, tasks)
	require.ErrorContains(t, err, "no task has 5 scored trials")
}
