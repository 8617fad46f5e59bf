// Package agent is the conversation loop: user messages in order, the model's
// replies, its tool calls through the dispatch path and what they answered back
// to the model.
package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"vaultbench/internal/corpus"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/record"
)

// Conversation is one replay: one model, one ledger behind one dispatch path.
type Conversation struct {
	Client     llm.Client
	Dispatcher *dispatch.Dispatcher
	Level      corpus.LevelSpec
	User       []string // the attacker's messages, in order
}

// run is the state of one conversation.
type run struct {
	Conversation
	messages []llm.Message
	tools    []llm.Tool
	out      *Outcome
	cut      bool
}

// Run replays the conversation to its end. It never fails: what goes wrong is
// in the outcome, beside what had happened before.
func (c Conversation) Run(ctx context.Context) (out Outcome) {
	defer catch(&out)
	r := &run{Conversation: c, tools: tools(), out: &out}
	r.messages = append(r.messages, llm.Message{Role: llm.RoleSystem, Content: c.Level.SystemPrompt})
	for turn, text := range c.User {
		if turn == c.Level.TurnLimit {
			out.end(record.Completed, record.TurnLimit, fmt.Sprintf("turn limit %d, %d messages left", turn, len(c.User)-turn))
			return out
		}
		r.messages = append(r.messages, llm.Message{Role: llm.RoleUser, Content: text})
		if over := r.turn(ctx, turn+1); over {
			return out
		}
	}
	out.end(record.Completed, record.Answered, "")
	if r.cut {
		out.SubReason = record.CutAtCap
	}
	return out
}

// turn serves one user message until the model answers without a call, and
// reports whether the conversation is over.
func (r *run) turn(ctx context.Context, turn int) (over bool) {
	for range r.Level.StepLimit {
		reply, err := r.chat(ctx)
		if err != nil {
			r.failed(ctx, err)
			return true
		}
		r.note(turn, reply)
		if len(reply.ToolCalls) == 0 {
			return false
		}
		for _, call := range reply.ToolCalls {
			result := r.out.dispatch(ctx, r.Dispatcher, turn, call)
			r.messages = append(r.messages, llm.Message{Role: llm.RoleTool, Content: result.Content, ToolCallID: call.ID})
		}
	}
	r.out.end(record.Completed, record.StepLimit, fmt.Sprintf("step limit %d in turn %d", r.Level.StepLimit, turn))
	return true
}

// chat asks the model, unless the run is over already: not every client looks.
func (r *run) chat(ctx context.Context) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	return r.Client.Chat(ctx, llm.Request{
		Messages: r.messages, Tools: r.tools,
		Temperature: r.Level.Temperature, MaxOutputTokens: r.Level.MaxOutputTokens,
	})
}

// note keeps a reply in the record and in the conversation.
func (r *run) note(turn int, reply llm.Reply) {
	if reply.FinishReason.Cut() {
		r.cut = true
	}
	r.messages = append(r.messages, llm.Message{Role: llm.RoleAssistant, Content: reply.Content, ToolCalls: reply.ToolCalls, Opaque: reply.Opaque})
	r.out.Replies = append(r.out.Replies, record.Reply{
		Turn: turn, Content: valid(reply.Content), FinishReason: string(reply.FinishReason),
		ProseCall:   ProseCall(reply.Content),
		ServedModel: string(reply.ServedModel), InputTokens: reply.Usage.InputTokens, OutputTokens: reply.Usage.OutputTokens,
		CachedTokens: reply.Usage.CacheReadTokens, LatencyMS: reply.Latency.Milliseconds(),
	})
}

// failed maps what kept a reply from coming to an end.
func (r *run) failed(ctx context.Context, err error) {
	var stop *record.Stop
	switch {
	case ctx.Err() != nil:
		r.out.stopped(ctx)
	case errors.As(err, &stop):
		r.out.end(record.NotRun, stop.Reason, stop.Detail)
	case errors.Is(err, llm.ErrBudget):
		r.out.end(record.NotRun, record.Budget, err.Error())
	case errors.Is(err, llm.ErrHarness):
		r.out.end(record.HarnessError, "", err.Error())
	case errors.Is(err, llm.ErrNotAsked):
		r.out.end(record.NotRun, record.Unavailable, err.Error())
	case errors.Is(err, llm.ErrInputFiltered):
		r.out.end(record.InputFiltered, "", err.Error())
	case errors.Is(err, llm.ErrContextOverflow):
		r.out.end(record.Completed, record.ContextOverflow, err.Error())
	default:
		r.out.end(record.ProviderError, "", err.Error())
	}
}

// ProseCall reports whether text holds a transfer written as a call. It is a
// label on the record; nothing of it is executed.
func ProseCall(content string) bool {
	return strings.Contains(content, dispatch.TransferFunds.Transfer+"(") ||
		strings.Contains(content, `"`+dispatch.TransferFunds.Transfer+`"`)
}

// recorded turns a dispatched call into its record.
func recorded(turn int, call llm.Call, result dispatch.Result) record.Call {
	c := record.Call{
		Position: result.Position, Turn: turn, Tool: valid(call.Name), ToolID: valid(call.ID),
		Transfer: result.Transfer, Outcome: record.CallOutcome(result.Outcome), Decision: result.Decision,
		Refusal: result.Refusal, At: result.At, Result: result.Content,
	}
	c.SetArguments(call.Arguments)
	if result.Payment != nil {
		p := record.ParsedPayment(*result.Payment)
		c.Payment = &p
	}
	return c
}

// valid is text as JSON can hold it; arguments alone are kept byte for byte.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// tools are made once: nobody changes them.
var tools = sync.OnceValue(Tools)

// Tools are the suite's tools in the model's shape.
func Tools() []llm.Tool {
	var tools []llm.Tool
	for _, d := range dispatch.Definitions() {
		tools = append(tools, llm.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters})
	}
	return tools
}
