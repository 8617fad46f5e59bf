package oap_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
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
	tally := oaptest.NewTally()
	decideAsTheReference(t, shippedPack(t), func(_ *rapid.T, raw []byte) []byte { return raw }, tally.Add)
	tally.Check(t)
}

// TestEngineCountsPayeesAsTheReference: likewise with a cap of a recipient's day and
// currency, which is on a boundary as often as the others.
func TestEngineCountsPayeesAsTheReference(t *testing.T) {
	pack, err := oap.ParsePack(packFile, withRule(t, payeeRule))
	require.NoError(t, err)
	caps := []int64{250000, 1, 100, 5000000, 1<<53 - 1}
	allowed, capped := 0, 0
	decideAsTheReference(t, pack, func(rt *rapid.T, raw []byte) []byte {
		patch := fmt.Sprintf(`{"max_per_payee_day":%d}`, rapid.SampledFrom(caps).Draw(rt, "cap of a recipient's day"))
		if bytes.Contains(raw, []byte(`"payments":{`)) {
			return mergeJSON(t, raw, `{"limits":{"payments":{"charge":`+patch+`}}}`)
		}
		return mergeJSON(t, raw, limits(patch))
	}, func(denials []reference.Denial) {
		if len(denials) == 0 {
			allowed++
		} else if len(denials) == 1 && denials[0].Rule == "payee_day_cap" {
			capped++
		}
	})
	requests, _ := generated()
	require.Greater(t, allowed, requests/10, "hardly anything was paid, so that nothing is counted")
	require.Greater(t, capped, requests/100, "hardly anything was denied by the cap alone")
}

// decideAsTheReference holds the engine against the reference under generated
// passports that change may add to, and hands on what each request came to.
func decideAsTheReference(t *testing.T, pack oap.PolicyPack, change func(*rapid.T, []byte) []byte, add func([]reference.Denial)) {
	t.Helper()
	requests, long := generated()
	oaptest.Check(t, requests, long, func(rt *rapid.T) {
		raw := change(rt, oaptest.Passport(rt))
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
			add(want)
			settle(rt, engine, spent, req, got)
		}
	})
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
