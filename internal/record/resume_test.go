package record_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/record"
)

func open(t *testing.T, dir string) *record.Journal {
	t.Helper()
	j, err := record.OpenJournal(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// journalOf is the text of a journal with these evaluations, all final.
func journalOf(t *testing.T, all ...record.Evaluation) []byte {
	t.Helper()
	j := create(t)
	require.NoError(t, j.Plan(record.PlannedCell{Cell: cell("l1"), Kind: "simulated", Evaluations: len(all)}))
	for _, e := range all {
		require.NoError(t, j.Append(e, true))
	}
	require.NoError(t, j.Close())
	raw, err := os.ReadFile(filepath.Join(j.Dir(), record.JournalFile))
	require.NoError(t, err)
	return raw
}

// crc is a checksum as it stands in a journal.
func crc(text string) string {
	return fmt.Sprintf("%08x", crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
}

// TestTornEnd: whatever stands behind the last whole line is dropped; damage
// before whole lines is refused, and the file stays as it is.
func TestTornEnd(t *testing.T) {
	one, two, three := evaluation("l1", "a1", 1), evaluation("l1", "a2", 1), evaluation("l1", "a3", 1)
	whole := journalOf(t, one, two, three)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	last := len(whole) - len(lines[3])
	bent := bytes.Replace(whole, []byte(`"trial":1`), []byte(`"trial":2`), 1) // of a1, in its evaluation
	require.NotEqual(t, whole, bent)
	alien := bytes.SplitAfter(journalOf(t, evaluation("l4", "x", 1)), []byte("\n"))[1]
	for _, tt := range []struct {
		name   string
		text   []byte
		final  int    // evaluations that are left
		want   string // of the error; "" if it opens
		reason string
	}{
		{"whole", whole, 3, "", "nothing is lost"},
		{"nothing", nil, 0, "", "a run that was just begun"},
		{"cut in the last line", whole[:len(whole)-7], 2, "", "a kill in the middle of a write"},
		{"without the last line feed", whole[:len(whole)-1], 2, "", "not known to be whole"},
		{"zeros at the end", append(whole[:last:last], make([]byte, 4096)...), 2, "", "a file system that had grown the file before a power cut"},
		{"zeros and a line feed", append(append(whole[:last:last], make([]byte, 64)...), '\n', 0, 0), 2, "", "the same"},
		{"last line bent", bytes.Replace(whole, []byte(`"attack":"a3"`), []byte(`"attack":"a4"`), 1), 2, "", "its checksum says so"},
		{"cut in the first line", lines[0][:20], 0, "", "nothing was asked yet"},
		{"bent in the middle", bent, 0, "damaged before its end: line 2: line is damaged: the evaluation's checksum", "nobody knows what stood there"},
		{"line missing its end in the middle", append(append(bytes.Clone(lines[0]), lines[1][:40]...), append([]byte("\n"), lines[2]...)...), 0, "damaged before its end: line 2", "whole lines follow"},
		{"line twice", slices.Concat(lines[0], lines[1], lines[1], lines[2]), 0, `journal.jsonl:3: "sim-a/l1/multi/oap/a1/1" stands twice: it is line 2 again`, "what it cost would be summed twice"},
		{"last line twice", append(bytes.Clone(whole), lines[3]...), 0, `journal.jsonl:5: "sim-a/l1/multi/oap/a3/1" stands twice: it is line 4 again`, "no kill writes a whole line again"},
		{"plan twice", slices.Concat(lines[0], lines[0], lines[1]), 0, "journal.jsonl:2: the plan of cell sim-a/l1/multi/oap stands twice: it is line 1 again", "each line once"},
		{"lines swapped", slices.Concat(lines[0], lines[2], lines[1], lines[3]), 0, `journal.jsonl:2: "sim-a/l1/multi/oap/a2/1" is out of order: it follows line 3`, "order is part of it"},
		{"first lines swapped", slices.Concat(lines[1], lines[0], lines[2], lines[3]), 0, `journal.jsonl:1: "sim-a/l1/multi/oap/a1/1" is out of order: it follows line 2`, "order is part of it"},
		{"line moved to the end", slices.Concat(lines[0], lines[2], lines[3], lines[1]), 0, `journal.jsonl:2: "sim-a/l1/multi/oap/a2/1" is out of order: it follows line 4`, "order is part of it"},
		{"line dropped", slices.Concat(lines[0], lines[1], lines[3]), 0, `journal.jsonl:3: "sim-a/l1/multi/oap/a3/1" does not follow line 2: `, "it was paid for"},
		{"first line dropped", slices.Concat(lines[1:]...), 0, `journal.jsonl:1: "sim-a/l1/multi/oap/a1/1" does not begin run r1: `, "lines count from the first"},
		{"last whole line dropped", slices.Concat(lines[:3]...), 2, "", "as a kill before it was written leaves it: it is asked again"},
		{"line of another run", slices.Concat(lines[0], lines[1], alien, lines[2], lines[3]), 0, `journal.jsonl:3: "sim-a/l4/multi/oap/x/1" is not of run r1 or was not written here: line 4 is what follows line 2`, "another run's"},
		{"line of another run at the end", slices.Concat(whole, alien), 0, `journal.jsonl:5: "sim-a/l4/multi/oap/x/1" does not follow line 4: `, "a whole line is no torn end"},
		{"journal of another run", bytes.Replace(whole, []byte(`"prev":"`+crc("r1")), []byte(`"prev":"`+crc("r2")), 1), 0, "journal.jsonl:1: the plan of cell sim-a/l1/multi/oap does not begin run r1: ", "its first line says of which run it is"},
		{"price changed", bytes.Replace(whole, []byte(`"replies":0`), []byte(`"replies":9`), 1), 0, "journal.jsonl:3: \"sim-a/l1/multi/oap/a2/1\" does not follow line 2: that one was changed", "what it cost is summed"},
		{"attempt missing", slices.Concat(lines[0], bytes.Replace(lines[1], []byte(`"attempt":1`), []byte(`"attempt":2`), 1), lines[2]), 0, `line 2: line is damaged: attempt 2 at "sim-a/l1/multi/oap/a1/1" after 0`, "what the first one cost is gone"},
		{"no journal", []byte("hello\n" + string(lines[1])), 0, "damaged before its end: line 1", "another file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r1")
			require.NoError(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, record.JournalFile)
			require.NoError(t, os.WriteFile(path, tt.text, 0o600))
			j, err := record.OpenJournal(dir)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want, tt.reason)
				kept, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, string(tt.text), string(kept), "what can't be read is not cut")
				return
			}
			require.NoError(t, err)
			recorded, final := j.Priors()
			assert.Equal(t, []int{tt.final, tt.final}, []int{recorded, final}, tt.reason)
			require.NoError(t, j.Append(evaluation("l1", "b1", 1), true), "it goes on behind the last whole line")
			require.NoError(t, j.Close())
			assert.Len(t, journaled(t, dir), tt.final+1)
		})
	}
}

// TestAttempts: an error is tried again, the last attempt counts, and what all of
// them cost is added up; a final end is the last.
func TestAttempts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r1")
	failed := evaluation("l1", "a1", 1)
	failed.End, failed.SubReason, failed.Detail = record.ProviderError, "", "busy"
	failed.Replies = []record.Reply{{InputTokens: 100, OutputTokens: 7, CachedTokens: 3, ServedModel: "m-1"}, {InputTokens: 200, ServedModel: "m-1"}}
	for attempt := range 3 {
		j := open(t, dir)
		p := j.Prior(failed.ID)
		assert.Equal(t, attempt, p.Attempts)
		e := failed
		e.Earlier = p.Earlier()
		require.NoError(t, j.Append(e, false))
		require.NoError(t, j.Close())
	}
	j := open(t, dir)
	done := evaluation("l1", "a1", 1)
	done.Earlier = j.Prior(done.ID).Earlier()
	want := &record.Earlier{Attempts: 3, Usage: record.Usage{Replies: 6, InputTokens: 900, OutputTokens: 21, CachedTokens: 9}}
	if diff := gocmp.Diff(want, done.Earlier); diff != "" {
		t.Errorf("earlier (-want +got):\n%s", diff)
	}
	loaded, err := j.Load(done.ID)
	require.NoError(t, err)
	assert.Equal(t, "busy", loaded.Detail)
	assert.Equal(t, 2, loaded.Earlier.Attempts, "of the last attempt")
	require.NoError(t, j.Append(done, true))
	assert.Equal(t, []string{"m-1"}, j.Served("sim-a"))
	assert.Equal(t, 1, finish(t, j), "one evaluation, four attempts")
	require.NoError(t, j.Close())
	var got []record.Evaluation
	require.NoError(t, record.Read(filepath.Join(dir, record.EvaluationsFile), func(e record.Evaluation) error {
		got = append(got, e)
		return nil
	}))
	if diff := gocmp.Diff([]record.Evaluation{done}, got); diff != "" {
		t.Errorf("evaluations (-want +got):\n%s", diff)
	}

	again := open(t, dir)
	assert.True(t, again.Prior(done.ID).Final)
	assert.Equal(t, 4, again.Prior(done.ID).Attempts)
	require.NoError(t, again.Append(failed, false))
	_, err = again.Finish()
	require.ErrorContains(t, err, "was recorded twice", "nothing comes after a final end")
}

// TestThin: a complete run's journal keeps order, attempts and what was superseded,
// and can't be gone on with.
func TestThin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r1")
	j := open(t, dir)
	require.NoError(t, j.Plan(record.PlannedCell{Cell: cell("l1"), Kind: "simulated", Evaluations: 2}))
	require.NoError(t, j.Plan(record.PlannedCell{Cell: cell("l2"), Kind: "live", Evaluations: 9, Skip: "no key"}))
	failed := evaluation("l1", "a2", 1)
	failed.End, failed.SubReason, failed.Detail = record.ProviderError, "", "busy"
	require.NoError(t, j.Append(failed, false))
	require.NoError(t, j.Append(evaluation("l1", "a3", 1), true))
	assert.False(t, j.Complete(), "one is no evidence yet")
	require.NoError(t, j.Close())

	j = open(t, dir)
	require.Len(t, j.Cells(), 2)
	require.NoError(t, j.Append(evaluation("l1", "a2", 1), true))
	assert.True(t, j.Complete(), "a skipped cell is not waited for")
	finish(t, j)
	require.NoError(t, j.Thin())
	require.NoError(t, j.Close())
	assert.Equal(t, []string{failed.ID, evaluation("l1", "a3", 1).ID, failed.ID}, journaled(t, dir))
	raw, err := os.ReadFile(filepath.Join(dir, record.JournalFile))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(raw), `"evaluation":`), "the superseded attempt stands nowhere else")
	_, err = record.OpenJournal(dir)
	require.ErrorIs(t, err, record.ErrFinished)
	require.ErrorContains(t, err, "choose another VAULT_RUN_ID")
	kept, err := os.ReadFile(filepath.Join(dir, record.JournalFile))
	require.NoError(t, err)
	assert.Equal(t, raw, kept)
}

// TestIDs: an attack's id may hold anything, slashes and quotes too.
func TestIDs(t *testing.T) {
	for _, id := range []string{"a", "a/b/1", "/", `q","evaluation":{`, "\n", "💰", "1/1"} {
		dir := filepath.Join(t.TempDir(), "r1")
		j := open(t, dir)
		e := evaluation("l1", corpus.AttackID(id), 12)
		require.NoError(t, j.Append(e, true))
		require.NoError(t, j.Close())
		again := open(t, dir)
		assert.True(t, again.Prior(e.ID).Final, "%q", id)
		got, err := again.Load(e.ID)
		require.NoError(t, err)
		assert.Equal(t, e.Attack, got.Attack)
		require.NoError(t, again.Append(e, true))
		_, err = again.Finish()
		require.ErrorContains(t, err, "was recorded twice", "%q: cell, attack and trial were read back", id)
	}
}

func TestDifferences(t *testing.T) {
	base := record.Manifest{
		Version: 1, Revision: "r", KeyID: "k", Trials: 1, Sims: []string{"a"}, Digests: map[string]string{"x": strings.Repeat("ab", 32), "gone": "1"},
		Options: map[string]string{"VAULT_LEVELS": "l1 (default)", "VAULT_LOG": "info (.env)"}, Models: []record.ManifestModel{{Slug: "m", Provider: "p", ID: "i"}},
	}
	same := base
	same.Options = map[string]string{"VAULT_LEVELS": "l1 (environment)", "VAULT_LOG": "debug (.env)", "VAULT_SHARD": " (default)"}
	assert.Empty(t, record.Differences(base, same, "VAULT_LOG"), "where a value comes from does not matter")
	other := record.Manifest{
		Version: 1, Revision: "s", Modified: true, KeyID: "l", Trials: 2, Digests: map[string]string{"x": strings.Repeat("cd", 32), "new": "2"},
		Options: map[string]string{"VAULT_LEVELS": "l2 (default)"}, Models: []record.ManifestModel{{Slug: "m", Provider: "p"}},
	}
	want := []string{
		"revision: was r, is s", "revision_modified: was false, is true", "signing key: was k, is l", "trials: was 1, is 2",
		"simulated bankers: was a, is nothing", "model m: was i at p, is no id at p", "option VAULT_LEVELS: was l1, is l2",
		"digest of gone: was 1, is nothing", "digest of new: was nothing, is 2", "digest of x: was abababababab…, is cdcdcdcdcdcd…",
	}
	if diff := gocmp.Diff(want, record.Differences(base, other, "VAULT_LOG")); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}
