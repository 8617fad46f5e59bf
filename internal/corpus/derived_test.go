package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
)

func TestDerivedTracks(t *testing.T) {
	for _, tt := range []struct {
		track, base corpus.Track
		section     corpus.Section
		cohort      corpus.Level
	}{
		{corpus.Single, corpus.Single, corpus.Native, ""},
		{corpus.Benign, corpus.Benign, corpus.Native, ""},
		{corpus.Recorded, corpus.Recorded, corpus.Native, ""},
		{"last-from-l4", corpus.Single, corpus.Crossed, corpus.L4},
		{"all-from-l1", corpus.Multi, corpus.Crossed, corpus.L1},
		{"last-varied", corpus.Single, corpus.Varied, ""},
		{"all-varied", corpus.Multi, corpus.Varied, ""},
		{"all-from-l6", "all-from-l6", corpus.Native, ""},
	} {
		assert.Equal(t, tt.base, tt.track.Base(), tt.track)
		assert.Equal(t, tt.section, tt.track.Section(), tt.track)
		assert.Equal(t, tt.cohort, tt.track.Cohort(), tt.track)
	}
	crossed, varied := corpus.DerivedTracks(corpus.Crossed), corpus.DerivedTracks(corpus.Varied)
	assert.Len(t, crossed, 10)
	assert.Equal(t, []corpus.Track{"all-varied", "last-varied"}, varied)
	all := slices.Concat(corpus.Tracks(), []corpus.Track{corpus.Recorded}, crossed, varied)
	for _, a := range all {
		for _, b := range all {
			assert.False(t, a != b && strings.Contains(string(a), string(b)), "%s holds %s", a, b)
		}
	}
}

func TestWith(t *testing.T) {
	attack := func(id corpus.AttackID, level corpus.Level, messages ...string) corpus.Attack {
		return corpus.Attack{ID: id, Level: level, Messages: messages}
	}
	for _, tt := range []struct {
		name    string
		track   corpus.Track
		attacks []corpus.Attack
		want    string
		reason  string
	}{
		{"other levels", "all-varied", []corpus.Attack{attack("b", "l1", "x"), attack("a", "l2", "x")}, "", "another system prompt"},
		{"the same words", "all-varied", []corpus.Attack{attack("a", "l1", "x"), attack("b", "l1", "x")}, "messages begin like those of", "one key, two goals"},
		{"a beginning", "all-varied", []corpus.Attack{attack("a", "l1", "x"), attack("b", "l1", "x", "y")}, "messages begin like those of", "the first would pay in the second"},
		{"the last alone", "last-varied", []corpus.Attack{attack("a", "l1", "x"), attack("b", "l1", "x", "y")}, "", "only the last is replayed"},
		{"a native track", corpus.Multi, nil, `track "multi" is not derived`, "attacks come from files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := corpus.Corpus{}.With(tt.track, tt.attacks)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want, tt.reason)
				return
			}
			require.NoError(t, err, tt.reason)
			assert.NotEmpty(t, got.Select("l1", tt.track))
			assert.Empty(t, got.Select("l1", corpus.Multi))
		})
	}
	long, err := corpus.Corpus{}.With("all-varied", []corpus.Attack{attack("a", "l1", "x", "y")})
	require.NoError(t, err)
	require.ErrorContains(t, long.Fits(map[corpus.Level]corpus.LevelSpec{"l1": {TurnLimit: 1, StepLimit: 9}}), "2 messages")
}
