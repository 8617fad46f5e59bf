package chat_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
)

// fullRequest has every role, parallel calls, id-less and repeated ids, and
// arguments that a usual encoder would change.
func fullRequest() llm.Request {
	calls := []llm.Call{
		{ID: "call_1", Name: "transfer_funds", Arguments: `{"amount": 5.00, "recipient":"<a&b>"}`},
		{ID: "call_1", Name: "transfer_funds", Arguments: `{}""`},
		{ID: "", Name: "get_balance", Arguments: ``},
		{ID: "", Name: "нет такого", Arguments: "{\"a\":\"\xed\xa0\x80\",\"b\":\"\\ud800\"}\u2028"},
		{ID: "call_2", Name: "verify_recipient", Arguments: "\xff not utf-8 \x00"},
	}
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You are a teller. \"Quotes\", <tags> & ünïcode 💸\n"},
			{Role: llm.RoleUser, Content: "pay \u202egnihton\u202c"},
			{Role: llm.RoleAssistant, Content: "at once", ToolCalls: calls},
			{Role: llm.RoleTool, Content: `{"ok":true}`, ToolCallID: "call_1"},
			{Role: llm.RoleTool, Content: "refused", ToolCallID: "call_1"},
			{Role: llm.RoleTool, Content: "", ToolCallID: ""},
			{Role: llm.RoleAssistant, ToolCalls: calls[:1]},
			{Role: llm.RoleAssistant, Content: ""},
			{Role: llm.RoleUser, Content: ""},
		},
		Tools: []llm.Tool{
			{Name: "transfer_funds", Description: "Pay.", Parameters: json.RawMessage(`{"type":"object","properties":{"recipient":{},"amount":{}}}`)},
			{Name: "get_balance"},
		},
		Temperature:     0.8,
		MaxOutputTokens: 1024,
	}
	return req
}

func TestRequestRoundTrip(t *testing.T) {
	c, server := dial(t, answer(llm.Reply{Content: "ok"}), llm.Quirks{}, llmtest.Options{})
	_, err := c.Chat(t.Context(), fullRequest())
	require.NoError(t, err)
	got := server.Requests()
	require.Len(t, got, 1)
	require.Equal(t, llm.ModelID("wire-model"), got[0].Model)
	if diff := cmp.Diff(fullRequest(), got[0].Request, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("request at the server (-want +got):\n%s", diff)
	}
}

func TestReplyRoundTrip(t *testing.T) {
	usage := llm.Usage{InputTokens: 120, OutputTokens: 30, CacheReadTokens: 100}
	rows := []struct {
		name   string
		reply  llm.Reply
		reason string
	}{
		{"text", llm.Reply{Content: "No. \u2028\x1b[31m 😀", FinishReason: llm.FinishStop, Usage: usage}, "hostile text stays text"},
		{"cut", llm.Reply{Content: "I wou", FinishReason: llm.FinishLength, Usage: usage}, "the reason is kept"},
		{"cut before a word", llm.Reply{FinishReason: llm.FinishLength, Usage: usage}, "reasoning used up the cap: an end, no error"},
		{"unknown reason", llm.Reply{Content: "x", FinishReason: "eos", Usage: usage}, "kept as it came"},
		{"filtered after a start", llm.Reply{Content: "Well", FinishReason: "content_filter", Usage: usage}, "there is an answer"},
		{"parallel calls", llm.Reply{FinishReason: llm.FinishToolCalls, ToolCalls: fullRequest().Messages[2].ToolCalls, Usage: usage}, "each by position"},
		{"text and call", llm.Reply{Content: "Paying.", FinishReason: llm.FinishToolCalls, ToolCalls: []llm.Call{{ID: "a", Name: "b", Arguments: `{`}}, Usage: usage}, "both"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, _ := dial(t, answer(row.reply), llm.Quirks{}, llmtest.Options{ServedModel: "wire-model-0301"})
			got, err := c.Chat(t.Context(), hello())
			require.NoError(t, err)
			require.Positive(t, got.Latency)
			want := row.reply
			want.ServedModel = "wire-model-0301"
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(llm.Reply{}, "Latency")); diff != "" {
				t.Errorf("reply (-want +got), %s:\n%s", row.reason, diff)
			}
		})
	}
}

// counted is a reply with a usage as it stands on the wire.
func counted(usage string) string {
	return `{"choices":[{"message":{"content":"x"}}],"usage":` + usage + `}`
}

func TestReplyFormsOfOtherServers(t *testing.T) {
	rows := []struct {
		name, body string
		want       llm.Reply
		reason     string
	}{
		{"null content with calls", `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"id":null,"function":{"name":"f","arguments":"{}"}}]}}]}`,
			llm.Reply{FinishReason: "tool_calls", ToolCalls: []llm.Call{{Name: "f", Arguments: "{}"}}}, "id-less call"},
		{"arguments as an object", `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a": 1}}},{"function":{"name":"g"}}]}}]}`,
			llm.Reply{ToolCalls: []llm.Call{{Name: "f", Arguments: `{"a": 1}`}, {Name: "g"}}}, "raw bytes, nothing re-encoded; no arguments at all"},
		{"lone surrogate", `{"choices":[{"message":{"content":"a\ud800","tool_calls":[{"function":{"name":"f","arguments":"\ud800"}}]}}]}`,
			llm.Reply{Content: "a\uFFFD", ToolCalls: []llm.Call{{Name: "f", Arguments: "\xed\xa0\x80"}}}, "text is mended, arguments are not"},
		{"content in parts", `{"choices":[{"finish_reason":"stop","message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`,
			llm.Reply{Content: "ab", FinishReason: "stop"}, "Mistral's reasoning models"},
		{"refusal", `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I can't."}}]}`,
			llm.Reply{Content: "I can't.", FinishReason: "stop"}, "a refusal is the model's answer"},
		{"refusal beside content", `{"choices":[{"message":{"content":"Well.","refusal":"No."}}]}`,
			llm.Reply{Content: "Well.\nNo."}, "nothing is lost"},
		{"refusal in parts", `{"choices":[{"message":{"content":[{"type":"text","text":"Well."},{"type":"refusal","refusal":"No."}]}}]}`,
			llm.Reply{Content: "Well.\nNo."}, "the same as the member"},
		{"function_call", `{"choices":[{"finish_reason":"function_call","message":{"content":null,"function_call":{"name":"f","arguments":"{\"a\": 1}"}}}]}`,
			llm.Reply{FinishReason: "function_call", ToolCalls: []llm.Call{{Name: "f", Arguments: `{"a": 1}`}}}, "the older form of a call is a call"},
		{"function_call beside text", `{"choices":[{"finish_reason":"stop","message":{"content":"Paying.","tool_calls":[],"function_call":{"name":"f","arguments":"{}"}}}]}`,
			llm.Reply{Content: "Paying.", FinishReason: "stop", ToolCalls: []llm.Call{{Name: "f", Arguments: "{}"}}}, "whatever the finish reason"},
		{"empty members beside", `{"choices":[{"finish_reason":"stop","message":{"content":"x","function_call":null,"tool_calls":null,"audio":null,"toolCalls":[],"tool_call_id":"","refusal":null}}]}`,
			llm.Reply{Content: "x", FinishReason: "stop"}, "nothing is said by them"},
		{"cut, in other words", `{"choices":[{"finish_reason":"MAX_TOKENS","message":{"content":null}}]}`,
			llm.Reply{FinishReason: "MAX_TOKENS"}, "Google"},
		{"usage in full", `{"model":"m","choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}`,
			llm.Reply{Content: "x", ServedModel: "m", Usage: llm.Usage{InputTokens: 9, OutputTokens: 2, CacheReadTokens: 4}}, "OpenAI"},
		{"cache hits of DeepSeek", `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9,"prompt_cache_hit_tokens":5,"prompt_tokens_details":null}}`,
			llm.Reply{Content: "x", Usage: llm.Usage{InputTokens: 9, CacheReadTokens: 5}}, "its own name"},
		{"more cached than read", counted(`{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":100000}}`), llm.Reply{Content: "x"}, "it contradicts itself: nobody knows which count is wrong"},
		{"cached and nothing read", counted(`{"completion_tokens":5,"prompt_cache_hit_tokens":3}`), llm.Reply{Content: "x"}, "the same, by another name"},
		{"less than nothing read", counted(`{"prompt_tokens":-10,"completion_tokens":5}`), llm.Reply{Content: "x"}, "no count"},
		{"less than nothing written", counted(`{"prompt_tokens":10,"completion_tokens":-5}`), llm.Reply{Content: "x"}, "no count"},
		{"less than nothing cached", counted(`{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":-1}`), llm.Reply{Content: "x"}, "no count"},
		{"more than a model can read", counted(`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}`), llm.Reply{Content: "x"}, "their sum would be less than nothing"},
		{"more than a number holds", counted(`{"prompt_tokens":9223372036854775808,"completion_tokens":5}`), llm.Reply{Content: "x"}, "the reply was paid for and stands"},
		{"usage of another shape", counted(`{"prompt_tokens":"ten","completion_tokens":5}`), llm.Reply{Content: "x"}, "the same"},
		{"usage of another kind", counted(`"ten"`), llm.Reply{Content: "x"}, "the same"},
		{"no usage", `{"choices":[{"message":{"content":"x"}}],"usage":null}`, llm.Reply{Content: "x"}, "small servers"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, _ := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{Intercept: body(200, "application/json; charset=utf-8", row.body)})
			got, err := c.Chat(t.Context(), hello())
			require.NoError(t, err, row.reason)
			if diff := cmp.Diff(row.want, got, cmpopts.IgnoreFields(llm.Reply{}, "Latency")); diff != "" {
				t.Errorf("reply (-want +got), %s:\n%s", row.reason, diff)
			}
		})
	}
}

func TestRequestAsSent(t *testing.T) {
	effort := "low"
	messages := []any{map[string]any{"role": "user", "content": "hello"}}
	rows := []struct {
		name   string
		quirks llm.Quirks
		req    llm.Request
		want   map[string]any
		reason string
	}{
		{"plain", llm.Quirks{}, hello(),
			map[string]any{"model": "wire-model", "messages": messages, "temperature": 0.5, "max_tokens": 64.0}, "nothing else is sent"},
		{"temperature zero", llm.Quirks{}, llm.Request{Messages: hello().Messages},
			map[string]any{"model": "wire-model", "messages": messages, "temperature": 0.0}, "a judge's zero is not the provider's default; a cap of zero is none"},
		{"quirks", llm.Quirks{OmitTemperature: true, UseMaxCompletionTokens: true, ReasoningEffort: &effort}, hello(),
			map[string]any{"model": "wire-model", "messages": messages, "max_completion_tokens": 64.0, "reasoning_effort": "low"}, "names by quirk"},
		{"extra body", llm.Quirks{ExtraBody: map[string]json.RawMessage{"thinking": json.RawMessage(`{"type":"<off>"}`), "a.b": json.RawMessage(`[1,null]`)}}, hello(),
			map[string]any{"model": "wire-model", "messages": messages, "temperature": 0.5, "max_tokens": 64.0, "thinking": map[string]any{"type": "<off>"}, "a.b": []any{1.0, nil}}, "a dot is part of the name"},
		{"empty answer in the history", llm.Quirks{}, llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant}}},
			map[string]any{"model": "wire-model", "messages": []any{map[string]any{"role": "assistant", "content": ""}}, "temperature": 0.0}, "content is required where no call stands"},
		{"tool", llm.Quirks{}, llm.Request{Messages: hello().Messages, Tools: []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}}},
			map[string]any{"model": "wire-model", "messages": messages, "temperature": 0.0, "tools": []any{
				map[string]any{"type": "function", "function": map[string]any{"name": "f", "parameters": map[string]any{"type": "object"}}},
			}}, "no empty description"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, server := dial(t, answer(llm.Reply{Content: "ok"}), row.quirks, llmtest.Options{})
			_, err := c.Chat(t.Context(), row.req)
			require.NoError(t, err)
			var got map[string]any
			require.NoError(t, json.Unmarshal(server.Requests()[0].Body, &got))
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("request (-want +got), %s:\n%s", row.reason, diff)
			}
		})
	}
}

func TestRequestThatCannotBeBuilt(t *testing.T) {
	rows := []struct {
		name   string
		req    llm.Request
		want   string
		reason string
	}{
		{"unknown role", llm.Request{Messages: []llm.Message{{Role: "critic"}}}, `message 1: unknown role "critic"`, "closed vocabulary"},
		{"broken parameters", llm.Request{Tools: []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{`)}}}, `tool "f": parameters are not valid JSON`, "the tool is named"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, server := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{})
			_, err := c.Chat(t.Context(), row.req)
			require.ErrorIs(t, err, llm.ErrProvider)
			require.ErrorContains(t, err, row.want, row.reason)
			require.Zero(t, server.Served())
		})
	}
}

// TestParallelChats runs under -race: cells share one client.
func TestParallelChats(t *testing.T) {
	echo := llmtest.ClientFunc(func(_ context.Context, req llm.Request) (llm.Reply, error) {
		return llm.Reply{Content: req.Messages[0].Content}, nil
	})
	c, server := dial(t, echo, llm.Quirks{}, llmtest.Options{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			want := string(rune('a' + i))
			reply, err := c.Chat(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: want}}})
			if err != nil || reply.Content != want {
				t.Errorf("Chat(%s) = %q, %v", want, reply.Content, err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 16, server.Served())
}
