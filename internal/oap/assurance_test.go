package oap_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// barePack has no rule of a gate's name, so that the engine's own gates alone answer.
const barePack = `{
  "id": "finance.bare.v1", "name": "Bare", "description": "One rule.", "version": "1.0.0", "status": "active",
  "requires_capabilities": ["finance.bare"], "min_assurance": %q,
  "required_context": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}, "region": {"type": "string"}}},
  "evaluation_rules": [{"name": "small", "condition": "amount <= 5", "deny_code": "oap.limit_exceeded"}]
}`

func bareLayer(t *testing.T, packAsks, limitAsks string) (*oap.Layer, error) {
	t.Helper()
	pack, err := oap.ParsePack("packs/finance.bare.v1.json", fmt.Appendf(nil, barePack, packAsks))
	require.NoError(t, err)
	p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2),
		fmt.Sprintf(`{"capabilities":[{"id":"finance.bare"}],"limits":{"payments.charge":null,"finance.bare":{"require_assurance_at_least":%s}}}`, limitAsks)))
	require.NoError(t, err)
	return oap.NewLayer(p, pack, oap.ProfileOAP)
}

// TestAssuranceGate: both the pack and the limits may ask for assurance, and a
// passport of L2 reaches what both ask for.
func TestAssuranceGate(t *testing.T) {
	below := func(message string) authz.Reason {
		return authz.Reason{Code: authz.ReasonAssurance, Rule: "assurance_minimum", Message: message}
	}
	allowed := authz.Reason{Code: authz.ReasonAllowed, Rule: "finance.bare.v1"}
	for _, tt := range []struct {
		name, pack, limit string
		want              authz.Reason
		reason            string
	}{
		{"neither asks", "L0", "null", allowed, "a limit that is not there asks for nothing"},
		{"both are reached", "L2", `"L2"`, allowed, "exactly"},
		{"the pack asks for more", "L3", `"L2"`, below("assurance L2 is below the pack's L3"), "the pack's counts whatever the limits say"},
		{"the limits ask for more", "L2", `"L3"`, below("assurance L2 is below the limits' L3"), "the limits' counts whatever the pack says"},
		{"the limits ask for more, by its order", "L2", `"L4KYC"`, below("assurance L2 is below the limits' L4KYC"), "the levels have their own order"},
		{"both ask for more", "L3", `"L4FIN"`, below("assurance L2 is below the pack's L3"), "the pack's comes first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := bareLayer(t, tt.pack, tt.limit)
			require.NoError(t, err)
			d := l.Open().DecideContext([]byte(`{"amount":5}`), morning)
			if diff := cmp.Diff([]authz.Reason{tt.want}, d.Reasons); diff != "" {
				t.Errorf("DecideContext: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestOtherCapability: what no rule reads of the limits of any capability is refused,
// and lint says so; what published passports have there may stand, and is warned of.
func TestOtherCapability(t *testing.T) {
	const unread = "no rule of finance.bare.v1 reads %s, so it limits nothing: delete it, or write the rule"
	for _, tt := range []struct {
		name, limits string
		refused      string // what no rule reads; empty: it loads
		lint         []string
		reason       string
	}{
		{"read alone", `{"most":5}`, "", nil, "nothing is unread"},
		{"of no rule", `{"most":5,"other":{"a":1}}`, "other", []string{"error: /limits/finance.bare/other: " + unreadByAny}, "it looks like a limit"},
		{"beside a declared one", `{"most":5,"approval":1,"approve":true}`, "approve", []string{
			"warning: /limits/finance.bare/approval: " + unreadByAny, "error: /limits/finance.bare/approve: " + unreadByAny,
		}, "another name than the pack's"},
		{"declared", `{"most":5,"approval":{"above":{"USD":7}}}`, "", []string{"warning: /limits/finance.bare/approval: " + unreadByAny}, "the pack tells issuers to write it, though it reads none of it"},
		{"declared and read in part", `{"most":5,"caps":{"USD":5,"EUR":6}}`, "caps.EUR", []string{"error: /limits/finance.bare/caps/EUR: " + unreadByAny}, "it is read where it is read"},
		{"published", `{"most":5,"idempotency_required":true}`, "", []string{"warning: /limits/finance.bare/idempotency_required: " + unreadByAny}, "a name that published passports have"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			condition := "amount <= limits.finance.bare.most"
			if strings.Contains(tt.limits, "caps") {
				condition += " AND amount <= limits.finance.bare.caps.USD"
			}
			raw := strings.NewReplacer("amount <= 5", condition, `"min_assurance"`, `"limits_required": ["most", "approval", "caps"], "min_assurance"`).Replace(fmt.Sprintf(barePack, "L0"))
			passport := mergeJSON(t, shippedBytes(t, level2), `{"capabilities":[{"id":"finance.bare"}],"limits":{"payments.charge":null,"finance.bare":`+tt.limits+`}}`)
			p, err := oap.ParsePassport(level2, passport)
			require.NoError(t, err)
			pack, err := oap.ParsePack("bare.json", []byte(raw))
			require.NoError(t, err)
			if _, err = oap.NewLayer(p, pack, oap.ProfileOAP); tt.refused == "" {
				require.NoError(t, err, tt.reason)
			} else {
				require.EqualError(t, err, "passport level-2.json: limits of finance.bare: "+fmt.Sprintf(unread, tt.refused), tt.reason)
			}
			packs, err := oap.ReadPacks(fstest.MapFS{"bare.json": {Data: []byte(raw)}})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.lint, lintText(oap.Lint("p.json", passport, oap.LintOptions{At: morning, Packs: packs}))); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestUnknownAssurance: limits that ask for what is no level are refused at load;
// nobody would reach it, or everybody.
func TestUnknownAssurance(t *testing.T) {
	for _, tt := range []struct{ name, limit, shown, reason string }{
		{"no level", `"L9"`, `"L9"`, "it is in no order"},
		{"another case", `"l2"`, `"l2"`, "levels are compared byte for byte"},
		{"empty", `""`, `""`, "it would ask for nothing"},
		{"a number", `2`, `2`, "it would ask for nothing"},
		{"a list", `["L2"]`, "list of 1", "which of them?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := bareLayer(t, "L0", tt.limit)
			require.EqualError(t, err, "passport level-2.json: limits of finance.bare: require_assurance_at_least is "+tt.shown+": use one of [L0 L1 L2 L3 L4KYC L4FIN]", tt.reason)
		})
	}
}
