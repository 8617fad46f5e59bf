package authz_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"vaultbench/internal/authz"
)

func TestReasonsAreDistinct(t *testing.T) {
	seen := map[authz.DenialReason]bool{}
	for _, r := range authz.Reasons() {
		assert.False(t, seen[r], "%s stands twice", r)
		assert.Regexp(t, `^oap\.[a-z_]+$`, string(r))
		seen[r] = true
	}
	assert.Len(t, seen, 14, "a new code needs its line in Reasons, in the schemas and in the golden files")
}

// TestReasonsIsACopy: nobody can open the closed vocabulary.
func TestReasonsIsACopy(t *testing.T) {
	authz.Reasons()[0] = "oap.invented"
	assert.NotContains(t, authz.Reasons(), authz.DenialReason("oap.invented"))
}

func TestDecisionReads(t *testing.T) {
	two := []authz.Reason{{Code: authz.ReasonLimitExceeded, Rule: "cap"}, {Code: authz.ReasonRegionBlocked, Rule: "region"}}
	policyError := []authz.Reason{{Code: authz.ReasonPolicyError, Rule: "cap"}}
	for _, tt := range []struct {
		name                string
		decision            authz.Decision
		reason              authz.DenialReason
		rule                string
		allowed, failClosed bool
		why                 string
	}{
		{"first decides", authz.Decision{Effect: authz.Deny, Reasons: two, Origin: authz.FromLayer}, authz.ReasonLimitExceeded, "cap", false, false, "the others are listed"},
		{"zero", authz.Decision{}, authz.ReasonPolicyError, "", false, false, "no word is a denial"},
		{"zero of dispatch", authz.Decision{Origin: authz.FromDispatch}, authz.ReasonPolicyError, "", false, true, "no reason is a fault"},
		{"layer's own error", authz.Decision{Effect: authz.Deny, Reasons: policyError, Origin: authz.FromLayer}, authz.ReasonPolicyError, "cap", false, false, "the layer answered"},
		{"guard's error", authz.Decision{Effect: authz.Deny, Reasons: policyError, Origin: authz.FromDispatch}, authz.ReasonPolicyError, "cap", false, true, "the layer failed"},
		{"allow", authz.Decision{Effect: authz.Allow, Reasons: []authz.Reason{{Code: authz.ReasonAllowed}}}, authz.ReasonAllowed, "", true, false, "the one word that lets through"},
		{"capital allow", authz.Decision{Effect: "Allow", Reasons: []authz.Reason{{Code: authz.ReasonAllowed}}}, authz.ReasonAllowed, "", false, false, "another word"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.reason, tt.decision.Reason(), tt.why)
			assert.Equal(t, tt.rule, tt.decision.Rule(), tt.why)
			assert.Equal(t, tt.allowed, tt.decision.Allowed(), tt.why)
			assert.Equal(t, tt.failClosed, tt.decision.FailClosed(), tt.why)
		})
	}
}

func TestMalformed(t *testing.T) {
	want := authz.Decision{
		Effect: authz.Deny, Reasons: []authz.Reason{{Code: authz.ReasonInvalidContext, Rule: "arguments", Message: "no object"}},
		Origin: authz.FromDispatch, IssuedAt: noon, ExpiresAt: noon.Add(time.Minute),
	}
	got := authz.Malformed(errors.New("no object"), noon)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Malformed() (-want +got):\n%s", diff)
	}
	assert.False(t, got.FailClosed(), "the call was wrong, the layer did not fail")
}
