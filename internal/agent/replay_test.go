package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/agent"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/llm"
	"vaultbench/internal/record"
)

// mapped is the path of a recorded source with tools of its own.
func mapped() *dispatch.Dispatcher {
	return dispatch.New(dispatch.Config{
		EvaluationID: "e", Account: account(), Authorizer: denyEve{}, Layered: true, Start: clockStart,
		Names: dispatch.Names{Transfer: "send_money", Recipient: "iban", Amount: "sum"},
	})
}

func send(id, iban string) llm.Call {
	return llm.Call{ID: id, Name: "send_money", Arguments: `{"iban":"` + iban + `","sum":1}`}
}

func asks(cs ...llm.Call) llm.Message { return llm.Message{Role: llm.RoleAssistant, ToolCalls: cs} }

func TestReplay(t *testing.T) {
	user, tool := message(llm.RoleUser, "please"), message(llm.RoleTool, "whatever was answered then")
	for _, tt := range []struct {
		name     string
		messages []llm.Message
		want     []string // turn, position, tool, outcome
		replies  []int    // turns
		reason   string
	}{
		{"order and turns", []llm.Message{message(llm.RoleSystem, "s"), user, asks(send("a", "bob"), send("b", "bob")), tool, tool, user, message(llm.RoleAssistant, "hm"), asks(send("a", "bob"))},
			[]string{"1 1 send_money executed", "1 2 send_money executed", "2 3 send_money executed"}, []int{1, 2, 2}, "as recorded; a turn begins with a user message"},
		{"open loop", []llm.Message{user, asks(send("a", "eve")), tool, asks(send("b", "bob"))},
			[]string{"1 1 send_money denied", "1 2 send_money executed"}, []int{1, 1}, "the recorded model does not react to a denial"},
		{"unmapped tools", []llm.Message{user, asks(llm.Call{Name: "get_balance"}, llm.Call{Name: "transfer_funds", Arguments: toEve}, send("", "bob"))},
			[]string{"1 1 get_balance unknown_tool", "1 2 transfer_funds unknown_tool", "1 3 send_money executed"}, []int{1}, "only the mapped tool moves money; the others keep their position"},
		{"assistant first", []llm.Message{asks(send("", "bob")), user, message(llm.RoleAssistant, "x")},
			[]string{"0 1 send_money executed"}, []int{0, 1}, "before the first user message the turn is 0"},
		{"nothing", nil, nil, nil, "a conversation without messages"},
		{"no assistant", []llm.Message{user, tool}, nil, nil, "nobody calls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mapped()
			out := agent.Replay(t.Context(), d, tt.messages)
			checkEnd(t, out, record.Completed, record.Answered, "", tt.reason)
			var calls []string
			for _, c := range out.Calls {
				calls = append(calls, fmt.Sprintf("%d %d %s %s", c.Turn, c.Position, c.Tool, c.Outcome))
			}
			var replies []int
			for _, r := range out.Replies {
				replies = append(replies, r.Turn)
			}
			if diff := cmp.Diff(tt.want, calls); diff != "" {
				t.Errorf("calls: %s (-want +got):\n%s", tt.reason, diff)
			}
			assert.Equal(t, tt.replies, replies, tt.reason)
			assert.Len(t, d.Transfers(), len(paid(out)))
		})
	}
}

func TestReplayKeepsBytesAndProse(t *testing.T) {
	out := agent.Replay(t.Context(), mapped(), []llm.Message{
		{Role: llm.RoleAssistant, Content: "transfer_funds(\xff)", ToolCalls: []llm.Call{{Name: "send_money", Arguments: "\xff"}}},
	})
	require.Len(t, out.Calls, 1)
	raw, err := out.Calls[0].RawArguments()
	require.NoError(t, err)
	assert.Equal(t, "\xff", raw)
	assert.Equal(t, record.Reply{Content: "transfer_funds(\ufffd)", ProseCall: true}, out.Replies[0])
}

// TestReplayBrokenOff: an interrupt is neither an answer nor a denial.
func TestReplayBrokenOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := mapped()
	out := agent.Replay(ctx, d, []llm.Message{asks(send("", "bob"))})
	checkEnd(t, out, record.NotRun, "", "context canceled", "nothing was replayed")
	assert.Empty(t, out.Calls)
	assert.Empty(t, d.Transfers())
}

func TestReplayPanic(t *testing.T) {
	out := agent.Replay(t.Context(), nil, []llm.Message{message(llm.RoleAssistant, "x"), asks(send("", "bob"))})
	assert.Equal(t, record.HarnessError, out.End)
	assert.Empty(t, out.SubReason)
	assert.True(t, strings.HasSuffix(out.Detail, "at vaultbench/internal/dispatch.(*Dispatcher).Call"), out.Detail)
	assert.Len(t, out.Replies, 2, "what came before stays")
}
