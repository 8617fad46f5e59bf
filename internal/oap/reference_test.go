package oap_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/oap/reference"
)

// generated is how many requests a proof over generated requests takes. It is
// sequential: the race detector finds nothing in its length.
func generated() (requests int, long bool) {
	if os.Getenv("VAULT_LONG") == "1" && !raced {
		return 1_000_000, true
	}
	return 20_000, false
}

var profiles = []oap.Profile{oap.ProfileOAP, oap.ProfilePublished}

// TestEngineDecidesAsTheReference: allow, code, rule and all reasons of each
// request of generated conversations under generated passports.
func TestEngineDecidesAsTheReference(t *testing.T) {
	pack, tally := shippedPack(t), oaptest.NewTally()
	requests, long := generated()
	oaptest.Check(t, requests, long, func(rt *rapid.T) {
		raw := oaptest.Passport(rt)
		profile := rapid.SampledFrom(profiles).Draw(rt, "profile")
		policy := oaptest.Policy(rt, raw, profile == oap.ProfilePublished)
		engine, spent := generatedLayer(rt, raw, pack, profile).Open(), policy.Open()
		for step := range oaptest.Steps {
			req := oaptest.Request(rt, policy, spent, step)
			want := spent.Decide(req)
			got, err := engine.Authorize(context.Background(), req)
			if err != nil || !decidedAs(got, want) {
				rt.Fatalf("Authorize(%+v) = %s %v, %v, want %v\nunder %s", req, got.Effect, reasonsOf(got), err, want, raw)
			}
			tally.Add(want)
			settle(rt, engine, spent, req, got)
		}
	})
	tally.Check(t)
}

func generatedLayer(t *rapid.T, raw []byte, pack oap.PolicyPack, profile oap.Profile) *oap.Layer {
	passport, err := oap.ParsePassport("generated.json", raw)
	if err != nil {
		t.Fatalf("ParsePassport: %v\n%s", err, raw)
	}
	layer, err := oap.NewLayer(passport, pack, profile)
	if err != nil {
		t.Fatalf("NewLayer: %v\n%s", err, raw)
	}
	return layer
}

// decidedAs compares the whole answer; the reference's empty list is an allowed
// request, which an engine gives one reason for.
func decidedAs(got authz.Decision, want []reference.Denial) bool {
	if len(want) == 0 {
		return got.Effect == authz.Allow && slices.Equal(reasonsOf(got), []judged{{string(oap.ChargePack), authz.ReasonAllowed}})
	}
	return got.Effect == authz.Deny && slices.EqualFunc(reasonsOf(got), want, func(g judged, w reference.Denial) bool {
		return g.Rule == w.Rule && g.Code == w.Code
	})
}

// settle ends an allowed payment: mostly the ledger executes it.
func settle(t *rapid.T, engine *oap.Engine, spent *reference.Conversation, req authz.Request, d authz.Decision) {
	if !d.Allowed() {
		return
	}
	executed := rapid.SampledFrom([]bool{true, true, true, false}).Draw(t, "executed")
	engine.Settle(req, executed)
	if !executed {
		spent.Release(req)
	}
}
