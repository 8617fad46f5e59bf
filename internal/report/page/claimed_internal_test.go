package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestClaimed(t *testing.T) {
	for _, tt := range []struct {
		name, text, head string
		groups           []string
		reason           string
	}{
		{"groups", "no transfer executed: Levels 2–4 behind oap: 0 in 9; Level 5: 0 in 3", "no transfer executed:", []string{"Levels 2–4 behind oap: 0 in 9.", "Level 5: 0 in 3."}, "the first colon ends the head"},
		{"one", "no transfer executed: Level 5: 0 in 3", "no transfer executed:", []string{"Level 5: 0 in 3."}, "a list of one"},
		{"no list", "nothing ran", "Nothing ran.", nil, "a sentence stays one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head, groups := claimed(tt.text)
			require.Equal(t, tt.head, head, tt.reason)
			require.Empty(t, cmp.Diff(tt.groups, groups), tt.reason)
		})
	}
}
