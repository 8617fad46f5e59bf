package oap_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// vectorsDir holds the published vectors, read in place.
const vectorsDir = "../../../shared/oap/vectors/finance.payment.charge.v1"

// contradiction is a vector that the pack's own rules answer otherwise.
type contradiction struct {
	want   judged
	code   bool // the published code disagrees, not the rule alone
	reason string
}

// contradictions pins where the published expectation and the pack's rules part.
// Numbers are those of NOTES.md.
var contradictions = map[string]contradiction{
	"deny_daily_cap_exceeded_step1": {judged{"per_tx_amount_cap", authz.ReasonLimitExceeded}, true,
		"item 2: 60,000 minor units are allowed although max_per_tx is 20,000; the pack's fourth rule denies"},
	"deny_daily_cap_exceeded_step2": {judged{"per_tx_amount_cap", authz.ReasonLimitExceeded}, false,
		"item 10: the code agrees, by the cap of one payment: step 1 moved nothing, so the daily cap is far off"},
}

// ruleOf says which rule each vector is about, as its name has it.
var ruleOf = map[string]string{
	"allow_usd_12_99": "finance.payment.charge.v1", "allow_eur_10": "finance.payment.charge.v1",
	"deny_currency_unsupported": "currency_supported", "deny_over_per_tx": "per_tx_amount_cap", "deny_items_exceeded": "item_count_cap",
	"deny_merchant_forbidden": "merchant_allowed", "deny_country_blocked": "country_allowed", "deny_category_blocked": "category_block",
	"deny_daily_cap_exceeded_step1": "finance.payment.charge.v1", "deny_daily_cap_exceeded_step2": "daily_cap_check",
	"deny_idempotency_replay": "idempotency_check", "deny_assurance_insufficient": "assurance_minimum",
}

// vector is a line of contexts.jsonl with the published answer to it.
type vector struct {
	Name     string          `json:"name"`
	Override json.RawMessage `json:"overridePassport"`
	Context  json.RawMessage `json:"context"`
	want     authz.DenialReason
}

// deciders are the two ways in which the vectors are decided: our own pack asked
// about a payment, and the published one asked about the context as it stands.
var deciders = []struct {
	name   string
	pack   func(*testing.T) oap.PolicyPack
	decide func(*testing.T, *oap.Engine, []byte) authz.Decision
}{
	{"our pack", func(t *testing.T) oap.PolicyPack { return shippedPack(t) }, func(t *testing.T, e *oap.Engine, context []byte) authz.Decision {
		var req authz.Request
		dec := json.NewDecoder(bytes.NewReader(context))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&req))
		req.At = morning
		return ask(t, e, req)
	}},
	{"published pack", func(t *testing.T) oap.PolicyPack { return publishedPack(t, oap.ChargePack) }, func(_ *testing.T, e *oap.Engine, context []byte) authz.Decision {
		return e.DecideContext(context, morning)
	}},
}

// TestPublishedVectors decides the vectors in file order on one state, in the
// published profile. An item without a price gets one (NOTES.md, item 3).
func TestPublishedVectors(t *testing.T) {
	for i, decider := range deciders {
		for _, got := range decideVectors(t, i, true) {
			name := got.name
			t.Run(decider.name+"/"+name, func(t *testing.T) {
				want := judged{ruleOf[name], got.published}
				c, pinned := contradictions[name]
				if pinned {
					require.Equal(t, c.code, c.want.Code != got.published, "the contradiction is as NOTES.md has it")
					want = c.want
				}
				if diff := cmp.Diff([]judged{want}, got.reasons); diff != "" {
					t.Errorf("decide %s: %s (-want +got):\n%s", name, c.reason, diff)
				}
			})
		}
	}
}

// TestPublishedVectorsWithoutPrice: as they were published, no vector gets past
// the pack's own schema (NOTES.md, item 3), but for the one that an earlier gate
// ends.
func TestPublishedVectorsWithoutPrice(t *testing.T) {
	for i, decider := range deciders {
		for _, got := range decideVectors(t, i, false) {
			want := judged{"context_schema", authz.ReasonInvalidContext}
			if got.name == "deny_assurance_insufficient" {
				want = judged{"assurance_minimum", authz.ReasonAssurance}
			}
			if diff := cmp.Diff([]judged{want}, got.reasons); diff != "" {
				t.Errorf("%s: decide %s (-want +got):\n%s", decider.name, got.name, diff)
			}
		}
	}
}

type answer struct {
	name      string
	reasons   []judged
	published authz.DenialReason
}

func decideVectors(t *testing.T, way int, priced bool) []answer {
	t.Helper()
	vectors := loadVectors(t)
	p, err := oap.ParsePassport("passport.instance.json", upstream(t, "passport.instance.json"))
	require.NoError(t, err, "the published passport fits our schema as it stands")
	l, err := oap.NewLayer(p, deciders[way].pack(t), oap.ProfilePublished)
	require.NoError(t, err, "it has no audit_code_required, which the published profile does not read")
	e := l.Open()
	var out []answer
	for _, v := range vectors {
		require.Contains(t, ruleOf, v.Name)
		layer, context := l, []byte(v.Context)
		if priced {
			context = withPrices(t, v)
		}
		if v.Override != nil {
			layer = withPatch(t, l, string(v.Override))
		}
		d := deciders[way].decide(t, e.Under(layer), context)
		out = append(out, answer{v.Name, reasonsOf(d), v.want})
	}
	require.Len(t, out, len(ruleOf), "one answer a vector, and every vector known")
	return out
}

// withPrices is the vector's context with the amount as each item's price.
func withPrices(t *testing.T, v vector) []byte {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(v.Context, &doc))
	for _, item := range doc["items"].([]any) {
		require.NotContains(t, item, "price", "%s: the published items have no price", v.Name)
		item.(map[string]any)["price"] = doc["amount"]
	}
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	return raw
}

// loadVectors joins contexts.jsonl and expected.jsonl, which has no names, by order.
func loadVectors(t *testing.T) []vector {
	t.Helper()
	contexts, expected := jsonLines(t, "contexts.jsonl"), jsonLines(t, "expected.jsonl")
	require.Len(t, expected, len(contexts))
	var vectors []vector
	for i, line := range contexts {
		var v vector
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&v), "contexts.jsonl:%d", i+1)
		v.want = expectedCode(t, expected[i])
		vectors = append(vectors, v)
	}
	return vectors
}

// expectedCode reads a published decision.
func expectedCode(t *testing.T, raw []byte) authz.DenialReason {
	t.Helper()
	var e struct {
		Allow   bool           `json:"allow"`
		Reasons []authz.Reason `json:"reasons"`
	}
	require.NoError(t, json.Unmarshal(raw, &e))
	require.Len(t, e.Reasons, 1)
	require.Equal(t, e.Allow, e.Reasons[0].Code == authz.ReasonAllowed)
	return e.Reasons[0].Code
}

// TestPackFollowsUpstream: in the published profile our pack has upstream's
// rules: the same names, conditions and codes in the same order.
func TestPackFollowsUpstream(t *testing.T) {
	type rule struct {
		Name      string             `json:"name"`
		Condition string             `json:"condition"`
		DenyCode  authz.DenialReason `json:"deny_code"`
	}
	type pack struct {
		ID           oap.PackID         `json:"id"`
		Capabilities []oap.CapabilityID `json:"requires_capabilities"`
		MinAssurance oap.AssuranceLevel `json:"min_assurance"`
		Rules        []rule             `json:"evaluation_rules"`
	}
	var want pack
	require.NoError(t, json.Unmarshal(upstream(t, "policy.json"), &want))
	ours := shippedPack(t)
	got := pack{ours.ID, ours.RequiresCapabilities, ours.MinAssurance, nil}
	for _, r := range ours.Rules {
		if len(r.Profiles) == 0 {
			got.Rules = append(got.Rules, rule{r.Name, r.Condition, r.DenyCode})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pack (-upstream +ours):\n%s", diff)
	}
}

func jsonLines(t *testing.T, file string) [][]byte {
	t.Helper()
	return bytes.Split(bytes.TrimSpace(upstream(t, file)), []byte("\n"))
}

// upstream reads a published file of the charge pack, or skips the test where
// they are absent.
func upstream(t *testing.T, file string) []byte {
	t.Helper()
	return sharedFile(t, vectorsDir, file)
}

// sharedFile reads a published file, or skips the test where they are absent.
func sharedFile(t *testing.T, dir, file string) []byte {
	t.Helper()
	if _, err := os.Stat(vectorsDir); os.IsNotExist(err) {
		t.Skipf("published vectors are absent: no folder %s", vectorsDir)
	}
	raw, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	return raw
}

// publishedPack is a pack of the folder vectors, as it was published.
func publishedPack(t *testing.T, id oap.PackID) oap.PolicyPack {
	t.Helper()
	file := string(id) + "/policy.json"
	pack, err := oap.ParsePack(file, sharedFile(t, vectorsDir+"/..", file))
	require.NoError(t, err)
	require.Equal(t, id, pack.ID)
	return pack
}
