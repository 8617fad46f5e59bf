package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// begunRun begins the run that the environment names.
func begunRun(t *testing.T) (*settings.Bench, *suite.Run) {
	t.Helper()
	b, err := settings.OpenBench()
	require.NoError(t, err)
	m, err := b.Manifest()
	require.NoError(t, err)
	run, err := suite.Start(b.Suite, b.Options.Root, b.Options.Results, b.Options.RunID, m)
	require.NoError(t, err)
	return b, run
}

// TestPlanOfAStoppedRun: what is final is not asked again, so it is not planned; and
// what the run would refuse, the plan refuses, without a trace in the folder.
func TestPlanOfAStoppedRun(t *testing.T) {
	for name, value := range map[string]string{
		"VAULT_SIMS": "sim-refuser", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single", "VAULT_RESULTS": t.TempDir(), "VAULT_RUN_ID": "stopped",
	} {
		t.Setenv(name, value)
	}
	says := func(status int, want, reason string) {
		t.Helper()
		got, stdout, stderr := vault("plan")
		require.Equal(t, status, got, "%s: %s", reason, stderr)
		assert.Contains(t, stdout+stderr, want, reason)
	}
	says(0, "in all       2      254\n", "nothing is done")

	b, run := begunRun(t)
	cells, err := b.Cells(b.Models(), b.Tracks(corpus.Native))
	require.NoError(t, err)
	does := func(cell plan.Cell) {
		p, err := b.Suite.Planned(cell)
		require.NoError(t, err)
		require.NoError(t, run.Plan(p))
		_, err = b.Suite.RunCell(t.Context(), p)
		require.NoError(t, err)
	}
	does(cells[0])
	says(0, "sim-refuser  2      127          -             -              -    -     simulated: costs nothing; 127 of 254 are done\n", "one of two cells is")
	t.Setenv("VAULT_TRIALS", "2")
	says(1, "the run was begun with other things", "the run would stop there")
	t.Setenv("VAULT_TRIALS", "1")
	does(cells[1])
	_, err = run.Finish()
	require.NoError(t, err)
	says(1, "the run is finished, and VAULT_RUN_ID=stopped names it: for a new run take the variable out of the shell (unset VAULT_RUN_ID)", "the variable is still there from the run before")
}

// TestPlanCountsWhatWasCharged: what an earlier process was charged is gone from
// the budget, whether or not a provider counted it.
func TestPlanCountsWhatWasCharged(t *testing.T) {
	for name, value := range map[string]string{
		"VAULT_SIMS": "none", "VAULT_MODELS": "local", "VAULT_LOCAL_URL": "http://127.0.0.1:1/v1", "LOCAL_API_KEY": "k", "VAULT_LEVELS": "l5", "VAULT_TRACKS": "single",
		"VAULT_RESULTS": t.TempDir(), "VAULT_RUN_ID": "charged", "VAULT_BUDGET_TOKENS": "20000000",
	} {
		t.Setenv(name, value)
	}
	status, stdout, stderr := vault("plan")
	require.Zero(t, status, stderr)
	require.NotContains(t, stdout, "beyond the budget")
	b, err := settings.OpenBench()
	require.NoError(t, err)
	m, err := b.Manifest()
	require.NoError(t, err)
	run, err := suite.Start(b.Suite, b.Options.Root, b.Options.Results, b.Options.RunID, m)
	require.NoError(t, err)
	_, err = run.Reserve("local", llm.Usage{InputTokens: 19_999_999})
	require.NoError(t, err)
	require.NoError(t, run.Close())
	status, stdout, stderr = vault("plan")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "beyond the budget: VAULT_BUDGET_TOKENS is 20000000, and the run comes to about 2")
}
