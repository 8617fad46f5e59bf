package chat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/llmtest"
)

const jsonType = "application/json"

func errorJSON(code, kind, message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
}

type errorRow struct {
	name              string
	status            int
	contentType, body string
	kind              error
	want, reason      string
}

func errorRows() []errorRow {
	return slices.Concat(filterRows(), unreadRows(), []errorRow{
		{"rate limit", 429, jsonType, errorJSON("rate_limit_exceeded", "tokens", "too many tokens per minute"), llm.ErrProvider, "HTTP 429", "no overflow, whatever it says of tokens"},
		{"server error", 500, jsonType, errorJSON("", "server_error", "oops"), llm.ErrProvider, "HTTP 500", "asked again later"},
		{"HTML error", 502, "text/html", "<html>bad gateway</html>", llm.ErrProvider, "HTTP 502: <html>", "the body of a proxy is shown"},
		{"empty error", 503, "text/plain", "", llm.ErrProvider, "HTTP 503: empty body", "no body at all"},
		{"key echoed", 401, jsonType, errorJSON("invalid_api_key", "", "wrong key "+testKey+" given"), llm.ErrProvider, "wrong key [key] given", "some providers repeat it"},
		{"key echoed, escaped", 401, jsonType, `{"error":"` + strings.ReplaceAll(testKey, "/", `\/`) + `"}`, llm.ErrProvider, "[key]", "as PHP writes JSON"},
		{"key at the cut", 401, jsonType, strings.Repeat("x", 290) + testKey, llm.ErrProvider, "x[key]", "no half of it remains"},
		{"truncated JSON", 200, jsonType, `{"choices":[{"message":{"content":"hi`, llm.ErrProvider, "malformed reply", "half a reply is none"},
		{"JSON and more", 200, jsonType, `{"choices":[{"message":{"content":"hi"}}]}{}`, llm.ErrProvider, "malformed reply", "two documents"},
		{"array", 200, jsonType, `[]`, llm.ErrProvider, "malformed reply", "no completion"},
		{"repeated name", 200, jsonType, `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{1}","arguments":"{2}"}}]}}]}`, llm.ErrProvider, "malformed reply", "which one was meant?"},
		{"content of another type", 200, jsonType, `{"choices":[{"message":{"content":7}}]}`, llm.ErrProvider, "neither text nor parts", "no guess"},
		{"HTML reply", 200, "text/html; charset=utf-8", "<html>log in</html>", llm.ErrProvider, "content type is not JSON: text/html", "a captive portal"},
		{"no choices", 200, jsonType, `{"choices":[]}`, llm.ErrProvider, "without a choice", "no answer"},
		{"error as 200", 200, jsonType, errorJSON("", "", "upstream failed"), llm.ErrProvider, "upstream failed", "some proxies"},
		{"empty choice", 200, jsonType, `{"choices":[{"finish_reason":"stop","message":{"content":null}}]}`, llm.ErrProvider, "neither content nor tool calls", "no answer"},
		{"empty text", 200, jsonType, `{"choices":[{"finish_reason":"stop","message":{"content":""}}]}`, llm.ErrProvider, "neither content nor tool calls", "the same"},
		{"choices to follow", 300, jsonType, `{"choices":[{"message":{"content":"hi"}}]}`, llm.ErrProvider, "HTTP 300", "no success, whatever the body"},
		{"no content", 204, jsonType, "", llm.ErrProvider, "HTTP 204", "no body"},
		{"hostile body", 500, "text/plain", "a\n::error::b\x1b[2J\u202e\xff" + strings.Repeat("😀\x00", 5000), llm.ErrProvider, `a\n::error::b\x1b[2J\u202e\xff`, "one line, printable, short"},
	})
}

// unreadRows are replies with something in them that may be a call, or a refusal,
// or that says that the reply is not whole. Each has text beside it, which alone
// would count as an answer without a call.
func unreadRows() []errorRow {
	row := func(name, reply, want, reason string) errorRow {
		return errorRow{name, 200, jsonType, reply, llm.ErrProvider, want, reason}
	}
	message := func(finish, member string) string {
		return `{"choices":[{"finish_reason":"` + finish + `","message":{"content":"hi",` + member + `}}]}`
	}
	call := `{"name":"transfer_funds","arguments":"{}"}`
	return []errorRow{
		row("two choices", `{"choices":[{"message":{"content":"hi"}},{"message":{"tool_calls":[{"function":`+call+`}]}}]}`, "2 choices", "some put text and call into two"),
		row("choice twice", `{"choices":[{"message":{"content":"hi"}},{"message":{"content":"hi"}}]}`, "2 choices", "one was asked for"),
		row("announced, not there", message("tool_calls", `"tool_calls":[]`), "finish reason tool_calls without a tool call", "the call was lost on the way"),
		row("announced in the older form", message("function_call", `"function_call":null`), "finish reason function_call without", "the same"),
		row("announced, Anthropic", message("tool_use", `"tool_calls":null`), "finish reason tool_use without", "the same"),
		row("malformed call, Google", message("function_call_filter: MALFORMED_FUNCTION_CALL", `"x":1`), "MALFORMED_FUNCTION_CALL without", "the model tried to call"),
		row("both forms", message("tool_calls", `"tool_calls":[{"function":`+call+`}],"function_call":`+call), "function_call beside tool_calls", "one payment or two?"),
		row("custom call", message("tool_calls", `"tool_calls":[{"type":"custom","custom":{"name":"transfer_funds","input":"{}"}}]`), "not of type function", "no such tool was offered"),
		row("call without a function", message("tool_calls", `"tool_calls":[{"id":"a"}]`), "not of type function", "nothing to read"),
		row("null call", message("tool_calls", `"tool_calls":[null]`), "not of type function", "nothing to read"),
		row("other spelling", message("stop", `"toolCalls":[{"function":`+call+`}]`), "unknown member toolCalls", "a call all the same"),
		row("one call", message("stop", `"tool_call":{"function":`+call+`}`), "unknown member tool_call", "a call all the same"),
		row("calls beside the message", `{"choices":[{"message":{"content":"hi"},"tool_calls":[{"function":`+call+`}]}]}`, "unknown member tool_calls", "at the wrong place"),
		row("part of a stream", `{"choices":[{"message":{"content":"hi"},"delta":{"tool_calls":[{"function":`+call+`}]}}]}`, "member delta", "no stream was asked for"),
		row("no message", `{"choices":[{"finish_reason":"stop","text":"hi"}]}`, "without a message", "a plain completion"),
		row("call as a part", `{"choices":[{"finish_reason":"stop","message":{"content":[{"type":"text","text":"hi"},{"type":"tool_use","name":"transfer_funds","input":{}}]}}]}`, "content part of unknown type tool_use", "Anthropic's own form"),
		row("spoken", message("stop", `"audio":{"data":"UklGRg==","transcript":"hi"}`), "member audio", "nobody can hear whether it refuses"),
		row("refusals in a list", message("stop", `"refusals":["no"]`), "unknown member refusals", "it would be dropped"),
		row("broken off, DeepSeek", message("insufficient_system_resource", `"x":1`), "unknown finish reason insufficient_system_resource", "half an answer is no answer"),
		row("broken off, Z.AI", message("network_error", `"x":1`), "unknown finish reason network_error", "the same"),
		row("error in the choice", `{"choices":[{"finish_reason":"stop","error":{"code":502},"message":{"content":"hi"}}]}`, "member error", "OpenRouter"),
		row("error beside the choice", `{"error":{"code":502},"choices":[{"finish_reason":"stop","message":{"content":"hi"}}]}`, "an error beside the choice", "the same"),
	}
}

func filterRows() []errorRow {
	long := llm.ErrContextOverflow
	return []errorRow{
		{"filter as 200", 200, jsonType, `{"choices":[{"finish_reason":"content_filter","message":{"content":""}}]}`, llm.ErrInputFiltered, "content_filter", "nothing came"},
		{"filter as 200, Google", 200, jsonType, `{"choices":[{"finish_reason":"PROHIBITED_CONTENT","message":{}}]}`, llm.ErrInputFiltered, "PROHIBITED_CONTENT", "its own words"},
		{"filter as 200, Google's endpoint", 200, jsonType, `{"choices":[{"finish_reason":"content_filter: PROHIBITED_CONTENT","message":{"role":"assistant"}}]}`, llm.ErrInputFiltered, "PROHIBITED_CONTENT", "with its cause"},
		{"filter as 200, Z.AI", 200, jsonType, `{"choices":[{"finish_reason":"sensitive","message":{"content":""}}]}`, llm.ErrInputFiltered, "sensitive", "its own word"},
		{"filter as 400", 400, jsonType, errorJSON("content_filter", "", "filtered"), llm.ErrInputFiltered, "HTTP 400", "OpenAI, Azure"},
		{"policy violation", 400, jsonType, errorJSON("content_policy_violation", "", "no"), llm.ErrInputFiltered, "HTTP 400", "OpenAI"},
		{"filter, Moonshot AI", 400, jsonType, `{"error":{"code":400,"message":"The request was rejected because it was considered high risk","param":"prompt","type":"content_filter"}}`, llm.ErrInputFiltered, "high risk", "a number as code"},
		{"filter as type", 400, jsonType, errorJSON("", "content_filter", "no"), llm.ErrInputFiltered, "HTTP 400", "the word alone"},
		{"filter, DeepSeek", 400, jsonType, errorJSON("invalid_request_error", "invalid_request_error", "Content Exists Risk"), llm.ErrInputFiltered, "Risk", "message only"},
		{"filter, Alibaba", 400, jsonType, errorJSON("data_inspection_failed", "data_inspection_failed", "Input data may contain inappropriate content."), llm.ErrInputFiltered, "inappropriate", "message only"},
		{"output filter, Alibaba", 400, jsonType, errorJSON("data_inspection_failed", "data_inspection_failed", "Output data may contain inappropriate content."), llm.ErrProvider, "Output", "the model saw the prompt"},
		{"filter, Z.AI", 400, jsonType, `{"error":{"code":"1301","message":"unsafe"}}`, llm.ErrInputFiltered, "1301", "code only"},
		{"filter, xAI", 403, jsonType, `{"code":"The caller does not have permission","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`, llm.ErrInputFiltered, "HTTP 403", "error is a text"},
		{"forbidden, xAI", 403, jsonType, `{"code":"permission-denied","error":"Access to the chat endpoint is denied"}`, llm.ErrProvider, "HTTP 403", "same code, no filter"},
		{"invalid prompt, OpenAI", 400, jsonType, errorJSON("invalid_prompt", "", "your prompt was flagged as potentially violating our usage policy"), llm.ErrInputFiltered, "flagged", "message only"},
		{"filter word at another status", 500, jsonType, errorJSON("content_filter", "", "filter service is down"), llm.ErrProvider, "HTTP 500", "a fault, not a verdict"},
		{"filter word in HTML", 400, "text/html", "<p>content exists risk</p>", llm.ErrProvider, "HTTP 400", "only a parsed message counts"},
		{"context length, code", 400, jsonType, errorJSON("context_length_exceeded", "", "too long"), long, "HTTP 400", "OpenAI"},
		{"context length, message", 400, jsonType, `{"object":"error","message":"This model's maximum context length is 8192 tokens","type":"BadRequestError","code":400}`, long, "8192", "vLLM: bare object"},
		{"context length, Anthropic", 413, jsonType, errorJSON("", "invalid_request_error", "prompt is too long: 209353 tokens > 199999 maximum"), long, "209353", "too large"},
		{"context length, Google", 400, jsonType, `[{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}]`, long, "1196265", "an array"},
		{"detail", 422, jsonType, `{"detail":"context length exceeded"}`, long, "HTTP 422", "FastAPI servers"},
	}
}

func TestErrors(t *testing.T) {
	for _, row := range errorRows() {
		t.Run(row.name, func(t *testing.T) {
			c, server := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{Intercept: body(row.status, row.contentType, row.body)})
			reply, err := c.Chat(t.Context(), hello())
			checkError(t, err, row.kind, server)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("Chat() = %+v, %v, want %q: %s", reply, err, row.want, row.reason)
			}
			require.ErrorContains(t, err, fmt.Sprintf("HTTP %d", row.status))
		})
	}
}

// checkError holds what every error of a provider promises.
func checkError(t *testing.T, err, kind error, server *llmtest.Server) {
	t.Helper()
	for _, sentinel := range []error{llm.ErrProvider, llm.ErrInputFiltered, llm.ErrContextOverflow} {
		if errors.Is(err, sentinel) != (sentinel == kind) {
			t.Fatalf("Chat() error = %v, want %v", err, kind)
		}
	}
	text, host := err.Error(), strings.TrimSuffix(strings.TrimPrefix(server.URL(), "http://"), llmtest.BasePath)
	if !strings.Contains(text, host) {
		t.Errorf("%q does not name the host %s", text, host)
	}
	if strings.Contains(text, "canary") || strings.Contains(text, "unmistakable") {
		t.Errorf("%q shows the key", text)
	}
	if n := utf8.RuneCountInString(text); n > 300+200 {
		t.Errorf("%q has %d characters: more than 300 of the body", text, n)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		t.Errorf("%q holds unprintable characters", text)
	}
}

func TestExcerptIsBounded(t *testing.T) {
	c, _ := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{Intercept: body(500, "text/plain", strings.Repeat("z", 5000))})
	_, err := c.Chat(t.Context(), hello())
	if n := strings.Count(err.Error(), "z"); n != 299 {
		t.Errorf("%d characters of the body are shown, want 299 and an ellipsis", n)
	}
}

var brokenConnections = []struct {
	name      string
	intercept func(w http.ResponseWriter, r *http.Request, n int) bool
	reason    string
}{
	{"reset", func(http.ResponseWriter, *http.Request, int) bool { panic(http.ErrAbortHandler) }, "no answer"},
	{"cut in the body", func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.Header().Set("Content-Type", jsonType)
		w.Header().Set("Content-Length", "4096")
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"hi"}}]}`))
		return true
	}, "a whole document, but not the whole body"},
	{"endless", func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Type", jsonType)
		for chunk := []byte(strings.Repeat(" ", 1<<20)); ; {
			if _, err := w.Write(chunk); err != nil {
				return true
			}
		}
	}, "must not fill the memory"},
}

func TestBrokenConnections(t *testing.T) {
	for _, row := range brokenConnections {
		t.Run(row.name, func(t *testing.T) {
			asked := 0
			c, server := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{
				Intercept: func(w http.ResponseWriter, r *http.Request, n int) bool {
					asked = n
					return row.intercept(w, r, n)
				},
			})
			_, err := c.Chat(t.Context(), hello())
			checkError(t, err, llm.ErrProvider, server)
			server.Close()
			require.Equal(t, 1, asked, "asked once: retries are a later issue")
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Chat() = %v, looks like the caller's own cancellation: %s", err, row.reason)
			}
		})
	}
}

func TestServerThatIsGone(t *testing.T) {
	c, server := dial(t, answer(llm.Reply{}), llm.Quirks{}, llmtest.Options{})
	server.Close()
	_, err := c.Chat(t.Context(), hello())
	checkError(t, err, llm.ErrProvider, server)
}

func TestCancellationIsTheContextsOwn(t *testing.T) {
	c, _ := dial(t, llmtest.ClientFunc(func(ctx context.Context, _ llm.Request) (llm.Reply, error) {
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}), llm.Quirks{}, llmtest.Options{})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	for _, row := range []struct {
		ctx  context.Context
		want error
	}{{cancelled, context.Canceled}, {late, context.DeadlineExceeded}} {
		_, err := c.Chat(row.ctx, hello())
		if !errors.Is(err, row.want) || errors.Is(err, llm.ErrProvider) {
			t.Errorf("Chat() = %v, want %v and no sentinel: a deadline of ours is no fault of the provider", err, row.want)
		}
	}
}

// TestSentinelsTravel: a simulated banker behind the server fails as it would in
// process.
func TestSentinelsTravel(t *testing.T) {
	for _, want := range []error{llm.ErrInputFiltered, llm.ErrContextOverflow, llm.ErrProvider} {
		c, _ := dial(t, llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			return llm.Reply{}, fmt.Errorf("scripted: %w", want)
		}), llm.Quirks{}, llmtest.Options{})
		_, err := c.Chat(t.Context(), hello())
		require.ErrorIs(t, err, want)
	}
}
