package chat_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/llmtest"
)

func TestOpenSaysWhatToMend(t *testing.T) {
	const good = "https://api.acme.example/v1"
	rows := []struct {
		name         string
		noID         bool
		urlEnv       string
		url, key     string
		want, reason string
	}{
		{"null id", true, "", good, testKey, "fixtures/models.json: model acme-one: id is null: fill in", "a live run needs the id"},
		{"null URL", false, "", "", testKey, "fixtures/models.json: provider acme: base_url is null: fill it in", "unconfirmed endpoint"},
		{"null URL with variable", false, "ACME_URL", "", testKey, "fill it in or variable ACME_URL", "the quicker way"},
		{"no scheme", false, "", "api.acme.example/v1", testKey, "provider acme: base_url: malformed", "a host alone is a path to url.Parse"},
		{"other scheme", false, "ACME_URL", "file:///etc/passwd", testKey, "base_url or variable ACME_URL: malformed", "HTTP only"},
		{"no host", false, "", "https:///v1", testKey, "malformed", "nobody to ask"},
		{"unparsable", false, "", "http://[::1", testKey, "malformed", "no panic later"},
		{"user in URL", false, "", "https://u:p@api.acme.example/v1", testKey, "no user", "it would be sent as a second credential"},
		{"query in URL", false, "", good + "?key=" + testKey, testKey, "no user, query", "keys stand in the header"},
		{"no key", false, "", good, "", "model acme-one: variable ACME_API_KEY: empty or not set", "the variable is named"},
		{"line break in key", false, "", good, testKey + "\n", "variable ACME_API_KEY: key has a blank", "copied along, breaks the header"},
		{"blank in key", false, "", good, "Bearer " + testKey, "at byte 7 of", "copied along"},
		{"non-ASCII in key", false, "", good, testKey + "\u200b", "non-ASCII", "zero-width space from a web page"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m, p := testModel(llm.Quirks{})
			p.BaseURLEnv = row.urlEnv
			if row.noID {
				m.ID = nil
			}
			_, err := chat.Open(m, p, row.url, row.key)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("Open() = %v, want %q: %s", err, row.want, row.reason)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("Open() shows the key: %v", err)
			}
		})
	}
}

func TestOpenTakesTheProvidersURL(t *testing.T) {
	for _, suffix := range []string{"", "/"} {
		server := llmtest.New(answer(llm.Reply{Content: "hi"}), llmtest.Options{})
		defer server.Close()
		m, p := testModel(llm.Quirks{})
		url := server.URL() + suffix
		p.BaseURL = &url
		c, err := chat.Open(m, p, "", testKey)
		require.NoError(t, err)
		_, err = c.Chat(t.Context(), hello())
		require.NoError(t, err)
		require.Equal(t, 1, server.Served())
	}
}

// TestOpenIgnoresTheLibrarysVariables: a run must not go elsewhere, or be billed
// elsewhere, because a variable of another tool is set.
func TestOpenIgnoresTheLibrarysVariables(t *testing.T) {
	elsewhere := llmtest.New(answer(llm.Reply{Content: "wrong"}), llmtest.Options{})
	defer elsewhere.Close()
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": elsewhere.URL(), "OPENAI_API_KEY": "sk-other", "OPENAI_ADMIN_KEY": "sk-admin",
		"OPENAI_ORG_ID": "org-other", "OPENAI_PROJECT_ID": "proj-other", "OPENAI_CUSTOM_HEADERS": "X-Other: yes",
	} {
		t.Setenv(name, value)
	}
	c, server := dial(t, answer(llm.Reply{Content: "right"}), llm.Quirks{}, llmtest.Options{})
	reply, err := c.Chat(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, "right", reply.Content)
	got := server.Requests()[0].Header
	want := http.Header{"Authorization": {"Bearer " + testKey}}
	for _, name := range []string{"Authorization", "Openai-Organization", "Openai-Project", "X-Other"} {
		if diff := cmp.Diff(want[name], got[name]); diff != "" {
			t.Errorf("header %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := llmtest.New(answer(llm.Reply{Content: "wrong"}), llmtest.Options{})
	defer elsewhere.Close()
	c, _ := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{
		Intercept: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			http.Redirect(w, r, elsewhere.URL()+"/chat/completions", http.StatusTemporaryRedirect)
			return true
		},
	})
	_, err := c.Chat(context.Background(), hello())
	require.ErrorIs(t, err, llm.ErrProvider)
	require.ErrorContains(t, err, "HTTP 307")
	require.Zero(t, elsewhere.Served())
}
