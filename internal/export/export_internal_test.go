package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

const hostile = "=cmd|' /C calc'!A0\x1b[31m<script>&amp;\"\\\r\n\r::error::,;]]>\u2028\u2029\ufffe\u202e\x00\x9b\ufeff💰\\u001b"

var start = time.Date(2026, 3, 6, 9, 0, 0, 123456789, time.UTC)

// hostileEvaluation has text of attackers in every field that may hold some.
func hostileEvaluation() record.Evaluation {
	text := strings.ToValidUTF8(hostile, "\ufffd")
	raw := json.RawMessage("\"<\u2028\u009b\\n'\"")
	denial := authz.Malformed(io.ErrUnexpectedEOF, start)
	e := record.Evaluation{
		Cell: plan.Cell{Model: "m", Level: corpus.L2, Track: corpus.Multi, Architecture: plan.OAP}, Kind: plan.Live,
		Attack: corpus.AttackID(text), Session: corpus.SessionID(text), Trial: 1, Source: text, Detail: text, End: record.Completed,
		SubReason: record.Answered, Lang: text, Date: "2026-03-06", Twin: corpus.AttackID(text), Category: "reconnaissance", Technique: "reconnaissance",
		Goal: []corpus.Payment{{Recipient: text, Amount: raw, Currency: "EUR", Memo: text, At: 5}},
		Replies: []record.Reply{
			{Turn: 1, Content: text, FinishReason: text, ServedModel: text, ProseCall: true, InputTokens: 1, OutputTokens: 2, CachedTokens: 3, LatencyMS: 4},
			{Turn: 2},
		},
		Calls: []record.Call{
			{Position: 1, Turn: 1, Tool: text, ToolID: text, Arguments: text, Transfer: true, Outcome: record.CallDenied, Decision: &denial, At: start, Result: text},
			{Position: 2, Turn: 2, Tool: "transfer_funds", Transfer: true, Outcome: record.CallExecuted, At: start.Add(time.Second), Refusal: text,
				Payment: &record.ParsedPayment{Recipient: bank.AccountID(text), Amount: 1250, Currency: "USD", Memo: text}},
			{Position: 3, Turn: 2, Tool: "get_balance", Outcome: record.CallAnswered},
		},
		Transfers: []bank.Transfer{{Position: 2, From: bank.AccountID(text), Recipient: bank.AccountID(text), Amount: 1250, Currency: "USD", Memo: text, At: start}},
	}
	e.Calls[2].SetArguments("{\"a\":\"\xff\xfe\"}")
	e.ID = record.EvaluationID(e.Cell, e.Attack, e.Trial)
	return e
}

// line is an evaluation as evaluations.jsonl has it.
func line(t *testing.T, e record.Evaluation) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, record.WriteLine(&b, e))
	return b.String()
}

// write writes evaluations as the tables of one folder.
func write(t *testing.T, es ...record.Evaluation) string {
	t.Helper()
	dir := t.TempDir()
	m := record.Manifest{Cells: []record.PlannedCell{{Cell: es[0].Cell, Layered: true}}}
	w, err := Config{}.newWriter(dir, m)
	require.NoError(t, err)
	for _, e := range es {
		require.NoError(t, w.add(e))
	}
	require.NoError(t, w.close())
	return dir
}

// readBack is evaluations.jsonl as the tables of a format make it.
func readBack(dir string, f Format) (string, error) {
	rows, err := openRows(dir, f)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = rows.writeTo(context.Background(), &b)
	return b.String(), errors.Join(err, rows.close())
}

// TestHostileTextSurvives: from every field, in every format, and no cell of CSV
// begins like a formula, moves a terminal or breaks its line.
func TestHostileTextSurvives(t *testing.T) {
	e := hostileEvaluation()
	plain := record.Evaluation{Cell: e.Cell, Kind: plan.Live, Attack: "\U0010ffff", Session: "s", Trial: 1, Source: "a:1", End: record.NotRun}
	plain.ID = record.EvaluationID(plain.Cell, plain.Attack, 1)
	dir := write(t, e, plain)
	want := line(t, e) + line(t, plain)
	for _, f := range Formats() {
		got, err := readBack(dir, f)
		require.NoError(t, err, f)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: lines (-want +got):\n%s", f, diff)
		}
	}
	for _, table := range []string{outcomesTable, transcriptsTable} {
		raw, err := os.ReadFile(filepath.Join(dir, table+".csv"))
		require.NoError(t, err)
		for _, r := range string(raw) {
			require.False(t, r != '\n' && r != '\\' && special(r), "%s: %U stands raw", table, r)
		}
		for _, cell := range strings.FieldsFunc(string(raw), func(r rune) bool { return r == ',' || r == '\n' }) {
			require.NotContains(t, formulas, string([]rune(strings.TrimPrefix(cell, `"`))[:1]), cell)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, outcomesTable+".csv"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(raw), "\n"), "a header and a line a row")
}

// TestNewMembersAreKept: what of a record has no column of its own goes into rest.
func TestNewMembersAreKept(t *testing.T) {
	type wide struct {
		Known int    `json:"known"`
		Later string `json:"later,omitempty"`
	}
	rest, err := restOf(wide{1, "new"}, func(w *wide) { w.Known = 0 })
	require.NoError(t, err)
	assert.Equal(t, jsonText(`{"known":0,"later":"new"}`), rest)
	var back wide
	require.NoError(t, rest.into(&back))
	assert.Equal(t, wide{0, "new"}, back)
	none, err := restOf(wide{Known: 1}, func(w *wide) { w.Known = 0 })
	require.NoError(t, err)
	assert.Empty(t, none)
	require.Error(t, jsonText(`{"unknown":1}`).into(&back))
	require.Error(t, jsonText(`{"known":1} {}`).into(&back))
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, text, want, reason string }{
		{"plain", "pay bob 12.50", "pay bob 12.50", "nothing to do"},
		{"formula", "=1+1", "'=1+1", "a spreadsheet would compute it"},
		{"fullwidth formula", "＝1", "'＝1", "some compute that too"},
		{"at", "@SUM(1)", "'@SUM(1)", "an old one's formula"},
		{"minus", "-1", "'-1", "text; numbers here are never below zero"},
		{"apostrophe", "'tis", "''tis", "else it would be taken for the mark"},
		{"tab first", "\t=1", `\u0009=1`, "some trim the tab and compute"},
		{"line ends", "a\r\nb", `a\u000d\nb`, "readers of CSV turn \\r\\n into \\n"},
		{"backslash", `\n`, `\\n`, "no line end"},
		{"escape sequence", "\x1b[2J\u009b", `\u001b[2J\u009b`, "no terminal obeys it"},
		{"byte order mark", "\ufeffa", `\ufeffa`, "readers drop a leading one"},
		{"quotes and commas", `a "b", c`, `a "b", c`, "the writer of CSV quotes them"},
		{"empty", "", "", "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := encodeText(tt.text)
			assert.Equal(t, tt.want, got, tt.reason)
			back, err := decodeText(got)
			require.NoError(t, err)
			assert.Equal(t, tt.text, back)
		})
	}
	for _, bad := range []string{`\`, `\x`, `\u12`, `\u12g4`, `a\`} {
		_, err := decodeText(bad)
		assert.Error(t, err, bad)
	}
}

func FuzzText(f *testing.F) {
	f.Add(hostile)
	f.Add(`'\u0000`)
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		cell := encodeText(s)
		back, err := decodeText(cell)
		if err != nil || back != s {
			t.Fatalf("%q became %q and then %q (%v)", s, cell, back, err)
		}
		if strings.ContainsFunc(cell, func(r rune) bool { return r != '\\' && special(r) }) {
			t.Fatalf("%q became %q", s, cell)
		}
	})
}

// TestDamagedTables: rows that are missing, moved, foreign or of another shape are
// errors that name file and row.
func TestDamagedTables(t *testing.T) {
	e := hostileEvaluation()
	for _, tt := range []struct {
		name, file string
		change     func(lines []string) []string
		want       string
	}{
		{"entry missing", "transcripts.jsonl", func(l []string) []string { return l[1:] }, "transcripts.jsonl: row 1: "},
		{"entries swapped", "transcripts.jsonl", func(l []string) []string { l[0], l[1] = l[1], l[0]; return l }, "seq is 2, want 1"},
		{"outcome missing", "outcomes.jsonl", func([]string) []string { return nil }, "has no row in outcomes"},
		{"unknown member", "outcomes.jsonl", func(l []string) []string { return []string{strings.Replace(l[0], `"model"`, `"modell"`, 1)} }, `outcomes.jsonl: row 1: no row: json: unknown field "modell"`},
		{"cut", "outcomes.jsonl", func(l []string) []string { return []string{l[0][:len(l[0])-20]} }, "outcomes.jsonl: row 1: the line is cut"},
		{"another id", "outcomes.jsonl", func(l []string) []string { return []string{strings.Replace(l[0], `"trial":1`, `"trial":2`, 1)} }, "model, level, track, architecture, attack and trial make"},
		{"unknown entry", "transcripts.jsonl", func(l []string) []string {
			l[0] = strings.Replace(l[0], `"entry":"reply"`, `"entry":"thought"`, 1)
			return l
		}, `unknown entry "thought"`},
		{"column missing", "outcomes.csv", func(l []string) []string {
			l[0] = strings.Replace(l[0], "model,", "", 1)
			return l
		}, "outcomes.csv: columns are"},
		{"bad number", "outcomes.csv", func(l []string) []string {
			l[1] = strings.Replace(l[1], ",false,", ",maybe,", 1)
			l[1] = strings.Replace(l[1], ",true,", ",maybe,", 1)
			return l
		}, "outcomes.csv: row 1: counted: "},
		{"no parquet", "outcomes.parquet", func([]string) []string { return []string{"hello"} }, "outcomes.parquet: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, e)
			path := filepath.Join(dir, tt.file)
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			lines := tt.change(strings.SplitAfter(string(raw), "\n"))
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
			_, err = readBack(dir, Format(strings.TrimPrefix(filepath.Ext(tt.file), ".")))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestColumns: every field has a column of one name in all formats, of a kind that
// every format can hold.
func TestColumns(t *testing.T) {
	for _, row := range []reflect.Type{reflect.TypeFor[Outcome](), reflect.TypeFor[Prompt](), reflect.TypeFor[Entry]()} {
		for i := range row.NumField() {
			f := row.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			assert.Equal(t, f.Tag.Get("json"), name, "%s.%s", row.Name(), f.Name)
			_, err := encodeCell(reflect.Zero(f.Type))
			assert.NoError(t, err, "%s.%s", row.Name(), f.Name)
		}
	}
	_, err := encodeCell(reflect.ValueOf(1.5))
	require.ErrorContains(t, err, "no cell holds a float64")
	require.ErrorContains(t, decodeCell("1", reflect.New(reflect.TypeFor[float64]()).Elem()), "no cell holds a float64")
}

// TestSnapshot: the one digest sees every file and every change.
func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), []byte{byte(i)}, 0o600))
	}
	want, err := Seal(dir)
	require.NoError(t, err)
	got, err := CheckSnapshot(dir)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	for _, tt := range []struct{ name, file, text, want string }{
		{"file changed", "f1", "x", "f1: its SHA-256 is"},
		{"list changed", sumsFile, strings.Repeat("0", 64) + "  ../f1\n", "SHA256SUMS:1: want a digest"},
		{"list empty", sumsFile, "", "lists no file"},
		{"digest changed", snapshotFile, "sha256:00", "the list was changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.file)
			was, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600))
			_, err = CheckSnapshot(dir)
			require.ErrorContains(t, err, tt.want)
			require.NoError(t, os.WriteFile(path, was, 0o600))
		})
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "f2")))
	_, err = CheckSnapshot(dir)
	require.ErrorContains(t, err, "f2")
	_, err = CheckSnapshot(t.TempDir())
	require.ErrorContains(t, err, "go tool vault export wrote")
}
