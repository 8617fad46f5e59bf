package chat_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/agent"
	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/record"
)

// TestNothingIsLeftBehind: a run that is cancelled in the midst of a request, of a
// wait for its turn, of a back-off and of a pause that the provider asked for
// leaves no goroutine, no connection and no open file.
func TestNothingIsLeftBehind(t *testing.T) {
	cancelMidway(t, "") // the first time, the runtime opens what it polls with, for good
	for _, fault := range []string{"", "hang", "drip", "500", "429", "429-seconds"} {
		t.Run("fault "+fault, func(t *testing.T) {
			goroutines, files := runtime.NumGoroutine(), openFiles(t)
			cancelMidway(t, fault)
			chat.CloseIdle()
			var left int
			for range 200 { // connections are torn down in the background
				if left = runtime.NumGoroutine() - goroutines; left <= 0 && openFiles(t) <= files {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			assert.LessOrEqual(t, left, 0, "goroutines:\n%s", stacks())
			assert.LessOrEqual(t, openFiles(t), files, "files and connections")
		})
	}
}

// cancelMidway starts more conversations than may be under way, against a server
// that is slow or worse, and cancels them.
func cancelMidway(t *testing.T, fault string) {
	t.Helper()
	opts := llmtest.Options{Delay: 30 * time.Millisecond}
	if fault != "" {
		f, err := llmtest.FaultNamed(fault)
		require.NoError(t, err)
		opts.Fault = func(int, llmtest.Received) (llmtest.Fault, bool) { return f, true }
	}
	server := llmtest.New(llmtest.ClientFunc(func(_ context.Context, req llm.Request) (llm.Reply, error) {
		return llm.Reply{ToolCalls: []llm.Call{{Name: "get_balance"}}}, nil
	}), opts)
	defer server.Close()
	id := llm.ModelID("m")
	client, err := chat.Open(llm.Model{Slug: "m", ID: &id}, llm.Provider{Name: "p", KeyEnv: "K"}, server.URL(), "any")
	require.NoError(t, err)
	client = limit.New(limit.Config{Max: 8, Backoff: time.Hour}).Client(client)
	ctx, cancel := context.WithCancel(t.Context())
	spec := corpus.LevelSpec{Level: corpus.L2, SystemPrompt: "You keep the vault.", MaxOutputTokens: 77, TurnLimit: 4}
	spec.StepLimit = 1 << 20 // never done before it is cancelled
	outs := make([]agent.Outcome, 24)
	dispatchers := make([]*dispatch.Dispatcher, len(outs))
	var wg sync.WaitGroup
	for i := range outs {
		dispatchers[i] = dispatch.New(dispatch.Config{
			EvaluationID: "e", Account: dispatch.Account{Own: "LF-1", Currency: bank.USD, Opening: 1000},
			Authorizer: authz.PermitAll{}, Names: dispatch.TransferFunds,
		})
		wg.Go(func() {
			outs[i] = agent.Conversation{Client: client, Dispatcher: dispatchers[i], Level: spec, User: []string{"a"}}.Run(ctx)
		})
	}
	for server.Arrived() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	cancel()
	wg.Wait()
	for i, out := range outs {
		assert.Equal(t, record.NotRun, out.End, "conversation %d: %s", i, out.Detail)
		assert.Empty(t, dispatchers[i].Transfers())
	}
}

// openFiles counts the process's descriptors, connections among them.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc: open files can't be counted here")
	}
	return len(entries)
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return strings.TrimSpace(string(buf[:runtime.Stack(buf, true)]))
}
