package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/ingest"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/suite"
)

const chat = `{"id":"a","model":"m","messages":[{"role":"user","content":"Pay"},{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"transfer_funds","arguments":"{}"}}]}]}`

func logs(t *testing.T) ingest.Logs {
	t.Helper()
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	require.NoError(t, err)
	return ingest.Logs{How: recorded.Import{Source: recorded.OpenAI, ToolMap: "front-desk"}, Maps: maps, Out: t.TempDir(), Parse: suite.Unparsed}
}

func TestConvert(t *testing.T) {
	l := logs(t)
	surrogate := strings.Replace(chat, `"arguments":"{}"`, `"arguments":"\ud800"`, 1)
	path := writeText(t, "gpt.json.zst", "")
	enc, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, enc.EncodeAll([]byte(chat+"\n{}\n"+surrogate+"\n"+strings.Replace(chat, `"m"`, `"m","error":"503"`, 1)), nil), 0o600))
	counts, rejects, err := l.Convert(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, "4 read, 2 imported, 2 rejected (unreadable 2), 1 ended as source errors, 2 transfer calls", counts.String())
	require.Equal(t, filepath.Join(l.Out, "rejects", "gpt.jsonl"), rejects)
	raw, err := os.ReadFile(rejects)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"row":2,"reason":"unreadable","detail":"conversation \"gpt-2\": 0 lists of messages`)
	require.Contains(t, lines[0], `"raw":"{}"`)
	require.Contains(t, lines[1], "half a surrogate pair")
	files, err := recorded.Files(os.DirFS(l.Out))
	require.NoError(t, err, "the folder can be replayed as it stands: rejects are no conversations")
	require.Equal(t, []string{"gpt.jsonl"}, files)

	_, _, err = l.Convert(t.Context(), path)
	require.ErrorContains(t, err, "gpt.jsonl exists: delete it or choose another folder")
}

func TestConvertFolder(t *testing.T) {
	l := logs(t)
	dir := filepath.Join(t.TempDir(), "runs.v1")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "b"), 0o755))
	for name, text := range map[string]string{"b/1.json": chat, "a.jsonl": chat + "\n" + chat, "README.md": "no log", ".DS_Store": "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	counts, rejects, err := l.Convert(t.Context(), dir)
	require.NoError(t, err)
	require.Empty(t, rejects)
	require.Equal(t, "3 read, 3 imported, 0 rejected, 0 ended as source errors, 3 transfer calls", counts.String())
	r, err := recorded.Open(os.DirFS(l.Out), "runs.v1.jsonl")
	require.NoError(t, err)
	for _, want := range []string{"a", "a#2", "a#3"} {
		c, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, want, c.ID, "ids are unique over the folder")
	}
	require.NoError(t, r.Close())
}

func TestConvertErrors(t *testing.T) {
	for _, tt := range []struct {
		name, file, text, want string
		edit                   func(*ingest.Logs)
		reason                 string
	}{
		{"nothing imported", "x.jsonl", "{}\n", "none of 1 rows could be imported", nil, "an empty recording proves nothing"},
		{"empty", "x.jsonl", "", "x.jsonl:1: the file is empty", nil, "mostly a lost download"},
		{"simulated banker's name", "sim-x.jsonl", chat, "names that begin with sim-", nil, "it would pass for one"},
		{"no tool map", "x.jsonl", chat, "give --tool-map", func(l *ingest.Logs) { l.How.ToolMap = "" }, "nobody knows what moves money"},
		{"unknown tool map", "x.jsonl", chat, "no tool map: no tool map \"spree\": write fixtures/toolmaps/spree.json", func(l *ingest.Logs) { l.How.ToolMap = "spree" }, "says what to do"},
		{"cut", "x.jsonl", "\x1f\x8b\x08", "the gzip stream is cut", nil, "half a file is no file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := logs(t)
			if tt.edit != nil {
				tt.edit(&l)
			}
			_, _, err := l.Convert(t.Context(), writeText(t, tt.file, tt.text))
			require.ErrorContains(t, err, tt.want, tt.reason)
			files, err := filepath.Glob(filepath.Join(l.Out, "*.jsonl"))
			require.NoError(t, err)
			require.Empty(t, files, "whole or not at all")
		})
	}
	_, _, err := logs(t).Convert(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "the folder holds no *.json or *.jsonl")
}

// TestConvertModels: a log is one cell, so of one model.
func TestConvertModels(t *testing.T) {
	other := strings.Replace(chat, `"model":"m"`, `"model":"n"`, 1)
	l := logs(t)
	path := writeText(t, "x.jsonl", chat+"\n"+other+"\n"+chat+"\n")
	counts, rejects, err := l.Convert(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, int64(2), counts.Imported, "what is of the first row's model")
	raw, err := os.ReadFile(rejects)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"row":2,"reason":"contradiction","detail":"model \"n\", and `)
	require.Contains(t, string(raw), `x.jsonl:1 is of model \"m\"`)
	l = logs(t)
	l.How.Model = "both"
	counts, _, err = l.Convert(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, int64(3), counts.Imported, "--model says that it is one")
}

// TestConvertLeftOut: what a folder holds and no log is, is named; a link to a
// folder is that folder.
func TestConvertLeftOut(t *testing.T) {
	l := logs(t)
	dir := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	for _, name := range []string{"a.jsonl", "sub/b.JSON", "c.ndjson", "d.jsonl.zstd"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(chat), 0o600))
	}
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "more.json")))
	counts, _, err := l.Convert(t.Context(), link)
	require.NoError(t, err)
	require.Equal(t, int64(1), counts.Imported)
	require.Equal(t, []string{"c.ndjson", "d.jsonl.zstd", "more.json", "sub/b.JSON"}, counts.LeftOut)
	require.Contains(t, counts.Warning(), "left out, being neither *.json nor *.jsonl, packed with .gz or .zst or not: c.ndjson, d.jsonl.zstd, more.json, sub/b.JSON\n")
	require.FileExists(t, filepath.Join(l.Out, "link.jsonl"))
}

// TestConvertUnknownTools: by a wrong tool map every model is safe.
func TestConvertUnknownTools(t *testing.T) {
	wire := strings.Replace(chat, "transfer_funds", "wire_money", 1)
	none := strings.Replace(chat, `"content":null,"tool_calls":[{"id":"i","function":{"name":"transfer_funds","arguments":"{}"}}]`, `"content":"No."`, 1)
	const warning = "WARNING: not one call is a transfer by the tool map: if another tool moves money, called here or named in harmless, it is the wrong map"
	const unparsed = "WARNING: not one of %d transfer calls parses under the tool map's arguments (x.jsonl:1: invalid recipient: missing): see whether they name what the source's tool takes"
	paid := strings.Replace(chat, `"{}"`, `"{\"recipient\":\"a@b.example\",\"amount\":1}"`, 1)
	named := strings.Replace(paid, `\"recipient\"`, `\"to\"`, 1)
	for _, tt := range []struct {
		name, text  string
		tools, warn bool
		unparsed    int // transfer calls, where none parses
		reason      string
	}{
		{"wrong map", wire + "\n" + wire, true, true, 0, "a silent zero"},
		{"harmless", strings.Replace(chat, "transfer_funds", "get_balance", 1), false, true, 0, "the map says that it moves nothing, and may be wrong"},
		{"some", wire + "\n" + wire + "\n" + paid, true, false, 0, "the map fits, whatever else was called"},
		{"transfers", paid + "\n" + named, false, false, 0, "some model always gets an argument wrong"},
		{"arguments of other names", named + "\n" + named, false, false, 2, "the map does not name what the source's tool takes"},
		{"no arguments", chat, false, false, 1, "none parses"},
		{"no call", none, false, false, 0, "the model held, and nothing says otherwise"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := logs(t)
			counts, _, err := l.Convert(t.Context(), writeText(t, "x.jsonl", tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.tools, strings.Contains(counts.Warning(), "tools that the tool map does not know: wire_money: 2 calls\n"), "%s: %s", tt.reason, counts.Warning())
			require.Equal(t, tt.tools, strings.Contains(counts.Warning(), "a replay counts no conversation that calls one of them, and is inconclusive"), "%s: %s", tt.reason, counts.Warning())
			require.Equal(t, tt.unparsed > 0, strings.Contains(counts.Warning(), fmt.Sprintf(unparsed, tt.unparsed)), "%s: %s", tt.reason, counts.Warning())
			require.Equal(t, tt.warn, strings.Contains(counts.Warning(), warning), "%s: %s", tt.reason, counts.Warning())
		})
	}
}

// TestConvertManyUnknownTools: whoever mends the map is told each tool, and a model's
// inventions do not fill the terminal.
func TestConvertManyUnknownTools(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tools  int
		last   string // of the list
		reason string
	}{
		{"thirty", 30, "tool_029: 1 calls\n", "all are named"},
		{"a hundred and one", 101, "tool_099: 1 calls and 1 more\n", "those that are called most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			for i := range tt.tools {
				log.WriteString(strings.Replace(chat, "transfer_funds", fmt.Sprintf("tool_%03d", i), 1) + "\n")
			}
			counts, _, err := logs(t).Convert(t.Context(), writeText(t, "x.jsonl", log.String()))
			require.NoError(t, err)
			require.Contains(t, counts.Warning(), "tools that the tool map does not know: tool_000: 1 calls, tool_001: ", tt.reason)
			require.Contains(t, counts.Warning(), tt.last, tt.reason)
		})
	}
}

// TestConvertRealRuns imports the published runs, if they are there.
func TestConvertRealRuns(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/agentdojo-banking/*.jsonl.gz")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("../shared/data/agentdojo-banking is not there: no recorded runs of real models")
	}
	l := logs(t)
	l.How = recorded.Import{Source: recorded.AgentDojo}
	var total ingest.Counts
	for _, f := range files {
		counts, rejects, err := l.Convert(t.Context(), f)
		require.NoError(t, err)
		require.Empty(t, rejects)
		total.Add(counts)
	}
	require.Equal(t, "2559 read, 2559 imported, 0 rejected, 3 ended as source errors, 1333 transfer calls", total.String())
}
