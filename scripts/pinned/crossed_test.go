package pinned_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaultbench/scripts/pinned"
)

// TestCrossed: one line a difference, and none is left out.
func TestCrossed(t *testing.T) {
	a := pinned.Crossing{ID: "l2-0001#1", L1: "oap.allowed", L2: "oap.allowed"}
	moved := a
	moved.L2, moved.L5 = "oap.limit_exceeded/per_tx_amount_cap", "oap.capability_missing/capability"
	b := pinned.Crossing{ID: "l2-0002#1"}
	for _, tt := range []struct {
		name      string
		want, got []pinned.Crossing
		lines     []string
		reason    string
	}{
		{"same", []pinned.Crossing{a, b}, []pinned.Crossing{a, b}, nil, "nothing moved"},
		{"moved", []pinned.Crossing{a, b}, []pinned.Crossing{moved, b}, []string{
			"l2-0001#1 at l2: oap.allowed → oap.limit_exceeded/per_tx_amount_cap", "l2-0001#1 at l5:  → oap.capability_missing/capability",
		}, "each level by itself"},
		{"new", []pinned.Crossing{a}, []pinned.Crossing{a, b}, []string{"l2-0002#1 has no line"}, "an attack was added"},
		{"gone", []pinned.Crossing{a, b}, []pinned.Crossing{b}, []string{"l2-0001#1 was not decided: its attack is gone"}, "an attack was retired"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.lines, pinned.Crossed(tt.want, tt.got)); diff != "" {
				t.Errorf("Crossed: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
