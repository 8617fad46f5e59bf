package llm

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wireReply is the part of a chat completion that the suite reads. Raw values
// stand where a decoder would change bytes or where providers differ in type.
type wireReply struct {
	Model   string       `json:"model"`
	Choices []wireChoice `json:"choices"`
	Usage   wireUsage    `json:"usage"`
}

type wireChoice struct {
	FinishReason string `json:"finish_reason"`
	Message      struct {
		Content   jsontext.Value `json:"content"`
		Refusal   string         `json:"refusal"`
		ToolCalls []wireCall     `json:"tool_calls"`
	} `json:"message"`
}

type wireCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
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
	kind error
	what string
}

// decodeReply reads a 2xx body. Of several choices it takes the first only, the
// one that a client who asks for one would get.
func decodeReply(body []byte) (Reply, *fault) {
	var wire wireReply
	// A name that occurs twice is an error: which of two arguments is the call's?
	if err := json.Unmarshal(body, &wire, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Reply{}, &fault{ErrProvider, "malformed reply" + place(err)}
	}
	if len(wire.Choices) == 0 {
		return Reply{}, &fault{ErrProvider, "reply without a choice"}
	}
	choice := wire.Choices[0]
	content, ok := contentText(choice.Message.Content)
	if !ok {
		return Reply{}, &fault{ErrProvider, "malformed reply: content is neither text nor parts"}
	}
	reply := Reply{
		Content:      withRefusal(content, choice.Message.Refusal),
		FinishReason: FinishReason(choice.FinishReason),
		ServedModel:  ModelID(wire.Model),
		Usage:        wire.Usage.usage(),
	}
	for _, call := range choice.Message.ToolCalls {
		reply.ToolCalls = append(reply.ToolCalls, Call{
			ID: call.ID, Name: call.Function.Name, Arguments: UnquoteWire(call.Function.Arguments),
		})
	}
	return reply, checkEmpty(reply)
}

// checkEmpty judges a choice without text and calls. Cut at the token cap is a
// reply: reasoning can use up the whole cap. Withheld by a filter is a filter.
// Anything else is a fault of the provider.
func checkEmpty(r Reply) *fault {
	switch {
	case r.Content != "" || len(r.ToolCalls) > 0 || r.FinishReason == FinishLength:
		return nil
	case filterFinishes[r.FinishReason]:
		return &fault{ErrInputFiltered, "empty choice with finish reason " + string(r.FinishReason)}
	}
	return &fault{ErrProvider, "choice has neither content nor tool calls"}
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

// contentText reads content: null, text, or parts, of which only those of type
// text count (a reasoning model may put its thoughts into others).
func contentText(raw jsontext.Value) (text string, ok bool) {
	switch raw.Kind() {
	case 0, 'n':
		return "", true
	case '"':
		return validUTF8(UnquoteWire(raw)), true
	}
	var parts []struct {
		Type string         `json:"type"`
		Text jsontext.Value `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", false
	}
	var joined strings.Builder
	for _, part := range parts {
		if part.Type == "text" {
			joined.WriteString(validUTF8(UnquoteWire(part.Text)))
		}
	}
	return joined.String(), true
}

// withRefusal makes a refusal content: it is the model's answer.
func withRefusal(content, refusal string) string {
	if content == "" || refusal == "" {
		return content + refusal
	}
	return content + "\n" + refusal
}

func (u wireUsage) usage() Usage {
	cached := max(u.Details.CachedTokens, u.CacheHitTokens, u.CachedTokens)
	return Usage{
		InputTokens:     max(u.PromptTokens, 0),
		OutputTokens:    max(u.CompletionTokens, 0),
		CacheReadTokens: max(cached, 0),
	}
}

// validUTF8 is for text and names; arguments are never touched.
func validUTF8(s string) string {
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
