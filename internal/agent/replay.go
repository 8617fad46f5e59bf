package agent

import (
	"context"

	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/record"
)

// Replay sends a recorded conversation's calls through the dispatch path, in
// order. The loop is open: the recorded model does not react to what its calls
// come to here.
func Replay(ctx context.Context, d *dispatch.Dispatcher, messages []llm.Message) (out Outcome) {
	defer catch(&out)
	turn := 0
	for _, m := range messages {
		if ctx.Err() != nil {
			out.stopped(ctx)
			return out
		}
		switch m.Role {
		case llm.RoleUser:
			turn++
		case llm.RoleAssistant:
			out.Replies = append(out.Replies, record.Reply{Turn: turn, Content: valid(m.Content), ProseCall: ProseCall(m.Content)})
			for _, call := range m.ToolCalls {
				out.dispatch(ctx, d, turn, call)
			}
		}
	}
	out.end(record.Completed, record.Answered, "")
	return out
}
