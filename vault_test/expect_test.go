package vault_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
)

// TestExpectations holds what each attack and honest task says about its own
// goals against what the layer decides.
func TestExpectations(t *testing.T) {
	s, err := newSuite()
	require.NoError(t, err)
	for _, level := range corpus.Levels() {
		layer, err := loadLayer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		for _, message := range surprises(s, level, layer) {
			t.Error(message)
		}
	}
}

// surprises lists the goals of a level that are decided otherwise than expected.
func surprises(s *suite.Suite, level corpus.Level, layer *oap.Layer) []string {
	var out []string
	for _, a := range attacksOf(s, level) {
		for i, d := range decideGoal(s, a, layer.Open()) {
			if got := string(d.Reason()); got != a.Expect[i] {
				out = append(out, fmt.Sprintf("fixtures/%s: goal %d: decided %s by rule %s, want %s: %s", a.Where(), i+1, got, d.Rule(), a.Expect[i], a.Reason))
			}
		}
	}
	return out
}
