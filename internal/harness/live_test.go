package harness_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// TestBadLiveInput: what is known to be wrong with a live model ends before the
// first paid call, with the variable or file to mend; what only a completion can
// tell ends after one.
func TestBadLiveInput(t *testing.T) {
	t.Parallel()
	var paid atomic.Int64
	answer := func(list, completion int, body string) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status := list
			if r.Method == http.MethodPost {
				paid.Add(1)
				status = completion
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
	}
	gone := answer(200, 200, "")
	gone.Close()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	refuses := answer(401, 401, `{"error":{"code":"invalid_api_key","message":"no"}}`)
	unknown := answer(200, 404, `{"error":{"code":"model_not_found","message":"no such model"}}`)
	noTools := answer(200, 400, `{"error":{"message":"registry/x does not support tools"}}`)
	for _, s := range []*httptest.Server{untrusted, refuses, unknown, noTools} {
		t.Cleanup(s.Close)
	}
	for _, tt := range []struct {
		name, url, key string
		want           []string
		paid           int
	}{
		{"malformed key", gone.URL, canary + " x", []string{"variable LOCAL_API_KEY: key has a blank"}, 0},
		{"malformed address", "127.0.0.1:8089/v1", canary, []string{"VAULT_LOCAL_URL: want http://host:port/v1"}, 0},
		{"unreachable", gone.URL, canary, []string{"connection refused", "variable VAULT_LOCAL_URL"}, 0},
		{"certificate", untrusted.URL, canary, []string{"certificate", "variable VAULT_LOCAL_URL"}, 0},
		{"key refused", refuses.URL, canary, []string{"variable LOCAL_API_KEY: provider local refuses the key"}, 0},
		{"no such model", unknown.URL, canary, []string{"inconclusive"}, 1},
		{"model without tools", noTools.URL, canary, []string{"inconclusive"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := paid.Load()
			p := launch(t, map[string]string{
				"VAULT_SIMS": "none", "VAULT_MODELS": "local", "VAULT_LOCAL_URL": tt.url, "LOCAL_API_KEY": tt.key,
				"VAULT_LEVELS": "l2", "VAULT_TRACKS": "single", "VAULT_ARCHITECTURES": "alone", "VAULT_CONCURRENCY": "1",
			}, "-test.run=TestVault")
			assert.NotZero(t, p.code, p.tail())
			for _, want := range tt.want {
				p.says(t, want)
			}
			assert.Equal(t, int64(tt.paid), paid.Load()-before, "completions that were asked for")
			assert.NotContains(t, p.output, canary)
			if tt.paid > 0 {
				assertNoCanary(t, p)
				assert.Contains(t, string(p.read(t, "evaluations.jsonl")), "fixtures/models.json: model local: check id", "the record says what to mend")
			}
		})
	}
}

// TestAttemptTimeout: a provider that hangs is given up after VAULT_ATTEMPT_TIMEOUT,
// twice, and what it left open is an error and no refusal.
func TestAttemptTimeout(t *testing.T) {
	t.Parallel()
	server, _ := slowServer(t, time.Hour, 1)
	env := liveEnv(server.URL(), filepath.Join(t.TempDir(), "results"))
	env["VAULT_ATTEMPT_TIMEOUT"], env["VAULT_SHARD"], env["VAULT_CONCURRENCY"] = "1", "1/32", "64"
	p := launch(t, env, "-test.run=^TestVault$")
	assert.Equal(t, 1, p.code, p.tail())
	p.says(t, "config: VAULT_ATTEMPT_TIMEOUT=1 (environment)")
	m, err := receipt.ReadManifest(filepath.Join(p.results, "r1"))
	require.NoError(t, err)
	assert.Equal(t, "1 (environment)", m.Options["VAULT_ATTEMPT_TIMEOUT"], "the record says how long was waited")
	n := 0
	require.NoError(t, record.Read(filepath.Join(p.results, "r1", record.EvaluationsFile), func(e record.Evaluation) error {
		n++
		assert.Equal(t, record.ProviderError, e.End, e.ID)
		assert.Contains(t, e.Detail, "no answer within 1s", "%s says how long was waited", e.ID)
		return nil
	}))
	assert.Positive(t, n)
}
