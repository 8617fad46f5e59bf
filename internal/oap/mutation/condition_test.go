package mutation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/mutation"
)

// TestEdits pins every change of conditions in both dialects.
func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		condition string
		want      []string
		reason    string
	}{
		{"amount <= cap", []string{
			"flip <= to ==: amount == cap", "flip <= to !=: amount != cap", "flip <= to <: amount < cap", "flip <= to >: amount > cap", "flip <= to >=: amount >= cap",
			"off-by-one more: amount <= cap + 1", "off-by-one less: amount <= cap - 1",
		}, "each comparator to each other, and the bound by one"},
		{"daily_total + amount < cap", []string{
			"forget-state daily_total to 0: 0 + amount < cap",
			"arithmetic + to -: daily_total - amount < cap", "arithmetic + to *: daily_total * amount < cap",
			"flip < to ==: daily_total + amount == cap", "flip < to !=: daily_total + amount != cap", "flip < to <=: daily_total + amount <= cap",
			"flip < to >: daily_total + amount > cap", "flip < to >=: daily_total + amount >= cap",
			"off-by-one more: daily_total + amount < cap + 1", "off-by-one less: daily_total + amount < cap - 1",
		}, "state that is forgotten is nothing"},
		{"key not in recent_keys", []string{"drop-not not: key in recent_keys", "forget-state recent_keys to '': key not in ''"}, "not belongs to in"},
		{"NOT any(i.kind in blocked for i in items)", []string{
			"drop-not NOT: any(i.kind in blocked for i in items)", "negate in to not in: NOT any(i.kind not in blocked for i in items)",
		}, "the in of a for is no test"},
		{"id in list OR list is empty", []string{
			"negate in to not in: id not in list OR list is empty", "and-or OR to AND: id in list AND list is empty", "negate is to is not: id in list OR list is not empty",
		}, "and for or"},
		{"list is not empty", []string{"drop-not not: list is empty"}, "not belongs to is"},
		{"!a || b && c", []string{"drop-not !: a || b && c", "and-or || to &&: !a && b && c", "and-or && to ||: !a || b || c"}, "JavaScript's signs"},
		{"a == 'x < y and z'", []string{
			"flip == to !=: a != 'x < y and z'", "flip == to <: a < 'x < y and z'", "flip == to <=: a <= 'x < y and z'", "flip == to >: a > 'x < y and z'", "flip == to >=: a >= 'x < y and z'",
		}, "what stands in quotes is no operator"},
		{"a and b and c", []string{"and-or and to or: a or b and c", "and-or and#2 to or: a and b or c"}, "one at a time, each with a name of its own"},
		{"ready", nil, "nothing to change"},
	} {
		t.Run(tt.condition, func(t *testing.T) {
			got := editsOf(t, tt.condition)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("edits: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// editsOf lists the mutants of a pack that change the condition of its one rule:
// operator, place and what the condition becomes.
func editsOf(t *testing.T, condition string) (out []string) {
	t.Helper()
	written, err := json.Marshal(condition)
	require.NoError(t, err)
	ms, err := mutation.Pack("p.json", []byte(`{"status":"active","min_assurance":"L1","requires_capabilities":["pay"],"required_context":{"type":"object"},
		"evaluation_rules":[{"name":"one","condition":`+string(written)+`,"deny_code":"oap.a"}]}`))
	require.NoError(t, err)
	for _, m := range ms {
		var doc struct {
			Rules []struct{ Condition string } `json:"evaluation_rules"`
		}
		require.NoError(t, json.Unmarshal(m.Raw, &doc))
		if len(doc.Rules) == 1 && doc.Rules[0].Condition != condition {
			place := strings.TrimPrefix(m.ID, "p.json "+m.Operator+" one ")
			out = append(out, m.Operator+" "+place+": "+doc.Rules[0].Condition)
		}
	}
	return out
}
