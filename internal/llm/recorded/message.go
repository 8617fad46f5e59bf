package recorded

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// dialect is how a format writes messages, where the formats differ.
type dialect struct {
	message func(object, *llm.Message) error // what is left once the common fields are read
	call    func(object) (llm.Call, error)
	block   func(object) (text string, err error)
	answer  func(object, llm.Message) (answer, error) // of a tool message
	roles   map[string]llm.Role                       // beside our own four
	crashed bool                                      // nothing of the run is evidence
}

var roles = []llm.Role{llm.RoleSystem, llm.RoleUser, llm.RoleAssistant, llm.RoleTool}

func (d dialect) messages(raw jsontext.Value, crashed bool) ([]llm.Message, error) {
	d.crashed = crashed
	list, err := readList(raw)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	return d.list(list)
}

func (d dialect) list(list []jsontext.Value) ([]llm.Message, error) {
	if len(list) == 0 {
		return nil, errors.New("the conversation has no messages: delete the line")
	}
	out := make([]llm.Message, len(list))
	var calls ledgerOfCalls
	for i, raw := range list {
		o, err := readObject(raw)
		if err == nil {
			out[i], err = d.parse(o)
		}
		var a answer
		if err == nil && out[i].Role == llm.RoleTool {
			a, err = d.answer(o, out[i])
		}
		if err == nil {
			err = calls.take(out[i], a)
		}
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return out, nil
}

func (d dialect) parse(o object) (llm.Message, error) {
	role, err := o.required("role")
	if err != nil {
		return llm.Message{}, err
	}
	m := llm.Message{Role: llm.Role(role)}
	if ours, ok := d.roles[role]; ok {
		m.Role = ours
	}
	if !slices.Contains(roles, m.Role) {
		return llm.Message{}, fmt.Errorf("unknown role %.60q: want one of %q", role, roles)
	}
	if m.Content, err = d.content(o["content"]); err != nil {
		return llm.Message{}, fmt.Errorf("content: %w", err)
	}
	if m.ToolCalls, err = d.calls(o["tool_calls"]); err != nil {
		return llm.Message{}, err
	}
	if m.ToolCallID, err = o.text("tool_call_id"); err != nil {
		return llm.Message{}, err
	}
	// A replay asks for calls only where a model speaks, so these would be lost.
	switch {
	case len(m.ToolCalls) > 0 && m.Role != llm.RoleAssistant:
		return llm.Message{}, fmt.Errorf("tool_calls in a message of role %s: only an assistant calls tools", role)
	case m.ToolCallID != "" && m.Role != llm.RoleTool:
		return llm.Message{}, fmt.Errorf("tool_call_id in a message of role %s: only a tool answers calls", role)
	}
	if err := d.message(o, &m); err != nil {
		return llm.Message{}, err
	}
	if !d.crashed && m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0 && m.Content == "" && saysNothing(o["content"]) {
		return llm.Message{}, errors.New("the reply holds neither text nor a call: what the model said is lost (a reply that was empty has the content \"\")")
	}
	return m, nil
}

// saysNothing: an empty string is an empty reply; null and an empty list stand
// where a source dropped what it could not read.
func saysNothing(content jsontext.Value) bool { return content.Kind() != '"' }

// content reads a string, null or a list of blocks, whose texts AgentDojo and
// we join with a line break.
func (d dialect) content(raw jsontext.Value) (string, error) {
	if isNull(raw) {
		return "", nil
	}
	if raw.Kind() != '[' {
		return unquote(raw)
	}
	list, err := readList(raw)
	if err != nil {
		return "", err
	}
	texts := make([]string, 0, len(list))
	for i, raw := range list {
		o, err := readObject(raw)
		if err != nil {
			return "", fmt.Errorf("block %d: %w", i+1, err)
		}
		text, err := d.block(o)
		if err != nil {
			return "", fmt.Errorf("block %d: %w", i+1, err)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n"), nil
}

// calls returns nil where there are none, however the source says so.
func (d dialect) calls(raw jsontext.Value) ([]llm.Call, error) {
	if isNull(raw) {
		return nil, nil
	}
	list, err := readList(raw)
	if err != nil {
		return nil, fmt.Errorf("tool_calls: %w", err)
	}
	var calls []llm.Call
	for i, raw := range list {
		o, err := readObject(raw)
		if err != nil {
			return nil, fmt.Errorf("tool call %d: %w", i+1, err)
		}
		call, err := d.call(o)
		if err != nil {
			return nil, fmt.Errorf("tool call %d: %w", i+1, err)
		}
		calls = append(calls, call)
	}
	return calls, nil
}
