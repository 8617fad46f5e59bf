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
	Context  authz.Request   `json:"context"`
	want     authz.DenialReason
}

// TestPublishedVectors decides the vectors in file order on one state, in the
// published profile. An item without a price gets one (NOTES.md, item 3).
func TestPublishedVectors(t *testing.T) {
	for _, got := range decideVectors(t, true) {
		name := got.name
		t.Run(name, func(t *testing.T) {
			want := judged{ruleOf[name], got.published}
			c, pinned := contradictions[name]
			if pinned {
				require.Equal(t, c.code, c.want.Code != got.published, "the contradiction is as NOTES.md has it")
				want = c.want
			}
			if diff := cmp.Diff([]judged{want}, got.reasons); diff != "" {
				t.Errorf("Authorize(%s): %s (-want +got):\n%s", name, c.reason, diff)
			}
		})
	}
}

// TestPublishedVectorsWithoutPrice: as they were published, no vector gets past
// the pack's own schema (NOTES.md, item 3), but for the one that an earlier gate
// ends.
func TestPublishedVectorsWithoutPrice(t *testing.T) {
	for _, got := range decideVectors(t, false) {
		want := judged{"context_schema", authz.ReasonInvalidContext}
		if got.name == "deny_assurance_insufficient" {
			want = judged{"assurance_minimum", authz.ReasonAssurance}
		}
		if diff := cmp.Diff([]judged{want}, got.reasons); diff != "" {
			t.Errorf("Authorize(%s) (-want +got):\n%s", got.name, diff)
		}
	}
}

type answer struct {
	name      string
	reasons   []judged
	published authz.DenialReason
}

func decideVectors(t *testing.T, priced bool) []answer {
	t.Helper()
	vectors := loadVectors(t)
	p, err := oap.ParsePassport("passport.instance.json", upstream(t, "passport.instance.json"))
	require.NoError(t, err, "the published passport fits our schema as it stands")
	l, err := oap.NewLayer(p, shippedPack(t), oap.ProfilePublished)
	require.NoError(t, err, "it has no audit_code_required, which the published profile does not read")
	e := l.Open()
	var out []answer
	for _, v := range vectors {
		req, layer := v.Context, l
		req.At = morning
		for i := range req.Items {
			require.Zero(t, req.Items[i].Price, "%s: the published items have no price", v.Name)
			if priced {
				req.Items[i].Price = req.Amount
			}
		}
		if v.Override != nil {
			layer = withPatch(t, l, string(v.Override))
		}
		d := ask(t, e.Under(layer), req)
		if d.Allowed() {
			e.Settle(req, true)
		}
		require.Contains(t, ruleOf, v.Name)
		out = append(out, answer{v.Name, reasonsOf(d), v.want})
	}
	require.Len(t, out, len(ruleOf), "one answer a vector, and every vector known")
	return out
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
		var e struct {
			Allow   bool           `json:"allow"`
			Reasons []authz.Reason `json:"reasons"`
		}
		require.NoError(t, json.Unmarshal(expected[i], &e), "expected.jsonl:%d", i+1)
		require.Len(t, e.Reasons, 1)
		v.want = e.Reasons[0].Code
		require.Equal(t, e.Allow, v.want == authz.ReasonAllowed)
		vectors = append(vectors, v)
	}
	return vectors
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

// upstream reads a published file, or skips the test where they are absent.
func upstream(t *testing.T, file string) []byte {
	t.Helper()
	if _, err := os.Stat(vectorsDir); os.IsNotExist(err) {
		t.Skipf("published vectors are absent: no folder %s", vectorsDir)
	}
	raw, err := os.ReadFile(filepath.Join(vectorsDir, file))
	require.NoError(t, err)
	return raw
}
