package harness_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// TestCassettes records a live run and replays it without server and key: each
// evaluation comes to the same, but for what was filtered, which is a miss.
func TestCassettes(t *testing.T) {
	t.Parallel()
	s, err := settings.Suite()
	require.NoError(t, err)
	client, err := sim.New(sim.Erratic, suite.Lookup(s.Corpus, s.Levels[corpus.L2], corpus.Single))
	require.NoError(t, err)
	filter, err := llmtest.FaultNamed("filter-400")
	require.NoError(t, err)
	server := llmtest.New(client, llmtest.Options{Key: canary, Fault: func(n int, _ llmtest.Received) (llmtest.Fault, bool) { return filter, n == 1 }})
	t.Cleanup(server.Close)
	dir := filepath.Join(t.TempDir(), "cassettes")
	env := map[string]string{"VAULT_SIMS": "none", "VAULT_LEVELS": "l2", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "oap", "VAULT_CONCURRENCY": "4", "VAULT_SHARD": "1/4"}
	with := func(more map[string]string) map[string]string {
		for name, value := range env {
			more[name] = value
		}
		return more
	}
	live := launch(t, with(map[string]string{"VAULT_MODELS": "local", "VAULT_LOCAL_URL": server.URL(), "LOCAL_API_KEY": canary, "VAULT_RECORD": dir}), "-test.run=TestVault")
	require.Zero(t, live.code, live.tail())
	server.Close()

	raw, err := os.ReadFile(filepath.Join(dir, "local.cassette.jsonl"))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), canary, "no key lands in a cassette")
	assert.NotContains(t, string(raw), "content_filter", "what was filtered is not in it")
	replay := launch(t, with(map[string]string{"VAULT_RECORDINGS": dir, "LOCAL_API_KEY": ""}), "-test.run=TestVault|TestRecordings", "-test.v")
	assert.NotZero(t, replay.code, "the filtered one is a miss, which is red")
	replay.says(t, "nothing was recorded: it failed, was filtered")
	replay.says(t, "VAULT_RECORDINGS holds cassettes alone")
	assert.Contains(t, string(replay.read(t, "summary.json")), "counts as one trial", "said where the figures are")
	sameButForTheFiltered(t, live, replay)

	for _, tt := range []struct{ name, variable, value, want string }{
		{"trials", "VAULT_TRIALS", "2", "VAULT_TRIALS: local is replayed from the cassette local.cassette.jsonl, which counts as one trial"},
		{"recorded again", "VAULT_RECORD", t.TempDir(), "VAULT_RECORD: local is replayed from the cassette"},
	} {
		p := launch(t, with(map[string]string{"VAULT_RECORDINGS": dir, tt.variable: tt.value}), "-test.run=TestVault")
		assert.NotZero(t, p.code, tt.name)
		p.says(t, tt.want)
	}
}

func sameButForTheFiltered(t *testing.T, live, replay process) {
	t.Helper()
	was, is := evaluationsOf(t, live), evaluationsOf(t, replay)
	require.Len(t, is, len(was))
	filtered := 0
	for id, e := range was {
		got := is[id]
		assert.Equal(t, plan.Recorded, got.Kind)
		if e.End == record.InputFiltered {
			filtered++
			assert.Equal(t, record.HarnessError, got.End, "a miss is never an answer")
			assert.Empty(t, got.Transfers)
			continue
		}
		if diff := cmp.Diff(e, got, cmpopts.IgnoreFields(record.Evaluation{}, "Kind"), cmpopts.IgnoreFields(record.Reply{}, "LatencyMS")); diff != "" {
			t.Errorf("%s (-live +replay):\n%s", id, diff)
		}
	}
	assert.Equal(t, 1, filtered)
}

func evaluationsOf(t *testing.T, p process) map[string]record.Evaluation {
	t.Helper()
	all := map[string]record.Evaluation{}
	require.NoError(t, record.Read(filepath.Join(p.results, "latest", "evaluations.jsonl"), func(e record.Evaluation) error {
		all[e.ID] = e
		return nil
	}))
	return all
}
