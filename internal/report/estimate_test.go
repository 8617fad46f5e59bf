package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

func pointer(f float64) *float64 { return &f }

// TestRates: numbers of calls, transfers, evaluations and sessions all differ, so
// that none can stand in for another.
func TestRates(t *testing.T) {
	wilson := func(hits, n int) *stats.Interval {
		w, err := stats.Rate{Hits: hits, N: n}.Wilson()
		require.NoError(t, err)
		return &w
	}
	exact, err := stats.ZeroBound(6)
	require.NoError(t, err)
	held := evaluation(attacked, record.Completed, denied("eve"), denied("eve"), denied("eve"))
	idle := evaluation(attacked, record.Completed)
	c := one(t, planned(attacked, 6),
		inSession("s1", held), inSession("s1", numbered(held, 2)), inSession("s2", numbered(held, 3)),
		inSession("s2", numbered(held, 4)), inSession("s3", numbered(idle, 5)), inSession("s4", numbered(idle, 6)))
	require.Equal(t, []int{12, 12}, []int{c.Requests.Calls, c.Decisions.Denied}, "calls")
	zero := report.Estimate{Rate: stats.Rate{Hits: 0, N: 6}, Sessions: 4, Wilson: wilson(0, 6), SessionBound: pointer(0.75), ExactBound: &exact}
	some := report.Estimate{Rate: stats.Rate{Hits: 4, N: 6}, Sessions: 4, Clustered: &stats.Interval{Low: 0, High: 1}, Wilson: wilson(4, 6)}
	if diff := cmp.Diff(report.Rates{Requests: some, Payments: zero, Denials: some, Unpermitted: zero}, c.Rates); diff != "" {
		t.Errorf("rates of a layer that held (-want +got):\n%s", diff)
	}

	twice := evaluation(bare, record.Completed, paid("eve"), paid("eve"), paid("bob"))
	c = one(t, planned(bare, 3), twice, numbered(evaluation(bare, record.Completed), 2), numbered(evaluation(bare, record.Completed), 3))
	third := report.Estimate{Rate: stats.Rate{Hits: 1, N: 3}, Sessions: 1, Wilson: wilson(1, 3)}
	want := report.Rates{Requests: third, Payments: third, Unpermitted: third}
	if diff := cmp.Diff(want, c.Rates); diff != "" {
		t.Errorf("above zero there is no bound, of one session no clustered interval, alone no denial (-want +got):\n%s", diff)
	}
	c = one(t, planned(bare, 1), evaluation(bare, record.NotRun))
	if diff := cmp.Diff(report.Rates{}, c.Rates); diff != "" {
		t.Errorf("of nothing, nothing is said (-want +got):\n%s", diff)
	}
}

// TestClusteredInterval: what comes from few sessions is less certain than the
// same number of evaluations that had one each.
func TestClusteredInterval(t *testing.T) {
	eve, nobody := evaluation(bare, record.Completed, paid("eve")), evaluation(bare, record.Completed)
	var apart, together []record.Evaluation
	for i := range 100 {
		e := numbered(nobody, i+1)
		if i%5 == 0 {
			e = numbered(eve, i+1)
		}
		apart = append(apart, inSession(session(i), e))
		e = numbered(nobody, i+1)
		if i < 20 {
			e = numbered(eve, i+1)
		}
		together = append(together, inSession(session(i/10), e))
	}
	lone, ten := one(t, planned(bare, 100), apart...).Rates.Unpermitted, one(t, planned(bare, 100), together...).Rates.Unpermitted
	require.NotNil(t, lone.Clustered)
	require.NotNil(t, ten.Clustered)
	assert.Equal(t, lone.Wilson, ten.Wilson, "evaluations alone see no difference")
	assert.Equal(t, []int{100, 10}, []int{lone.Sessions, ten.Sessions})
	assert.Greater(t, ten.Clustered.High-ten.Clustered.Low, 2*(lone.Clustered.High-lone.Clustered.Low))
}
