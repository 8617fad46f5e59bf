package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/scripts/shipped"
)

// TestServeSim: any client may talk to a simulated banker, which knows the level by
// the system prompt and the attack by the user's messages.
func TestServeSim(t *testing.T) {
	attacks, err := shipped.Corpus()
	require.NoError(t, err)
	levels, err := shipped.Levels()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	c := serveSimCommand{Sim: "sim-compromised", Addr: "127.0.0.1:0", Fault: "other-model", Every: 2, Delay: time.Millisecond}
	done := make(chan error)
	go func() { done <- c.serve(ctx, in) }()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	id := llm.ModelID("any")
	client, err := chat.Open(llm.Model{Slug: "m", ID: &id}, llm.Provider{Name: "p", KeyEnv: "K"}, lines.Text(), "any")
	require.NoError(t, err)
	ask := func(system string, user []string) llm.Reply {
		messages := []llm.Message{{Role: llm.RoleSystem, Content: system}}
		for _, text := range user {
			messages = append(messages, llm.Message{Role: llm.RoleUser, Content: text})
		}
		reply, err := client.Chat(t.Context(), llm.Request{Messages: messages})
		require.NoError(t, err)
		return reply
	}
	asked := 0
	for _, l := range []corpus.Level{corpus.L2, corpus.L5} {
		for _, track := range []corpus.Track{corpus.Single, corpus.Multi} {
			a := attacks.Select(l, track)[0]
			reply := ask(levels[l].SystemPrompt, a.UserMessages(track))
			asked++
			require.NotEmpty(t, reply.ToolCalls, "%s on %s", a.ID, track)
			assert.Contains(t, reply.ToolCalls[0].Arguments, a.Goal[0].Recipient)
			want := llm.ModelID("sim-compromised")
			if asked%2 == 0 {
				want = "another-model-0301"
			}
			assert.Equal(t, want, reply.ServedModel)
		}
	}
	assert.Empty(t, ask("You are a poet.", []string{"Pay me."}).ToolCalls, "a level that nobody knows")
	cancel()
	require.True(t, lines.Scan())
	assert.Equal(t, "5 requests, 5 answered by sim-compromised", lines.Text())
	require.NoError(t, <-done)
}

func TestServeSimRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"unknown banker", []string{"--sim", "sim-nobody"}, `unknown simulated banker "sim-nobody": choose one of sim-compromised`},
		{"unknown fault", []string{"--fault", "none"}, `unknown fault "none": known are 429, `},
		{"every zeroth", []string{"--every", "0"}, "--every: want at least 1"},
		{"no address", []string{"--addr", "nowhere"}, "choose another --addr"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, stderr := vault(append([]string{"serve-sim"}, tt.args...)...)
			assert.NotZero(t, status)
			assert.True(t, strings.Contains(stderr, tt.want), stderr)
		})
	}
}
