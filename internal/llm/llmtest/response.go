package llmtest

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// created is the fixed time of all replies (2026-01-01T00:00:00Z): a clock would
// make two runs differ.
const created = 1767225600

type (
	wireCompletion struct {
		ID      string       `json:"id"`
		Object  string       `json:"object"`
		Created int64        `json:"created"`
		Model   llm.ModelID  `json:"model"`
		Choices []wireChoice `json:"choices"`
		Usage   wireUsage    `json:"usage"`
	}
	wireChoice struct {
		Index        int       `json:"index"`
		Message      wireReply `json:"message"`
		FinishReason string    `json:"finish_reason"`
	}
	wireReply struct {
		Role      string     `json:"role"`
		Content   *string    `json:"content"`
		Refusal   *string    `json:"refusal"`
		ToolCalls []wireCall `json:"tool_calls,omitzero"`
	}
	wireUsage struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
		TotalTokens      int64 `json:"total_tokens"`
		Details          struct {
			CachedTokens int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	wireModel struct {
		ID      llm.ModelID `json:"id"`
		Object  string      `json:"object"`
		Created int64       `json:"created"`
		OwnedBy string      `json:"owned_by"`
	}
)

// completionBody is the n-th answer of the server.
func completionBody(got Received, reply llm.Reply, model llm.ModelID, n int) wireCompletion {
	finish := "stop"
	if len(reply.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	message := wireReply{Role: "assistant"}
	if reply.Content != "" || len(reply.ToolCalls) == 0 {
		message.Content = &reply.Content
	}
	for _, c := range reply.ToolCalls {
		message.ToolCalls = append(message.ToolCalls, wireCall{
			ID: c.ID, Type: "function",
			Function: wireFunction{Name: c.Name, Arguments: llm.QuoteWire(c.Arguments)},
		})
	}
	return wireCompletion{
		ID: "chatcmpl-" + strconv.Itoa(n), Object: "chat.completion", Created: created, Model: model,
		Choices: []wireChoice{{Message: message, FinishReason: cmp.Or(string(reply.FinishReason), finish)}},
		Usage:   usageBody(got.Request, reply),
	}
}

// usageBody passes the client's own counts on; where it has none, four bytes are
// a token, so that a simulated banker has counts and always the same ones.
func usageBody(req llm.Request, reply llm.Reply) wireUsage {
	u := reply.Usage
	if u == (llm.Usage{}) {
		in, out := 0, len(reply.Content)
		for _, m := range req.Messages {
			in += len(m.Content) + callBytes(m.ToolCalls)
		}
		u = llm.Usage{InputTokens: tokens(in), OutputTokens: tokens(out + callBytes(reply.ToolCalls))}
	}
	w := wireUsage{PromptTokens: u.InputTokens, CompletionTokens: u.OutputTokens, TotalTokens: u.InputTokens + u.OutputTokens}
	w.Details.CachedTokens = u.CacheReadTokens
	return w
}

func callBytes(calls []llm.Call) int {
	n := 0
	for _, c := range calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

func modelsBody(id llm.ModelID) any {
	return map[string]any{
		"object": "list",
		"data":   []wireModel{{ID: id, Object: "model", Created: created, OwnedBy: "vaultbench"}},
	}
}

// writeError answers in OpenAI's error shape.
func writeError(w http.ResponseWriter, status int, code, message string) {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	writeJSON(w, status, map[string]any{
		"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code},
	})
}

// writeJSON keeps the raw bytes of arguments, the invalid ones included.
func writeJSON(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		http.Error(w, fmt.Sprintf("llmtest: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // the caller has hung up: nobody to tell
}
