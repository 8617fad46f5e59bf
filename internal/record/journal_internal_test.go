package record

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
)

// TestAppendAfterABrokenWrite: what a failed write left behind, as a full disk
// does, is overwritten; the lines after it stand where the journal thinks.
func TestAppendAfterABrokenWrite(t *testing.T) {
	j, err := CreateJournal(filepath.Join(t.TempDir(), "r1"))
	require.NoError(t, err)
	one, two := Evaluation{Attack: "a1"}, Evaluation{Attack: "a2"}
	one.ID, two.ID = EvaluationID(one.Cell, "a1", 0), EvaluationID(two.Cell, "a2", 0)
	require.NoError(t, j.Append(two))
	_, err = j.file.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	_, err = j.file.Write([]byte(`{"id":"half a li`))
	require.NoError(t, err)
	require.NoError(t, j.Append(one))
	require.NoError(t, j.Finish())
	var got []corpus.AttackID
	require.NoError(t, Read(filepath.Join(j.Dir(), EvaluationsFile), func(e Evaluation) error {
		got = append(got, e.Attack)
		return nil
	}))
	assert.Equal(t, []corpus.AttackID{"a1", "a2"}, got)
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
