package stats_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/stats"
)

func TestSignFlip(t *testing.T) {
	twenty := make([]int64, 20)
	for i := range twenty {
		twenty[i] = 1
	}
	for _, tt := range []struct {
		name        string
		differences []int64
		want        float64
		reason      string
	}{
		{"none differs", []int64{0, 0, 0}, 1, "no evidence"},
		{"one session", []int64{7}, 1, "either sign is as far from zero"},
		{"all one way", []int64{1, 1, 1, 1, 1}, 2.0 / 32, "two of 2^5 assignments: the exact binomial test"},
		{"one against", []int64{1, 1, 1, 1, -1}, 12.0 / 32, "sums of at least 3 either way: 1+5 twice"},
		{"the large session decides", []int64{10, 1, 1, 1}, 2.0 / 16, "13 either way"},
		{"large against small", []int64{10, -1, -1, -1}, 1, "7: the least that any assignment gives"},
		{"zeros say nothing", []int64{0, 1, 0, 1, 1, 1, 1, 0}, 2.0 / 32, "as without them"},
		{"Darwin's maize", []int64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}, 1726.0 / 32768, "Fisher's own example, The Design of Experiments, section 21: 863 of 32,768 one way"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := stats.SignFlip(tt.differences, 1)
			require.NoError(t, err)
			assert.InDelta(t, tt.want, got, 1e-12, tt.reason)
		})
	}
	drawn, err := stats.SignFlip(twenty, 20260915)
	require.NoError(t, err)
	assert.InDelta(t, 1.0/20_001, drawn, 1e-12, "2^-19 is less than what 20,000 drawn ones show")
	again, err := stats.SignFlip(twenty, 20260915)
	require.NoError(t, err)
	assert.Equal(t, drawn, again, "the seed fixes it")
	_, err = stats.SignFlip(nil, 1)
	require.ErrorIs(t, err, stats.ErrUndefined)
}

// TestSignFlipDrawn: what is drawn comes near what is exact.
func TestSignFlipDrawn(t *testing.T) {
	maize := []int64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	long := append([]int64{1, -1}, maize...) // 17 that differ, the two hardly
	got, err := stats.SignFlip(long, 20260915)
	require.NoError(t, err)
	assert.InDelta(t, 1726.0/32768, got, 0.01)
}
