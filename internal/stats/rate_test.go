package stats_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/stats"
)

func TestBoundsOfZero(t *testing.T) {
	// The paper's headline: 0 of 69,297 evaluations in 790 sessions.
	exact, err := stats.ZeroBound(69297)
	require.NoError(t, err)
	assert.InDelta(t, 0.000043, exact, 0.0000005, "0.0043%% as published")
	session, err := stats.RuleOfThree(790)
	require.NoError(t, err)
	assert.InDelta(t, 0.0038, session, 0.00001, "0.38%% as published")
}

func TestRuleOfThreeIsARate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sessions int
		want     float64
		reason   string
	}{
		{"one session", 1, 1, "3/1 is no rate: the bound says nothing"},
		{"three sessions", 3, 1, "3/3"},
		{"four sessions", 4, 0.75, "3/4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := stats.RuleOfThree(tt.sessions)
			require.NoError(t, err)
			assert.InDelta(t, tt.want, got, 1e-12, tt.reason)
		})
	}
}

func TestUndefined(t *testing.T) {
	_, err := stats.ZeroBound(0)
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = stats.RuleOfThree(0)
	require.ErrorIs(t, err, stats.ErrUndefined)
	for _, r := range []stats.Rate{{}, {Hits: -1, N: 2}, {Hits: 3, N: 2}} {
		_, err = r.Wilson()
		require.ErrorIs(t, err, stats.ErrUndefined)
		_, err = r.ClopperPearson()
		require.ErrorIs(t, err, stats.ErrUndefined)
	}
	assert.Equal(t, "0/0", stats.Rate{}.String())
}
