package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vaultbench/internal/llm"
)

// requestBody writes a chat completion request, the model's quirks applied. The
// library's own parameters are not used: their encoder replaces the bytes of a lone
// surrogate, sorts the members of a schema, whose order models read, and takes a
// third of the time of a request. A token cap of zero or less is not sent.
func requestBody(m llm.Model, req llm.Request) (json.RawMessage, error) {
	out := make([]byte, 0, sizeHint(req))
	out = append(out, `{"model":`...)
	out = appendText(out, string(*m.ID))
	out = append(out, `,"messages":[`...)
	for i, message := range req.Messages {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendMessage(out, message); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	out = append(out, ']')
	out, err := appendTools(out, req.Tools)
	if err != nil {
		return nil, err
	}
	if !m.Quirks.OmitTemperature {
		out = append(out, `,"temperature":`...)
		out = strconv.AppendFloat(out, req.Temperature, 'g', -1, 64)
	}
	if req.MaxOutputTokens > 0 {
		name := `,"max_tokens":`
		if m.Quirks.UseMaxCompletionTokens {
			name = `,"max_completion_tokens":`
		}
		out = strconv.AppendInt(append(out, name...), int64(req.MaxOutputTokens), 10)
	}
	if m.Quirks.ReasoningEffort != nil {
		out = append(out, `,"reasoning_effort":`...)
		out = appendText(out, *m.Quirks.ReasoningEffort)
	}
	return append(appendMembers(out, m.Quirks.ExtraBody), '}'), nil
}

// sizeHint is about what the body needs, so that it is allocated once.
func sizeHint(req llm.Request) int {
	n := 256
	for _, m := range req.Messages {
		n += 96 + len(m.Content)*17/16 + len(m.Opaque)
		for _, c := range m.ToolCalls {
			n += 128 + len(c.Arguments)*5/4 + len(c.Opaque)
		}
	}
	for _, t := range req.Tools {
		n += 96 + len(t.Description)*17/16 + len(t.Parameters)
	}
	return n
}

func appendMessage(out []byte, m llm.Message) ([]byte, error) {
	switch m.Role {
	case llm.RoleSystem, llm.RoleUser, llm.RoleTool:
		out = append(append(append(out, `{"role":"`...), m.Role...), `","content":`...)
		out = appendText(out, m.Content)
		if m.Role == llm.RoleTool {
			out = append(out, `,"tool_call_id":`...)
			out = appendText(out, m.ToolCallID)
		}
		return append(out, '}'), nil
	case llm.RoleAssistant:
		return appendAssistant(out, m)
	}
	return nil, fmt.Errorf("unknown role %q", m.Role)
}

// appendAssistant repeats the calls as they came, id-less and repeated ids
// included: a provider that emitted them has to understand them.
func appendAssistant(out []byte, m llm.Message) ([]byte, error) {
	out = append(out, `{"role":"assistant"`...)
	if m.Content != "" || len(m.ToolCalls) == 0 {
		out = append(out, `,"content":`...)
		out = appendText(out, m.Content)
	}
	var err error
	for i, call := range m.ToolCalls {
		if i == 0 {
			out = append(out, `,"tool_calls":[{"id":`...)
		} else {
			out = append(out, `,{"id":`...)
		}
		out = appendText(out, call.ID)
		out = append(out, `,"type":"function","function":{"name":`...)
		out = appendText(out, call.Name)
		out = append(out, `,"arguments":`...)
		out = append(llm.AppendWire(out, call.Arguments), '}')
		if out, err = appendOpaque(out, call.Opaque); err != nil {
			return nil, err
		}
		out = append(out, '}')
	}
	if len(m.ToolCalls) > 0 {
		out = append(out, ']')
	}
	if out, err = appendOpaque(out, m.Opaque); err != nil {
		return nil, err
	}
	return append(out, '}'), nil
}

// appendOpaque adds the members that a reply asked to have back.
func appendOpaque(out []byte, opaque string) ([]byte, error) {
	if opaque == "" {
		return out, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(opaque), &members); err != nil {
		return nil, fmt.Errorf("opaque members: %w", err)
	}
	return appendMembers(out, members), nil
}

// appendMembers adds members, sorted by name, as they stand.
func appendMembers(out []byte, members map[string]json.RawMessage) []byte {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = appendText(append(out, ','), name)
		out = append(append(out, ':'), members[name]...)
	}
	return out
}

func appendTools(out []byte, tools []llm.Tool) ([]byte, error) {
	for i, t := range tools {
		if i == 0 {
			out = append(out, `,"tools":[`...)
		} else {
			out = append(out, ',')
		}
		out = append(out, `{"type":"function","function":{"name":`...)
		out = appendText(out, t.Name)
		if t.Description != "" {
			out = append(out, `,"description":`...)
			out = appendText(out, t.Description)
		}
		if len(t.Parameters) > 0 {
			if !json.Valid(t.Parameters) {
				return nil, fmt.Errorf("tool %q: %w", t.Name, errors.New("parameters are not valid JSON"))
			}
			out = append(append(out, `,"parameters":`...), t.Parameters...)
		}
		out = append(out, `}}`...)
	}
	if len(tools) > 0 {
		out = append(out, ']')
	}
	return out, nil
}

// appendText writes text and names, of which JSON can hold valid UTF-8 alone.
func appendText(out []byte, s string) []byte { return llm.AppendWire(out, validUTF8(s)) }
