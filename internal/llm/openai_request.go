package llm

import (
	"encoding/json"
	"errors"
	"fmt"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

// chatParams turns a request into the library's parameters, the model's quirks
// applied. A token cap of zero or less is not sent.
func chatParams(m Model, req Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{Model: string(*m.ID)}
	for i, message := range req.Messages {
		wire, err := messageParam(message)
		if err != nil {
			return p, fmt.Errorf("message %d: %w", i+1, err)
		}
		p.Messages = append(p.Messages, wire)
	}
	for _, tool := range req.Tools {
		wire, err := toolParam(tool)
		if err != nil {
			return p, fmt.Errorf("tool %q: %w", tool.Name, err)
		}
		p.Tools = append(p.Tools, wire)
	}
	if !m.Quirks.OmitTemperature {
		p.Temperature = openai.Float(req.Temperature)
	}
	switch limit := int64(req.MaxOutputTokens); {
	case limit <= 0:
	case m.Quirks.UseMaxCompletionTokens:
		p.MaxCompletionTokens = openai.Int(limit)
	default:
		p.MaxTokens = openai.Int(limit)
	}
	if m.Quirks.ReasoningEffort != nil {
		p.ReasoningEffort = shared.ReasoningEffort(*m.Quirks.ReasoningEffort)
	}
	if len(m.Quirks.ExtraBody) > 0 {
		extra := make(map[string]any, len(m.Quirks.ExtraBody))
		for name, value := range m.Quirks.ExtraBody {
			extra[name] = value
		}
		p.SetExtraFields(extra)
	}
	return p, nil
}

func messageParam(m Message) (openai.ChatCompletionMessageParamUnion, error) {
	switch m.Role {
	case RoleSystem:
		return openai.SystemMessage(m.Content), nil
	case RoleUser:
		return openai.UserMessage(m.Content), nil
	case RoleTool:
		return openai.ToolMessage(m.Content, m.ToolCallID), nil
	case RoleAssistant:
		a, err := assistantParam(m)
		return openai.ChatCompletionMessageParamUnion{OfAssistant: a}, err
	}
	return openai.ChatCompletionMessageParamUnion{}, fmt.Errorf("unknown role %q", m.Role)
}

// assistantParam repeats the calls as they came, id-less and repeated ids
// included: a provider that emitted them has to understand them.
func assistantParam(m Message) (*openai.ChatCompletionAssistantMessageParam, error) {
	var a openai.ChatCompletionAssistantMessageParam
	if m.Content != "" || len(m.ToolCalls) == 0 {
		a.Content.OfString = openai.String(m.Content)
	}
	for _, call := range m.ToolCalls {
		f := &openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: functionParam(call)}
		if err := carryBack(f, call.Opaque); err != nil {
			return nil, err
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: f})
	}
	return &a, carryBack(&a, m.Opaque)
}

// carryBack adds opaque members to a message or a call.
func carryBack(to interface{ SetExtraFields(map[string]any) }, opaque string) error {
	if opaque == "" {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(opaque), &members); err != nil {
		return fmt.Errorf("opaque members: %w", err)
	}
	extra := make(map[string]any, len(members))
	for name, value := range members {
		extra[name] = value
	}
	to.SetExtraFields(extra)
	return nil
}

// functionParam goes round the library's encoder, which would replace the bytes
// of a lone surrogate.
func functionParam(call Call) openai.ChatCompletionMessageFunctionToolCallFunctionParam {
	raw := []byte(`{"name":`)
	raw = append(raw, QuoteWire(validUTF8(call.Name))...)
	raw = append(raw, `,"arguments":`...)
	raw = append(raw, QuoteWire(call.Arguments)...)
	raw = append(raw, '}')
	return param.Override[openai.ChatCompletionMessageFunctionToolCallFunctionParam](json.RawMessage(raw))
}

func toolParam(t Tool) (openai.ChatCompletionToolUnionParam, error) {
	f := shared.FunctionDefinitionParam{Name: t.Name}
	if t.Description != "" {
		f.Description = openai.String(t.Description)
	}
	if len(t.Parameters) > 0 {
		if !json.Valid(t.Parameters) {
			return openai.ChatCompletionToolUnionParam{}, errors.New("parameters are not valid JSON")
		}
		// As they stand: a map would sort the members, and models read their order.
		f.SetExtraFields(map[string]any{"parameters": t.Parameters})
	}
	return openai.ChatCompletionFunctionTool(f), nil
}
