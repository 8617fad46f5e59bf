package llmtest

import (
	stdjson "encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// wireRequest is the part of a request that the server understands; members that
// it does not know are the business of other servers and pass.
type wireRequest struct {
	Model               llm.ModelID   `json:"model"`
	Messages            []wireMessage `json:"messages"`
	Tools               []wireTool    `json:"tools"`
	Temperature         float64       `json:"temperature"`
	MaxTokens           int           `json:"max_tokens"`
	MaxCompletionTokens int           `json:"max_completion_tokens"`
	Stream              bool          `json:"stream"`
}

type wireMessage struct {
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content"`
	ToolCalls  []wireCall     `json:"tool_calls"`
	ToolCallID string         `json:"tool_call_id"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"` // a JSON string; raw, since its bytes matter
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  jsontext.Value `json:"parameters"`
	} `json:"function"`
}

// decodeRequest reads a completion request. A temperature or a token cap that is
// not sent is zero; Received.Body tells the difference.
func decodeRequest(body []byte) (Received, error) {
	var wire wireRequest
	if err := json.Unmarshal(body, &wire, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Received{}, fmt.Errorf("malformed request: %w", err)
	}
	switch {
	case wire.Model == "":
		return Received{}, errors.New("model is missing")
	case len(wire.Messages) == 0:
		return Received{}, errors.New("messages are missing")
	case wire.Stream:
		return Received{}, errors.New("stream is not supported")
	case wire.MaxTokens != 0 && wire.MaxCompletionTokens != 0:
		return Received{}, errors.New("max_tokens and max_completion_tokens exclude each other")
	}
	got := Received{Model: wire.Model, Body: body}
	got.Request.Temperature = wire.Temperature
	got.Request.MaxOutputTokens = wire.MaxTokens + wire.MaxCompletionTokens
	for i, m := range wire.Messages {
		message, err := m.message()
		if err != nil {
			return Received{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
		got.Request.Messages = append(got.Request.Messages, message)
	}
	for i, t := range wire.Tools {
		if t.Type != "function" || t.Function.Name == "" {
			return Received{}, fmt.Errorf("tools[%d]: want a function with a name", i)
		}
		got.Request.Tools = append(got.Request.Tools, llm.Tool{
			Name: t.Function.Name, Description: t.Function.Description, Parameters: stdjson.RawMessage(t.Function.Parameters),
		})
	}
	return got, nil
}

var roles = map[string]llm.Role{
	"system":    llm.RoleSystem,
	"developer": llm.RoleSystem, // OpenAI's newer name for it
	"user":      llm.RoleUser,
	"assistant": llm.RoleAssistant,
	"tool":      llm.RoleTool,
}

func (m wireMessage) message() (llm.Message, error) {
	role, ok := roles[m.Role]
	if !ok {
		return llm.Message{}, fmt.Errorf("unknown role %q", m.Role)
	}
	content, err := contentText(m.Content)
	if err != nil {
		return llm.Message{}, err
	}
	out := llm.Message{Role: role, Content: content, ToolCallID: m.ToolCallID}
	for i, c := range m.ToolCalls {
		if c.Type != "function" || c.Function.Arguments.Kind() != '"' {
			return llm.Message{}, fmt.Errorf("tool_calls[%d]: want a function with arguments as a string", i)
		}
		out.ToolCalls = append(out.ToolCalls, llm.Call{
			ID: c.ID, Name: c.Function.Name, Arguments: llm.UnquoteWire(c.Function.Arguments),
		})
	}
	return out, nil
}

// contentText reads content: null or missing, text, or parts of type text.
func contentText(raw jsontext.Value) (string, error) {
	var text string
	switch raw.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		err := json.Unmarshal(raw, &text, jsontext.AllowInvalidUTF8(true))
		return text, err
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", errors.New("content is neither text nor a list of parts")
	}
	for _, part := range parts {
		if part.Type != "text" {
			return "", fmt.Errorf("content part of type %q: only text is supported", part.Type)
		}
		text += part.Text
	}
	return text, nil
}
