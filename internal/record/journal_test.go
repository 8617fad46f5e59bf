package record_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

func cell(level corpus.Level) plan.Cell {
	return plan.Cell{Model: "sim-a", Level: level, Track: corpus.Multi, Architecture: plan.OAP}
}

func evaluation(level corpus.Level, attack corpus.AttackID, trial int) record.Evaluation {
	c := cell(level)
	return record.Evaluation{
		ID: record.EvaluationID(c, attack, trial), Cell: c, Kind: plan.Simulated, Attack: attack, Session: "s",
		Trial: trial, Source: "a.jsonl:1", End: record.Completed, SubReason: record.Answered,
	}
}

func create(t *testing.T) *record.Journal {
	t.Helper()
	j, err := record.OpenJournal(filepath.Join(t.TempDir(), "results", "r1"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// ids reads the ids of a file of evaluations, in order.
func ids(t *testing.T, path string) []string {
	t.Helper()
	var out []string
	require.NoError(t, record.Read(path, func(e record.Evaluation) error {
		out = append(out, e.ID)
		return nil
	}))
	return out
}

// journaled reads the ids of a journal, in order of completion.
func journaled(t *testing.T, dir string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, record.JournalFile))
	require.NoError(t, err)
	var out []string
	for line := range bytes.Lines(raw) {
		require.NoError(t, strictjson.Validate("journal.schema.json", line), string(line))
		var e record.Entry
		require.NoError(t, json.Unmarshal(line, &e))
		if e.ID != "" {
			out = append(out, e.ID)
		}
	}
	return out
}

func finish(t *testing.T, j *record.Journal) int {
	t.Helper()
	n, err := j.Finish()
	require.NoError(t, err)
	return n
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestConcurrentAppend: lines neither mix nor get lost, and the journal is whole
// before Finish.
func TestConcurrentAppend(t *testing.T) {
	j := create(t)
	const writers, each = 16, 40
	var wg sync.WaitGroup
	var want []string
	for w := range writers {
		for n := range each {
			want = append(want, evaluation("l2", corpus.AttackID(fmt.Sprintf("a%02d", w)), n+1).ID)
		}
		wg.Go(func() {
			for n := range each {
				e := evaluation("l2", corpus.AttackID(fmt.Sprintf("a%02d", w)), n+1)
				e.Detail = string(make([]byte, 50*w)) // lines of many lengths
				assert.NoError(t, j.Append(e, true))
			}
		})
	}
	wg.Wait()
	assert.ElementsMatch(t, want, journaled(t, j.Dir()))
	finish(t, j)
	got := ids(t, filepath.Join(j.Dir(), record.EvaluationsFile))
	assert.Equal(t, want, got, "in order of attack and trial, trial 10 after 9")
}

func TestFinishSorts(t *testing.T) {
	all := []record.Evaluation{
		evaluation("l1", "a1", 1), evaluation("l1", "a1", 2), evaluation("l1", "a1", 10), evaluation("l1", "a10", 1), evaluation("l1", "a2", 1),
		evaluation("l2", "a1", 1),
	}
	shuffled := []int{4, 0, 5, 2, 3, 1}
	j := create(t)
	for _, i := range shuffled {
		require.NoError(t, j.Append(all[i], true))
	}
	finish(t, j)
	var got []record.Evaluation
	require.NoError(t, record.Read(filepath.Join(j.Dir(), record.EvaluationsFile), func(e record.Evaluation) error {
		got = append(got, e)
		return nil
	}))
	if diff := gocmp.Diff(all, got); diff != "" {
		t.Errorf("evaluations (-want +got):\n%s", diff)
	}
	assert.True(t, slices.IsSortedFunc(got, func(a, b record.Evaluation) int {
		return cmp.Or(cmp.Compare(a.Cell.Name(), b.Cell.Name()), cmp.Compare(a.Attack, b.Attack), cmp.Compare(a.Trial, b.Trial))
	}))
	assert.Len(t, journaled(t, j.Dir()), len(all), "the journal stays")
}

func TestFinishEmpty(t *testing.T) {
	j := create(t)
	finish(t, j)
	assert.Empty(t, ids(t, filepath.Join(j.Dir(), record.EvaluationsFile)))
}

func TestFinishRefusesDuplicates(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Append(evaluation("l1", "a\n1", 2), true))
	require.NoError(t, j.Append(evaluation("l1", "a2", 2), true))
	require.NoError(t, j.Append(evaluation("l1", "a\n1", 2), true))
	_, err := j.Finish()
	require.ErrorContains(t, err, `evaluation sim-a/l1/multi/oap/"a\n1"/2 was recorded twice`)
	assert.Equal(t, []string{record.JournalFile}, files(t, j.Dir()), "no file that counts it twice, and no half of one")
}

func TestOpenJournalRefuses(t *testing.T) {
	taken := create(t)
	require.NoError(t, taken.Append(evaluation("l1", "a1", 1), true))
	below := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(below, nil, 0o600))
	for _, tt := range []struct {
		name, dir, want, reason string
	}{
		{"a run is being written there", taken.Dir(), "another process is writing this run: wait for it, or choose another VAULT_RUN_ID", "two processes never share a folder"},
		{"below a file", filepath.Join(below, "r1"), "create results folder ", "no folder can be made there"},
		{"is a file", below, "create results folder ", "no folder can be made there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := record.OpenJournal(tt.dir)
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.ErrorContains(t, err, tt.dir, "the folder is named")
		})
	}
	assert.Len(t, journaled(t, taken.Dir()), 1, "the run that was there is whole")
}

func TestAppendAfterClose(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Close())
	require.ErrorContains(t, j.Append(evaluation("l1", "a1", 1), true), `journal "sim-a/l1/multi/oap/a1/1": `)
}
