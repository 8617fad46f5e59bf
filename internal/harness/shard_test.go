package harness_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/publish"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// TestShards: two machines run a half each, and the merged run is the one that
// was never divided: lines, receipts, figures, claim and reports.
func TestShards(t *testing.T) {
	t.Parallel()
	env := func(shard string) map[string]string {
		return map[string]string{"VAULT_LEVELS": "l3", "VAULT_SIMS": "sim-compromised", "VAULT_SHARD": shard}
	}
	run := func(shard string) process {
		p := launch(t, env(shard), "-test.run=TestVault|TestRecordings")
		require.Zero(t, p.code, p.tail())
		return p
	}
	whole, one, two := run(""), run("1/2"), run("2/2")
	_, options, err := settings.Load()
	require.NoError(t, err)
	options.Results = t.TempDir()
	_, dir, err := settings.Merge(options, []string{filepath.Join(two.results, "latest"), filepath.Join(one.results, "latest")}, "merged")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(options.Results, "merged"), dir)
	assert.FileExists(t, filepath.Join(dir, publish.PageFile))
	_, err = opened(t, filepath.Join(whole.results, "latest")).Write()
	require.NoError(t, err, "a child of a test writes no reports")
	for _, file := range []string{record.EvaluationsFile, receipt.File, publish.SummaryFile, report.JUnitFile, report.CTRFFile, report.MarkdownFile} {
		want := whole.read(t, file)
		got, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), file)
	}
	_, err = receipt.Verify(dir, nil)
	require.NoError(t, err)

	_, _, err = settings.Merge(options, []string{filepath.Join(two.results, "latest")}, "")
	require.ErrorContains(t, err, "shard 1/2 is missing")
	for shard, want := range map[string]string{"3/2": "VAULT_SHARD", "x": "VAULT_SHARD"} {
		p := launch(t, env(shard), "-test.run=TestVault")
		assert.NotZero(t, p.code)
		p.says(t, want)
	}
}

// TestIdleShard: a shard that has no session of the cells has done its part; a
// cell that a missing key skips is missing all the same.
func TestIdleShard(t *testing.T) {
	t.Parallel()
	s, err := settings.Suite()
	require.NoError(t, err)
	attacks := s.Corpus.Select(corpus.L2, corpus.Multi)
	idle := ""
	for n := 1; n <= 999 && idle == ""; n++ {
		shard := plan.Shard{Index: n, Of: 999}
		if !slices.ContainsFunc(attacks, func(a corpus.Attack) bool { return shard.Has(a.Session) }) {
			idle = shard.String()
		}
	}
	require.NotEmpty(t, idle)
	p := launch(t, map[string]string{"VAULT_SHARD": idle}, "-test.run=TestVault/sim-refuser/l2/multi/oap", "-test.v")
	assert.Zero(t, p.code, p.tail())
	p.says(t, "no session of shard "+idle)
	p = launch(t, map[string]string{"VAULT_SHARD": "1/2", "VAULT_SIMS": "none", "VAULT_MODELS": "deepseek-v4-pro", "DEEPSEEK_API_KEY": ""}, "-test.run=TestVault/deepseek-v4-pro/l2/multi/oap")
	assert.NotZero(t, p.code, p.tail())
	p.says(t, "each of the 1 selected cells was skipped")
}
