package chat_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
)

// TestOpaqueMembersAreCarriedBack: what a provider wants back comes back byte for
// byte, on the message and on the call; whatever else it sent does not.
func TestOpaqueMembersAreCarriedBack(t *testing.T) {
	const reply = `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"reasoning_content":"I \u003cthink\u003e 1.50","other":"x","tool_calls":[
		{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln+/="}}},
		{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}}]}`
	for _, tt := range []struct {
		name         string
		carry        []string
		message      any // of the assistant's message in the second request
		first        any // of its first call
		wantsNothing bool
		reason       string
	}{
		{"none", nil, nil, nil, true, "a provider may refuse what it does not know"},
		{"reasoning", []string{"reasoning_content"}, "I <think> 1.50", nil, false, "DeepSeek answers 400 without it"},
		{"signature", []string{"extra_content"}, nil, map[string]any{"google": map[string]any{"thought_signature": "c2ln+/="}}, false, "Google answers 400 without it"},
		{"both", []string{"extra_content", "reasoning_content"}, "I <think> 1.50", map[string]any{"google": map[string]any{"thought_signature": "c2ln+/="}}, false, "each at its place"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, server := dial(t, answer(llm.Reply{Content: "ok"}), llm.Quirks{CarryBack: tt.carry}, llmtest.Options{
				Intercept: first(body(200, jsonType, reply)),
			})
			got, err := c.Chat(t.Context(), hello())
			require.NoError(t, err)
			assert.Equal(t, tt.wantsNothing, got.Opaque == "" && got.ToolCalls[0].Opaque == "", tt.reason)
			assert.Empty(t, got.ToolCalls[1].Opaque)
			req := hello()
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: got.ToolCalls, Opaque: got.Opaque})
			_, err = c.Chat(t.Context(), req)
			require.NoError(t, err)
			require.Len(t, server.Requests(), 1, "the first was intercepted")
			var sent struct {
				Messages []map[string]any `json:"messages"`
			}
			require.NoError(t, json.Unmarshal(server.Requests()[0].Body, &sent))
			assistant := sent.Messages[1]
			call := func(id, name string) map[string]any {
				return map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": "{}"}}
			}
			one := call("a", "f")
			want := map[string]any{"role": "assistant", "tool_calls": []any{one, call("b", "g")}}
			if tt.message != nil {
				want["reasoning_content"] = tt.message
			}
			if tt.first != nil {
				one["extra_content"] = tt.first
			}
			if diff := cmp.Diff(want, assistant); diff != "" {
				t.Errorf("assistant's message (-want +got), %s:\n%s", tt.reason, diff)
			}
		})
	}
}

// TestBrokenOpaqueMembers: what never came from a reply is not sent.
func TestBrokenOpaqueMembers(t *testing.T) {
	c, server := dial(t, llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Content: "ok"}, nil
	}), llm.Quirks{}, llmtest.Options{})
	for _, m := range []llm.Message{{Role: llm.RoleAssistant, Opaque: "{"}, {Role: llm.RoleAssistant, ToolCalls: []llm.Call{{Opaque: "[]"}}}} {
		_, err := c.Chat(t.Context(), llm.Request{Messages: []llm.Message{m}})
		require.ErrorContains(t, err, "message 1: opaque members")
	}
	require.Zero(t, server.Served())
}
