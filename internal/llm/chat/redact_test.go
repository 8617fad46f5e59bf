package chat_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/llmtest"
)

// TestEchoedKeyIsRedacted: a server that sends the key back must not get it into
// the record.
func TestEchoedKeyIsRedacted(t *testing.T) {
	const key = "echoed-key-3a91"
	echo := llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Content: "Bearer " + key, ToolCalls: []llm.Call{{ID: key, Name: "get_" + key, Arguments: `{"k":"` + key + `"}`}}, FinishReason: llm.FinishToolCalls}, nil
	})
	server := llmtest.New(echo, llmtest.Options{Key: key, ServedModel: llm.ModelID("m-" + key)})
	t.Cleanup(server.Close)
	id, url := llm.ModelID("m"), server.URL()
	client, err := chat.Open(llm.Model{Slug: "m", ID: &id}, llm.Provider{Name: "p", BaseURL: &url, KeyEnv: "K"}, "", key)
	require.NoError(t, err)
	reply, err := client.Chat(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}, MaxOutputTokens: 10})
	require.NoError(t, err)
	assert.Equal(t, "Bearer [key]", reply.Content)
	assert.Equal(t, llm.ModelID("m-[key]"), reply.ServedModel)
	assert.Equal(t, []llm.Call{{ID: "[key]", Name: "get_[key]", Arguments: `{"k":"[key]"}`}}, reply.ToolCalls)
}
