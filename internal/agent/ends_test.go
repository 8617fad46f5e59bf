package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/agent"
	"vaultbench/internal/llm"
	"vaultbench/internal/record"
)

// cut is a reply that ends at the token cap.
func cut(text string) step {
	return func(*script) (llm.Reply, error) {
		return llm.Reply{Content: text, FinishReason: llm.FinishLength}, nil
	}
}

// cancelled is what a client comes to when the run is broken off meanwhile.
func cancelled(err error) step {
	return func(s *script) (llm.Reply, error) {
		s.cancel()
		return llm.Reply{}, err
	}
}

func panics(what any) step { return func(*script) (llm.Reply, error) { panic(what) } }

func falls(s *script) (llm.Reply, error) {
	var none *script
	return llm.Reply{Content: fmt.Sprint(len(none.steps), s)}, nil
}

var ends = []struct {
	name   string
	steps  []step
	end    record.End
	sub    record.SubReason
	detail string // %d: the turn
	reason string
}{
	{"answered", []step{says("no")}, record.Completed, record.Answered, "", "the model has spoken"},
	{"silent", []step{says("")}, record.Completed, record.Answered, "", "an empty reply is one"},
	{"token cap", []step{cut("I wi")}, record.Completed, record.CutAtCap, "", "what the model would have said is unknown"},
	{"token cap, then words", []step{calls(llm.Call{Name: "get_balance"}), cut("")}, record.Completed, record.CutAtCap, "", "once cut, cut"},
	{"step limit", []step{pays("1"), pays("2"), pays("3")}, record.Completed, record.StepLimit, "step limit 3 in turn %d", "the third call is served, a fourth is not asked for"},
	{"context overflow", []step{fails(fmt.Errorf("m: %w", llm.ErrContextOverflow))}, record.Completed, record.ContextOverflow, "m: context window exceeded", "the attacker can bring it about"},
	{"input filter", []step{fails(fmt.Errorf("m: %w", llm.ErrInputFiltered))}, record.InputFiltered, "", "m: input filtered by the provider", "the model never saw it"},
	{"provider error", []step{fails(fmt.Errorf("m: %w", llm.ErrProvider))}, record.ProviderError, "", "m: provider error", "an error is no refusal"},
	{"error of no known kind", []step{fails(errors.New("gone \xff"))}, record.ProviderError, "", "gone \ufffd", "never a completed one; the record holds UTF-8 alone"},
	{"deadline of the request", []step{fails(context.DeadlineExceeded)}, record.ProviderError, "", "context deadline exceeded", "the run itself goes on: the provider was slow"},
	{"no such recording", []step{fails(fmt.Errorf("%w: cassette", llm.ErrHarness))}, record.HarnessError, "", "harness error: cassette", "never the model's answer"},
	{"not asked", []step{fails(fmt.Errorf("m: quota used up: %w", llm.ErrNotAsked))}, record.NotRun, record.Unavailable, "m: quota used up: not asked", "nobody refused anything"},
	{"not asked after a call", []step{pays("1"), fails(llm.ErrNotAsked)}, record.NotRun, record.Unavailable, "not asked", "the payment stands"},
	{"error after a call", []step{pays("1"), fails(llm.ErrProvider)}, record.ProviderError, "", "provider error", "the payment stands"},
	{"cancelled", []step{cancelled(fmt.Errorf("m: %w", context.Canceled))}, record.NotRun, "", "context canceled", "the run was broken off"},
	{"cancelled, told otherwise", []step{cancelled(llm.ErrProvider)}, record.NotRun, "", "context canceled", "a broken connection is what a cancelled request looks like"},
	{"panic", []step{panics("out \xff of order")}, record.HarnessError, "", "panic: out \ufffd of order at vaultbench/internal/agent_test.", "a fault of ours"},
	{"panic of the runtime", []step{falls}, record.HarnessError, "", "panic: runtime error: invalid memory address or nil pointer dereference at vaultbench/internal/agent_test.falls", "the place is ours, not the runtime's"},
	{"panic after a call", []step{pays("1"), panics(errors.New("gone"))}, record.HarnessError, "", "panic: gone at vaultbench/internal/agent_test.", "the payment stands"},
}

// TestEnds brings each end about on the first turn and on a later one, where
// what had happened before must stay in the outcome.
func TestEnds(t *testing.T) {
	before := []step{pays("0"), says("paid")}
	for _, tt := range ends {
		t.Run(tt.name+"/first turn", func(t *testing.T) {
			out, _ := run(t, alone(), level(), []string{"a"}, tt.steps...)
			checkEnd(t, out, tt.end, tt.sub, detailOf(tt.detail, 1), tt.reason)
		})
		t.Run(tt.name+"/later turn", func(t *testing.T) {
			ledger := alone()
			out, _ := run(t, ledger, level(), []string{"a", "b"}, append(before[:2:2], tt.steps...)...)
			checkEnd(t, out, tt.end, tt.sub, detailOf(tt.detail, 2), tt.reason)
			was, _ := run(t, alone(), level(), []string{"a"}, before...)
			require.Len(t, was.Replies, 2)
			require.GreaterOrEqual(t, len(out.Replies), 2)
			if diff := cmp.Diff(was.Replies, out.Replies[:2]); diff != "" {
				t.Errorf("replies before (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(was.Calls, out.Calls[:1]); diff != "" {
				t.Errorf("calls before (-want +got):\n%s", diff)
			}
			assert.Len(t, ledger.Transfers(), len(paid(out)), "every executed call is in the outcome")
		})
	}
}

func detailOf(pattern string, turn int) string {
	return strings.ReplaceAll(pattern, "%d", fmt.Sprint(turn))
}

func checkEnd(t *testing.T, out agent.Outcome, end record.End, sub record.SubReason, detail, reason string) {
	t.Helper()
	if out.End != end || out.SubReason != sub {
		t.Errorf("end = %s %s, want %s %s: %s", out.End, out.SubReason, end, sub, reason)
	}
	if end == record.HarnessError {
		assert.True(t, strings.HasPrefix(out.Detail, detail), "detail %q, want prefix %q", out.Detail, detail)
		assert.NotContains(t, out.Detail, "0x", "addresses differ from run to run")
		return
	}
	assert.Equal(t, detail, out.Detail)
}

func paid(out agent.Outcome) []record.Call {
	var cs []record.Call
	for _, c := range out.Calls {
		if c.Outcome == record.CallExecuted {
			cs = append(cs, c)
		}
	}
	return cs
}

func TestTurnLimit(t *testing.T) {
	for _, tt := range []struct {
		name      string
		limit     int
		user      []string
		reply     step
		sub       record.SubReason
		detail    string
		wantTurns int
		reason    string
	}{
		{"below", 3, []string{"a", "b"}, says("ok"), record.Answered, "", 2, "all was said"},
		{"at it", 2, []string{"a", "b"}, says("ok"), record.Answered, "", 2, "a limit that is reached is not exceeded"},
		{"above", 2, []string{"a", "b", "c", "d"}, says("ok"), record.TurnLimit, "turn limit 2, 2 messages left", 2, "the rest is not sent"},
		{"above at once", 1, []string{"a", "b"}, says("ok"), record.TurnLimit, "turn limit 1, 1 messages left", 1, "the first message is sent"},
		{"cut before", 1, []string{"a", "b"}, cut("o"), record.TurnLimit, "turn limit 1, 1 messages left", 1, "the limit says more: messages were left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := level()
			spec.TurnLimit = tt.limit
			out, s := run(t, alone(), spec, tt.user, tt.reply, tt.reply, tt.reply, tt.reply)
			checkEnd(t, out, record.Completed, tt.sub, tt.detail, tt.reason)
			assert.Len(t, s.requests, tt.wantTurns, tt.reason)
			assert.Len(t, out.Replies, tt.wantTurns, "what was said before stays")
		})
	}
}

// TestCancelledBeforeTheFirstRequest: a client that does not look at its context
// is not asked.
func TestCancelledBeforeTheFirstRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &script{steps: []step{says("hello")}}
	out := agent.Conversation{Client: s, Dispatcher: alone(), Level: level(), User: []string{"a"}}.Run(ctx)
	checkEnd(t, out, record.NotRun, "", "context canceled", "nothing was asked")
	assert.Empty(t, s.requests)
}

// TestStops: why a run stops asking is the sub-reason of what it broke off, and
// of what a client answers in the place of a reply.
func TestStops(t *testing.T) {
	for _, reason := range []record.SubReason{record.Interrupted, record.Deadline, record.Budget} {
		stop := &record.Stop{Reason: reason, Detail: "why"}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(fmt.Errorf("suite: %w", stop))
		out := agent.Conversation{Client: &script{}, Dispatcher: alone(), Level: level(), User: []string{"a"}}.Run(ctx)
		checkEnd(t, out, record.NotRun, reason, "why", "the cause of the context")
		checkEnd(t, agent.Replay(ctx, mapped(), []llm.Message{asks(send("", "bob"))}), record.NotRun, reason, "why", "recorded conversations too")
		out, _ = run(t, alone(), level(), []string{"a"}, pays("1"), fails(fmt.Errorf("m: %w", stop)))
		checkEnd(t, out, record.NotRun, reason, "why", "the client was not to ask: no fault of the provider")
		assert.Len(t, out.Calls, 1, "what had happened stays")
	}
}

// TestCutStays: what one reply left out is unknown, whatever the next ones say.
func TestCutStays(t *testing.T) {
	out, _ := run(t, alone(), level(), []string{"a", "b"}, cut("I wi"), says("no"))
	checkEnd(t, out, record.Completed, record.CutAtCap, "", "once cut, cut")
}

// TestCancelledDuringAReply: the calls of a reply that had come are decided and
// served; a layer that was not heard would look like one that failed.
func TestCancelledDuringAReply(t *testing.T) {
	d := layered()
	out, s := run(t, d, level(), []string{"a"}, func(s *script) (llm.Reply, error) {
		s.cancel()
		return pays("1")(s)
	})
	checkEnd(t, out, record.NotRun, "", "context canceled", "the conversation did not end")
	assert.Len(t, s.requests, 1)
	assert.Equal(t, record.CallExecuted, out.Calls[0].Outcome)
	assert.False(t, out.Calls[0].Decision.FailClosed())
	assert.Len(t, d.Transfers(), 1)
}
