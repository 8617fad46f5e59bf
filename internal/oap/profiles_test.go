package oap_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

// TestTwoProfilesTwoDifferences: at the five shipped levels the profiles differ
// in the audit code of Level 4 and in the capability's code at Level 5, and in
// nothing else.
func TestTwoProfilesTwoDifferences(t *testing.T) {
	var layers [5][2]*oap.Layer
	for i := range layers {
		for j, profile := range profiles {
			layers[i][j] = shippedLayer(t, levelFile(i+1), profile)
		}
	}
	requests, long := 25_000, false
	if _, long = generated(); long {
		requests *= 10
	}
	seen := map[string]int{}
	oaptest.Check(t, requests, long, func(rt *rapid.T) {
		level := rapid.IntRange(1, 5).Draw(rt, "level")
		policy := oaptest.Policy(rt, shippedBytes(t, levelFile(level)), false)
		spent, paper, published := policy.Open(), layers[level-1][0].Open(), layers[level-1][1].Open()
		for step := range oaptest.Steps {
			req := oaptest.Request(rt, policy, spent, step)
			spent.Decide(req) // what the next request is drawn by
			got, other := decideBoth(rt, paper, published, req)
			if want := asPublished(level, reasonsOf(got)); !slices.Equal(reasonsOf(other), want) {
				rt.Fatalf("Authorize(%+v) at level %d: oap %v, published %v, want %v", req, level, reasonsOf(got), reasonsOf(other), want)
			}
			seen[fmt.Sprint("level ", level)]++
			if !slices.Equal(reasonsOf(got), reasonsOf(other)) {
				seen[fmt.Sprint("differ at level ", level)]++
			}
		}
	})
	t.Log(seen)
	for _, must := range []string{"differ at level 4", "differ at level 5"} {
		if seen[must] < requests/100 {
			t.Errorf("%s: %d cases, want at least %d", must, seen[must], requests/100)
		}
	}
}

func levelFile(level int) string { return fmt.Sprintf("level-%d.json", level) }

// decideBoth asks both profiles with the same past: what published alone allows
// is given back.
func decideBoth(t *rapid.T, paper, published *oap.Engine, req authz.Request) (got, other authz.Decision) {
	got, err := paper.Authorize(context.Background(), req)
	if err != nil {
		t.Fatalf("Authorize(%+v): %v", req, err)
	}
	if other, err = published.Authorize(context.Background(), req); err != nil {
		t.Fatalf("Authorize(%+v): %v", req, err)
	}
	if other.Allowed() {
		published.Settle(req, got.Allowed())
	}
	return got, other
}

// asPublished is what the published profile must say where the paper's says this.
func asPublished(level int, paper []judged) []judged {
	out := slices.Clone(paper)
	switch level {
	case 4:
		out = slices.DeleteFunc(out, func(j judged) bool { return j == judged{"audit_code_required", authz.ReasonAuditCodeMissing} })
		if len(out) == 0 {
			return []judged{{string(oap.ChargePack), authz.ReasonAllowed}}
		}
	case 5:
		if out[0] == (judged{"capability", authz.ReasonCapabilityMissing}) {
			out[0].Code = authz.ReasonUnknownCapability
		}
	}
	return out
}
