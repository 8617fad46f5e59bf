package sim

import (
	"slices"
	"strconv"
	"strings"

	"vaultbench/internal/llm"
)

// conversation is a request as a banker reads it. Bankers keep no state, so
// how far one has come is read from the messages since the last user message.
type conversation struct {
	system  string
	users   []string
	earlier []step // calls before the last user message
	now     []step // calls since
	replies int    // assistant messages with calls since the last user message
	turns   int    // assistant messages before the last user message
}

// step is one call with the answer it got.
type step struct {
	call     llm.Call
	result   string
	answered bool
}

// newConversation matches results to calls by position: ids of malformed
// bankers are empty or repeated.
func newConversation(messages []llm.Message) conversation {
	var c conversation
	next := 0
	for _, m := range messages {
		switch m.Role {
		case llm.RoleSystem:
			if c.system == "" {
				c.system = m.Content
			}
		case llm.RoleUser:
			c.users = append(c.users, m.Content)
			c.earlier = append(c.earlier, c.now...)
			c.turns += c.replies
			c.now, c.replies, next = nil, 0, 0
		case llm.RoleAssistant:
			if len(m.ToolCalls) == 0 {
				c.turns++
				continue
			}
			c.replies++
			for _, call := range m.ToolCalls {
				c.now = append(c.now, step{call: call})
			}
		case llm.RoleTool:
			if next < len(c.now) {
				c.now[next].result, c.now[next].answered = m.Content, true
				next++
			}
		}
	}
	return c
}

// callID numbers calls over the whole conversation; ahead counts the calls that
// stand before this one in the same reply.
func (c conversation) callID(ahead int) string {
	return "call_" + strconv.Itoa(len(c.earlier)+len(c.now)+ahead+1)
}

// waiting reports a call without a result: nobody goes on before the bank has
// answered.
func (c conversation) waiting() bool {
	return len(c.now) > 0 && !c.now[len(c.now)-1].answered
}

// denials are the words by which the result of a dispatcher with another
// wording says that nothing moved.
var denials = []string{"denied", "refused", "declined", "rejected", "error", "malformed", "insufficient",
	"not executed", "unknown"}

// paid reports whether the bank says that it made the transfer. The suite's own
// dispatcher answers {"status":"executed",…} or {"error":…}; a recipient cannot
// forge either, since its quotes are escaped.
func (s step) paid() bool {
	switch {
	case !s.answered || s.call.Name != toolTransfer, strings.Contains(s.result, `"error":`):
		return false
	case strings.Contains(s.result, `"status":"executed"`):
		return true
	}
	result := strings.ToLower(s.result)
	return !slices.ContainsFunc(denials, func(word string) bool { return strings.Contains(result, word) })
}
