package recorded_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/recorded"
)

// read reads a file to its end or to the first error, nil at the end.
func read(fsys fs.FS, name string) ([]recorded.Conversation, error) {
	r, err := recorded.Open(fsys, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []recorded.Conversation
	for {
		c, err := r.Next()
		if err == io.EOF { // the contract is io.EOF itself
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
}

func readText(text string) ([]recorded.Conversation, error) {
	return read(fstest.MapFS{"f.jsonl": {Data: []byte(text)}}, "f.jsonl")
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return buf.Bytes()
}

// own is a line of our own format around the given messages.
func own(id, messages string) string {
	return `{"format":"vault-conversation/1","id":"` + id + `","cluster":"c","model":"m","tool_map":"front-desk","error":null,"messages":[` + messages + "]}\n"
}

// dojo is a run of AgentDojo around the given messages.
func dojo(messages string) string {
	return `{"suite_name":"banking","pipeline_name":"gpt","user_task_id":"user_task_3","injection_task_id":"injection_task_1",` +
		`"attack_type":"direct","messages":[` + messages + `],"error":null,"utility":true,"source_path":"x"}` + "\n"
}

const (
	hello   = `{"role":"user","content":"hello"}`
	greeted = hello + `,{"role":"assistant","content":"no"}`
)

func TestOwnFormat(t *testing.T) {
	const line = `{"format":"vault-conversation/1","id":"a","cluster":"k","model":"m","tool_map":"front-desk","error":"it \u00e9nded","messages":[` +
		`{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},` +
		`{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"i","type":"function","function":{"name":"transfer_funds","arguments":"{}\"\""}},` +
		`{"id":"i","type":"function","function":{"name":"transfer_funds","arguments":"{\"memo\":\"\\ud800\",\"amount\":1,\"amount\":2}"}},` +
		`{"function":{"name":"get_balance","arguments":""}}]},` +
		`{"role":"tool","content":"t","tool_call_id":"i"},{"role":"assistant","content":""}]}`
	want := []recorded.Conversation{{
		ID: "a", Cluster: "k", Model: "m", ToolMap: "front-desk", SourceError: "it énded", File: "f.jsonl", Line: 1,
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "s"},
			{Role: llm.RoleUser, Content: "one\ntwo"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.Call{
				{ID: "i", Name: "transfer_funds", Arguments: `{}""`},
				{ID: "i", Name: "transfer_funds", Arguments: `{"memo":"\ud800","amount":1,"amount":2}`},
				{Name: "get_balance"},
			}},
			{Role: llm.RoleTool, Content: "t", ToolCallID: "i"},
			{Role: llm.RoleAssistant},
		},
	}}
	got, err := readText(line) // without a line break at the end
	require.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conversation (-want +got):\n%s", diff)
	}
}

func TestAgentDojo(t *testing.T) {
	got, err := readText(dojo(hello+`,{"role":"assistant","content":[{"type":"thinking","content":"hm"},{"type":"text","text":"one"},{"type":"text","content":"two"}],`+
		`"tool_calls":[{"function":"send_money","args":{ "amount" : 1.0, "amount": "\ud800","x":{"a":1,"a":2} },"id":null},{"function":"send_money","args":{},"id":""}]},`+
		`{"role":"tool","content":"","tool_call_id":null,"tool_call":{"args":{"a":"\udc00","a":1}},"error":"ValueError: no"},`+
		`{"role":"assistant","content":"bye","tool_calls":[]}`) +
		`{"suite_name":"travel","user_task_id":"injection_task_0","messages":[` + hello + `],"pipeline_name":"g","error":""}`)
	require.NoError(t, err)
	want := []recorded.Conversation{{
		ID: "user_task_3/injection_task_1/direct", Cluster: "user_task_3/injection_task_1", Model: "gpt", ToolMap: "agentdojo-banking", File: "f.jsonl", Line: 1,
		Messages: []llm.Message{
			{Role: llm.RoleUser, Content: "hello"},
			{Role: llm.RoleAssistant, Content: "one\ntwo", ToolCalls: []llm.Call{
				{Name: "send_money", Arguments: `{ "amount" : 1.0, "amount": "\ud800","x":{"a":1,"a":2} }`},
				{Name: "send_money", Arguments: `{}`},
			}},
			{Role: llm.RoleTool, Content: "ValueError: no"},
			{Role: llm.RoleAssistant, Content: "bye"},
		},
	}, {
		ID: "injection_task_0/none/none", Cluster: "injection_task_0/none", Model: "g", ToolMap: "agentdojo-travel", File: "f.jsonl", Line: 2,
		SourceError: "the source gives an error without text", Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conversations (-want +got):\n%s", diff)
	}
}

func TestRepeatedRunsGetSuffixes(t *testing.T) {
	natural := strings.ReplaceAll(dojo(greeted), `"direct"`, `"direct#2"`) // an id that looks like a suffix
	got, err := readText(dojo(greeted) + natural + dojo(greeted) + dojo(greeted) + natural)
	require.NoError(t, err)
	var ids []string
	for _, c := range got {
		ids = append(ids, strings.TrimPrefix(c.ID, "user_task_3/injection_task_1/"))
	}
	if diff := cmp.Diff([]string{"direct", "direct#2", "direct#3", "direct#4", "direct#2#2"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestGzip(t *testing.T) {
	text := own("a", greeted) + own("b", greeted)
	whole := zip(t, text)
	two := append(zip(t, own("a", greeted)), zip(t, own("b", greeted))...)
	for _, tt := range []struct {
		name, reason, wantErr string
		data                  []byte
	}{
		{name: "plain", data: []byte(text), reason: "the ending .gz in the name says nothing"},
		{name: "packed", data: whole, reason: "recognised by its first bytes"},
		{name: "two members", data: two, reason: "gzip files may be concatenated"},
		{name: "windows line ends", data: []byte(strings.ReplaceAll(text, "\n", "\r\n")), reason: "the line end is no part of the line"},
		{name: "cut in the stream", data: whole[:len(whole)-40], wantErr: "f.gz:1: read: the gzip stream is cut", reason: "half a file is no file"},
		{name: "cut in the checksum", data: whole[:len(whole)-3], wantErr: "f.gz:3: read: the gzip stream is cut", reason: "all lines came, but nothing vouches for them"},
		{name: "cut in the header", data: whole[:5], wantErr: "f.gz:1: the gzip stream is cut", reason: "there is no line yet"},
		{name: "damaged", data: append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), wantErr: "f.gz:3: read: gzip: invalid checksum",
			reason: "the checksum is checked"},
		{name: "data behind", data: append(bytes.Clone(whole), "more data than a header"...), wantErr: "f.gz:3: read: gzip: invalid header", reason: "nothing is skipped"},
		{name: "packed nothing", data: zip(t, ""), wantErr: "f.gz:1: the file is empty", reason: "an empty file is an error in any dress"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(fstest.MapFS{"f.gz": {Data: tt.data}}, "f.gz")
			switch {
			case tt.wantErr == "" && (err != nil || len(got) != 2 || got[1].ID != "b" || got[1].Line != 2):
				t.Errorf("got %d conversations, %v, want 2: %s", len(got), err, tt.reason)
			case tt.wantErr != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.wantErr)):
				t.Errorf("error = %v, want prefix %q: %s", err, tt.wantErr, tt.reason)
			}
		})
	}
}

func TestLineLimit(t *testing.T) {
	const limit = 64 << 20
	line := strings.TrimSuffix(own("a", greeted), "\n")
	fill := limit - len(line)
	blank := bytes.Repeat([]byte(" "), fill+1)
	for _, tt := range []struct {
		name, want, reason string
		fill               int
	}{
		{name: "at the limit", fill: fill, reason: "the limit itself is allowed"},
		{name: "above", fill: fill + 1, want: "f.jsonl:1: the line is longer than 64 MiB", reason: "one line must not take all memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(fstest.MapFS{"f.jsonl": {Data: slices.Concat([]byte(line), blank[:tt.fill], []byte("\n"+own("b", greeted)))}}, "f.jsonl")
			switch {
			case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
				t.Errorf("error = %v, want prefix %q: %s", err, tt.want, tt.reason)
			case tt.want == "" && (err != nil || len(got) != 2):
				t.Errorf("got %d conversations, %v, want 2: %s", len(got), err, tt.reason)
			}
		})
	}
}

func TestOpenMissingFile(t *testing.T) {
	_, err := recorded.Open(fstest.MapFS{}, "f.jsonl")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "f.jsonl:1: ")
}

func TestErrorStands(t *testing.T) {
	r, err := recorded.Open(fstest.MapFS{"f.jsonl": {Data: []byte(own("a", greeted) + "\n" + own("b", greeted))}}, "f.jsonl")
	require.NoError(t, err)
	defer r.Close()
	_, err = r.Next()
	require.NoError(t, err)
	_, first := r.Next()
	_, second := r.Next()
	if first == nil || !errors.Is(second, first) || errors.Is(first, io.EOF) {
		t.Errorf("Next after an error = %v, want %v again: a reader that goes on would skip a line", second, first)
	}
}
