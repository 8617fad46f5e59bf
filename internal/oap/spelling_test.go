package oap_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/spelling"
)

func TestSpelling(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       int
		reason     string
	}{
		{"the same", "daily_cap", "daily_cap", 0, "nothing changes"},
		{"both empty", "", "", 0, "nothing changes"},
		{"one empty", "", "cap", 3, "each is added"},
		{"one more", "region", "regions", 1, "added at the end"},
		{"one less in the middle", "limits", "limts", 1, "left out"},
		{"one changed", "status", "stadus", 1, "one change, not one out and one in"},
		{"two swapped", "form", "from", 2, "a swap is two changes"},
		{"known example", "kitten", "sitting", 3, "Levenshtein's own kind of distance"},
		{"nothing in common", "abc", "xyz", 3, "each is changed"},
		{"bytes, not letters", "é", "e", 2, "é has two bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, spelling.Edits(tt.a, tt.b), tt.reason)
			assert.Equal(t, tt.want, spelling.Edits(tt.b, tt.a), "either way round")
		})
	}
}
