package harness_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// TestBudget: a run that its budget stops is inconclusive, overshoots by nothing,
// and goes on under a larger one, which what was spent before counts against.
func TestBudget(t *testing.T) {
	t.Parallel()
	s, err := settings.Suite()
	require.NoError(t, err)
	client, err := sim.New(sim.Compromised, suite.Lookup(s.Corpus, s.Levels[corpus.L5], corpus.Single))
	require.NoError(t, err)
	server := llmtest.New(client, llmtest.Options{Key: canary})
	t.Cleanup(server.Close)
	env := map[string]string{
		"VAULT_SIMS": "none", "VAULT_MODELS": "local", "VAULT_LOCAL_URL": server.URL(), "LOCAL_API_KEY": canary, "VAULT_LEVELS": "l5",
		"VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "oap", "VAULT_RUN_ID": "r", "VAULT_CONCURRENCY": "3", "VAULT_BUDGET_TOKENS": "30000",
		"VAULT_LOG": "info",
	}
	first := launch(t, env, "-test.run=TestVault", "-test.v")
	assert.NotZero(t, first.code, "what was not run is not passed: %s", first.tail())
	first.says(t, `level=WARN msg="budget is used up: further requests are not sent"`)
	first.says(t, `level=INFO msg="run begins"`)
	stopped := spending(t, first.results)
	assert.Positive(t, stopped.completed)
	assert.Positive(t, stopped.budget, "%+v", stopped)
	assert.Zero(t, stopped.other, "%+v", stopped)
	assert.LessOrEqual(t, stopped.tokens, int64(30000), "replies that take no more than their reserves never overshoot")

	env["VAULT_RESULTS"], env["VAULT_BUDGET_TOKENS"] = first.results, "30001"
	again := launch(t, env, "-test.run=TestVault", "-test.v")
	assert.NotZero(t, again.code, "what the first process spent is spent: %s", again.tail())
	assert.LessOrEqual(t, spending(t, first.results).tokens, int64(30001))

	keyless := maps.Clone(env)
	keyless["LOCAL_API_KEY"] = ""
	refused := launch(t, keyless, "-test.run=TestVault")
	assert.NotZero(t, refused.code)
	refused.says(t, "cell local/l5/single/oap was begun, and would be skipped now (live: LOCAL_API_KEY unset)")
	_, err = receipt.Verify(filepath.Join(first.results, "r"), nil)
	require.NoError(t, err, "nothing was written")

	env["VAULT_BUDGET_TOKENS"] = "9000000"
	last := launch(t, env, "-test.run=TestVault", "-test.v")
	require.Zero(t, last.code, last.tail())
	whole := spending(t, first.results)
	assert.Equal(t, spent{completed: 127, tokens: whole.tokens}, whole)
	assert.Greater(t, whole.tokens, int64(30000))
	var figures report.Summary
	require.NoError(t, json.Unmarshal(last.read(t, "summary.json"), &figures))
	assert.Empty(t, figures.Failure, "the tests that the budget failed have run again")
	require.NotNil(t, figures.Cost)
	assert.Equal(t, whole.tokens, figures.Cost.Models[0].InputTokens+figures.Cost.Models[0].OutputTokens, "the summary counts all attempts, too")
	assert.Nil(t, figures.Cost.USD)
	assert.Equal(t, "no total in US dollars: the price of local was not confirmed in fixtures/models.json", figures.Cost.Text())

	env["VAULT_RUN_ID"], env["VAULT_BUDGET_USD"] = "dollars", "5"
	unpriced := launch(t, env, "-test.run=TestVault")
	assert.NotZero(t, unpriced.code)
	unpriced.says(t, "fixtures/models.json: model local: price is null")
}

type spent struct {
	completed, budget, other int
	tokens                   int64 // of all attempts
}

func spending(t *testing.T, results string) (s spent) {
	t.Helper()
	require.NoError(t, record.Read(filepath.Join(results, "r", "evaluations.jsonl"), func(e record.Evaluation) error {
		switch {
		case e.End == record.Completed:
			s.completed++
		case e.End == record.NotRun && e.SubReason == record.Budget:
			s.budget++
		default:
			s.other++
		}
		u := e.Usage()
		if e.Earlier != nil {
			u = u.Add(e.Earlier.Usage)
		}
		s.tokens += u.InputTokens + u.OutputTokens
		return nil
	}))
	return s
}
