package chat_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/chat"
	"vaultbench/internal/llm/llmtest"
)

// TestFailureClasses: the forms in which providers say that a key or a model is
// of no use, that they have too much to do, or that something broke.
func TestFailureClasses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   llm.Class
		says   string
		reason string
	}{
		{"quota, OpenAI", 429, errorJSON("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), llm.KeyDead, "variable ACME_API_KEY", "no minute will mend it"},
		{"minute, Google", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"RetryInfo","retryDelay":"34.5s"}]}}]`, llm.Overload, "HTTP 429", "the same words for every limit"},
		{"quota, Moonshot AI", 429, errorJSON("", "exceeded_current_quota_error", "Your account is suspended, please check your plan"), llm.KeyDead, "ACME_API_KEY", "by its type"},
		{"credit, Anthropic", 400, errorJSON("", "invalid_request_error", "Your credit balance is too low to access the API."), llm.KeyDead, "ACME_API_KEY", "by its message"},
		{"balance, DeepSeek", 402, errorJSON("invalid_request_error", "unknown_error", "Insufficient Balance"), llm.KeyDead, "ACME_API_KEY", "HTTP 402"},
		{"balance, Z.AI", 429, `{"error":{"code":"1113","message":"please recharge"}}`, llm.KeyDead, "ACME_API_KEY", "by its number"},
		{"key refused", 401, errorJSON("invalid_api_key", "", "no"), llm.KeyDead, "ACME_API_KEY", "the variable to mend is named"},
		{"key refused, Google", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]`, llm.KeyDead, "ACME_API_KEY", "as 400"},
		{"no such model", 404, errorJSON("model_not_found", "", "The model wire-model does not exist"), llm.ModelDead, `fixtures/models.json: model acme-one: check id "wire-model"`, "the file to mend is named"},
		{"no such model, DeepSeek", 400, errorJSON("invalid_request_error", "", "Model Not Exist"), llm.ModelDead, "models.json", "as 400"},
		{"no tools, Ollama", 400, errorJSON("", "api_error", "registry.ollama.ai/library/x does not support tools"), llm.ModelDead, "can call tools", "it would never pay"},
		{"no tools, vLLM", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, llm.ModelDead, "can call tools", "the server's own switch"},
		{"no tools, OpenRouter", 404, `{"error":{"code":404,"message":"No endpoints found that support tool use."}}`, llm.ModelDead, "can call tools", "as 404"},
		{"too many", 429, errorJSON("rate_limit_exceeded", "requests", "slow down"), llm.Overload, "HTTP 429", "the plain case"},
		{"overloaded, Anthropic", 529, errorJSON("", "overloaded_error", "Overloaded"), llm.Overload, "HTTP 529", "its own status"},
		{"unavailable", 503, "", llm.Overload, "HTTP 503", "no body"},
		{"too many as 200", 200, `{"error":{"code":429,"message":"rate limited upstream"}}`, llm.Overload, "an error instead of a choice", "OpenRouter"},
		{"server error", 500, "oops", llm.Transient, "HTTP 500", "may pass"},
		{"gateway", 504, "<html>", llm.Transient, "HTTP 504", "may pass"},
		{"half a reply", 200, `{"choices":[{`, llm.Transient, "malformed reply", "broken on the way"},
		{"bad request", 400, errorJSON("invalid_request_error", "", "temperature is not supported"), llm.Final, "HTTP 400", "the same request brings the same"},
		{"two choices", 200, `{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}`, llm.Final, "2 choices", "was paid for"},
		{"filter", 400, errorJSON("content_filter", "", "no"), llm.Final, "input filtered", "a verdict"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{Intercept: body(tt.status, jsonType, tt.body)})
			_, err := c.Chat(t.Context(), hello())
			require.Error(t, err)
			assert.Equal(t, tt.want, llm.FailureClass(err), "%v: %s", err, tt.reason)
			assert.ErrorContains(t, err, tt.says, tt.reason)
		})
	}
}

func TestFailureSaysHowLongToWait(t *testing.T) {
	for _, tt := range []struct {
		name, header, body string
		after              string
		delay              time.Duration
	}{
		{"header", "17", "{}", "17", 0},
		{"date", "Wed, 21 Oct 2026 07:28:00 GMT", "{}", "Wed, 21 Oct 2026 07:28:00 GMT", 0},
		{"body", "", `[{"error":{"details":[{"retryDelay": "1.5s"}]}}]`, "", 1500 * time.Millisecond},
		{"body that says nothing", "", `{"retryDelay"`, "", 0},
		{"body in another form", "", `{"retryDelay":"soon"}`, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{Intercept: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				w.WriteHeader(429)
				_, _ = w.Write([]byte(tt.body))
				return true
			}})
			_, err := c.Chat(t.Context(), hello())
			var f *llm.Failure
			require.ErrorAs(t, err, &f)
			assert.Equal(t, tt.after, f.RetryAfter)
			assert.Equal(t, tt.delay, f.Delay)
		})
	}
}

// TestLibraryNeverRetries: the limiter alone does.
func TestLibraryNeverRetries(t *testing.T) {
	for _, status := range []int{408, 409, 429, 500, 503} {
		asked := 0
		c, server := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{Intercept: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			asked = n
			w.Header().Set("X-Should-Retry", "true")
			w.WriteHeader(status)
			return true
		}})
		_, err := c.Chat(t.Context(), hello())
		require.Error(t, err)
		server.Close()
		assert.Equal(t, 1, asked, "HTTP %d", status)
	}
}

func TestUntrustedCertificateIsFinal(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	m, p := testModel(llm.Quirks{})
	c, err := chat.Open(m, p, server.URL, testKey)
	require.NoError(t, err)
	_, err = c.Chat(t.Context(), hello())
	require.ErrorIs(t, err, llm.ErrProvider)
	assert.Equal(t, llm.Final, llm.FailureClass(err))
	assert.ErrorContains(t, err, "certificate")
}
