package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
)

// faulty is a file of which the calls fail that are told to.
type faulty struct {
	file
	write func(raw []byte, offset int64) (int, error) // nil: works
	sync  error
}

func (f *faulty) WriteAt(raw []byte, offset int64) (int, error) {
	if f.write != nil {
		return f.write(raw, offset)
	}
	return f.file.WriteAt(raw, offset)
}

func (f *faulty) Sync() error { return errors.Join(f.sync, f.file.Sync()) }

func named(attack corpus.AttackID) Evaluation {
	e := Evaluation{Cell: plan.Cell{Model: "m", Level: "l1", Track: "multi", Architecture: "oap"}, Attack: attack, Trial: 1}
	e.ID = EvaluationID(e.Cell, attack, 1)
	return e
}

func attacks(t *testing.T, dir string) (all []corpus.AttackID) {
	t.Helper()
	require.NoError(t, Read(filepath.Join(dir, EvaluationsFile), func(e Evaluation) error {
		all = append(all, e.Attack)
		return nil
	}))
	return all
}

// TestFullDisk: a line that did not fit is reported, nothing is written after it,
// what stood before stays, and the run goes on where it stopped once there is room.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r1")
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	require.NoError(t, j.Append(named("a2"), true))
	disk := j.file
	j.file = &faulty{file: disk, write: func(raw []byte, offset int64) (int, error) {
		n, err := disk.WriteAt(raw[:len(raw)/2], offset)
		return n, errors.Join(err, syscall.ENOSPC)
	}}
	err = j.Append(named("a1"), true)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "make room and resume with VAULT_RUN_ID")
	require.ErrorIs(t, j.Err(), syscall.ENOSPC)
	j.file = disk
	require.ErrorIs(t, j.Append(named("a3"), true), syscall.ENOSPC, "what can't be recorded must not be paid for")
	require.Error(t, j.Plan(PlannedCell{}))

	// The process is killed: nothing is closed, half a line stays.
	require.NoError(t, j.lock.Unlock())
	again, err := OpenJournal(dir)
	require.NoError(t, err)
	assert.Positive(t, again.Cut())
	assert.True(t, again.Prior(named("a2").ID).Final)
	assert.Zero(t, again.Prior(named("a1").ID))
	require.NoError(t, again.Append(named("a1"), true))
	n, err := again.Finish()
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, []corpus.AttackID{"a1", "a2"}, attacks(t, dir))
	require.NoError(t, again.Close())
}

// TestFailedSync: a disk that does not take what was written stops the run.
func TestFailedSync(t *testing.T) {
	j, err := OpenJournal(t.TempDir())
	require.NoError(t, err)
	disk := j.file
	j.file = &faulty{file: disk, sync: syscall.EIO}
	require.NoError(t, j.sync(), "nothing was written: nothing to bring to the disk")
	require.NoError(t, j.Append(named("a1"), true))
	require.ErrorIs(t, j.sync(), syscall.EIO)
	require.ErrorIs(t, j.Err(), syscall.EIO)
	require.ErrorIs(t, j.Append(named("a2"), true), syscall.EIO)
	j.file = disk
	require.NoError(t, j.Close())
}

// TestAppendAfterABrokenWrite: what stands behind the last whole line is
// overwritten; the lines after it stand where the journal thinks.
func TestAppendAfterABrokenWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r1")
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	require.NoError(t, j.Append(named("a2"), true))
	_, err = j.file.WriteAt([]byte(`{"id":"half a li`), j.size)
	require.NoError(t, err)
	require.NoError(t, j.Append(named("a1"), true))
	_, err = j.Finish()
	require.NoError(t, err)
	assert.Equal(t, []corpus.AttackID{"a1", "a2"}, attacks(t, dir))
	require.NoError(t, j.Close())
}

const hostile = "\x1b[31m<script>&amp;\"\\\r\n::error::]]>\u2028\u2029\ufffe\u202e\x00\x9b💰"

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		name, text, want, reason string
	}{
		{"HTML", "<>&", `"<>&"`, "nothing here is for a browser, and searches should find it"},
		{"line separators", "\u2028\u2029", `"\u2028\u2029"`, "they come back the same, and tools that split lines at them see one line"},
		{"line end", "a\nb\rc", `"a\nb\rc"`, "one line a value"},
		{"escape sequence", "\x1b[31m", `"\u001b[31m"`, "no terminal obeys it"},
		{"NUL", "\x00", `"\u0000"`, "escaped"},
		{"direction", "\u202e", "\"\u202e\"", "kept"},
		{"invalid UTF-8", "a\xff", `"a\ufffd"`, "JSON can't hold it; arguments, where it matters, are kept apart"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := encode(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want+"\n", string(got), tt.reason)
		})
	}
	_, err := encode(func() {})
	require.Error(t, err)
}

// TestHostileTextSurvives: text of attackers and models comes back the same from
// every field that holds it, and stays within its line.
func TestHostileTextSurvives(t *testing.T) {
	text := strings.ToValidUTF8(hostile, "\ufffd")
	e := Evaluation{
		Attack: corpus.AttackID(text), Session: corpus.SessionID(text), Trial: 1, Source: text, Detail: text,
		Goal:    []corpus.Payment{{Recipient: text, Amount: json.RawMessage("\"<\u2028\""), Memo: text}},
		Replies: []Reply{{Content: text, FinishReason: text, ServedModel: text}},
		Calls:   []Call{{Tool: text, ToolID: text, Arguments: text, Result: text, Refusal: text, Payment: &ParsedPayment{Recipient: "x", Memo: text}}},
	}
	e.Calls[0].SetArguments(hostile)
	e.Calls[0].Arguments = ""
	e.Cell = plan.Cell{Model: "m", Level: "l1", Track: "multi", Architecture: "oap"}
	e.ID = EvaluationID(e.Cell, e.Attack, 1)
	raw, err := encode(e)
	require.NoError(t, err)
	assert.Equal(t, 1, bytes.Count(raw, []byte("\n")))
	assert.NotContains(t, string(raw), "\x1b")
	got, err := decode(raw)
	require.NoError(t, err)
	if diff := cmp.Diff(e, got); diff != "" {
		t.Errorf("evaluation (-want +got):\n%s", diff)
	}
	back, err := got.Calls[0].RawArguments()
	require.NoError(t, err)
	assert.Equal(t, hostile, back)
}
