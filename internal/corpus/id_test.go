package corpus_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
)

// TestSplit holds the one way in which a number is written.
func TestSplit(t *testing.T) {
	type place struct {
		Series string
		Number int
	}
	for _, tt := range []struct {
		name, id, session string
		want              place
		reason            string
	}{
		{"first", "l2-0001", "l2-s01", place{"l2", 1}, "zeros up to the least width"},
		{"full width", "b5-9999", "b5-s9999", place{"b5", 9999}, "a session's width is less"},
		{"longer", "l2-10000", "l2-s10000", place{"l2", 10000}, "a longer number has no zeros"},
		{"padded", "l2-00141", "l2-s045", place{}, "one number has one id"},
		{"short", "l2-141", "l2-s1", place{}, "the same"},
		{"zero", "l2-0000", "l2-s00", place{}, "numbers count from 1"},
		{"more than can be", "l2-9999999999", "l2-s9999999999", place{}, "nine digits are enough, and fit every int"},
		{"no level", "l6-0001", "l6-s01", place{}, "there are five"},
		{"variant", "l2-0001~hex", "l2-s01~hex", place{}, "not given by the tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			series, n := corpus.AttackID(tt.id).Split()
			require.Equal(t, tt.want, place{series, n}, "%s: %s", tt.id, tt.reason)
			series, n = corpus.SessionID(tt.session).Split()
			require.Equal(t, tt.want, place{series, n}, "%s: %s", tt.session, tt.reason)
		})
	}
}

func TestCompare(t *testing.T) {
	want := []corpus.AttackID{"b2-0001", "l1-10000", "l2-", "l2-9999", "l2-9999~hex", "l2-10000", "l2-10000~hex", "l2-99999999999999999999", "suite-2-x", "suite-10"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, corpus.AttackID.Compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Compare: by series and number, then as text (-want +got):\n%s", diff)
	}
}
