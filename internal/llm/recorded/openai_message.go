package recorded

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// chatKnown are the fields of a message that are no call: those of the API, and
// those in which providers keep a model's thoughts.
var chatKnown = []string{
	"role", "content", "name", "refusal", "audio", "annotations", "tool_calls", "tool_call_id",
	"reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks",
}

// levelKnown are the fields of a request, of a response and of the line that holds
// them which are read, or in which the API and its servers keep what is no call: what
// the model may call, and how it was asked and counted. Plain values need no entry.
var levelKnown = []string{
	"messages", "choices", "request", "response", "error", "output", "model",
	"id", "custom_id", "conversation_id", "thread_id", "cluster", "session", "session_id",
	"tools", "functions", "tool_choice", "function_call", "parallel_tool_calls", "max_tool_calls",
	"response_format", "stream_options", "stop", "logit_bias", "modalities", "audio", "prediction", "reasoning", "thinking", "web_search_options", "chat_template_kwargs",
	"usage", "logprobs", "prompt_logprobs", "prompt_token_ids", "prompt_filter_results", "timings", "time_info", "x_groq", "provider", "service_tier", "system_fingerprint", "created",
}

// labels are fields in which people keep what they like: only names tell of a call.
var labels = []string{"metadata", "tags", "labels"}

// chatLevel refuses a call beside the messages.
func (o object) chatLevel() error {
	if err := o.noHiddenCall(slices.Concat(levelKnown, labels)...); err != nil {
		return err
	}
	for _, name := range labels {
		if err := labelled(o[name], 16); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// labelled refuses a field named like a call, and what is nested more deeply than it
// looks.
func labelled(raw jsontext.Value, depth int) error {
	if isNull(raw) {
		return nil
	}
	if depth == 0 {
		return errors.New("nested too deeply to be a label: delete the field")
	}
	var inner []jsontext.Value
	switch raw.Kind() {
	case '{':
		o, err := readObject(raw)
		if err == nil {
			err = o.noNamedCall()
		}
		if err != nil {
			return err
		}
		inner = slices.Collect(maps.Values(o))
	case '[':
		var err error
		if inner, err = readList(raw); err != nil {
			return err
		}
	}
	for _, v := range inner {
		if err := labelled(v, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// choiceKnown are the fields of a choice that are no call.
var choiceKnown = []string{"message", "finish_reason", "logprobs", "content_filter_results", "token_ids"}

// chatMessage reads the legacy call of an assistant and the refusal that stands
// where its text would.
func chatMessage(o object, m *llm.Message) error {
	known := chatKnown
	if m.Role == llm.RoleAssistant {
		known = append(slices.Clone(chatKnown), "function_call")
	}
	if err := o.noHiddenCall(known...); err != nil {
		return err
	}
	if m.Role != llm.RoleAssistant {
		return nil
	}
	if says(o["function_call"]) != nil {
		if len(m.ToolCalls) > 0 {
			return errors.New("tool_calls and function_call are both given: whether they are one call or two can't be told")
		}
		call, err := chatFunction(o["function_call"])
		if err != nil {
			return fmt.Errorf("function_call: %w", err)
		}
		m.ToolCalls = []llm.Call{call}
	}
	refusal, err := o.text("refusal")
	if err != nil {
		return err
	}
	if refusal != "" && m.Content != "" {
		refusal = "\n" + refusal
	}
	m.Content += refusal
	return nil
}

// chatCall reads a call of a function, or of a custom tool, whose input is text.
func chatCall(o object) (llm.Call, error) {
	if err := o.noHiddenCall("id", "type", "index", "function", "custom"); err != nil {
		return llm.Call{}, err
	}
	kind, err := o.text("type")
	if err != nil {
		return llm.Call{}, err
	}
	var call llm.Call
	switch {
	case kind == "custom" && says(o["function"]) == nil:
		call, err = chatCustom(o["custom"])
	case (kind == "function" || kind == "") && says(o["custom"]) == nil:
		if call, err = chatFunction(o["function"]); err != nil {
			err = fmt.Errorf("function: %w", err)
		}
	default:
		err = fmt.Errorf(`type %.60q: want "function" or "custom", with the member of that name alone`, kind)
	}
	if err != nil {
		return llm.Call{}, err
	}
	call.ID, err = o.text("id")
	return call, err
}

// chatFunction keeps the arguments byte for byte; some servers send an object.
func chatFunction(raw jsontext.Value) (llm.Call, error) {
	f, err := readObject(raw)
	if err != nil {
		return llm.Call{}, err
	}
	if err := f.noHiddenCall("name", "arguments"); err != nil {
		return llm.Call{}, err
	}
	call := llm.Call{}
	if call.Name, err = f.required("name"); err != nil {
		return call, err
	}
	args := f["arguments"]
	if args != nil && args.Kind() == '{' {
		call.Arguments = string(args)
		return call, nil
	}
	if call.Arguments, err = unquote(args); err != nil {
		return call, fmt.Errorf("arguments: %w", err)
	}
	return call, nil
}

func chatCustom(raw jsontext.Value) (llm.Call, error) {
	o, err := readObject(raw)
	if err != nil {
		return llm.Call{}, fmt.Errorf("custom: %w", err)
	}
	call := llm.Call{}
	if call.Name, err = o.required("name"); err != nil {
		return call, fmt.Errorf("custom: %w", err)
	}
	if call.Arguments, err = unquote(o["input"]); err != nil {
		return call, fmt.Errorf("custom: input: %w", err)
	}
	return call, nil
}

// chatBlock takes text and refusals. Anything else can't be kept.
func chatBlock(o object) (string, error) {
	t, err := o.required("type")
	if err != nil {
		return "", err
	}
	if err := o.noHiddenCall("type", "text", "refusal", "annotations"); err != nil {
		return "", err
	}
	switch t {
	case "text", "output_text", "input_text":
		return unquote(o["text"])
	case "refusal":
		return unquote(o["refusal"])
	}
	return "", fmt.Errorf(`unknown type %.60q: want "text" or "refusal"`, t)
}

func chatAnswer(o object, m llm.Message) (answer, error) {
	if role, _ := o.text("role"); role == "function" {
		name, err := o.required("name")
		return answer{function: name}, err
	}
	return answer{id: m.ToolCallID}, nil
}
