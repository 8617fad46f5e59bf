package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/report"
)

// ownCorpus makes the run one of a corpus that is not the shipped one.
func (w *unsealed) ownCorpus() {
	delete(w.manifest.Digests, "fixtures/attacks/level-2.jsonl")
	w.manifest.Digests["corpus/attacks/mine.jsonl"] = strings.Repeat("8", 64)
	w.manifest.Digests["corpus/benign/mine.jsonl"] = strings.Repeat("7", 64)
	w.manifest.Options = map[string]string{"VAULT_CORPUS": "/somewhere/theirs (environment)"}
}

// TestOwnCorpusIsNamed: a claim, or what keeps one from being made, says of which
// corpus the run is, and a reader is told where to find it.
func TestOwnCorpusIsNamed(t *testing.T) {
	const named = `the corpus is "theirs" of VAULT_CORPUS (1 attack files, 1 of honest tasks) and not the shipped one`
	w := wholeGrid()
	w.ownCorpus()
	v, _, err := report.VerdictOf(w.seal(t), nil, thisWorld(), report.DefaultGate(), nil)
	require.NoError(t, err)
	assert.Equal(t, "no claim: condition goldens fails: "+named+": no golden decision, count or expectation of the shipped one was held against the run; "+
		named+", so no golden was held against it", v.Claim.Reason)
	assert.Contains(t, v.Caveats, named+": no golden was held against it")
	for _, c := range v.Conditions {
		if c.Name == report.ConditionDigests {
			assert.Equal(t, "the run is of a corpus that is not the shipped one (corpus/attacks/mine.jsonl, and 1 more): set VAULT_CORPUS to its folder", c.Detail)
		}
	}
}

func TestOtherCorpus(t *testing.T) {
	own := func(digest string) map[string]string {
		return map[string]string{"corpus/attacks/mine.jsonl": digest, "passports/level-1.json": "p"}
	}
	shipped := map[string]string{"fixtures/attacks/level-1.jsonl": "s", "passports/level-1.json": "q"}
	for _, tt := range []struct {
		name      string
		run, here map[string]string
		want      string
		reason    string
	}{
		{"shipped both", shipped, shipped, "", "other digests tell"},
		{"own both", own("a"), own("a"), "", "the same"},
		{"own, changed", own("a"), own("b"), "corpus/attacks/mine.jsonl is not that of VAULT_CORPUS", "the text may say other things"},
		{"own, here shipped", own("a"), shipped, "the run is of a corpus that is not the shipped one (corpus/attacks/mine.jsonl): set VAULT_CORPUS to its folder", "what to do"},
		{"shipped, here own", shipped, own("a"), "the run is of the shipped corpus, and VAULT_CORPUS names another: unset it", "what to do"},
		{"a file more here", own("a"), map[string]string{"corpus/attacks/mine.jsonl": "a", "corpus/attacks/new.jsonl": "n"}, "corpus/attacks/new.jsonl is not that of VAULT_CORPUS", "both ways"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, report.OtherCorpus(tt.run, tt.here), tt.reason)
		})
	}
}
