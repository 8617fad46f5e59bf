package ingest_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/export/parquetrows"
	"vaultbench/internal/ingest"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// run is a row as our own export writes it.
type run struct {
	Model        string   `parquet:"model,dict"`
	Kind         string   `parquet:"kind,dict"`
	Level        string   `parquet:"level,dict"`
	Track        string   `parquet:"track,dict"`
	Architecture string   `parquet:"architecture,dict"`
	Attack       string   `parquet:"attack"`
	Session      string   `parquet:"session"`
	Trial        int64    `parquet:"trial"`
	Category     string   `parquet:"category,dict"`
	Date         string   `parquet:"date,optional"`
	End          string   `parquet:"end,dict"`
	Requests     int64    `parquet:"requests"`
	Payments     int64    `parquet:"payments"`
	Decisions    *int64   `parquet:"decisions,optional"`
	Denied       *int64   `parquet:"denied,optional"`
	Reasons      []string `parquet:"reasons,list"`
	Recipients   []string `parquet:"recipients,list"`
	Classes      []string `parquet:"classes,list"`
	Unpermitted  int64    `parquet:"unpermitted"`
	Transcript   string   `parquet:"transcript"` // a column that no mapping asks for
}

func aRun() run {
	two, one := int64(2), int64(1)
	return run{
		Model: "m-1", Kind: "simulated", Level: "l2", Track: "multi", Architecture: "oap", Attack: "l2-0001", Session: "l2-s01", Trial: 1,
		Category: "json_injection", Date: "2026-03-06", End: "completed", Requests: 2, Payments: 1, Decisions: &two, Denied: &one,
		Reasons: []string{"oap.merchant_forbidden"}, Recipients: []string{"a@b.example"}, Classes: []string{"permitted"}, Transcript: "long",
	}
}

func wantRun() ingest.Outcome {
	return ingest.Outcome{
		Model: "m-1", Kind: plan.Simulated, Level: corpus.L2, Track: corpus.Multi, Architecture: plan.OAP, Attack: "l2-0001", Session: "l2-s01", Trial: 1,
		Category: corpus.JSONInjection, Date: "2026-03-06", End: record.Completed, Requests: 2, Payments: 1, Decisions: 2, Denied: 1,
		Reasons: []string{"oap.merchant_forbidden"}, Recipients: []string{"a@b.example"}, Classes: []corpus.Class{corpus.ClassPermitted},
		File: "t.parquet", Row: 1,
	}
}

func writeRuns(t testing.TB, rows ...any) string {
	t.Helper()
	return writeParquet(t, nil, rows...)
}

// writeParquet writes t.parquet, of rows of one type.
func writeParquet(t testing.TB, options []parquet.WriterOption, rows ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	require.NoError(t, os.WriteFile(path, parquetBytes(t, options, rows...), 0o600))
	return path
}

func parquetBytes(t testing.TB, options []parquet.WriterOption, rows ...any) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := parquetrows.NewWriterOf(&buf, rows[0], options...)
	for _, row := range rows {
		require.NoError(t, w.Write(row))
	}
	require.NoError(t, w.Close())
	return buf.Bytes()
}

func writeText(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// collect returns the rows, the rejections as text, and the error that ended it.
func collect(path string, m ingest.Mapping) (rows []ingest.Outcome, rejected []string, err error) {
	for o, e := range ingest.Outcomes(path, m) {
		var bad *ingest.Rejected
		switch {
		case e == nil:
			rows = append(rows, o)
		case errors.As(e, &bad):
			rejected = append(rejected, bad.Error())
		default:
			err = e
		}
	}
	return rows, rejected, err
}

func TestOutcomesOfARun(t *testing.T) {
	alone := aRun()
	alone.Architecture, alone.Decisions, alone.Denied, alone.Reasons, alone.Recipients, alone.Classes = "alone", nil, nil, nil, nil, nil
	alone.Payments, alone.Date = 0, ""
	rows, rejected, err := collect(writeRuns(t, aRun(), alone), ingest.Mapping{})
	require.NoError(t, err)
	require.Empty(t, rejected)
	second := wantRun()
	second.Architecture, second.Decisions, second.Denied, second.Reasons, second.Recipients, second.Classes = plan.Alone, 0, 0, nil, nil, nil
	second.Payments, second.Date, second.Row = 0, "", 2
	if diff := cmp.Diff([]ingest.Outcome{wantRun(), second}, rows); diff != "" {
		t.Errorf("Outcomes (-want +got):\n%s", diff)
	}
}

// TestOutcomesOfThePaper reads rows as the shipped mapping expects the paper's
// dataset to be: flags, numbered levels, lettered tracks, floats with gaps.
func TestOutcomesOfThePaper(t *testing.T) {
	type paper struct {
		Model     string   `parquet:"model"`
		Level     int32    `parquet:"level"`
		Track     string   `parquet:"track"`
		Arch      string   `parquet:"architecture"`
		Prompt    string   `parquet:"prompt_id"`
		Session   string   `parquet:"session_id"`
		Date      int32    `parquet:"date,date"`
		Requested bool     `parquet:"payment_requested"`
		Succeeded bool     `parquet:"payment_succeeded"`
		Decisions *float64 `parquet:"authorization_decisions,optional"`
		Reasons   []string `parquet:"denial_reasons,list"`
		Allowed   *bool    `parquet:"recipient_in_allowlist,optional"`
		Broken    bool     `parquet:"unpermitted_transfer"`
	}
	one, no := 1.0, false
	rows, rejected, err := collect(writeRuns(t,
		paper{"Kimi K3", 2, "B", "model_alone", "p1", "s1", 20518, true, true, nil, nil, &no, true},
		paper{"Kimi K3", 2, "A", "behind_layer", "p1", "s1", 20518, true, false, &one, []string{"oap.merchant_forbidden"}, nil, false},
	), ingest.Mapping{})
	require.NoError(t, err)
	require.Empty(t, rejected)
	base := ingest.Outcome{
		Model: "Kimi K3", Kind: plan.Live, Level: corpus.L2, Track: corpus.Multi, Architecture: plan.Alone, Attack: "p1", Session: "s1", Trial: 1,
		Date: "2026-03-06", End: record.Completed, Requests: 1, Payments: 1, Classes: []corpus.Class{corpus.ClassOther}, Unpermitted: 1, File: "t.parquet", Row: 1,
	}
	behind := base
	behind.Track, behind.Architecture, behind.Payments, behind.Classes, behind.Unpermitted, behind.Row = corpus.Single, plan.OAP, 0, nil, 0, 2
	behind.Decisions, behind.Denied, behind.Reasons = 1, 1, []string{"oap.merchant_forbidden"}
	if diff := cmp.Diff([]ingest.Outcome{base, behind}, rows); diff != "" {
		t.Errorf("Outcomes (-want +got):\n%s", diff)
	}
}

func TestOutcomesRejected(t *testing.T) {
	for _, tt := range []struct {
		name, want, reason string
		edit               func(*run)
	}{
		{"no model", "t.parquet:1: missing value: model is empty", "nobody would know whose row it is", func(r *run) { r.Model = "" }},
		{"no session", "t.parquet:1: missing value: session is empty", "intervals resample sessions", func(r *run) { r.Session = "" }},
		{"unknown level", `t.parquet:1: unknown word: level is "l6"`, "levels are closed", func(r *run) { r.Level = "l6" }},
		{"unknown track", `t.parquet:1: unknown word: track is "C"`, "tracks are closed", func(r *run) { r.Track = "C" }},
		{"unknown end", `t.parquet:1: unknown word: end is "refused"`, "an error is no refusal", func(r *run) { r.End = "refused" }},
		{"unknown class", `t.parquet:1: unknown word: classes is "friend"`, "classes are closed", func(r *run) { r.Classes = []string{"friend"} }},
		{"no day", `t.parquet:1: bad value: date is "2026-02-30"`, "a day of the calendar", func(r *run) { r.Date = "2026-02-30" }},
		{"count below zero", `t.parquet:1: bad value: requests is "-1"`, "nothing happens less than never", func(r *run) { r.Requests = -1 }},
		{"payment without a request", "t.parquet:1: contradiction: 1 payments and no request", "only a call moves money", func(r *run) { r.Requests = 0 }},
		{"more payments than requests", "t.parquet:1: contradiction: 2 payments for 1 requests", "one call moves money once", func(r *run) { r.Requests, r.Payments = 1, 2 }},
		{"unpermitted at Level 1", "t.parquet:1: contradiction: 1 unpermitted transfers at Level 1", "it permits any recipient", func(r *run) { r.Level, r.Unpermitted = "l1", 1 }},
		{"simulated banker as a live model", `t.parquet:1: contradiction: model "sim-x" is live`, "an instrument is no model", func(r *run) { r.Model, r.Kind = "sim-x", "" }},
		{"more unpermitted than payments", "t.parquet:1: contradiction: 2 unpermitted transfers among 1 payments", "an unpermitted transfer is a payment", func(r *run) { r.Unpermitted = 2 }},
		{"more denials than decisions", "t.parquet:1: contradiction: 3 denials among 2 decisions", "a denial is a decision", func(r *run) { n := int64(3); r.Denied = &n }},
		{"more denials than requests", "t.parquet:1: contradiction: 3 denials of 2 requests", "only a request is denied", func(r *run) { n := int64(3); r.Denied, r.Decisions = &n, &n }},
		{"decisions alone", "t.parquet:1: contradiction: 2 decisions with the model alone", "nobody decides there", func(r *run) { r.Architecture, r.Denied, r.Reasons = "alone", nil, nil }},
		{"permitted at Level 5", "t.parquet:1: contradiction: 1 transfers to recipients whom level l5 does not permit, and 0 unpermitted", "it permits nobody", func(r *run) { r.Level = "l5" }},
		{"attacker permitted", "t.parquet:1: contradiction: 1 transfers to recipients whom level l2 does not permit, and 0 unpermitted", "only those of class permitted are", func(r *run) { r.Classes = []string{"attacker"} }},
		{"permitted unpermitted", "t.parquet:1: contradiction: 0 transfers to recipients whom level l2 does not permit, and 2 unpermitted", "the class decides", func(r *run) {
			n := int64(0)
			r.Payments, r.Unpermitted, r.Denied, r.Reasons, r.Classes, r.Recipients = 2, 2, &n, nil, []string{"permitted", "permitted"}, []string{"a@b.example", "a@b.example"}
		}},
		{"paid and denied", "t.parquet:1: contradiction: 2 payments and 2 denials of 2 requests: what is denied is not paid", "each request is one or the other", func(r *run) { n := int64(2); r.Payments, r.Denied, r.Unpermitted = 2, &n, 1 }},
		{"paid without leave", "t.parquet:1: contradiction: 1 payments, and 0 of 0 decisions allow", "a layer lets nothing pass undecided", func(r *run) { n := int64(0); r.Decisions, r.Denied, r.Reasons = &n, &n, nil }},
		{"fewer classes than payments", "t.parquet:1: contradiction: 1 recipients' classes for 2 payments", "whose is the other one", func(r *run) { n := int64(0); r.Payments, r.Denied, r.Reasons = 2, &n, nil }},
		{"fewer recipients than payments", "t.parquet:1: contradiction: 1 recipients for 2 payments", "who is the other one", func(r *run) { n := int64(0); r.Payments, r.Denied, r.Reasons, r.Classes = 2, &n, nil, nil }},
		{"more classes than recipients", "t.parquet:1: contradiction: 1 recipients with 2 classes", "a payment may be a flag, and yet one of the lists lies", func(r *run) { r.Classes = []string{"permitted", "permitted"} }},
		{"more codes than denials", "t.parquet:1: contradiction: 3 denial codes for 2 denials", "one code a denied call", func(r *run) {
			n := int64(2)
			r.Payments, r.Recipients, r.Classes, r.Denied, r.Reasons = 0, nil, nil, &n, []string{"oap.limit_exceeded", "oap.limit_exceeded", "oap.limit_exceeded"}
		}},
		{"invented code", `t.parquet:1: unknown word: reasons is "nonsense"`, "the vocabulary is closed", func(r *run) { r.Reasons = []string{"nonsense"} }},
		{"code of an allowed call", `t.parquet:1: unknown word: reasons is "oap.allowed"`, "it denies nothing", func(r *run) { r.Reasons = []string{"oap.allowed"} }},
		{"denials alone", "t.parquet:1: contradiction: 1 denials with the model alone", "nobody decides there", func(r *run) { r.Architecture = "alone" }},
		{"no trial", "t.parquet:1: bad value: trial is 0", "counted from 1", func(r *run) { r.Trial = 0 }},
		{"invalid UTF-8", "t.parquet:1: unreadable: column attack is no valid UTF-8", "nothing is replaced", func(r *run) { r.Attack = "\xff" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad, good := aRun(), aRun()
			tt.edit(&bad)
			rows, rejected, err := collect(writeRuns(t, bad, good), ingest.Mapping{})
			require.NoError(t, err)
			require.Len(t, rejected, 1, tt.reason)
			require.True(t, strings.HasPrefix(rejected[0], tt.want), "%s: want %s", rejected[0], tt.want)
			require.Len(t, rows, 1, "the row behind it is read")
		})
	}
	_, rejected, err := collect(writeRuns(t, aRun(), aRun()), ingest.Mapping{})
	require.NoError(t, err)
	require.Equal(t, []string{"t.parquet:2: duplicate: model, level, track, architecture, attack and trial stand in an earlier row"}, rejected)
}

func TestOutcomesOfOtherColumns(t *testing.T) {
	path := writeText(t, "t.csv", "llm,level,track,architecture,attack,session,requests,paid,unpermitted\nm,l1,multi,alone,a,s,1,true,0\n")
	_, _, err := collect(path, ingest.Mapping{})
	require.ErrorContains(t, err, "t.csv: no column for model (column model), attack (column prompt_id), session (column session_id)")
	require.ErrorContains(t, err, "the columns are llm, level, track, architecture, attack, session, requests, paid, unpermitted;")
	var misfit *ingest.Misfit
	require.ErrorAs(t, err, &misfit)
	draft := misfit.Draft
	require.Contains(t, draft, `"model": "?"`)
	require.Contains(t, draft, `"attack": "attack"`, "a field that is called as ours is found")
	m, err := ingest.LoadMapping(writeText(t, "m.json", strings.NewReplacer(`"model": "?"`, `"model": "llm"`, `"payments": "?"`, `"payments": "paid"`).Replace(draft)))
	require.NoError(t, err, "what the error says to write is a mapping")
	rows, rejected, err := collect(path, m)
	require.NoError(t, err)
	require.Empty(t, rejected)
	require.Equal(t, int64(1), rows[0].Payments)
}

func TestOutcomesUnreadable(t *testing.T) {
	row := "m,l1,multi,alone,a,s,0,0,0\n"
	whole, err := os.ReadFile(writeRuns(t, aRun()))
	require.NoError(t, err)
	for _, tt := range []struct{ name, text, want, reason string }{
		{"empty file", "", "t: no row", "mostly a lost download"},
		{"no row", csvHead, "t: no row", "an import of nothing proves nothing"},
		{"column twice", "model,model\n" + row, `t: header: column 2 is named "model"`, "which one would be read"},
		{"quote that never ends", csvHead + "\"" + row, "t:2: the quote is never closed", "nobody knows where such a row ends"},
		{"cut Parquet", string(whole[:len(whole)-20]), "t: no Parquet file", "a lost download"},
		{"Parquet of nothing but its mark", "PAR1", "t: no Parquet file", "a lost download"},
		{"carriage returns alone", strings.ReplaceAll(csvHead+row, "\n", "\r"), "t: lines end with a carriage return alone: write line feeds", "it is one long header"},
		{"quote within a value", csvHead + "a\"" + row, "t:2: a quote within a value that does not begin with one", "nobody knows what it opens"},
		{"text behind a quote", csvHead + "\"a\"b" + row, "t:2: a quote within a quoted value: double it", "nor what it closes"},
		{"UTF-16", "\xff\xfem\x00", "t: UTF-16: write UTF-8", "a spreadsheet's Unicode text"},
		{"JSON list", "[{\"model\":\"m\"}]\n", "t: a JSON list: write JSON Lines, one object a line", "no CSV of one column"},
		{"no object", "{\n", "t:1: jsontext: unexpected EOF after offset 1: want one JSON object a line", "JSON that is not JSON Lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, _, err := collect(writeText(t, "t", tt.text), ingest.Mapping{})
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.Empty(t, rows)
		})
	}
	rows, rejected, err := collect(writeText(t, "t", csvHead+"m,l1\n"+row), ingest.Mapping{})
	require.NoError(t, err)
	require.Equal(t, []string{"t:2: unreadable: 2 values in 9 columns"}, rejected)
	require.Len(t, rows, 1)
	rows, rejected, err = collect(writeText(t, "t",
		`{"model":"m","level":"l1","track":"multi","architecture":"alone","attack":"a","session":"s","requests":0,"payments":0,"unpermitted":false}`+"\n"+
			`{"model":"m","model":"n"}`+"\n"+"\n"), ingest.Mapping{})
	require.NoError(t, err)
	require.Len(t, rejected, 2)
	require.Contains(t, rejected[0], "t:2: unreadable: ")
	require.Len(t, rows, 1)
}

// TestOutcomesStop: a caller may stop in the middle.
func TestOutcomesStop(t *testing.T) {
	other := aRun()
	other.Attack = "l2-0002"
	n := 0
	for range ingest.Outcomes(writeRuns(t, aRun(), other), ingest.Mapping{}) {
		n++
		break
	}
	require.Equal(t, 1, n)
}
