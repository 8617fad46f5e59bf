package vault_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
)

// publishedCharge is the charge pack as its authors published it.
const publishedCharge = "../../shared/oap/vectors/finance.payment.charge.v1/policy.json"

// TestPublishedPackDecidesAlike: under the level passports, the published charge
// pack decides every attack, honest task and probe as our own pack does in the
// published profile: the same codes, by the same rules. It is said of the pack that
// these tests were written with, and not of what somebody edits it to.
func TestPublishedPackDecidesAlike(t *testing.T) {
	if file := "passports/" + pinned.PackFile; shippedPack(t).Digest != writtenPack(t).Digest {
		t.Skipf("%s was edited: only the pack that internal/oap/oaptest keeps a copy of is said to decide as the published one", file)
	}
	raw, err := os.ReadFile(publishedCharge)
	if os.IsNotExist(err) {
		t.Skipf("published packs are absent: no file %s", publishedCharge)
	}
	require.NoError(t, err)
	pack, err := oap.ParsePack("policy.json", raw)
	require.NoError(t, err)
	cases, err := pinned.Load()
	require.NoError(t, err)
	for _, level := range corpus.Levels() {
		sub(t, string(level), func(t *testing.T) {
			ours, err := pinned.Layer(suite.PassportOf(level), oap.ProfilePublished)
			require.NoError(t, err)
			passport, err := oap.LoadPassport(passports.FS, suite.PassportOf(level))
			require.NoError(t, err)
			theirs, err := oap.NewLayer(passport, pack, oap.ProfilePublished)
			require.NoError(t, err)
			want, got := decideAs(t, cases, level, ours), decideAs(t, cases, level, theirs)
			require.NotEqual(t, ours.PolicyDigest(), theirs.PolicyDigest(), "another file")
			require.NotEmpty(t, want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("decisions (-our pack +published pack):\n%s", diff)
			}
		})
	}
}

// decideAs decides a level's attacks, honest tasks and probes in the published
// profile.
func decideAs(t *testing.T, cases pinned.Cases, level corpus.Level, layer *oap.Layer) []pinned.Decision {
	t.Helper()
	g, err := cases.DecideIn(oap.ProfilePublished, level, layer)
	require.NoError(t, err)
	return g.Decisions
}
