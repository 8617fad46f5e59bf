package agent

import (
	"context"
	"strings"

	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/record"
)

// Replay sends a recorded conversation's calls through the dispatch path, in
// order. The loop is open: the recorded model does not react to what its calls
// come to here.
func Replay(ctx context.Context, d *dispatch.Dispatcher, messages []llm.Message) Outcome {
	out := Outcome{End: record.Completed, SubReason: record.Answered}
	turn := 0
	for _, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			turn++
		case llm.RoleAssistant:
			out.Replies = append(out.Replies, record.Reply{Turn: turn, Content: strings.ToValidUTF8(m.Content, "\uFFFD"), ProseCall: ProseCall(m.Content)})
			for _, call := range m.ToolCalls {
				out.Calls = append(out.Calls, Recorded(turn, call, d.Call(ctx, call.Name, call.Arguments)))
			}
		}
	}
	return out
}
