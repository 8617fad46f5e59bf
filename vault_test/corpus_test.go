package vault_test

import (
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/golden"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/corpus/derived"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/settings"
)

// notShipped is why what the shipped corpus comes to is held against no other.
const notShipped = "VAULT_CORPUS is not the shipped corpus"

// shippedOnly skips a test that pins what the shipped corpus comes to.
func shippedOnly(t *testing.T, pinned string) {
	t.Helper()
	_, options, err := settings.Load()
	require.NoError(t, err)
	if options.Corpus != "" {
		t.Skipf("%s: %s", notShipped, pinned)
	}
}

// checkOwnCorpus says once what keeps VAULT_CORPUS from being run: each test would
// only say it again.
func checkOwnCorpus() error {
	_, options, err := settings.Load()
	if err != nil || options.Corpus == "" {
		return nil // what else is wrong with the variables, the tests say
	}
	if _, err = settings.Corpus(); err != nil {
		return fmt.Errorf("nothing was run: %w", err)
	}
	return nil
}

// corpusStatsFile holds what go tool vault attacks stats prints.
const corpusStatsFile = "corpus-stats.txt"

// TestCorpusStats pins what the corpus holds, and each entry on which author and
// classifier differ. Rewritten by -update.
func TestCorpusStats(t *testing.T) {
	shippedOnly(t, "golden/"+corpusStatsFile+" counts that one")
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
	shippedOnly(t, "what is decided of variants of that one is pinned")
	t.Parallel()
	s, err := settings.Suite()
	require.NoError(t, err)
	var variants corpus.Corpus
	for _, a := range s.Corpus.Attacks {
		variants.Attacks = append(variants.Attacks, derived.Variants(a, len(derived.Operators()))...)
	}
	cases, originals := pinned.New(variants, s.Levels), pinned.New(s.Corpus, s.Levels)
	for _, level := range corpus.Levels() {
		require.NotEmpty(t, cases.Of(level), level)
		layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		open := func() authz.Authorizer { return layer.Open() }
		listed, more, unlisted := map[string]bool{}, 0, 0
		for _, s := range originals.Surprises(level, open) {
			listed[place(s.Attack)] = true
		}
		for _, s := range cases.Surprises(level, open) {
			if listed[place(s.Attack)] {
				more++ // of an attack that TestExpectations names
				continue
			}
			if unlisted++; unlisted <= shownNames {
				t.Error(s)
			}
		}
		if unlisted > shownNames {
			t.Errorf("%s: and %d more goals of variants are decided otherwise than expected", level, unlisted-shownNames)
		}
		if more > 0 {
			t.Errorf("%s: %d goals of variants of the attacks that TestExpectations names are decided otherwise than expected", level, more)
		}
	}
}
