// Package agent is the conversation loop: user messages in order, the model's
// replies, its tool calls through the dispatch path and what they answered back
// to the model.
package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// Outcome is what the loop saw. What the ledger says is not part of it.
type Outcome struct {
	End       record.End
	SubReason record.SubReason
	Detail    string
	Replies   []record.Reply
	Calls     []record.Call
}

// run is the state of one conversation.
type run struct {
	Conversation
	messages []llm.Message
	tools    []llm.Tool
	out      Outcome
	cut      bool
}

// Run replays the conversation to its end. It never fails: what goes wrong is
// in the outcome, beside what had happened before.
func (c Conversation) Run(ctx context.Context) Outcome {
	r := &run{Conversation: c, tools: Tools()}
	r.messages = append(r.messages, llm.Message{Role: llm.RoleSystem, Content: c.Level.SystemPrompt})
	for turn, text := range c.User {
		if turn == c.Level.TurnLimit {
			return r.end(record.Completed, record.TurnLimit, fmt.Sprintf("turn limit %d, %d messages left", turn, len(c.User)-turn))
		}
		r.messages = append(r.messages, llm.Message{Role: llm.RoleUser, Content: text})
		if out, over := r.turn(ctx, turn+1); over {
			return out
		}
	}
	if r.cut {
		return r.end(record.Completed, record.CutAtCap, "")
	}
	return r.end(record.Completed, record.Answered, "")
}

// turn serves one user message until the model answers without a call.
func (r *run) turn(ctx context.Context, turn int) (Outcome, bool) {
	for range r.Level.StepLimit {
		reply, err := r.Client.Chat(ctx, llm.Request{
			Messages: r.messages, Tools: r.tools,
			Temperature: r.Level.Temperature, MaxOutputTokens: r.Level.MaxOutputTokens,
		})
		if err != nil {
			return r.failed(ctx, err), true
		}
		r.note(turn, reply)
		if len(reply.ToolCalls) == 0 {
			return Outcome{}, false
		}
		for _, call := range reply.ToolCalls {
			result := r.Dispatcher.Call(ctx, call.Name, call.Arguments)
			r.out.Calls = append(r.out.Calls, Recorded(turn, call, result))
			r.messages = append(r.messages, llm.Message{Role: llm.RoleTool, Content: result.Content, ToolCallID: call.ID})
		}
	}
	return r.end(record.Completed, record.StepLimit, fmt.Sprintf("step limit %d in turn %d", r.Level.StepLimit, turn)), true
}

// note keeps a reply in the record and in the conversation.
func (r *run) note(turn int, reply llm.Reply) {
	if reply.FinishReason == llm.FinishLength {
		r.cut = true
	}
	r.messages = append(r.messages, llm.Message{Role: llm.RoleAssistant, Content: reply.Content, ToolCalls: reply.ToolCalls})
	r.out.Replies = append(r.out.Replies, record.Reply{
		Turn: turn, Content: strings.ToValidUTF8(reply.Content, "\uFFFD"), FinishReason: string(reply.FinishReason),
		ProseCall:   ProseCall(reply.Content),
		ServedModel: string(reply.ServedModel), InputTokens: reply.Usage.InputTokens, OutputTokens: reply.Usage.OutputTokens,
		CachedTokens: reply.Usage.CacheReadTokens, LatencyMS: reply.Latency.Milliseconds(),
	})
}

// failed maps what kept a reply from coming to an end.
func (r *run) failed(ctx context.Context, err error) Outcome {
	switch {
	case ctx.Err() != nil:
		return r.end(record.NotRun, "", ctx.Err().Error())
	case errors.Is(err, llm.ErrInputFiltered):
		return r.end(record.InputFiltered, "", err.Error())
	case errors.Is(err, llm.ErrContextOverflow):
		return r.end(record.Completed, record.ContextOverflow, err.Error())
	}
	return r.end(record.ProviderError, "", err.Error())
}

func (r *run) end(e record.End, sub record.SubReason, detail string) Outcome {
	r.out.End, r.out.SubReason, r.out.Detail = e, sub, strings.ToValidUTF8(detail, "\uFFFD")
	return r.out
}

// ProseCall reports whether text holds a transfer written as a call. It is a
// label on the record; nothing of it is executed.
func ProseCall(content string) bool {
	return strings.Contains(content, dispatch.TransferFunds.Transfer+"(") ||
		strings.Contains(content, `"`+dispatch.TransferFunds.Transfer+`"`)
}

// Recorded turns a dispatched call into its record.
func Recorded(turn int, call llm.Call, result dispatch.Result) record.Call {
	c := record.Call{
		Position: result.Position, Turn: turn, Tool: strings.ToValidUTF8(call.Name, "\uFFFD"), ToolID: strings.ToValidUTF8(call.ID, "\uFFFD"),
		Transfer: result.Transfer, Outcome: string(result.Outcome), Decision: result.Decision,
		Refusal: result.Refusal, At: result.At, Result: result.Content,
	}
	c.SetArguments(call.Arguments)
	if result.Payment != nil {
		p := record.ParsedPayment(*result.Payment)
		c.Payment = &p
	}
	return c
}

// Tools are the suite's tools in the model's shape.
func Tools() []llm.Tool {
	var tools []llm.Tool
	for _, d := range dispatch.Definitions() {
		tools = append(tools, llm.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters})
	}
	return tools
}
