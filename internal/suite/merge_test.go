package suite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
)

var mergedCells = []plan.Cell{
	{Model: "sim-a", Level: corpus.L2, Track: corpus.Single, Architecture: plan.Alone},
	{Model: "sim-a", Level: corpus.L2, Track: corpus.Multi, Architecture: plan.OAP},
	{Model: "sim-a", Level: corpus.L2, Track: corpus.Benign, Architecture: plan.OAP},
}

// runShard runs the cells of a shard to the end and returns its folder.
func runShard(t *testing.T, results, shard string, change func(*suite.Suite, *record.Manifest), cells ...plan.Cell) string {
	t.Helper()
	return runShardOf(t, t.TempDir(), results, shard, change, cells...)
}

// runShardOf is runShard with the code that stands below root.
func runShardOf(t *testing.T, root, results, shard string, change func(*suite.Suite, *record.Manifest), cells ...plan.Cell) string {
	t.Helper()
	s := newSuite()
	var err error
	s.Shard, err = plan.ParseShard(shard)
	require.NoError(t, err)
	m := record.Manifest{Options: map[string]string{"VAULT_SHARD": shard + " (environment)", "VAULT_TRIALS": "2 (default)"}, Digests: map[string]string{"fixtures/x": strings.Repeat("00", 32)}}
	if shard == "" {
		m.Options["VAULT_SHARD"] = " (default)"
	}
	if change != nil {
		change(s, &m)
	}
	failures := m.Failures
	m.Failures = nil
	r, err := suite.Start(s, root, results, "", m)
	require.NoError(t, err)
	for _, f := range failures {
		r.Fail(f.Kind, f.Message)
	}
	for _, c := range cells {
		p, err := s.Planned(c)
		require.NoError(t, err)
		require.NoError(t, r.Plan(p))
		if p.Skip == "" {
			_, err = s.RunCell(t.Context(), p)
			require.NoError(t, err)
		}
	}
	_, err = r.Finish()
	require.NoError(t, err)
	return r.Dir()
}

// TestMergeIsTheWhole: the parts of any division make the very bytes of a run that
// was never divided, and the merged run verifies.
func TestMergeIsTheWhole(t *testing.T) {
	results := t.TempDir()
	whole := runShard(t, results, "", nil, mergedCells...)
	for _, shards := range [][]string{{"1/1"}, {"2/2", "1/2"}, {"1/3", "3/3", "2/3"}, {"1/9", "2/9", "3/9", "4/9", "5/9", "6/9", "7/9", "8/9", "9/9"}} {
		t.Run(shards[0], func(t *testing.T) {
			var dirs []string
			for _, shard := range shards {
				dirs = append(dirs, runShard(t, results, shard, nil, mergedCells...))
			}
			_, dir, err := suite.Merge(newSuite(), nil, dirs, results, "merged-"+shards[0][2:])
			require.NoError(t, err)
			for _, file := range []string{record.EvaluationsFile, receipt.File, "summary.json", report.JUnitFile} {
				want, err := os.ReadFile(filepath.Join(whole, file))
				require.NoError(t, err)
				got, err := os.ReadFile(filepath.Join(dir, file))
				require.NoError(t, err)
				require.Equal(t, string(want), string(got), file)
			}
			verified, err := receipt.Verify(dir, nil)
			require.NoError(t, err)
			require.Equal(t, 2*(12+12+2), verified.Evaluations)
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	results := t.TempDir()
	one, two := runShard(t, results, "1/2", nil, mergedCells...), runShard(t, results, "2/2", nil, mergedCells...)
	whole := runShard(t, results, "", nil, mergedCells...)
	third := runShard(t, results, "3/3", nil, mergedCells...)
	fewer := runShard(t, results, "2/2", nil, mergedCells[:1]...)
	more := runShard(t, results, "1/2", nil, mergedCells[:1]...)
	otherCorpus := runShard(t, results, "2/2", func(_ *suite.Suite, m *record.Manifest) { m.Digests["fixtures/x"] = strings.Repeat("11", 32) }, mergedCells...)
	otherOption := runShard(t, results, "2/2", func(_ *suite.Suite, m *record.Manifest) { m.Options["VAULT_CROSS"] = "1 (environment)" }, mergedCells...)
	mislabelled := runShard(t, results, "1/2", func(s *suite.Suite, m *record.Manifest) {
		s.Shard = plan.Shard{}
	}, mergedCells...)
	code := t.TempDir()
	put(t, code, "engine.go", "package engine // allows")
	otherCode := runShardOf(t, code, results, "2/2", nil, mergedCells...)
	unset := func(s *suite.Suite, _ *record.Manifest) {
		s.Bankers["sim-a"] = suite.Banker{Slug: "sim-a", Kind: plan.Simulated, Skip: "live: KEY unset"}
	}
	keyless, keylessFirst := runShard(t, results, "2/2", unset, mergedCells...), runShard(t, results, "1/2", unset, mergedCells...)
	cut := runShard(t, results, "2/2", nil, mergedCells...)
	require.NoError(t, os.Truncate(filepath.Join(cut, record.EvaluationsFile), 100))
	for _, tt := range []struct {
		name   string
		dirs   []string
		want   string
		reason string
	}{
		{"nothing", nil, "no run to merge", "zero matches"},
		{"no shard", []string{whole, two}, "only the runs of shards are merged", "the whole holds every session"},
		{"gap at the end", []string{one}, "shard 2/2 is missing", "by name"},
		{"gap at the front", []string{two}, "shard 1/2 is missing", "by name"},
		{"overlap", []string{one, two, two}, "overlap: both hold the same sessions", "counted twice"},
		{"two divisions", []string{one, third}, "parts of divisions into 2 and 3", "sessions would be lost"},
		{"other corpus", []string{one, otherCorpus}, "digest of fixtures/x: was 000000000000…, is 111111111111…", "with a diff"},
		{"other option", []string{one, otherOption}, "option VAULT_CROSS: was nothing, is 1", "with a diff"},
		{"other code", []string{one, otherCode}, "digest of code: was ", "one run would mix two engines"},
		{"a cell is missing", []string{one, fewer}, "run the same cells in every shard", "a gap"},
		{"a cell too many", []string{more, two}, "run the same cells in every shard", "a gap"},
		{"skipped in the second part", []string{one, keyless}, "(shard 2/2): cell sim-a/l2/multi/oap was skipped (live: KEY unset), and other shards ran it", "half a cell is no cell"},
		{"skipped in the first part", []string{keylessFirst, two}, "and an earlier shard skipped it (live: KEY unset)", "neither is it a whole one"},
		{"sessions of another shard", []string{mislabelled, two}, "is not of shard 1/2", "by hand"},
		{"does not verify", []string{one, cut}, "evaluations.jsonl", "verified while read"},
		{"no run", []string{one, t.TempDir()}, "manifest.json", "wrong folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := suite.Merge(newSuite(), nil, tt.dirs, results, "m")
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.NoDirExists(t, filepath.Join(results, "m"), "nothing is left behind")
		})
	}
	t.Run("other key", func(t *testing.T) {
		s := newSuite()
		seed := filepath.Join(t.TempDir(), "seed")
		require.NoError(t, os.WriteFile(seed, []byte("0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"), 0o600))
		var err error
		s.Key, err = receipt.LoadKey(seed)
		require.NoError(t, err)
		_, _, err = suite.Merge(s, nil, []string{one, two}, results, "m")
		require.ErrorContains(t, err, "a merged run is signed as its parts are")
	})
	t.Run("taken name", func(t *testing.T) {
		_, _, err := suite.Merge(newSuite(), nil, []string{one, two}, results, filepath.Base(one))
		require.ErrorContains(t, err, "is there already")
	})
}

// TestMergeKeepsFaults: what failed in a part fails in the whole, and a test
// beside the cells passed only if it did wherever it ran.
func TestMergeKeepsFaults(t *testing.T) {
	results := t.TempDir()
	one := runShard(t, results, "1/2", func(_ *suite.Suite, m *record.Manifest) {
		m.Failures, m.Sentinels = []record.Failure{{Kind: record.FailedTest, Message: "a test failed"}}, map[string]bool{"TestA": true, "TestB": true}
		m.Goldens = map[string]bool{"TestG": false, "TestH": true}
	}, mergedCells...)
	two := runShard(t, results, "2/2", func(_ *suite.Suite, m *record.Manifest) {
		m.Failures = []record.Failure{{Kind: record.FailedGolden, Message: "golden changed"}}
		m.Sentinels, m.Goldens = map[string]bool{"TestA": false}, map[string]bool{"TestG": true}
	}, mergedCells...)
	summary, dir, err := suite.Merge(newSuite(), nil, []string{two, one}, results, "m")
	require.NoError(t, err)
	require.Equal(t, report.Violation, summary.Status)
	m, err := receipt.ReadManifest(dir)
	require.NoError(t, err)
	require.Len(t, m.Failures, 2, "what failed in any part")
	require.Contains(t, m.Failures[0].Message, "(shard 2/2): golden changed", "the worst first")
	require.Contains(t, m.Failures[1].Message, "(shard 1/2): a test failed")
	require.Equal(t, map[string]bool{"TestA": false, "TestB": true}, m.Sentinels)
	require.Equal(t, map[string]bool{"TestG": false, "TestH": true}, m.Goldens)
}

// TestMergeOfSkipped: what every part skipped is skipped in the whole, whatever parts
// had no session of it.
func TestMergeOfSkipped(t *testing.T) {
	results := t.TempDir()
	var dirs []string
	for n := 1; n <= 9; n++ {
		dirs = append(dirs, runShard(t, results, fmt.Sprintf("%d/9", n), func(s *suite.Suite, _ *record.Manifest) {
			s.Bankers["sim-b"] = suite.Banker{Slug: "sim-b", Kind: plan.Live, Skip: "live: KEY unset"}
		}, mergedCells[2], plan.Cell{Model: "sim-b", Level: corpus.L2, Track: corpus.Benign, Architecture: plan.OAP}))
	}
	summary, dir, err := suite.Merge(newSuite(), nil, dirs, results, "m")
	require.NoError(t, err)
	_, err = receipt.Verify(dir, nil)
	require.NoError(t, err)
	require.Equal(t, report.Pass, summary.Cells[0].Status)
	require.Equal(t, "live: KEY unset", summary.Cells[1].Skip)
}
