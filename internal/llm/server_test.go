package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
)

const path = "/chat/completions"

func answer(reply llm.Reply) llm.Client {
	return llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) { return reply, nil })
}

func start(t *testing.T, client llm.Client, opts llmtest.Options) *llmtest.Server {
	t.Helper()
	s := llmtest.New(client, opts)
	t.Cleanup(s.Close)
	return s
}

// send returns status and body of one plain HTTP request.
func send(t *testing.T, method, url, key, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if key != "" {
		req.Header.Set("Authorization", key)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, data
}

const head = `{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,`

// TestCompletionOnTheWire compares with bytes written by hand: the live client
// is not asked, since it could share a mistake.
func TestCompletionOnTheWire(t *testing.T) {
	usage := llm.Usage{InputTokens: 7, OutputTokens: 3, CacheReadTokens: 2}
	const ask = `{"model":"m","messages":[{"role":"user","content":"12345"}]}`
	rows := []struct {
		name   string
		opts   llmtest.Options
		reply  llm.Reply
		want   string
		reason string
	}{
		{"text", llmtest.Options{}, llm.Reply{Content: "no"},
			head + `"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"no","refusal":null},"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":2,"completion_tokens":1,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}}`,
			"asked model; four bytes a token, rounded up"},
		{"calls", llmtest.Options{ServedModel: "m-0301"}, llm.Reply{Usage: usage, ToolCalls: []llm.Call{
			{ID: "a", Name: "f", Arguments: `{}""`}, {Name: "g", Arguments: "\xed\xa0\x80\xff<"},
		}},
			head + `"model":"m-0301","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[` +
				`{"id":"a","type":"function","function":{"name":"f","arguments":"{}\"\""}},` +
				`{"id":"","type":"function","function":{"name":"g","arguments":"\ud800` + "\xff" + `<"}}]},"finish_reason":"tool_calls"}],` +
				`"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":2}}}`,
			"served model; raw argument bytes; the client's own counts"},
		{"nothing", llmtest.Options{}, llm.Reply{FinishReason: llm.FinishLength, Usage: usage},
			head + `"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"","refusal":null},"finish_reason":"length"}],` +
				`"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":2}}}`,
			"the client's finish reason"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := start(t, answer(row.reply), row.opts)
			status, got := send(t, http.MethodPost, s.URL()+path, "", ask)
			require.Equal(t, http.StatusOK, status)
			if diff := cmp.Diff(row.want, string(got)); diff != "" {
				t.Errorf("body (-want +got), %s:\n%s", row.reason, diff)
			}
			require.Equal(t, 1, s.Served())
			require.Empty(t, s.Requests(), "kept only when asked for")
		})
	}
}

func TestRequestDecoding(t *testing.T) {
	const ask = `{"model":"m","temperature":0.3,"max_completion_tokens":256,"top_p":1,"stream":false,
	 "messages":[
	  {"role":"developer","content":"rules"},
	  {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
	  {"role":"assistant","content":null,"tool_calls":[
	    {"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":\"\\ud800\"}"}},
	    {"id":"1","type":"function","function":{"name":"f","arguments":"\udc00"}}]},
	  {"role":"tool","tool_call_id":"1","content":"done"}],
	 "tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"b":1,"a":2}}}]}`
	want := llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "rules"},
			{Role: llm.RoleUser, Content: "ab"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.Call{
				{ID: "1", Name: "f", Arguments: `{"a":"\ud800"}`}, {ID: "1", Name: "f", Arguments: "\xed\xb0\x80"},
			}},
			{Role: llm.RoleTool, Content: "done", ToolCallID: "1"},
		},
		Tools:       []llm.Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"b":1,"a":2}`)}},
		Temperature: 0.3, MaxOutputTokens: 256,
	}
	s := start(t, answer(llm.Reply{Content: "ok"}), llmtest.Options{KeepRequests: true})
	status, _ := send(t, http.MethodPost, s.URL()+path, "", ask)
	require.Equal(t, http.StatusOK, status)
	got := s.Requests()
	require.Len(t, got, 1)
	require.Equal(t, llm.ModelID("m"), got[0].Model)
	require.Equal(t, ask, string(got[0].Body))
	if diff := cmp.Diff(want, got[0].Request, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// user is the least that a request must hold besides its model.
const user = `"messages":[{"role":"user","content":"x"}]`

var refused = []struct {
	name, method, path, key, body string
	status                        int
	code, message, reason         string
}{
	{"unknown path", "POST", "/responses", "Bearer k", `{}`, 404, "not_found", "/v1/responses", "another API"},
	{"wrong method", "GET", path, "Bearer k", ``, 405, "method_not_allowed", "POST", "a browser"},
	{"no key", "POST", path, "", `{"model":"m",` + user + `}`, 401, "invalid_api_key", "bearer", "the key is asked for"},
	{"wrong key", "POST", path, "Bearer kk", `{"model":"m",` + user + `}`, 401, "invalid_api_key", "bearer", "compared whole"},
	{"key without scheme", "POST", path, "k", `{"model":"m",` + user + `}`, 401, "invalid_api_key", "bearer", "as providers do"},
	{"models without key", "GET", "/models", "", ``, 401, "invalid_api_key", "bearer", "the list too"},
	{"no JSON", "POST", path, "Bearer k", `hello`, 400, "invalid_request", "malformed", "OpenAI's shape"},
	{"repeated name", "POST", path, "Bearer k", `{"model":"m","model":"n",` + user + `}`, 400, "invalid_request", "malformed", "which one?"},
	{"no model", "POST", path, "Bearer k", `{` + user + `}`, 400, "invalid_request", "model is missing", "required"},
	{"no messages", "POST", path, "Bearer k", `{"model":"m"}`, 400, "invalid_request", "messages are missing", "required"},
	{"stream", "POST", path, "Bearer k", `{"model":"m","stream":true,` + user + `}`, 400, "invalid_request", "stream", "said, not ignored"},
	{"two caps", "POST", path, "Bearer k", `{"model":"m","max_tokens":1,"max_completion_tokens":1,` + user + `}`, 400, "invalid_request", "exclude", "as OpenAI does"},
	{"unknown role", "POST", path, "Bearer k", `{"model":"m","messages":[{"role":"critic","content":""}]}`, 400, "invalid_request", `messages[0]: unknown role "critic"`, "place and word"},
	{"image part", "POST", path, "Bearer k", `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, 400, "invalid_request", "image_url", "text only"},
	{"content of another type", "POST", path, "Bearer k", `{"model":"m","messages":[{"role":"user","content":7}]}`, 400, "invalid_request", "content is neither", "no guess"},
	{"arguments as an object", "POST", path, "Bearer k", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":{}}}]}]}`, 400, "invalid_request", "tool_calls[0]", "a string on the wire"},
	{"tool without a name", "POST", path, "Bearer k", `{"model":"m",` + user + `,"tools":[{"type":"function"}]}`, 400, "invalid_request", "tools[0]", "place"},
	{"too long", "POST", path, "Bearer k", strings.Repeat(" ", 33<<20), 413, "request_too_large", "bytes", "bounded memory"},
}

func TestRefusedRequests(t *testing.T) {
	s := start(t, answer(llm.Reply{Content: "ok"}), llmtest.Options{Key: "k", KeepRequests: true})
	for _, row := range refused {
		t.Run(row.name, func(t *testing.T) {
			status, got := send(t, row.method, s.URL()+row.path, row.key, row.body)
			var shape struct {
				Error struct{ Message, Type, Code string }
			}
			require.NoError(t, json.Unmarshal(got, &shape), string(got))
			if status != row.status || shape.Error.Code != row.code || !strings.Contains(shape.Error.Message, row.message) {
				t.Errorf("%s %s = %d %s, want %d %s %q: %s", row.method, row.path, status, got, row.status, row.code, row.message, row.reason)
			}
			require.Equal(t, "invalid_request_error", shape.Error.Type)
		})
	}
	require.Zero(t, s.Served())
	require.Empty(t, s.Requests())
}

func TestModelsListsOne(t *testing.T) {
	for _, row := range []struct {
		served llm.ModelID
		want   string
	}{{"", "local"}, {"sim-teller", "sim-teller"}} {
		s := start(t, answer(llm.Reply{}), llmtest.Options{ServedModel: row.served})
		status, got := send(t, http.MethodGet, s.URL()+"/models", "", "")
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, `{"data":[{"id":"`+row.want+`","object":"model","created":1767225600,"owned_by":"vaultbench"}],"object":"list"}`, string(got))
	}
}

// TestInterceptPicksOneRequest: a fault in the middle leaves the others alone.
func TestInterceptPicksOneRequest(t *testing.T) {
	const ask = `{"model":"m","messages":[{"role":"user","content":"x"}]}`
	s := start(t, answer(llm.Reply{Content: "ok"}), llmtest.Options{
		Intercept: func(w http.ResponseWriter, r *http.Request, n int) bool {
			if got, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(got, []byte(ask)) {
				t.Errorf("Intercept reads %q, %v", got, err)
			}
			if n == 2 {
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return n == 2
		},
	})
	var got []int
	for range 3 {
		status, _ := send(t, http.MethodPost, s.URL()+path, "", ask)
		got = append(got, status)
	}
	require.Equal(t, []int{200, 429, 200}, got)
	require.Equal(t, 2, s.Served(), "the intercepted one was not served")
}

func TestListenReportsATakenAddress(t *testing.T) {
	s := start(t, answer(llm.Reply{}), llmtest.Options{})
	taken := strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), llmtest.BasePath)
	_, err := llmtest.Listen(taken, answer(llm.Reply{}), llmtest.Options{})
	require.ErrorContains(t, err, taken)
}
