package harness_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// unfinished is the folder results/r1 of a run that was killed when half of what p
// recorded had ended, and the lines of its journal.
func unfinished(t *testing.T, p process) (dir string, journal [][]byte) {
	t.Helper()
	m, err := receipt.ReadManifest(filepath.Join(p.results, "latest"))
	require.NoError(t, err)
	dir = filepath.Join(t.TempDir(), "r1")
	j, err := record.OpenJournal(dir)
	require.NoError(t, err)
	for _, c := range m.Cells {
		require.NoError(t, j.Plan(c))
	}
	half := m.Evaluations / 2
	require.NoError(t, record.Read(filepath.Join(p.results, "latest", record.EvaluationsFile), func(e record.Evaluation) error {
		if half--; half < 0 {
			return nil
		}
		return j.Append(e, true)
	}))
	require.NoError(t, j.Close())
	m.RunID, m.FinishedAt, m.SummaryState, m.Seal, m.Evaluations = "r1", "", "", nil, 0
	require.NoError(t, receipt.SignManifest(&m, receipt.TestKey()))
	require.NoError(t, record.WriteJSON(filepath.Join(dir, record.ManifestFile), m))
	raw, err := os.ReadFile(filepath.Join(dir, record.JournalFile))
	require.NoError(t, err)
	return dir, slices.DeleteFunc(bytes.SplitAfter(raw, []byte("\n")), func(l []byte) bool { return len(l) == 0 })
}

// alien is the journal of another run: one evaluation of a cell.
func alien(t *testing.T, c plan.Cell) []byte {
	t.Helper()
	j, err := record.OpenJournal(filepath.Join(t.TempDir(), "r2"))
	require.NoError(t, err)
	require.NoError(t, j.Append(record.Evaluation{ID: record.EvaluationID(c, "a", 1), Cell: c, Attack: "a", Trial: 1}, true))
	require.NoError(t, j.Close())
	raw, err := os.ReadFile(filepath.Join(j.Dir(), record.JournalFile))
	require.NoError(t, err)
	return raw
}

// refusedHere is the code of a run that this process is refused to go on with, as one
// of its own is that ends with 1.
const refusedHere = -1

// goOn begins, in this process, what goes on with results/r1 as a copy of p's run.
func goOn(t *testing.T, p process, results string) error {
	t.Helper()
	_, options, err := settings.Load()
	require.NoError(t, err)
	m, err := receipt.ReadManifest(filepath.Join(p.results, "latest"))
	require.NoError(t, err)
	s, err := settings.Suite()
	require.NoError(t, err)
	s.Trials = m.Trials
	_, err = suite.Start(s, options.Root, results, "r1", m)
	return err
}

// TestResumeOfDamage: a run is gone on with by VAULT_RUN_ID only if every line of
// its journal is its own and in its place; what the other files hold is written anew.
func TestResumeOfDamage(t *testing.T) {
	t.Parallel()
	p := finishedRun(t)
	_, lines := unfinished(t, p)
	strange := alien(t, plan.Cell{Model: "sim-compromised", Level: "l3", Track: "single", Architecture: "oap"})
	whole := slices.Concat(lines...)
	for _, tt := range []struct {
		name, file string
		text       []byte
		code       int
		want       string
		reason     string
	}{
		{"as it was", record.JournalFile, whole, 0, "0 bytes of a torn line dropped", "it goes on"},
		{"torn end", record.JournalFile, whole[:len(whole)-9], 0, " bytes of a torn line dropped", "a kill leaves it"},
		{"cut in the middle", record.JournalFile, slices.Concat(lines[0], lines[1][:90], []byte("\n"), lines[2]), 1, "journal.jsonl is damaged before its end: line 2: line is damaged", "whole lines follow"},
		{"reordered", record.JournalFile, slices.Concat(lines[0], lines[2], lines[1], lines[3]), refusedHere, `journal.jsonl:2: "sim-compromised/l2/single/oap/`, "order is part of it"},
		{"twice", record.JournalFile, slices.Concat(lines[0], lines[1], lines[1], lines[2]), refusedHere, " stands twice: it is line 2 again", "it would be summed twice"},
		{"twice at the end", record.JournalFile, slices.Concat(whole, lines[len(lines)-1]), refusedHere, " stands twice: it is line ", "it would be summed twice"},
		{"line dropped", record.JournalFile, slices.Concat(lines[0], lines[2], lines[3]), refusedHere, " does not follow line 1: ", "it was paid for"},
		{"of a cell not planned", record.JournalFile, slices.Concat(lines[0], strange, lines[1], lines[2]), refusedHere, `journal.jsonl:2: "sim-compromised/l3/single/oap/`, "another run's"},
		{"of another run", record.JournalFile, bytes.Replace(whole, []byte(`"prev":"`), []byte(`"prev":"0`), 1), refusedHere, "journal.jsonl:1: the plan of cell sim-compromised/l2/single/oap does not begin run r1", "its first line says of which run it is"},
		{"figures of another run", record.EvaluationsFile, []byte("{}\n"), 0, "resumed: ", "they are written anew"},
		{"decisions of another run", receipt.File, []byte("{}\n"), 0, "resumed: ", "they are written anew"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, _ := unfinished(t, p)
			require.NoError(t, os.WriteFile(filepath.Join(dir, tt.file), tt.text, 0o600))
			if tt.code == refusedHere {
				require.ErrorContains(t, goOn(t, p, filepath.Dir(dir)), tt.want, tt.reason)
			} else {
				env := maps.Clone(finishedEnv)
				env["VAULT_RESULTS"] = filepath.Dir(dir)
				again := launch(t, env, "-test.run=^TestVault$")
				require.Equal(t, tt.code, again.code, "%s: %s", tt.reason, again.tail())
				again.says(t, tt.want)
			}
			if tt.code == 0 {
				again := process{results: filepath.Dir(dir)}
				assert.Equal(t, string(p.read(t, record.EvaluationsFile)), string(again.read(t, record.EvaluationsFile)))
				_, err := receipt.Verify(dir, nil)
				require.NoError(t, err)
				return
			}
			kept, err := os.ReadFile(filepath.Join(dir, tt.file))
			require.NoError(t, err)
			assert.Equal(t, string(tt.text), string(kept), "what can't be read is not cut")
		})
	}
}
