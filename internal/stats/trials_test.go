package stats_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/stats"
)

func TestTrialVariance(t *testing.T) {
	for _, tt := range []struct {
		name            string
		tasks           []stats.Rate
		within, between float64
		used            int
		want            string // of the error
		reason          string
	}{
		{"always alike", []stats.Rate{{Hits: 3, N: 3}, {Hits: 0, N: 3}}, 0, 0.5, 2, "", "every task repeats itself, and they differ"},
		{"coin", []stats.Rate{{Hits: 1, N: 2}, {Hits: 1, N: 2}}, 0.5, 0, 2, "", "n/(n-1)p(1-p) is 2·1/4"},
		{"mixed", []stats.Rate{{Hits: 1, N: 4}, {Hits: 4, N: 4}, {Hits: 1, N: 1}}, 0.125, 0.28125, 2, "", "(4/3·3/16 + 0)/2; the single trial says nothing"},
		{"one task", []stats.Rate{{Hits: 1, N: 2}}, 0, 0, 1, "two are needed", "no variance over one"},
		{"single trials", []stats.Rate{{Hits: 1, N: 1}, {Hits: 0, N: 1}}, 0, 0, 0, "0 tasks have two scored trials", "nothing was repeated"},
		{"no share", []stats.Rate{{Hits: 3, N: 2}, {Hits: 0, N: 2}}, 0, 0, 0, "variance of 3/2 trials", "not a count"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			within, between, used, err := stats.TrialVariance(tt.tasks)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want, tt.reason)
				require.ErrorIs(t, err, stats.ErrUndefined)
			} else {
				require.NoError(t, err)
			}
			assert.InDelta(t, tt.within, within, 1e-12, tt.reason)
			assert.InDelta(t, tt.between, between, 1e-12, tt.reason)
			assert.Equal(t, tt.used, used)
		})
	}
}
