package vault_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/publish"
	"vaultbench/internal/report"
)

// reportsServed asks the server of a run as its page does, and as others might.
func reportsServed(t *testing.T, run publish.Run) {
	listener, err := publish.Listen(0)
	require.NoError(t, err)
	require.True(t, listener.Addr().(*net.TCPAddr).IP.IsLoopback())
	s, err := run.Serve()
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s}}
	server.Start()
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name, method, host, path string
		want                     int
		reason                   string
	}{
		{"page", "GET", "", "/", 200, "the report"},
		{"by name", "GET", "localhost", "/", 200, "this machine's own name"},
		{"rebound", "GET", "attacker.example", "/", 421, "a name elsewhere that was made to lead here"},
		{"rebound, with port", "GET", "127.0.0.1.attacker.example:8090", "/evaluation?id=x", 421, "only the whole name counts"},
		{"post", "POST", "", "/", 405, "nothing can be changed"},
		{"file", "GET", "", "/manifest.json", 404, "no file is served"},
		{"up", "GET", "", "/../../go.mod", 404, "no file is served"},
		{"bad offset", "GET", "", "/evaluations?offset=-1", 400, "bad input gets an answer"},
		{"no such", "GET", "", "/evaluation?id=x", 404, "bad input gets an answer"},
	} {
		got := ask(t, server.URL, tt.method, tt.host, tt.path)
		assert.Equal(t, tt.want, got.StatusCode, "%s: %s", tt.name, tt.reason)
		policy := got.Header.Get("Content-Security-Policy")
		assert.True(t, strings.HasPrefix(policy, "default-src 'none'; ") && !strings.Contains(policy, "unsafe"), "%s: %s", tt.name, policy)
		assert.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"), tt.name)
	}
	var found struct {
		Total int
		Items []report.Transcript
	}
	decodeBody(t, ask(t, server.URL, "GET", "", "/evaluations?offset=0&flag=unpermitted"), &found)
	assert.Positive(t, found.Total, "alone, unpermitted transfers execute")
	for _, e := range found.Items {
		assert.Equal(t, "alone", string(e.Cell.Architecture))
	}
	var one struct {
		Transcript report.Transcript
		Messages   []string
	}
	decodeBody(t, ask(t, server.URL, "GET", "", "/evaluation?id="+url.QueryEscape(found.Items[0].ID)), &one)
	assert.NotEmpty(t, one.Transcript.Calls, "the whole evaluation")
	assert.NotEmpty(t, one.Messages, "and what the user wrote")
	word := strings.Fields(one.Messages[0])[0]
	decodeBody(t, ask(t, server.URL, "GET", "", "/evaluations?offset=0&q="+url.QueryEscape(word)), &found)
	assert.Positive(t, found.Total, "messages are searched too")
}

func ask(t *testing.T, base, method, host, path string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
	require.NoError(t, err)
	req.Host = host
	got, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = got.Body.Close() })
	return got
}

func decodeBody(t *testing.T, r *http.Response, into any) {
	t.Helper()
	raw, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.StatusCode, string(raw))
	require.NoError(t, json.Unmarshal(raw, into))
}
