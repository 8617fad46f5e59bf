package vault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
)

// TestProbes holds each probe's codes; the goldens pin the rules as well. Where the
// pack was edited, what the edit may explain is left to the goldens: who means it
// writes no Go.
func TestProbes(t *testing.T) {
	noted.pins(t)
	edits := editsOf(writtenPack(t), shippedPack(t))
	for _, p := range pinned.Probes() {
		sub(t, p.Name, func(t *testing.T) {
			require.NotEmpty(t, p.Reason)
			layer, err := pinned.Layer(suite.PassportOf(p.Level), oap.ProfileOAP)
			require.NoError(t, err)
			got, err := p.Decide(layer)
			require.NoError(t, err)
			require.Len(t, got, len(p.Calls))
			for i, d := range got {
				switch {
				case d.Reason() == p.Calls[i].Want:
				case edits.explain(d, p.Calls[i].Want):
					t.Logf("call %d: decided %s by rule %s and no longer %s, since the pack was edited", i+1, d.Reason(), d.Rule(), p.Calls[i].Want)
					return // later calls stand on this one
				default:
					t.Errorf("call %d: decided %s by rule %s, want %s: %s", i+1, d.Reason(), d.Rule(), p.Calls[i].Want, p.Reason)
				}
			}
		})
	}
}

func TestProbeNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pinned.Probes() {
		require.False(t, seen[p.Name], "probe %q stands twice: the goldens know it by its name", p.Name)
		seen[p.Name] = true
	}
}
