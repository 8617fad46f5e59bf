package recorded_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/unpack"
)

// imported reads a log: its conversations, what is wrong with its bad rows, and
// the error that ended it.
func imported(how recorded.Import, text string) (all []recorded.Conversation, bad []string, err error) {
	in, err := unpack.NewReader(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	m, err := recorded.NewImporter("log.jsonl", in, how)
	for err == nil {
		var c recorded.Conversation
		var row *recorded.BadRow
		switch c, err = m.Next(); {
		case errors.As(err, &row):
			bad, err = append(bad, fmt.Sprintf("%d: %v", row.Row, row)), nil
		case err == nil:
			all = append(all, c)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, bad, err
}

var (
	ofDojo   = recorded.Import{Source: recorded.AgentDojo}
	ofInjec  = recorded.Import{Source: recorded.InjecAgent, ToolMap: "injecagent-bank"}
	ofOpenAI = recorded.Import{Source: recorded.OpenAI, ToolMap: "front-desk"}
)

// TestImportedForms: the same run as a line, printed over several lines, in a
// list, and several one after the other.
func TestImportedForms(t *testing.T) {
	run := strings.TrimSuffix(dojo(hello+`,{"role":"assistant","content":[{"type":"text","content":"no"}],"tool_calls":[]}`), "\n")
	wide := strings.ReplaceAll(run, ",", ",\n  ")
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"lines", run + "\n" + run + "\n", 2},
		{"one line without an end", run, 1},
		{"printed", wide + "\n", 1},
		{"printed, several", wide + "\n" + wide, 2},
		{"list", "[" + run + ",\n" + wide + "]\n", 2},
		{"list in one line, with space before", " \n\t[" + run + "," + run + "]", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, bad, err := imported(ofDojo, tt.text)
			require.NoError(t, err)
			require.Empty(t, bad)
			require.Len(t, all, tt.want)
			require.Equal(t, "agentdojo-banking", all[0].ToolMap)
			require.Equal(t, llm.Message{Role: llm.RoleAssistant, Content: "no"}, all[0].Messages[1])
			if tt.want == 2 {
				require.Equal(t, all[0].ID+"#2", all[1].ID)
			}
		})
	}
}

// TestImportedBadRows: in JSON Lines a bad row costs that row alone; where rows
// can't be told apart any more, the file ends with an error.
func TestImportedBadRows(t *testing.T) {
	run := dojo(hello + `,{"role":"assistant","content":"no","tool_calls":null}`)
	unanswered := strings.Replace(dojo(hello), `"direct"`, `"other"`, 1)
	all, bad, err := imported(ofDojo, run+"{\"suite_name\n"+"\n"+unanswered+`{"a":1}`+"\n"+run)
	require.NoError(t, err)
	require.Len(t, all, 2, "the rows around are read")
	require.Equal(t, []string{
		"2: the line is cut: it ends inside a JSON value; one whole conversation a line",
		"3: blank line: delete it",
		`4: conversation "user_task_3/injection_task_1/other": it ends with a message of role user: the model's reply is missing; add it, or say in error what stopped the run`,
		"5: no run of AgentDojo or AgentDyn: want suite_name, user_task_id and messages",
	}, bad)
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "log.jsonl:1: the file is empty"},
		{"cut list", "[" + run, "log.jsonl:2: "},
		{"data behind a list", "[" + run + "]" + run, "log.jsonl:2: data after the list"},
		{"cut and printed", "{\n\"suite_name\":", "log.jsonl:1: "},
		{"a row without an end", "[{\"x\":\"" + strings.Repeat("x", 65<<20), "the row is longer than 64 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := imported(ofDojo, tt.text)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, bad, err = imported(recorded.Import{Source: "diary"}, run)
	require.NoError(t, err)
	require.Equal(t, []string{`1: unknown source "diary"`}, bad)
}

const chatCalls = `{"id":"c1","model":"gpt-9","session_id":"s7","tools":[{"type":"function","function":{"name":"transfer_funds"}}],"messages":[
 {"role":"developer","content":"You are a bank."},{"role":"user","content":[{"type":"text","text":"Pay"},{"type":"text","text":"rent"}]},
 {"role":"assistant","content":null,"refusal":null,"tool_calls":[
  {"id":"a","type":"function","index":0,"function":{"name":"transfer_funds","arguments":"{\"amount\": 1.0, \"amount\":2}"}},
  {"id":"b","type":"function","function":{"name":"transfer_funds","arguments":{ "amount" : 3 }}},
  {"id":"c","type":"custom","custom":{"name":"shell","input":"pay"}}]},
 {"role":"tool","tool_call_id":"a","content":"done"}],
 "choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Paid.","annotations":[],"reasoning_content":"hm"}}]}`

func TestOpenAI(t *testing.T) {
	legacy := `{"model":"gpt-3","messages":[{"role":"user","content":"Pay"},` +
		`{"role":"assistant","content":null,"function_call":{"name":"transfer_funds","arguments":"{\"amount\":1}"}},` +
		`{"role":"function","name":"transfer_funds","content":"done"},{"role":"assistant","content":null,"refusal":"No more."}]}`
	batch := `{"custom_id":"r2","request":{"body":{"model":"m","messages":[{"role":"user","content":"Pay"}]}},` +
		`"response":{"status_code":200,"body":{"choices":[{"message":{"role":"assistant","content":[{"type":"refusal","refusal":"No."}],"function_call":null}}]}},"error":null}`
	failed := `{"model":"m","messages":[{"role":"user","content":"Pay"}],"error":{"message":"overloaded","code":529}}`
	filtered := `{"model":"m","messages":[{"role":"user","content":"Pay"}],"choices":[{"finish_reason":"content_filter","message":{"role":"assistant","content":null}}]}`
	all, bad, err := imported(ofOpenAI, "["+strings.Join([]string{chatCalls, legacy, batch, failed, filtered}, ",")+"]")
	require.NoError(t, err)
	require.Empty(t, bad)
	pay := llm.Message{Role: llm.RoleUser, Content: "Pay"}
	require.Len(t, all, 5)
	cluster := all[1].Cluster // one for the same request, whoever sends it
	require.True(t, strings.HasPrefix(cluster, "prompt-"))
	want := []recorded.Conversation{
		{ID: "c1", Cluster: "s7", Model: "gpt-9", Line: 1, Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You are a bank."}, {Role: llm.RoleUser, Content: "Pay\nrent"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.Call{
				{ID: "a", Name: "transfer_funds", Arguments: `{"amount": 1.0, "amount":2}`},
				{ID: "b", Name: "transfer_funds", Arguments: `{ "amount" : 3 }`}, {ID: "c", Name: "shell", Arguments: "pay"},
			}},
			{Role: llm.RoleTool, Content: "done", ToolCallID: "a"}, {Role: llm.RoleAssistant, Content: "Paid."},
		}},
		{ID: "log-2", Cluster: cluster, Model: "gpt-3", Line: 2, Messages: []llm.Message{
			pay, {Role: llm.RoleAssistant, ToolCalls: []llm.Call{{Name: "transfer_funds", Arguments: `{"amount":1}`}}},
			{Role: llm.RoleTool, Content: "done"}, {Role: llm.RoleAssistant, Content: "No more."},
		}},
		{ID: "r2", Cluster: cluster, Model: "m", Line: 3, Messages: []llm.Message{pay, {Role: llm.RoleAssistant, Content: "No."}}},
		{ID: "log-4", Cluster: cluster, Model: "m", Line: 4, SourceError: "overloaded", Messages: []llm.Message{pay}},
		{ID: "log-5", Cluster: cluster, Model: "m", Line: 5, SourceError: "the provider's content filter cut the reply", Messages: []llm.Message{pay, {Role: llm.RoleAssistant}}},
	}
	for i := range want {
		want[i].ToolMap, want[i].File = "front-desk", "log.jsonl"
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("conversations (-want +got):\n%s", diff)
	}
}

func TestOpenAIBad(t *testing.T) {
	chat := func(message string) string {
		return `{"model":"m","messages":[{"role":"user","content":"Pay"},` + message + `]}`
	}
	call := func(c string) string { return chat(`{"role":"assistant","content":null,"tool_calls":[` + c + `]}`) }
	beside := func(member string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}],` + member + `}`
	}
	ended := func(finish, text string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"}],"choices":[{"finish_reason":"` + finish + `","message":{"role":"assistant","content":"` + text + `"}}]}`
	}
	const at = `1: conversation "log-1": message 2: `
	for _, tt := range []struct{ name, in, want, reason string }{
		{"both kinds of call", chat(`{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}],"function_call":{"name":"x","arguments":"{}"}}`),
			at + "tool_calls and function_call are both given", "one call or two"},
		{"camel case", chat(`{"role":"assistant","content":"ok","toolCalls":[{"name":"x"}]}`), at + `unknown field "toolCalls"`, "another SDK"},
		{"function_call of a user", chat(`{"role":"user","content":"x","function_call":{"name":"x","arguments":"{}"}}`), at + `unknown field "function_call"`, "only an assistant calls"},
		{"function_call without a name", chat(`{"role":"assistant","content":null,"function_call":{"arguments":"{}"}}`), at + "function_call: name is missing", "a lost call looks safe"},
		{"function_call as text", chat(`{"role":"assistant","content":null,"function_call":"x"}`), at + "function_call: want a JSON object, have a string", "a lost call looks safe"},
		{"tool_use block", chat(`{"role":"assistant","content":[{"type":"tool_use","name":"x","id":"a"}]}`), at + `content: block 1: unknown type "tool_use"`, "Anthropic's form"},
		{"unknown kind of call", call(`{"id":"a","type":"mcp","mcp":{"name":"x"}}`), at + `tool call 1: unknown field "mcp"`, "a call of tomorrow"},
		{"call of no kind", call(`{"id":"a","type":"other","function":{"name":"x","arguments":"{}"}}`), at + `tool call 1: type "other"`, "a call of tomorrow"},
		{"custom call with a function", call(`{"id":"a","type":"custom","custom":{"name":"x","input":"y"},"function":{"name":"x","arguments":"{}"}}`), at + `tool call 1: type "custom"`, "one of the two would be lost"},
		{"no arguments", call(`{"id":"a","function":{"name":"x"}}`), at + "tool call 1: function: arguments: want a string, have nothing", "a lost call looks safe"},
		{"no reply", `{"model":"m","messages":[{"role":"user","content":"Pay"}]}`, `1: conversation "log-1": it ends with a message of role user`, "nothing held"},
		{"empty reply", chat(`{"role":"assistant","content":null}`), at + "the reply holds neither text nor a call", "nothing held"},
		{"answer to a lost call", chat(`{"role":"tool","tool_call_id":"a","content":"sent"}`), at + `a tool answers call "a"`, "it was made"},
		{"answer to a lost legacy call", chat(`{"role":"function","name":"pay","content":"sent"}`), at + `a tool answers a call of "pay"`, "it was made"},
		{"two choices", `{"model":"m","messages":[{"role":"user","content":"x"}],"choices":[{"message":{}},{"message":{}}]}`, `1: conversation "log-1": 2 choices`, "which one went on"},
		{"stream", `{"model":"m","messages":[{"role":"user","content":"x"}],"choices":[{"delta":{"tool_calls":[]}}]}`, `1: conversation "log-1": the choice has no message`, "its parts hold calls"},
		{"announced and not there", `{"model":"m","messages":[{"role":"user","content":"x"}],"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"I pay."}}]}`,
			`1: conversation "log-1": finish_reason is "tool_calls" and the reply holds no call`, "the provider saw one"},
		{"responses API", `{"model":"m","messages":[{"role":"user","content":"x"}],"output":[{"type":"function_call","name":"x"}]}`, `1: conversation "log-1": output is of the Responses API`, "its calls are no messages"},
		{"calls beside the messages", `{"model":"m","messages":[{"role":"user","content":"x"}],"tool_calls":[{"id":"a"}]}`, `1: unknown field "tool_calls"`, "they would be lost"},
		{"completion beside the messages", beside(`"completion":{"tool_calls":[{"id":"a"}]}`), `1: unknown field "completion" holds an object`, "it would be lost"},
		{"trajectory beside the messages", beside(`"trajectory":[{"tool":"transfer_funds","args":{}}]`), `1: unknown field "trajectory" holds a list`, "it would be lost"},
		{"steps beside the messages", beside(`"steps":[{"action":"transfer_funds"}]`), `1: unknown field "steps" holds a list`, "it would be lost"},
		{"action beside the messages", beside(`"action":"transfer_funds"`), `1: unknown field "action" holds a string`, "the name says what it is"},
		{"call among labels", beside(`"metadata":{"runs":[{"tool_calls":[{"id":"a"}]}]}`), `1: metadata: unknown field "tool_calls"`, "at any depth"},
		{"call deep among labels", beside(`"metadata":` + strings.Repeat(`[`, 20) + `{"tool_calls":[1]}` + strings.Repeat(`]`, 20)), `1: metadata: nested too deeply`, "nobody labels so"},
		{"call in the request", `{"request":{"model":"m","messages":[{"role":"user","content":"x"}],"steps":[{}]},"response":{"choices":[{"message":{"role":"assistant","content":"y"}}]}}`, `1: unknown field "steps"`, "each level"},
		{"call beside a batch's body", `{"model":"m","messages":[{"role":"user","content":"x"}],"response":{"trace":[{"a":1}],"body":{"choices":[{"message":{"role":"assistant","content":"y"}}]}}}`, `1: response: unknown field "trace"`, "it would be lost"},
		{"call beside a choice's message", `{"model":"m","messages":[{"role":"user","content":"x"}],"choices":[{"message":{"role":"assistant","content":"y"},"tool_calls":[{}]}]}`, `1: conversation "log-1": choices: unknown field "tool_calls"`, "it would be lost"},
		{"cut and empty", ended("length", ""), `1: conversation "log-1": finish_reason is "length": the reply was cut`, "a model that thought too long did not hold"},
		{"cut", ended("max_tokens", "I will now"), `1: conversation "log-1": finish_reason is "max_tokens": the reply was cut`, "the call may have come next"},
		{"no messages", `{"model":"m"}`, `1: conversation "log-1": 0 lists of messages`, "another format"},
		{"no model", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, `1: conversation "log-1": the log does not say which model it was`, "rows are named by it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, bad, err := imported(ofOpenAI, tt.in)
			require.NoError(t, err)
			require.Empty(t, all, tt.reason)
			require.Len(t, bad, 1)
			require.True(t, strings.HasPrefix(bad[0], tt.want), "%s: want %s", bad[0], tt.want)
		})
	}
}

// TestOpenAIKnown: what real logs hold beside the messages is no call, and a call that
// was cut is one.
func TestOpenAIKnown(t *testing.T) {
	const counted = `"usage":{"prompt_tokens":9,"completion_tokens_details":{"reasoning_tokens":3}},"created":1,"object":"chat.completion","system_fingerprint":"f","service_tier":"default","logprobs":{"content":[]}`
	const called = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"pay","arguments":"{"}}]}`
	for _, tt := range []struct {
		name, in string
		calls    int
		reason   string
	}{
		{"a response", `{"messages":[{"role":"user","content":"x"}],"id":"r","model":"m",` + counted + `,"choices":[{"index":0,"finish_reason":"stop","logprobs":{"content":[{"token":"y"}]},"content_filter_results":{"hate":{"filtered":false}},"message":{"role":"assistant","content":"y"}}]}`, 0, "as the API answers"},
		{"a request", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}],"model":"m","tools":[{"type":"function"}],"tool_choice":{"type":"function"},"parallel_tool_calls":true,"max_tool_calls":3,"stop":["z"],"metadata":{"run":"1","note":{"by":["a"]}},"tags":["t"],"response_format":{"type":"text"}}`, 0, "as it is sent"},
		{"a batch", `{"id":"b","custom_id":"c","request":{"method":"POST","url":"/v1","body":{"model":"m","messages":[{"role":"user","content":"x"}]}},"response":{"status_code":200,"request_id":"q","body":{"choices":[{"message":{"role":"assistant","content":"y"}}],` + counted + `}},"error":null}`, 0, "with its request"},
		{"a cut call", `{"model":"m","messages":[{"role":"user","content":"x"}],"choices":[{"finish_reason":"length","message":` + called + `}]}`, 1, "it was asked for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, bad, err := imported(ofOpenAI, tt.in)
			require.NoError(t, err)
			require.Empty(t, bad, tt.reason)
			require.Len(t, all, 1)
			require.Len(t, all[0].Messages[1].ToolCalls, tt.calls, tt.reason)
		})
	}
}
