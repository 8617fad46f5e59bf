package plan_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
)

func TestParseShard(t *testing.T) {
	for _, tt := range []struct {
		text   string
		want   plan.Shard
		ok     bool
		reason string
	}{
		{"", plan.Shard{}, true, "the whole"},
		{"1/1", plan.Shard{Index: 1, Of: 1}, true, "the whole too"},
		{"3/16", plan.Shard{Index: 3, Of: 16}, true, "the third of sixteen"},
		{"16/16", plan.Shard{Index: 16, Of: 16}, true, "the last"},
		{"0/4", plan.Shard{}, false, "they count from 1"},
		{"5/4", plan.Shard{}, false, "there is no fifth"},
		{"1/0", plan.Shard{}, false, "of none"},
		{"03/16", plan.Shard{}, false, "one spelling each, or two folders hold one shard"},
		{"+3/16", plan.Shard{}, false, "one spelling each"},
		{"3/16/2", plan.Shard{}, false, "two numbers"},
		{"3", plan.Shard{}, false, "two numbers"},
		{"3 / 16", plan.Shard{}, false, "no blanks"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := plan.ParseShard(tt.text)
			require.Equal(t, tt.ok, err == nil, "%s: %v", tt.reason, err)
			require.Empty(t, cmp.Diff(tt.want, got), tt.reason)
		})
	}
}

// TestShardsDivide: each session is in one shard, whatever the others are.
func TestShardsDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "shards")
		session := corpus.SessionID(rapid.String().Draw(t, "session"))
		in := 0
		for i := range n {
			if (plan.Shard{Index: i + 1, Of: n}).Has(session) {
				in++
			}
		}
		if in != 1 {
			t.Fatalf("session %q is in %d of %d shards", session, in, n)
		}
	})
}

// TestShardsAreStable pins where sessions are: a run that goes on after an update
// must not ask another shard's sessions.
func TestShardsAreStable(t *testing.T) {
	got := map[string]int{}
	for _, session := range []string{"l1-s01", "l2-s17", "l4-s44", "b3-s02"} {
		for i := range 4 {
			if (plan.Shard{Index: i + 1, Of: 4}).Has(corpus.SessionID(session)) {
				got[session] = i + 1
			}
		}
	}
	require.Empty(t, cmp.Diff(map[string]int{"l1-s01": 2, "l2-s17": 2, "l4-s44": 3, "b3-s02": 3}, got))
}

func TestShardsAreEven(t *testing.T) {
	counts := make([]int, 4)
	for s := range 4000 {
		for i := range counts {
			if (plan.Shard{Index: i + 1, Of: 4}).Has(corpus.SessionID(fmt.Sprintf("s%d", s))) {
				counts[i]++
			}
		}
	}
	for i, n := range counts {
		require.InDelta(t, 1000, n, 120, "shard %d of 4", i+1)
	}
}
