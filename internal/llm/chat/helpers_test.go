package chat_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/llmtest"
)

// testKey holds a slash and a plus, which JSON and URLs write in other ways too.
const testKey = "sk-canary/7Q+unmistakable"

func testModel(quirks llm.Quirks) (llm.Model, llm.Provider) {
	id := llm.ModelID("wire-model")
	return llm.Model{Slug: "acme-one", Provider: "acme", ID: &id, Quirks: quirks},
		llm.Provider{Name: "acme", KeyEnv: "ACME_API_KEY"}
}

// dial starts a server over client and opens a live client on it.
func dial(t *testing.T, client llm.Client, quirks llm.Quirks, opts llmtest.Options) (llm.Client, *llmtest.Server) {
	t.Helper()
	opts.Key, opts.KeepRequests = testKey, true
	server := llmtest.New(client, opts)
	t.Cleanup(server.Close)
	m, p := testModel(quirks)
	c, err := chat.Open(m, p, server.URL(), testKey)
	require.NoError(t, err)
	return c, server
}

// answer is a client that always gives one reply.
func answer(reply llm.Reply) llm.Client {
	return llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) { return reply, nil })
}

// body is an Intercept that answers every request with one body.
func body(status int, contentType, text string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
		return true
	}
}

func hello() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}, Temperature: 0.5, MaxOutputTokens: 64}
}

// first answers the first request alone.
func first(intercept func(http.ResponseWriter, *http.Request, int) bool) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, n int) bool { return n == 1 && intercept(w, r, n) }
}
