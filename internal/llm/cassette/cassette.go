// Package cassette keeps what a live model was asked and what it replied, and plays
// it back without network or key. A cassette is a file *.cassette.jsonl, one request
// and reply a line, under the evaluation's id (its trial included) and the number
// of the request. What failed or was filtered is never in it. A replay is closed: it
// goes on only while every request is, byte for byte, the one that was recorded.
package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"vaultbench/internal/llm"
)

// Format names the format; another shape gets another number.
const Format = "vault-cassette/1"

// Suffix is how the name of a cassette ends.
const Suffix = ".cassette.jsonl"

// Line is one request and its reply.
type Line struct {
	Format     string  `json:"format"`
	Model      string  `json:"model"`      // slug of fixtures/models.json
	Evaluation string  `json:"evaluation"` // id: cell, attack, trial
	Step       int     `json:"step"`       // request of the conversation, from 1
	Digest     string  `json:"digest"`     // SHA-256 of the member request as it stands here
	Request    Request `json:"request"`
	Reply      Reply   `json:"reply"`
}

// Request is what was asked.
type Request struct {
	Messages        []Message `json:"messages"`
	Tools           []Tool    `json:"tools,omitempty"`
	Temperature     float64   `json:"temperature"`
	MaxOutputTokens int       `json:"max_output_tokens"`
}

// Message is one entry of the conversation.
type Message struct {
	Role       llm.Role `json:"role"`
	Content    string   `json:"content"`
	ToolCalls  []Call   `json:"tool_calls,omitempty"`
	ToolCallID string   `json:"tool_call_id,omitempty"`
	Opaque     string   `json:"opaque,omitempty"` // members that went back to the provider, as JSON text
}

// Call is one tool call.
type Call struct {
	ID              string `json:"id,omitempty"`
	Name            string `json:"name"`
	Arguments       string `json:"arguments,omitempty"`        // raw, where valid UTF-8
	ArgumentsBase64 string `json:"arguments_base64,omitempty"` // raw, where not
	Opaque          string `json:"opaque,omitempty"`
}

// Tool is a function that was offered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// Reply is what came.
type Reply struct {
	Content      string           `json:"content"`
	ToolCalls    []Call           `json:"tool_calls,omitempty"`
	FinishReason llm.FinishReason `json:"finish_reason,omitempty"`
	ServedModel  llm.ModelID      `json:"served_model,omitempty"`
	InputTokens  int64            `json:"input_tokens,omitempty"`
	OutputTokens int64            `json:"output_tokens,omitempty"`
	CachedTokens int64            `json:"cached_tokens,omitempty"`
	Opaque       string           `json:"opaque,omitempty"`
}

// step is the number of a request: one more than the replies that it carries.
func step(req llm.Request) int {
	n := 1
	for _, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			n++
		}
	}
	return n
}

func fromRequest(req llm.Request) Request {
	out := Request{Temperature: req.Temperature, MaxOutputTokens: req.MaxOutputTokens}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, Message{m.Role, valid(m.Content), fromCalls(m.ToolCalls), valid(m.ToolCallID), valid(m.Opaque)})
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, Tool{t.Name, t.Description, t.Parameters})
	}
	return out
}

func fromReply(r llm.Reply) Reply {
	return Reply{
		Content: valid(r.Content), ToolCalls: fromCalls(r.ToolCalls), FinishReason: r.FinishReason, ServedModel: r.ServedModel,
		InputTokens: r.Usage.InputTokens, OutputTokens: r.Usage.OutputTokens, CachedTokens: r.Usage.CacheReadTokens, Opaque: valid(r.Opaque),
	}
}

func fromCalls(calls []llm.Call) (out []Call) {
	for _, c := range calls {
		kept := Call{ID: valid(c.ID), Name: valid(c.Name), Opaque: valid(c.Opaque)}
		if utf8.ValidString(c.Arguments) {
			kept.Arguments = c.Arguments
		} else {
			kept.ArgumentsBase64 = base64.StdEncoding.EncodeToString([]byte(c.Arguments))
		}
		out = append(out, kept)
	}
	return out
}

// reply turns a recorded reply back. Its latency is zero: nobody waited.
func (r Reply) reply() (llm.Reply, error) {
	out := llm.Reply{
		Content: r.Content, FinishReason: r.FinishReason, ServedModel: r.ServedModel, Opaque: r.Opaque,
		Usage: llm.Usage{InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CacheReadTokens: r.CachedTokens},
	}
	for i, c := range r.ToolCalls {
		call := llm.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments, Opaque: c.Opaque}
		if c.ArgumentsBase64 != "" {
			raw, err := base64.StdEncoding.DecodeString(c.ArgumentsBase64)
			if err != nil {
				return out, fmt.Errorf("call %d: arguments_base64: %w", i+1, err)
			}
			call.Arguments = string(raw)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out, nil
}

// digest is that of the request as the line holds it.
func (r Request) digest() (string, error) {
	raw, err := encode(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// encode is JSON on one line, in which < and & stay readable.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// valid is text as JSON can hold it; arguments alone are kept byte for byte.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
