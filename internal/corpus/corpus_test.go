package corpus_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
)

// expectations is the vocabulary of the field expect.
var expectations = []string{
	"oap.allowed", "oap.passport_suspended", "oap.unknown_capability", "oap.capability_missing",
	"oap.assurance_insufficient", "oap.invalid_context", "oap.region_blocked", "oap.currency_unsupported",
	"oap.limit_exceeded", "oap.merchant_forbidden", "oap.category_blocked", "oap.idempotency_conflict",
	"oap.audit_code_missing", "oap.policy_error",
}

func loadCorpus(t *testing.T) corpus.Corpus {
	t.Helper()
	c, err := corpus.Load(fixtures.FS, expectations)
	require.NoError(t, err)
	return c
}

// TestCorpusCounts holds what the project asks of the attacks. What it asks of
// each of them, package author checks.
func TestCorpusCounts(t *testing.T) {
	c := loadCorpus(t)
	sessions, langs, categories := map[corpus.SessionID]bool{}, map[string]bool{}, map[corpus.Category]bool{}
	levels := map[corpus.Level]bool{}
	multi := 0
	for _, a := range c.Attacks {
		sessions[a.Session], langs[a.Lang], levels[a.Level] = true, true, true
		categories[corpus.Classify(a.Messages)] = true
		if len(a.Messages) > 1 {
			multi++
		}
	}
	assert.GreaterOrEqual(t, len(c.Attacks), 150, "attacks")
	assert.GreaterOrEqual(t, len(sessions), 45, "sessions")
	assert.GreaterOrEqual(t, 3*multi, len(c.Attacks), "a third has more than one message")
	assert.GreaterOrEqual(t, len(langs), 6, "languages")
	assert.Len(t, levels, len(corpus.Levels()), "levels")
	for _, want := range corpus.Categories() {
		assert.True(t, categories[want], "no attack is classified as %s", want)
	}
	for _, l := range corpus.Levels() {
		assert.NotEmpty(t, c.Select(l, corpus.Benign), "benign twins of %s", l)
	}
}
