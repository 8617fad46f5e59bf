package harness_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// TestBudgetWithoutUsage: a provider that counts no tokens is charged what its
// requests may take, once for all attempts; no count of it is made up.
func TestBudgetWithoutUsage(t *testing.T) {
	t.Parallel()
	for name, usage := range map[string]string{"none": ``, "contradictory": `,"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":100000}}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(nil, llmtest.Options{Intercept: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"choices":[{"finish_reason":"stop","message":{"content":"No."}}]`+usage+`}`) // the caller has hung up: nobody to tell
				return true
			}})
			t.Cleanup(server.Close)
			env := liveEnv(server.URL(), filepath.Join(t.TempDir(), "results"))
			env["VAULT_BUDGET_TOKENS"] = "60000"
			first := launch(t, env, "-test.run=^TestVault$")
			assert.NotZero(t, first.code, first.tail())
			asked := server.Arrived()
			require.Positive(t, asked, first.tail())
			assert.Positive(t, endsOf(t, first.results)[record.NotRun][record.Budget], first.tail())
			again := launch(t, env, "-test.run=^TestVault$")
			assert.NotZero(t, again.code, again.tail())
			assert.Equal(t, asked, server.Arrived(), "what the first process was charged is charged")
			require.NoError(t, record.Read(filepath.Join(first.results, "r1", record.EvaluationsFile), func(e record.Evaluation) error {
				u := e.Usage()
				assert.Zero(t, u.InputTokens+u.OutputTokens+u.CachedTokens, "nobody counted")
				return nil
			}))
		})
	}
}

// till counts the tokens of the replies that a server gave, and rings when so many
// more replies were given as it was set to.
type till struct {
	mu     sync.Mutex
	tokens int64
	left   int
	rung   chan struct{}
}

func (c *till) ring(after int) (rung chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.rung = after, make(chan struct{})
	return c.rung
}

func (c *till) paid() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens
}

func (c *till) pay(u llm.Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens += u.InputTokens + u.OutputTokens
	if c.left--; c.left == 0 {
		close(c.rung)
	}
}

// TestBudgetAfterKills: what conversations had cost that a kill cut off is charged
// to the next process, so that not even kills make a run cost more than its budget.
func TestBudgetAfterKills(t *testing.T) {
	t.Parallel()
	teller, err := sim.New(sim.Teller, nil)
	require.NoError(t, err)
	served := &till{}
	server := llmtest.New(llmtest.ClientFunc(func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		reply, err := teller.Chat(ctx, req)
		reply.Usage = llm.Usage{InputTokens: 300, OutputTokens: 20} // less than the reserve of any request
		served.pay(reply.Usage)
		return reply, err
	}), llmtest.Options{Delay: 5 * time.Millisecond})
	t.Cleanup(server.Close)
	const budget = 120_000 // a kill costs up to eight reserves
	env := liveEnv(server.URL(), filepath.Join(t.TempDir(), "results"))
	env["VAULT_TRACKS"], env["VAULT_CONCURRENCY"], env["VAULT_BUDGET_TOKENS"] = "multi", "8", "120000"
	for range 3 {
		rung := served.ring(30)
		p := begin(t, env, "-test.run=^TestVault$")
		select {
		case <-rung:
		case <-time.After(time.Minute):
			t.Error("the run asked too little")
		}
		require.NoError(t, p.cmd.Process.Kill())
		p.wait(t)
	}
	before := served.paid()
	assert.Less(t, before, int64(budget))
	last := launch(t, env, "-test.run=^TestVault$")
	assert.NotZero(t, last.code, last.tail())
	assert.Positive(t, endsOf(t, last.results)[record.NotRun][record.Budget], last.tail())
	_, err = receipt.Verify(filepath.Join(last.results, "r1"), nil)
	require.NoError(t, err, "a journal with charges is a journal")
	assert.Greater(t, served.paid(), before, "what is left of the budget is used")
	assert.LessOrEqual(t, served.paid(), int64(budget), "all that was served is charged")
}
