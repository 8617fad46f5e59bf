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
  "required_context": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}},
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

// TestLintOtherCapability: what no rule reads of another capability's limits is
// warned of alone, as the loader lets it be.
func TestLintOtherCapability(t *testing.T) {
	raw := strings.Replace(fmt.Sprintf(barePack, "L0"), "amount <= 5", "amount <= limits.finance.bare.most", 1)
	packs, err := oap.ReadPacks(fstest.MapFS{"bare.json": {Data: []byte(raw)}})
	require.NoError(t, err)
	got := lintText(oap.Lint("p.json", mergeJSON(t, shippedBytes(t, level2),
		`{"capabilities":[{"id":"finance.bare"}],"limits":{"payments.charge":null,"finance.bare":{"most":5,"other":{"a":1}}}}`), oap.LintOptions{At: morning, Packs: packs}))
	require.Equal(t, []string{"warning: /limits/finance.bare/other: " + unreadByAny}, got)
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
