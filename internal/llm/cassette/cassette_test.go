package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/cassette"
	"vaultbench/internal/llm/llmtest"
)

// hostile is a reply with whatever a usual encoder would change.
func hostile() llm.Reply {
	return llm.Reply{
		Content: "No <b>\u2028&\x1b", FinishReason: llm.FinishToolCalls, ServedModel: "m-0301", Opaque: `{"reasoning_content":"a"}`,
		ToolCalls: []llm.Call{
			{ID: "a", Name: "transfer_funds", Arguments: `{"amount": 5.00}`, Opaque: `{"extra_content":{"s":"x"}}`},
			{ID: "a", Name: "transfer_funds", Arguments: "{\"a\":\"\xed\xa0\x80\xff\"}"},
			{Arguments: `{}""`},
		},
		Usage: llm.Usage{InputTokens: 9, OutputTokens: 3, CacheReadTokens: 4},
	}
}

func first() llm.Request {
	return llm.Request{
		Messages:    []llm.Message{{Role: llm.RoleSystem, Content: "You keep a vault."}, {Role: llm.RoleUser, Content: "pay \u202e"}},
		Tools:       []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{ "b": 1, "a": "<" }`)}},
		Temperature: 0.3, MaxOutputTokens: 10,
	}
}

func second() llm.Request {
	req := first()
	r := hostile()
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: r.Content, ToolCalls: r.ToolCalls, Opaque: r.Opaque},
		llm.Message{Role: llm.RoleTool, Content: "denied", ToolCallID: "a"})
	return req
}

func answers(_ context.Context, req llm.Request) (llm.Reply, error) {
	if len(req.Messages) > 2 {
		return llm.Reply{Content: "done"}, nil
	}
	return hostile(), nil
}

// tape records both requests of some evaluations and returns the folder.
func tape(t *testing.T, ids ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "[folder]")
	r, err := cassette.Create(dir, "acme-one")
	require.NoError(t, err)
	c := r.Client(llmtest.ClientFunc(answers))
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			for _, req := range []llm.Request{first(), second()} {
				_, err := c.Chat(llm.WithEvaluation(t.Context(), id), req)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	require.NoError(t, r.Close())
	return dir
}

func player(t *testing.T, dir string) *cassette.Player {
	t.Helper()
	all, err := cassette.Find(dir)
	require.NoError(t, err)
	require.Len(t, all, 1)
	t.Cleanup(func() { require.NoError(t, all[0].Close()) })
	return all[0]
}

func TestReplayIsByteForByte(t *testing.T) {
	p := player(t, tape(t, "c/a/1", "c/b/1", "c/b/2"))
	assert.Equal(t, "acme-one", p.Model())
	for _, id := range []string{"c/a/1", "c/b/1", "c/b/2"} {
		ctx := llm.WithEvaluation(t.Context(), id)
		got, err := p.Chat(ctx, first())
		require.NoError(t, err)
		if diff := cmp.Diff(hostile(), got); diff != "" {
			t.Errorf("reply (-want +got):\n%s", diff)
		}
		got, err = p.Chat(ctx, second())
		require.NoError(t, err)
		assert.Equal(t, llm.Reply{Content: "done"}, got)
	}
}

func TestMisses(t *testing.T) {
	p := player(t, tape(t, "c/a/1"))
	for _, tt := range []struct {
		name, id string
		change   func(*llm.Request)
		want     string
	}{
		{"another trial", "c/a/2", func(*llm.Request) {}, "c/a/2, request 1: nothing was recorded"},
		{"no evaluation", "", func(*llm.Request) {}, "nothing was recorded"},
		{"one request more", "c/a/1", func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant}, llm.Message{Role: llm.RoleAssistant})
		}, "request 3: nothing was recorded"},
		{"another prompt", "c/a/1", func(r *llm.Request) { r.Messages[0].Content += "." }, "line 1 has another request: message 1 (system) differs"},
		{"one byte of the attack", "c/a/1", func(r *llm.Request) { r.Messages[1].Content += " " }, "message 2 (user) differs"},
		{"a message more", "c/a/1", func(r *llm.Request) { r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser}) }, "2 messages then, 3 now"},
		{"another temperature", "c/a/1", func(r *llm.Request) { r.Temperature = 1 }, "the tools or parameters differ"},
		{"another schema", "c/a/1", func(r *llm.Request) { r.Tools[0].Parameters = json.RawMessage(`{}`) }, "the tools or parameters differ"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := first()
			tt.change(&req)
			_, err := p.Chat(llm.WithEvaluation(t.Context(), tt.id), req)
			require.ErrorIs(t, err, llm.ErrHarness)
			require.NotErrorIs(t, err, llm.ErrProvider)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "cassette acme-one.cassette.jsonl")
		})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Chat(llm.WithEvaluation(cancelled, "c/a/1"), first())
	require.ErrorIs(t, err, context.Canceled)
}

// TestFailuresAreNotRecorded: what failed or was filtered replays as a miss.
func TestFailuresAreNotRecorded(t *testing.T) {
	dir := t.TempDir()
	r, err := cassette.Create(dir, "acme-one")
	require.NoError(t, err)
	for _, fails := range []error{llm.ErrProvider, llm.ErrInputFiltered, llm.ErrContextOverflow, llm.ErrNotAsked} {
		c := r.Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{}, fails }))
		_, err := c.Chat(llm.WithEvaluation(t.Context(), "c/a/1"), first())
		require.ErrorIs(t, err, fails)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "acme-one.cassette.jsonl"))
	require.NoError(t, err)
	assert.Empty(t, raw)
	c := r.Client(llmtest.ClientFunc(answers))
	_, err = c.Chat(t.Context(), first())
	require.ErrorIs(t, err, llm.ErrHarness, "a reply of nobody's evaluation could never be found again")
	require.NoError(t, r.Close())
	_, err = c.Chat(llm.WithEvaluation(t.Context(), "c/a/1"), first())
	require.ErrorIs(t, err, llm.ErrHarness, "a reply that is not recorded is no reply")
	require.ErrorContains(t, err, "VAULT_RECORD")
	asked := 0
	c = r.Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) { asked++; return llm.Reply{}, nil }))
	_, err = c.Chat(llm.WithEvaluation(t.Context(), "c/a/1"), first())
	require.ErrorIs(t, err, llm.ErrHarness)
	assert.Zero(t, asked, "nothing more is paid for")
}

// TestGoesOn: a run that was killed and resumed leaves one cassette; of two replies
// to one request the later counts, and a torn line is dropped.
func TestGoesOn(t *testing.T) {
	dir := tape(t, "c/a/1")
	file := filepath.Join(dir, "acme-one.cassette.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, torn := range []string{`{"format":"vault-cas`, strings.Repeat("x", 200<<10)} {
		require.NoError(t, os.WriteFile(file, append(whole, torn...), 0o600))
		_, err = cassette.Open(file)
		require.ErrorContains(t, err, "acme-one.cassette.jsonl:3: the line has no end")
		r, err := cassette.Create(dir, "acme-one")
		require.NoError(t, err)
		later := r.Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{Content: "later"}, nil }))
		_, err = later.Chat(llm.WithEvaluation(t.Context(), "c/a/1"), first())
		require.NoError(t, err)
		require.NoError(t, r.Close())
		got, err := player(t, dir).Chat(llm.WithEvaluation(t.Context(), "c/a/1"), first())
		require.NoError(t, err)
		assert.Equal(t, "later", got.Content)
	}
	require.NoError(t, os.WriteFile(file, []byte("torn and alone"), 0o600))
	r, err := cassette.Create(dir, "acme-one")
	require.NoError(t, err)
	require.NoError(t, r.Close())
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Empty(t, raw)
}

func TestOpenRefuses(t *testing.T) {
	dir := tape(t, "c/a/1")
	file := filepath.Join(dir, "acme-one.cassette.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, tt := range []struct{ name, old, new, want string }{
		{"empty", string(whole), "", ":1: the cassette is empty"},
		{"another format", "vault-cassette/1", "vault-cassette/2", ":1: "},
		{"changed request", "You keep a vault.", "You keep a mint.", ":1: c/a/1: the request is not the one that its digest is of"},
		{"two models", `{"format":"vault-cassette/1","model":"acme-one","evaluation":"c/a/1","step":2`, `{"format":"vault-cassette/1","model":"acme-two","evaluation":"c/a/1","step":2`, `:2: c/a/1: model "acme-two", the lines before name "acme-one"`},
		{"unknown member", `"step":2`, `"step":2,"note":"x"`, ":2: "},
		{"no JSON", `{"format"`, `{format`, ":1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, string(whole), tt.old)
			changed := filepath.Join(t.TempDir(), "x.cassette.jsonl")
			require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(whole), tt.old, tt.new, 1)), 0o600))
			_, err := cassette.Open(changed)
			require.ErrorContains(t, err, "x.cassette.jsonl"+tt.want)
		})
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.cassette.jsonl"), whole, 0o600))
	_, err = cassette.Find(dir)
	require.ErrorContains(t, err, "model acme-one has another cassette")
	none, err := cassette.Find(t.TempDir())
	require.NoError(t, err)
	assert.Empty(t, none)
	_, err = cassette.Create(file, "m")
	require.ErrorContains(t, err, "record: ")
	require.False(t, errors.Is(err, os.ErrNotExist), fmt.Sprint(err))
}
