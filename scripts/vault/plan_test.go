package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

func TestPlanCommand(t *testing.T) {
	run := signedRunOf(t, receipt.TestKey(), record.Completed, record.Call{Position: 1, Turn: 1, Tool: "get_balance", Outcome: record.CallAnswered}, nil)
	for _, tt := range []struct {
		name           string
		env            map[string]string
		args           []string
		status         int
		stdout, stderr string
		reason         string
	}{
		{"simulated", nil, []string{"plan"}, 0, "no live model is named in VAULT_MODELS: nothing is spent", "", "the default costs nothing"},
		{"part of the grid", map[string]string{"VAULT_SIMS": "sim-teller", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone"}, []string{"plan"}, 0, "in all      1      127", "", "as the run would select"},
		{"on the disk", map[string]string{"VAULT_SIMS": "sim-teller", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_TRIALS": "3"}, []string{"plan"}, 0, "\nthe record of these takes about 2 MB\n", "", "4,700 bytes of each of 381, rounded up"},
		{"trials", map[string]string{"VAULT_SIMS": "sim-teller", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_TRIALS": "3"}, []string{"plan"}, 0, "in all      1      381", "", "each attack three times"},
		{"live", map[string]string{"VAULT_SIMS": "none", "VAULT_MODELS": "deepseek-v4-pro", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_CONCURRENCY": "10"}, []string{"plan"}, 0, "deepseek-v4-pro  1      127          563962        124773         price unconfirmed  2m0s to 14m0s  DEEPSEEK_API_KEY unset: skipped", "", "127 × 8.2 s and 66.8 s, ten at a time"},
		{"no id", map[string]string{"VAULT_SIMS": "none", "VAULT_MODELS": "kimi-k3"}, []string{"plan"}, 0, "id is null in fixtures/models.json: the run stops", "", "known before anything is paid"},
		{"shard", map[string]string{"VAULT_SIMS": "sim-teller", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_SHARD": "1/2"}, []string{"plan"}, 0, "in all      1      62\n", "", "as the run would select"},
		{"no such shard", map[string]string{"VAULT_SHARD": "3/2"}, []string{"plan"}, 1, "", `VAULT_SHARD: "3/2"`, "the run stops there"},
		{"crossed on one track", map[string]string{"VAULT_SIMS": "sim-teller", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_CROSS": "1"}, []string{"plan"}, 0, "in all      6 ", "", "the last messages alone, once natively and once from each level"},
		{"tokens beyond the budget", map[string]string{"VAULT_SIMS": "none", "VAULT_MODELS": "local", "LOCAL_API_KEY": "any", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_BUDGET_TOKENS": "688734"}, []string{"plan"}, 0, "beyond the budget: VAULT_BUDGET_TOKENS is 688734, and the run comes to about 688735", "", "127 × (987.6 + 218.5) million / 222,400"},
		{"dollars without a price", map[string]string{"VAULT_SIMS": "none", "VAULT_MODELS": "deepseek-v4-pro", "DEEPSEEK_API_KEY": "any", "VAULT_BUDGET_USD": "1"}, []string{"plan"}, 0, "VAULT_BUDGET_USD needs it: the run stops", "", "known before anything is paid"},
		{"unknown variable", map[string]string{"VAULT_MODEL": "x"}, []string{"plan"}, 1, "", "unknown variable VAULT_MODEL", "a typing error plans something else"},
		{"like a run without live models", nil, []string{"plan", "--like", run}, 1, "", "no completed evaluation of a live model", "an average of nothing"},
		{"like no run", nil, []string{"plan", "--like", t.TempDir()}, 1, "", "no such file", "wrong usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"DEEPSEEK_API_KEY", "MOONSHOT_API_KEY"} {
				t.Setenv(name, "")
			}
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			status, stdout, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, "%s: %s", tt.reason, stderr)
			assert.Contains(t, stdout, tt.stdout, tt.reason)
			assert.Contains(t, stderr, tt.stderr, tt.reason)
			assert.NotContains(t, strings.ToLower(stdout), "inf")
		})
	}
}

func TestEstimate(t *testing.T) {
	cacheRead := 0.5
	e := estimate{input: 1e6, cached: 400_000, output: 100_000, fast: time.Second, slow: time.Second}
	usd, ok := e.usd(&price.Price{Input: 2, Output: 10, CacheRead: &cacheRead})
	require.True(t, ok)
	require.InDelta(t, 0.6*2+0.4*0.5+0.1*10, usd, 1e-12)
	usd, ok = e.usd(&price.Price{Input: 2, Output: 10})
	require.True(t, ok)
	require.InDelta(t, 2+1, usd, 1e-12, "an unconfirmed price of cached tokens is the full one")
	_, ok = e.usd(nil)
	require.False(t, ok, "an unconfirmed price is no price of zero")
	require.Equal(t, "about 2m0s", e.span(240, 2))
}

// TestMeasured takes what completed live evaluations took, and nothing else.
func TestMeasured(t *testing.T) {
	var a averages
	for _, e := range []record.Evaluation{
		{Kind: plan.Live, End: record.Completed, Replies: []record.Reply{{InputTokens: 100, CachedTokens: 60, OutputTokens: 10, LatencyMS: 1000}, {InputTokens: 300, OutputTokens: 30, LatencyMS: 3000}}},
		{Kind: plan.Live, End: record.Completed, Replies: []record.Reply{{InputTokens: 200, OutputTokens: 20, LatencyMS: 2000}}},
		{Kind: plan.Live, End: record.ProviderError, Replies: []record.Reply{{InputTokens: 9999, LatencyMS: 9999}}},
		{Kind: plan.Simulated, End: record.Completed, Replies: []record.Reply{{}}},
	} {
		a.add(e)
	}
	got, ok := a.estimate("r")
	require.True(t, ok)
	require.Equal(t, estimate{source: "the live evaluations of r", input: 300, cached: 30, output: 30, fast: 3 * time.Second, slow: 3 * time.Second}, got)
	_, ok = (&averages{}).estimate("r")
	require.False(t, ok, "an average of nothing")
}
