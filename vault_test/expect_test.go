package vault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/settings"
)

// TestExpectations holds what each attack and honest task says about its own
// goals against what the layer decides.
func TestExpectations(t *testing.T) {
	noted.pins(t)
	asked, err := settings.AskedSuite()
	require.NoError(t, err)
	cases := pinned.New(asked.Corpus, asked.Levels)
	for _, level := range corpus.Levels() {
		layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		for _, s := range cases.Surprises(level, func() authz.Authorizer { return layer.Open() }) {
			changed.surprise(s, cases.Level(level).Directory)
			t.Error(s)
		}
	}
}
