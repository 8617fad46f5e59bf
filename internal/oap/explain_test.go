package oap_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// contextJSON is a context that the passport of Level 2 allows, with changes by an
// RFC 7396 merge patch.
func contextJSON(t testing.TB, patch string) []byte {
	t.Helper()
	return mergeJSON(t, []byte(`{"amount":100,"currency":"USD","merchant_id":"invoices@brightwater.example","region":"US",
		"items":[{"sku":"transfer","qty":1,"price":100}],"memo":"invoice 7","idempotency_key":"fresh-key-1"}`), patch)
}

// TestExplain pins what each step says.
func TestExplain(t *testing.T) {
	const reached = "passport_status_active:held capability:held assurance_minimum:held context_schema:held "
	for _, tt := range []struct {
		name, passport, patch string
		want                  string
		reason                string
	}{
		{"allowed", level2, `{}`, reached + "region:held currency_supported:held per_tx_amount_cap:held item_count_cap:held merchant_allowed:held country_allowed:skipped category_block:held audit_code_required:held daily_cap_check:held idempotency_check:held",
			"the country is optional and absent"},
		{"two rules fail", level2, `{"amount":250001,"merchant_id":"eve"}`, reached + "region:held currency_supported:held per_tx_amount_cap:failed item_count_cap:held merchant_allowed:failed country_allowed:skipped category_block:held audit_code_required:held daily_cap_check:held idempotency_check:held",
			"all rules are evaluated"},
		{"no limits of the currency", level2, `{"currency":"EUR"}`, reached + "region:held currency_supported:failed per_tx_amount_cap:overtaken item_count_cap:held merchant_allowed:held country_allowed:skipped category_block:held audit_code_required:held daily_cap_check:overtaken idempotency_check:held",
			"the caps are missing, for which the first rule has denied"},
		{"region", level2, `{"region":"DE"}`, reached + "region:failed" + strings.NewReplacer(",", ":not reached ").Replace(" currency_supported,per_tx_amount_cap,item_count_cap,merchant_allowed,country_allowed,category_block,audit_code_required,daily_cap_check,idempotency_check:not reached"),
			"a gate ends the decision"},
		{"nothing granted", level5, `{}`, "passport_status_active:held capability:failed" + strings.NewReplacer(",", ":not reached ").Replace(" assurance_minimum,context_schema,region,currency_supported,per_tx_amount_cap,item_count_cap,merchant_allowed,country_allowed,category_block,audit_code_required,daily_cap_check,idempotency_check:not reached"),
			"a gate ends the decision"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, steps := shippedLayer(t, tt.passport, oap.ProfileOAP).Open().ExplainContext(contextJSON(t, tt.patch), morning)
			var got []string
			for _, s := range steps {
				got = append(got, s.Name+":"+string(s.Outcome))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("ExplainContext(%s): %s (-want +got):\n%s", tt.patch, tt.reason, diff)
			}
			require.Equal(t, d.Allowed(), tt.name == "allowed")
		})
	}
}

// TestExplainShowsValues: a step shows what it compared, lists written out.
func TestExplainShowsValues(t *testing.T) {
	_, steps := shippedLayer(t, level2, oap.ProfilePublished).Open().ExplainContext(contextJSON(t, `{"amount":7}`), morning)
	values := map[string][]authz.Seen{}
	outcomes := map[string]oap.StepOutcome{}
	for _, s := range steps {
		values[s.Name], outcomes[s.Name] = s.Values, s.Outcome
	}
	require.Equal(t, oap.StepElsewhere, outcomes["audit_code_required"], "the published profile does not have it")
	for _, tt := range []struct {
		step string
		want []authz.Seen
	}{
		{"passport_status_active", []authz.Seen{{Name: "passport.status", Value: `"active"`}, {Name: "passport.expires_at", Value: "2028-01-05T00:00:00Z"}, {Name: "now", Value: "2026-03-06T09:00:00Z"}}},
		{"capability", []authz.Seen{{Name: "requires_capabilities", Value: `["payments.charge"]`}, {Name: "passport.capabilities", Value: `["payments.charge"]`}}},
		{"region", []authz.Seen{{Name: "region", Value: `"US"`}, {Name: "passport.regions", Value: `["US"]`}}},
		{"merchant_allowed", []authz.Seen{{Name: "merchant_id", Value: `"invoices@brightwater.example"`}, {Name: "limits.payments.charge.allowed_merchant_ids", Value: `["invoices@brightwater.example", "payroll@kestrelstaff.example", "rent@oakhall.example"]`}}},
		{"idempotency_check", []authz.Seen{{Name: "idempotency_key", Value: `"fresh-key-1"`}, {Name: "recent_keys", Value: "[]"}}},
	} {
		if diff := cmp.Diff(tt.want, values[tt.step]); diff != "" {
			t.Errorf("values of %s (-want +got):\n%s", tt.step, diff)
		}
	}
}

// TestExplainAgreesWithTheDecision: over random contexts on one state, the steps
// that deny are the decision's reasons, and the decision is that of DecideContext. 8,000
// contexts under VAULT_LONG=1, else 2,000.
func TestExplainAgreesWithTheDecision(t *testing.T) {
	const seed = 20260306
	each := 250
	if _, long := generated(); long {
		each = 1000
	}
	t.Logf("%d contexts a layer, seed %d", each, seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(options ...string) string { return options[rng.IntN(len(options))] }
	allowed := 0
	for _, profile := range profiles {
		for _, file := range []string{"level-1.json", level2, level4, level5} {
			l := shippedLayer(t, file, profile)
			one, other := l.Open(), l.Open()
			for range each {
				raw := contextJSON(t, `{"amount":`+pick("1", "250000", "250001", "100000", "0", "1.5", `"1"`)+`,"currency":`+pick(`"USD"`, `"USD"`, `"EUR"`, "null")+
					`,"merchant_id":`+pick(`"settlements@graymoor.example"`, `"invoices@brightwater.example"`, `"eve"`)+`,"region":`+pick(`"US"`, `"US"`, `"DE"`)+
					`,"memo":`+pick(`"APC-2026-0001"`, `"x"`, "null")+`,"shipping_country":`+pick(`"US"`, `"DE"`, "null")+`,"idempotency_key":"key-`+strconv.Itoa(10000+rng.IntN(200))+`"}`)
				d, steps := one.ExplainContext(raw, morning)
				if diff := cmp.Diff(other.DecideContext(raw, morning), d); diff != "" {
					t.Fatalf("ExplainContext(%s) (-DecideContext +got):\n%s", raw, diff)
				}
				if d.Allowed() {
					allowed++
				}
				checkSteps(t, raw, d, steps)
			}
		}
	}
	require.Greater(t, allowed, 50, "set-up: some are allowed")
}

func checkSteps(t *testing.T, raw []byte, d authz.Decision, steps []oap.Step) {
	t.Helper()
	var denied []judged
	for _, s := range steps {
		denies := s.Outcome == oap.StepFailed || s.Outcome == oap.StepError
		require.Equal(t, denies, s.Code != "", "%s: %+v", raw, s)
		if denies {
			denied = append(denied, judged{s.Name, s.Code})
		}
	}
	want := reasonsOf(d)
	if d.Allowed() {
		want = nil
	}
	if diff := cmp.Diff(want, denied); diff != "" {
		t.Fatalf("steps of %s (-reasons +got):\n%s", raw, diff)
	}
}

// TestExplainOfNoContext: what is no context is refused before any gate.
func TestExplainOfNoContext(t *testing.T) {
	d, steps := shippedLayer(t, level2, oap.ProfileOAP).Open().ExplainContext([]byte(`{"amount":`), morning)
	require.Equal(t, []judged{{"context_schema", authz.ReasonInvalidContext}}, reasonsOf(d))
	for _, s := range steps {
		want := oap.StepNotReached
		if s.Name == "context_schema" {
			want = oap.StepFailed
		}
		require.Equal(t, want, s.Outcome, s.Name)
	}
	require.True(t, json.Valid(contextJSON(t, `{}`)), "set-up")
}
