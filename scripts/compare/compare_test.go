package compare_test

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/oap/reference"
	"vaultbench/passports"
	"vaultbench/scripts/compare"
)

// requests is how many each of the two comparisons takes at least.
const requests = 20_000

// TestEngineReferenceAndCedarDecideAlike: allow, code, rule and all reasons, the
// same by the engine, by the reference and by Cedar.
func TestEngineReferenceAndCedarDecideAlike(t *testing.T) {
	c, err := compare.NewCedar()
	if err != nil {
		t.Fatal(err)
	}
	n, long := requests, os.Getenv("VAULT_LONG") == "1"
	if long {
		n = 1_000_000
	}
	compareAll(t, n, long, func(t *rapid.T, p *reference.Policy) []other {
		return []other{{"Cedar", c.Under(p)}}
	})
}

// TestCELAndOPADecideAlike: the same by CEL and by OPA, which take longer.
func TestCELAndOPADecideAlike(t *testing.T) {
	c, err := compare.NewCEL()
	if err != nil {
		t.Fatal(err)
	}
	r, err := compare.NewRego(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	compareAll(t, requests, false, func(t *rapid.T, p *reference.Policy) []other {
		module, err := r.Under(p)
		if err != nil {
			t.Fatalf("Under: %v", err)
		}
		return []other{{"CEL", c.Under(p)}, {"OPA", module}}
	})
}

// other is an engine that somebody else wrote, with the policy and a passport.
type other struct {
	name   string
	policy interface {
		Failed(r *authz.Request, spent *reference.Day) ([]string, error)
	}
}

// conversation is one passport and its past, in the engine and in the reference.
type conversation struct {
	*rapid.T
	passport []byte
	engine   *oap.Engine
	policy   *reference.Policy
	spent    *reference.Conversation
	order    *compare.Order
	others   []other
}

func compareAll(t *testing.T, n int, long bool, under func(*rapid.T, *reference.Policy) []other) {
	t.Helper()
	pack, orders := shippedPack(t)
	tally := oaptest.NewTally()
	oaptest.Check(t, n, long, func(rt *rapid.T) {
		published := rapid.Bool().Draw(rt, "published")
		c := conversation{T: rt, passport: oaptest.Passport(rt), order: orders[published]}
		c.policy = oaptest.Policy(rt, c.passport, published)
		c.spent, c.engine, c.others = c.policy.Open(), openEngine(rt, c.passport, pack, published), under(rt, c.policy)
		for step := range oaptest.Steps {
			tally.Add(c.decide(oaptest.Request(rt, c.policy, c.spent, step)))
		}
	})
	tally.Check(t)
}

// decide asks all about one request, each with the same past.
func (c conversation) decide(req authz.Request) []reference.Denial {
	want := c.policy.Decide(&req, c.spent.On(req.At))
	for _, o := range c.others {
		failed, err := o.policy.Failed(&req, c.spent.On(req.At))
		if got := c.order.Denials(failed); err != nil || !slices.Equal(got, want) {
			c.Fatalf("%s(%+v) = %v, %v, reference %v\nunder %s", o.name, req, got, err, want, c.passport)
		}
	}
	c.spent.Decide(req)
	d, err := c.engine.Authorize(context.Background(), req)
	if err != nil || !slices.Equal(denials(d), want) || d.Allowed() != (len(want) == 0) {
		c.Fatalf("Authorize(%+v) = %s %v, %v, reference %v\nunder %s", req, d.Effect, denials(d), err, want, c.passport)
	}
	if d.Allowed() && rapid.SampledFrom([]bool{true, true, true, false}).Draw(c.T, "executed") {
		c.engine.Settle(req, true)
	} else if d.Allowed() {
		c.engine.Settle(req, false)
		c.spent.Release(req)
	}
	return want
}

// denials are the reasons of a denied decision, without the text for people.
func denials(d authz.Decision) (out []reference.Denial) {
	for _, r := range d.Reasons {
		if r.Code != authz.ReasonAllowed {
			out = append(out, reference.Denial{Rule: r.Rule, Code: r.Code})
		}
	}
	return out
}

// shippedPack is the pack, and its order by whether the profile is the published one.
func shippedPack(t testing.TB) (oap.PolicyPack, map[bool]*compare.Order) {
	t.Helper()
	pack, err := oap.LoadPack(passports.FS, oap.ChargePack)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := fs.ReadFile(passports.FS, "packs/"+string(oap.ChargePack)+".json")
	if err != nil {
		t.Fatal(err)
	}
	orders := map[bool]*compare.Order{}
	for _, published := range []bool{false, true} {
		if orders[published], err = compare.ReadOrder(raw, published); err != nil {
			t.Fatal(err)
		}
	}
	return pack, orders
}

func openEngine(t *rapid.T, passport []byte, pack oap.PolicyPack, published bool) *oap.Engine {
	p, err := oap.ParsePassport("generated.json", passport)
	if err != nil {
		t.Fatalf("ParsePassport: %v\n%s", err, passport)
	}
	layer, err := oap.NewLayer(p, pack, profile(published))
	if err != nil {
		t.Fatalf("NewLayer: %v\n%s", err, passport)
	}
	return layer.Open()
}

func profile(published bool) oap.Profile {
	if published {
		return oap.ProfilePublished
	}
	return oap.ProfileOAP
}
