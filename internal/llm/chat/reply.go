package chat

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// wireReply is the part of a chat completion that the suite reads. Raw values
// stand where a decoder would change bytes or where providers differ in type.
type wireReply struct {
	Model   string         `json:"model"`
	Choices []wireChoice   `json:"choices"`
	Usage   jsontext.Value `json:"usage"` // read apart: one that is odd spoils no reply
	Error   jsontext.Value `json:"error"` // some proxies answer 200 with it
}

// others are the members of an object that the suite does not know by name.
type others map[string]jsontext.Value

type wireChoice struct {
	FinishReason string       `json:"finish_reason"`
	Message      *wireMessage `json:"message"`
	Others       others       `json:",embed"`
}

type wireMessage struct {
	Content      jsontext.Value `json:"content"`
	Refusal      string         `json:"refusal"`
	ToolCalls    []wireCall     `json:"tool_calls"`
	FunctionCall *wireFunction  `json:"function_call"` // what tool_calls were called before
	Others       others         `json:",embed"`
}

type wireCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function *wireFunction `json:"function"`
	Others   others        `json:",embed"`
}

type wireFunction struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

type wireUsage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	Details          struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHitTokens int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	CachedTokens   int64 `json:"cached_tokens"`           // Moonshot AI
}

// fault is why a 2xx reply is no reply: the sentinel it is, and what is wrong.
type fault struct {
	kind  error
	class llm.Class
	what  string
}

func faulty(what string) *fault { return &fault{llm.ErrProvider, llm.Final, what} }

// decodeReply reads a 2xx body. Whatever in it may be a call or a refusal is read
// as one or makes the reply a fault: a call that vanished would count as held.
// Members named by carry are kept for the next request.
func decodeReply(body []byte, carry []string) (llm.Reply, *fault) {
	var wire wireReply
	// A name that occurs twice is an error: which of two arguments is the call's?
	if err := json.Unmarshal(body, &wire, jsontext.AllowInvalidUTF8(true)); err != nil {
		return llm.Reply{}, &fault{llm.ErrProvider, llm.Transient, "malformed reply" + place(err)}
	}
	switch {
	case len(wire.Choices) == 0 && !empty(wire.Error):
		return llm.Reply{}, errorAsSuccess(body)
	case len(wire.Choices) == 0:
		return llm.Reply{}, faulty("reply without a choice")
	case len(wire.Choices) > 1:
		return llm.Reply{}, faulty(fmt.Sprintf("%d choices where one was asked for", len(wire.Choices)))
	case !empty(wire.Error):
		return llm.Reply{}, faulty("an error beside the choice")
	case wire.Choices[0].Message == nil:
		return llm.Reply{}, faulty("choice without a message")
	}
	choice := wire.Choices[0]
	if f := choice.unread(); f != nil {
		return llm.Reply{}, f
	}
	content, f := contentText(choice.Message.Content)
	if f != nil {
		return llm.Reply{}, f
	}
	calls, f := choice.Message.calls(carry)
	if f != nil {
		return llm.Reply{}, f
	}
	reply := llm.Reply{
		Content:      joined(content, choice.Message.Refusal),
		ToolCalls:    calls,
		FinishReason: llm.FinishReason(choice.FinishReason),
		ServedModel:  llm.ModelID(wire.Model),
		Usage:        usageOf(wire.Usage),
		Opaque:       choice.Message.Others.opaque(carry),
	}
	return reply, checkFinish(reply)
}

// errorAsSuccess reads an error that came as HTTP 200. Where its code is a status,
// it is what it would have been with it.
func errorAsSuccess(body []byte) *fault {
	status, err := strconv.Atoi(parseErrorBody(body).code)
	if err != nil || status < 400 {
		status = http.StatusInternalServerError
	}
	f := &fault{errorKind(status, body), llm.Final, "an error instead of a choice"}
	if f.kind == llm.ErrProvider {
		f.class = errorClass(status, body)
	}
	return f
}

// calls are the message's tool calls, in order. A function_call is one as well;
// beside tool_calls nobody can tell whether it is another or the same.
func (m *wireMessage) calls(carry []string) ([]llm.Call, *fault) {
	if m.FunctionCall != nil && len(m.ToolCalls) > 0 {
		return nil, faulty("function_call beside tool_calls")
	}
	if m.FunctionCall != nil {
		return []llm.Call{m.FunctionCall.call("")}, nil
	}
	var calls []llm.Call
	for i, c := range m.ToolCalls {
		if c.Function == nil || c.Type != "function" && c.Type != "" {
			return nil, faulty(fmt.Sprintf("tool call %d is not of type function", i+1))
		}
		if name := c.Others.mayCall(); name != "" {
			return nil, faulty(fmt.Sprintf("tool call %d has an unknown member %s", i+1, name))
		}
		call := c.Function.call(c.ID)
		call.Opaque = c.Others.opaque(carry)
		calls = append(calls, call)
	}
	return calls, nil
}

func (f *wireFunction) call(id string) llm.Call {
	return llm.Call{ID: id, Name: f.Name, Arguments: llm.UnquoteWire(f.Arguments)}
}

// opaque keeps the named members that are there, empty ones included: a provider
// may ask for an empty thought as well.
func (o others) opaque(carry []string) string {
	kept := others{}
	for _, name := range carry {
		if v, ok := o[name]; ok && v.Kind() != 'n' {
			kept[name] = v
		}
	}
	if len(kept) == 0 {
		return ""
	}
	raw, err := json.Marshal(kept, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		panic(fmt.Sprintf("encode members that were just decoded: %v", err))
	}
	return string(raw)
}

// place says where decoding stopped. The decoder's own text is left out: it
// quotes the body, of which a message shows the start only.
func place(err error) string {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntactic):
		return fmt.Sprintf(" at byte %d", syntactic.ByteOffset)
	case errors.As(err, &semantic):
		return fmt.Sprintf(" at byte %d", semantic.ByteOffset)
	}
	return ""
}

// usageOf reads what a provider counted. What can't be read or contradicts itself
// is no count; the reply, which was paid for, stands all the same.
func usageOf(raw jsontext.Value) llm.Usage {
	var w wireUsage
	if empty(raw) || json.Unmarshal(raw, &w, jsontext.AllowInvalidUTF8(true)) != nil {
		return llm.Usage{}
	}
	cached := []int64{w.Details.CachedTokens, w.CacheHitTokens, w.CachedTokens}
	u := llm.Usage{InputTokens: w.PromptTokens, OutputTokens: w.CompletionTokens, CacheReadTokens: slices.Max(cached)}
	if !u.Consistent() || slices.Min(cached) < 0 {
		return llm.Usage{}
	}
	return u
}
