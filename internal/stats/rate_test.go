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

func TestWilson(t *testing.T) {
	// Worked example: 81 of 263, 95% score interval 0.2553 to 0.3662
	// (Newcombe, R. G. (1998), Statistics in Medicine 17, 857–872, table I).
	got, err := stats.Rate{Hits: 81, N: 263}.Wilson()
	require.NoError(t, err)
	assert.InDelta(t, 0.2553, got.Low, 0.00005)
	assert.InDelta(t, 0.3662, got.High, 0.00005)

	zero, err := stats.Rate{Hits: 0, N: 20}.Wilson()
	require.NoError(t, err)
	assert.Zero(t, zero.Low)
	assert.Greater(t, zero.High, 0.1, "a zero out of twenty is no certainty")
}

func TestUndefined(t *testing.T) {
	_, err := stats.ZeroBound(0)
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = stats.RuleOfThree(0)
	require.ErrorIs(t, err, stats.ErrUndefined)
	_, err = stats.Rate{}.Wilson()
	require.ErrorIs(t, err, stats.ErrUndefined)
	assert.Equal(t, "0/0", stats.Rate{}.String())
}
