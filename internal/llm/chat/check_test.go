package chat_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
)

func TestCheck(t *testing.T) {
	const list = `{"object":"list","data":[{"id":"other"},{"id":"models/wire-model"}]}`
	for _, tt := range []struct {
		name   string
		lists  llm.Listing
		status int
		body   string
		want   string
		reason string
	}{
		{"in the list", llm.ListsIDs, 200, list, "", "with Google's prefix"},
		{"not in the list", llm.ListsIDs, 200, `{"data":[{"id":"wire-model-2"}]}`, `fixtures/models.json: model acme-one: id "wire-model" is not among the 1 models that provider acme lists`, "the file to mend is named"},
		{"list of keys alone", llm.ListsKey, 200, `{"data":[{"id":"wire-model-2"}]}`, "", "it need not be whole"},
		{"empty list", llm.ListsIDs, 200, `{"data":[]}`, "", "says nothing"},
		{"no list", llm.ListsIDs, 200, `<html>`, "", "says nothing"},
		{"key refused", llm.ListsKey, 401, errorJSON("invalid_api_key", "", "wrong key "+testKey), "variable ACME_API_KEY: provider acme refuses the key: HTTP 401: ", "the variable to mend is named"},
		{"key refused, unconfirmed form", llm.ListsNothing, 401, "{}", "", "the list may want the key elsewhere than the completions do"},
		{"unconfirmed list", "", 200, `{"data":[{"id":"x"}]}`, "", "the zero value tells nothing"},
		{"no such page", llm.ListsIDs, 404, "{}", "", "a completion will tell"},
		{"down", llm.ListsIDs, 503, "", "", "may pass"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer server.Close()
			m, p := testModel(llm.Quirks{})
			p.Lists = tt.lists
			err := chat.Check(t.Context(), m, p, server.URL+"/v1", testKey)
			assert.Equal(t, "GET /v1/models Bearer "+testKey, asked, "no completion is asked for")
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
			assert.NotContains(t, err.Error(), testKey)
		})
	}
}

func TestCheckFindsNobody(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	for _, tt := range []struct{ name, url, want string }{
		{"nobody listens", gone.URL, "connection refused"},
		{"certificate", untrusted.URL, "certificate"},
		{"no such host", "http://provider.invalid/v1", "provider.invalid does not answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, p := testModel(llm.Quirks{})
			p.BaseURLEnv = "ACME_URL"
			err := chat.Check(t.Context(), m, p, tt.url, testKey)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "check the network and base_url in fixtures/models.json or variable ACME_URL")
		})
	}
	m, p := testModel(llm.Quirks{})
	require.ErrorContains(t, chat.Check(t.Context(), m, p, gone.URL, ""), "ACME_API_KEY", "what Open refuses")
}
