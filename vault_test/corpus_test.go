package vault_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/golden"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/corpus/variant"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/settings"
)

// corpusStatsFile holds what go tool vault attacks stats prints.
const corpusStatsFile = "corpus-stats.txt"

// TestCorpusStats pins what the corpus holds, and each entry on which author and
// classifier differ. Rewritten by -update.
func TestCorpusStats(t *testing.T) {
	s, err := settings.Suite()
	require.NoError(t, err)
	verdicts, err := author.ReadVerdicts(os.DirFS(moduleRoot(t)), "docs/corpus-reading.md", s.Corpus)
	require.NoError(t, err)
	got := author.Stats(s.Corpus, verdicts)
	if *update {
		goldens[corpusStatsFile] = []byte(got)
		return
	}
	want, err := fs.ReadFile(golden.FS, corpusStatsFile)
	require.NoError(t, err, "run go test ./vault_test -update")
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("golden/%s: the corpus counts otherwise: if that is meant, run go test ./vault_test -update (-want +got):\n%s", corpusStatsFile, diff)
	}
}

// TestVariantExpectations holds what each variant says about its goals against
// what the layer decides: the operators recompute it without a passport.
func TestVariantExpectations(t *testing.T) {
	noted.pins(t)
	t.Parallel()
	s, err := settings.Suite()
	require.NoError(t, err)
	var variants corpus.Corpus
	for _, a := range s.Corpus.Attacks {
		variants.Attacks = append(variants.Attacks, variant.Variants(a, len(variant.Operators()))...)
	}
	cases := pinned.New(variants, s.Levels)
	for _, level := range corpus.Levels() {
		require.NotEmpty(t, cases.Of(level), level)
		layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		for _, s := range cases.Surprises(level, func() authz.Authorizer { return layer.Open() }) {
			t.Error(s)
		}
	}
}
