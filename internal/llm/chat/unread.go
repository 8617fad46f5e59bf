package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// knownFinishes are the finish reasons of whole replies, of whatever server. A
// word that nobody knows may mean that the provider broke off, so it is a fault.
var knownFinishes = map[llm.FinishReason]bool{
	llm.FinishStop: true, llm.FinishToolCalls: true, llm.FinishLength: true, "": true, // small servers send none
	"function_call": true, // OpenAI, before tools
	"end_turn":      true, // Anthropic's own words, as proxies pass them on
	"stop_sequence": true,
	"tool_use":      true,
	"max_tokens":    true,
	"model_length":  true, // Mistral
	"STOP":          true, // Google's own words
	"MAX_TOKENS":    true,
	"eos":           true, // vLLM, TGI
	"eos_token":     true,
}

// checkFinish holds the finish reason against what came. A choice without text
// and calls is a reply if it was cut (reasoning can use up the whole cap), a
// filter's if the filter withheld it, and a fault of the provider otherwise.
func checkFinish(r llm.Reply) *fault {
	silent := r.Content == "" && len(r.ToolCalls) == 0
	switch {
	case filtered(r.FinishReason) && silent:
		return &fault{llm.ErrInputFiltered, llm.Final, "empty choice with finish reason " + string(r.FinishReason)}
	case filtered(r.FinishReason):
		return nil
	case llm.SpeaksOfCalls(string(r.FinishReason)) && len(r.ToolCalls) == 0:
		return faulty(fmt.Sprintf("finish reason %s without a tool call", r.FinishReason))
	case !knownFinishes[r.FinishReason]:
		return faulty(fmt.Sprintf("unknown finish reason %s", r.FinishReason))
	case silent && !r.FinishReason.Cut():
		return faulty("choice has neither content nor tool calls")
	}
	return nil
}

// unread finds what the choice says in a way that the suite can't read.
func (c wireChoice) unread() *fault {
	for _, name := range []string{"delta", "text", "error"} { // a piece of a stream, a plain completion, a failure
		if !empty(c.Others[name]) {
			return faulty("choice has a member " + name)
		}
	}
	if !empty(c.Message.Others["audio"]) {
		return faulty("message has a member audio: speech can't be read")
	}
	for _, o := range []others{c.Others, c.Message.Others} {
		if name := o.mayCall(); name != "" {
			return faulty("unknown member " + name + " may hold a call or a refusal")
		}
	}
	return nil
}

// mayCall returns a member that is not empty and whose name speaks of calls or
// refusals: toolCalls, tool_call, functionCall, refusals and whatever else a
// server may call them.
func (o others) mayCall() string {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if llm.SpeaksOfCalls(name) && !empty(o[name]) {
			return name
		}
	}
	return ""
}

// empty reports a value that says nothing.
func empty(v jsontext.Value) bool {
	switch string(v) {
	case "", "null", `""`, "[]", "{}", "false", "0":
		return true
	}
	return false
}

// thoughtParts are the types of content parts that are no part of the answer.
var thoughtParts = map[string]bool{"thinking": true, "redacted_thinking": true, "reasoning": true}

// contentText reads content: null, text, or parts. A part is text, a refusal or
// a thought; any other may hold a call and is a fault.
func contentText(raw jsontext.Value) (string, *fault) {
	switch raw.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		return validUTF8(llm.UnquoteWire(raw)), nil
	}
	var parts []struct {
		Type    string         `json:"type"`
		Text    jsontext.Value `json:"text"`
		Refusal jsontext.Value `json:"refusal"`
	}
	if err := json.Unmarshal(raw, &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", faulty("malformed reply: content is neither text nor parts")
	}
	var text, refusal strings.Builder
	for _, part := range parts {
		switch {
		case part.Type == "text" || part.Type == "output_text":
			text.WriteString(validUTF8(llm.UnquoteWire(part.Text)))
		case part.Type == "refusal":
			refusal.WriteString(validUTF8(llm.UnquoteWire(part.Refusal)))
		case !thoughtParts[part.Type]:
			return "", faulty("content part of unknown type " + part.Type)
		}
	}
	return joined(text.String(), refusal.String()), nil
}

// joined makes a refusal content: it is the model's answer.
func joined(content, refusal string) string {
	if content == "" || refusal == "" {
		return content + refusal
	}
	return content + "\n" + refusal
}

// validUTF8 is for text and names; arguments are never touched.
func validUTF8(s string) string {
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
