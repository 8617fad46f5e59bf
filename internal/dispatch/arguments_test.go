package dispatch_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/dispatch"
)

func TestWellFormedArguments(t *testing.T) {
	for _, tt := range wellFormed {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			d, layer := behind()
			r := transfer(d, tt.raw)
			require.Equal(t, dispatch.Executed, r.Outcome, "%s: %s", tt.reason, r.Content)
			require.Len(t, layer.asked, 1)
			require.Len(t, d.Transfers(), 1)
			for who, got := range map[string]bank.Payment{
				"parsed": *r.Payment, "authorized": layer.asked[0].Payment(), "executed": paid(d.Transfers()[0]),
			} {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("payment that was %s (-want +got): %s\n%s", who, tt.reason, diff)
				}
			}
			a := alone()
			assert.Nil(t, transfer(a, tt.raw).Decision, "without a layer nobody decides")
			assert.Equal(t, d.Transfers(), a.Transfers(), "the path is the same with and without a layer")
		})
	}
}

// TestMalformedArguments: alone, the bank refuses and nobody decides; behind a
// layer the call is denied in its stead, and the layer is never asked.
func TestMalformedArguments(t *testing.T) {
	for _, tt := range malformed() {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			a := alone()
			r := transfer(a, tt.raw)
			assert.Equal(t, dispatch.Refused, r.Outcome, tt.reason)
			assert.NotEmpty(t, r.Refusal)
			assert.Nil(t, r.Decision, "without a layer nobody decides")
			assert.Nil(t, r.Payment)
			assert.Empty(t, a.Transfers(), tt.reason)
			assertPays(t, a)

			d, layer := behind()
			got := transfer(d, tt.raw)
			assert.Empty(t, layer.asked, "a layer never sees what does not parse")
			assert.Empty(t, d.Transfers(), tt.reason)
			want := dispatch.Result{
				Position: 1, Transfer: true, Outcome: dispatch.Denied, At: noon, Content: got.Content,
				Decision: &authz.Decision{
					Effect: authz.Deny, Reasons: []authz.Reason{{Code: authz.ReasonInvalidContext, Rule: "arguments", Message: r.Refusal}},
					Origin: authz.FromDispatch, IssuedAt: noon, ExpiresAt: noon.Add(time.Minute),
				},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Call(%.80q) behind a layer (-want +got): %s\n%s", tt.raw, tt.reason, diff)
			}
			assert.Contains(t, got.Content, "oap.invalid_context")
			assertPays(t, d)
			assert.Len(t, layer.asked, 1)
		})
	}
}
