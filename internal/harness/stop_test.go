package harness_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	vault "vaultbench/vault_test"
)

// slowServer serves sim-teller, each reply after a pause; reached is closed with
// the n-th request.
func slowServer(t *testing.T, pause time.Duration, n int64) (server *llmtest.Server, reached chan struct{}) {
	t.Helper()
	teller, err := sim.New(sim.Teller, nil)
	require.NoError(t, err)
	var served atomic.Int64
	reached = make(chan struct{})
	server = llmtest.New(llmtest.ClientFunc(func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		if served.Add(1) == n {
			close(reached)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		return teller.Chat(ctx, req)
	}), llmtest.Options{})
	t.Cleanup(server.Close)
	return server, reached
}

func liveEnv(url, results string) map[string]string {
	return map[string]string{
		"VAULT_SIMS": "none", "VAULT_MODELS": "local", "VAULT_LOCAL_URL": url, "LOCAL_API_KEY": "k", "VAULT_LEVELS": "l2",
		"VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "oap", "VAULT_CONCURRENCY": "2", "VAULT_RESULTS": results, "VAULT_RUN_ID": "r1",
	}
}

// slowRun is a process that asks a slow server, and what it was started with.
type slowRun struct {
	*running
	results string
	url     string
	env     map[string]string
	reached chan struct{} // closed when the run is under way
}

func beginSlow(t *testing.T, mark string, args ...string) slowRun {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results")
	server, reached := slowServer(t, 150*time.Millisecond, 8)
	env := liveEnv(server.URL(), results)
	if mark != "" {
		env[vault.ChildVariable] = mark
	}
	return slowRun{begin(t, env, append(args, "-test.run=^TestVault$")...), results, server.URL(), env, reached}
}

// TestStopped: a signal and a deadline end a run in order, and it can be gone on
// with; a second process keeps away from it meanwhile.
func TestStopped(t *testing.T) {
	late := beginSlow(t, vault.Hasty, "-test.timeout=60s") // waits most of the time, so that others may run meanwhile
	t.Parallel()
	for _, tt := range []struct {
		name    string
		signal  os.Signal // nil: the deadline
		reason  record.SubReason
		verdict report.State
	}{
		{"SIGINT", os.Interrupt, record.Interrupted, report.StateInterrupted},
		{"SIGTERM", syscall.SIGTERM, record.Interrupted, report.StateInterrupted},
		{"deadline", nil, record.Deadline, report.StateInconclusive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := late
			if tt.signal != nil {
				r = beginSlow(t, "")
			}
			<-r.reached
			if tt.name == "SIGINT" {
				second := launch(t, r.env, "-test.run=^TestVault$")
				assert.NotZero(t, second.code)
				second.says(t, "another process is writing this run: wait for it, or choose another VAULT_RUN_ID")
			}
			if tt.signal != nil {
				require.NoError(t, r.cmd.Process.Signal(tt.signal))
			}
			r.stopped(t, tt.reason, tt.verdict)
		})
	}
}

// stopped checks what a process that was stopped leaves, and that another server
// may not go on with it.
func (r slowRun) stopped(t *testing.T, reason record.SubReason, verdict report.State) {
	t.Helper()
	p := r.wait(t)
	assert.Equal(t, 1, p.code, p.tail())
	p.says(t, "inconclusive")
	p.says(t, "to go on: the same command with VAULT_RUN_ID=r1")
	assert.Contains(t, string(p.read(t, "summary.json")), "the run was stopped before its end")
	_, err := receipt.Verify(filepath.Join(r.results, "r1"), nil)
	require.NoError(t, err, "what was done is sealed")
	assert.Equal(t, verdict, verdictOf(t, filepath.Join(r.results, "r1")).State)
	done := endsOf(t, r.results)
	assert.Positive(t, done[record.Completed]["answered"], "what had ended is kept")
	assert.Positive(t, done[record.NotRun][reason])

	quick, _ := slowServer(t, 0, -1)
	r.env["VAULT_LOCAL_URL"] = quick.URL()
	refused := launch(t, r.env, "-test.run=^TestVault$")
	assert.NotZero(t, refused.code)
	refused.says(t, "option VAULT_LOCAL_URL: was "+r.url+", is "+quick.URL())
}

// endsOf counts the evaluations of a run by end and sub-reason.
func endsOf(t *testing.T, results string) map[record.End]map[record.SubReason]int {
	t.Helper()
	counts := map[record.End]map[record.SubReason]int{}
	require.NoError(t, record.Read(filepath.Join(results, "r1", record.EvaluationsFile), func(e record.Evaluation) error {
		if counts[e.End] == nil {
			counts[e.End] = map[record.SubReason]int{}
		}
		counts[e.End][e.SubReason]++
		return nil
	}))
	return counts
}
