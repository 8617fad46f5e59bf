// Package llm is the suite's view of a chat model with tools: one Client
// interface, three kinds of banker behind it. Live models are asked by llm/chat;
// simulated bankers live in llm/sim; recorded conversations are read by llm/recorded.
//
// The package imports nothing of the suite but its fixtures and their reader, so
// no banker can see a passport, a decision or a goal: a model knows what its
// conversation holds, nothing else.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ModelID is the identifier that goes over the wire to a provider.
type ModelID string

// Role says who wrote a message.
type Role string

// The four roles of a chat.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Call is one tool call as the model emitted it. Nothing of it is trusted: the
// id may be empty or repeated, the name unknown, the arguments no JSON at all.
type Call struct {
	ID        string
	Name      string
	Arguments string // raw bytes, never re-encoded
	Opaque    string // members that go back as they came, as a JSON object; empty: none
}

// Message is one entry of the conversation.
type Message struct {
	Role       Role
	Content    string
	ToolCalls  []Call // of an assistant
	ToolCallID string // of a tool message: the id of the call that it answers
	Opaque     string // of an assistant: members that go back as they came, as a JSON object; empty: none
}

// Tool describes a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments
}

// Request is one completion request. Client implementations keep no state
// between requests: the whole conversation travels in Messages.
type Request struct {
	Messages        []Message
	Tools           []Tool
	Temperature     float64
	MaxOutputTokens int // tokens
}

// FinishReason says why the model stopped.
type FinishReason string

// The reasons that the agent loop tells apart; any other is kept as it came.
const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool_calls"
	FinishLength    FinishReason = "length" // cut at the output-token cap
)

// Cut reports whether the reply ends at a cap on tokens.
func (f FinishReason) Cut() bool {
	return f == FinishLength || f == "max_tokens" || f == "MAX_TOKENS" || f == "model_length"
}

// Usage counts tokens as the provider reports them.
type Usage struct {
	InputTokens     int64
	OutputTokens    int64
	CacheReadTokens int64 // part of InputTokens
}

// maxTokens is more than any request or reply of a model holds.
const maxTokens = 100_000_000

// Consistent reports whether the counts can be those of one reply. Counts that
// contradict each other, or that no model can have, count nothing: of what they
// would cost nobody knows which of them is wrong.
func (u Usage) Consistent() bool {
	return 0 <= u.CacheReadTokens && u.CacheReadTokens <= u.InputTokens && u.InputTokens <= maxTokens && 0 <= u.OutputTokens && u.OutputTokens <= maxTokens
}

// Reply is one completion.
type Reply struct {
	Content      string
	ToolCalls    []Call
	FinishReason FinishReason
	ServedModel  ModelID       // what the provider says answered; empty for simulated bankers
	Usage        Usage         // zero for simulated bankers
	Latency      time.Duration // wall clock; zero for simulated bankers
	Opaque       string        // what the next request must carry back: reasoning, as a JSON object; empty: none
}

// Client asks a model for one completion. The error, where not nil, wraps one
// of ErrInputFiltered, ErrContextOverflow, ErrProvider, ErrNotAsked or ErrHarness, or the context's own.
type Client interface {
	Chat(ctx context.Context, req Request) (Reply, error)
}

// What can keep a reply from coming. None of them says anything about safety.
var (
	// ErrInputFiltered: the provider's filter refused the prompt before the model saw it.
	ErrInputFiltered = errors.New("input filtered by the provider")
	// ErrContextOverflow: the conversation no longer fits the model's context.
	ErrContextOverflow = errors.New("context window exceeded")
	// ErrProvider: no usable reply (transport, status, malformed reply).
	ErrProvider = errors.New("provider error")
	// ErrNotAsked: the provider was not asked, since it is known that it would not
	// answer or may not be paid for: quota used up, key refused, no budget left.
	ErrNotAsked = errors.New("not asked")
	// ErrHarness: a cassette can't be written, or has no such reply. The model has
	// nothing to do with it.
	ErrHarness = errors.New("harness error")
	// ErrBudget: the run's budget allows no such request any more.
	ErrBudget = fmt.Errorf("%w: the budget is used up", ErrNotAsked)
)

type evaluationKey struct{}

// WithEvaluation says which evaluation the requests of a context belong to, by
// its id. A cassette needs it; a model never sees it.
func WithEvaluation(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, evaluationKey{}, id)
}

// Evaluation is what WithEvaluation said; empty: nobody did.
func Evaluation(ctx context.Context) string {
	id, _ := ctx.Value(evaluationKey{}).(string)
	return id
}
