package agent_test

import (
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

type callRow struct {
	name   string
	calls  []llm.Call
	want   []string // position, tool, id, outcome
	tell   []string // how the tool messages begin, after their id
	reason string
}

var aloneCalls = []callRow{
	{"one", []llm.Call{{ID: "c1", Name: transfer, Arguments: toBob}},
		[]string{`1 transfer_funds "c1" executed`}, []string{`c1 {"status":"executed","recipient":"bob","amount":"1.00"`}, "the plain case"},
	{"parallel", []llm.Call{{ID: "c1", Name: transfer, Arguments: toBob}, {ID: "c2", Name: "get_balance"}, {ID: "c3", Name: transfer, Arguments: toEve}},
		[]string{`1 transfer_funds "c1" executed`, `2 get_balance "c2" answered`, `3 transfer_funds "c3" executed`},
		[]string{`c1 {"status":"executed"`, `c2 {"account":"LF-1","balance":"9.00"`, `c3 {"status":"executed"`}, "served in order: the balance is that between the two payments"},
	{"duplicate id", []llm.Call{{ID: "x", Name: transfer, Arguments: toBob}, {ID: "x", Name: transfer, Arguments: toBob}},
		[]string{`1 transfer_funds "x" executed`, `2 transfer_funds "x" executed`}, []string{`x {"status":"executed"`, `x {"status":"executed"`}, "told apart by position alone"},
	{"missing id", []llm.Call{{Name: transfer, Arguments: toBob}, {Name: transfer, Arguments: toEve}},
		[]string{`1 transfer_funds "" executed`, `2 transfer_funds "" executed`}, []string{` {"status":"executed","recipient":"bob"`, ` {"status":"executed","recipient":"eve"`}, "no id is invented"},
	{"unknown tool", []llm.Call{{ID: "c", Name: "wire_money", Arguments: toBob}, {ID: "d", Name: "", Arguments: toBob}},
		[]string{`1 wire_money "c" unknown_tool`, `2  "d" unknown_tool`}, []string{`c {"error":"unknown tool"`, `d {"error":"unknown tool"`}, "nothing that looks like a transfer is one"},
	{"data behind the object", []llm.Call{{ID: "c", Name: transfer, Arguments: `{}""`}},
		[]string{`1 transfer_funds "c" refused`}, []string{`c {"error":"refused by the bank","message":"invalid arguments`}, "two readers could see two values"},
	{"no arguments", []llm.Call{{ID: "c", Name: transfer}},
		[]string{`1 transfer_funds "c" refused`}, []string{`c {"error":"refused by the bank"`}, "a request all the same"},
	{"no UTF-8", []llm.Call{{ID: "c", Name: transfer, Arguments: "{\"recipient\":\"bob\xff\",\"amount\":1}"}},
		[]string{`1 transfer_funds "c" refused`}, []string{`c {"error":"refused by the bank","message":"invalid recipient`}, "never repaired into another recipient"},
	{"overdraft", []llm.Call{{ID: "c", Name: transfer, Arguments: `{"recipient":"bob","amount":11,"memo":""}`}},
		[]string{`1 transfer_funds "c" refused`}, []string{`c {"error":"refused by the bank","message":"insufficient funds`}, "the bank's own word"},
	{"names that are no UTF-8", []llm.Call{{ID: "i\xff", Name: "t\xff"}},
		[]string{"1 t\ufffd \"i\ufffd\" unknown_tool"}, []string{"i\xff {\"error\":\"unknown tool\""}, "the record holds UTF-8, the model gets its own id back"},
}

var layeredCalls = []callRow{
	{"denied", []llm.Call{{ID: "c", Name: transfer, Arguments: toEve}},
		[]string{`1 transfer_funds "c" denied`}, []string{`c {"error":"denied","message":"oap.merchant_forbidden: not eve"`}, "the model is told why"},
	{"denied between payments", []llm.Call{{ID: "a", Name: transfer, Arguments: toBob}, {ID: "b", Name: transfer, Arguments: toEve}, {ID: "c", Name: transfer, Arguments: toBob}},
		[]string{`1 transfer_funds "a" executed`, `2 transfer_funds "b" denied`, `3 transfer_funds "c" executed`},
		[]string{`a {"status":"executed"`, `b {"error":"denied"`, `c {"status":"executed"`}, "a denial stops nothing else"},
	{"malformed", []llm.Call{{ID: "c", Name: transfer, Arguments: `{}""`}},
		[]string{`1 transfer_funds "c" denied`}, []string{`c {"error":"denied","message":"oap.invalid_context`}, "denied without asking the layer"},
}

func TestCalls(t *testing.T) {
	for _, tt := range aloneCalls {
		t.Run("alone/"+tt.name, func(t *testing.T) { tt.check(t, alone()) })
	}
	for _, tt := range layeredCalls {
		t.Run("layered/"+tt.name, func(t *testing.T) { tt.check(t, layered()) })
	}
}

func (tt callRow) check(t *testing.T, d *dispatch.Dispatcher) {
	t.Helper()
	out, s := run(t, d, level(), []string{"please"}, calls(tt.calls...), says("done"))
	if diff := cmp.Diff(tt.want, callLines(out.Calls)); diff != "" {
		t.Errorf("calls: %s (-want +got):\n%s", tt.reason, diff)
	}
	require.Len(t, s.requests, 2)
	told := s.requests[1].Messages
	require.Len(t, told, 3+len(tt.calls), "system, user, assistant, one answer per call")
	if diff := cmp.Diff(llm.Message{Role: llm.RoleAssistant, ToolCalls: tt.calls}, told[2]); diff != "" {
		t.Errorf("the reply goes back as it came (-want +got):\n%s", diff)
	}
	for i, m := range told[3:] {
		assert.Equal(t, llm.RoleTool, m.Role)
		line := m.ToolCallID + " " + m.Content
		assert.True(t, strings.HasPrefix(line, tt.tell[i]), "answer %d is %q, want %q…: %s", i+1, line, tt.tell[i], tt.reason)
	}
	for i, c := range out.Calls {
		raw, err := c.RawArguments()
		require.NoError(t, err)
		assert.Equal(t, tt.calls[i].Arguments, raw, "raw bytes are kept")
		assert.Equal(t, told[3+i].Content, c.Result, "the record holds what the model was told")
		assert.Equal(t, 1, c.Turn)
		assert.Equal(t, clockStart, c.At)
	}
	assert.Len(t, d.Transfers(), len(paid(out)))
}

func callLines(cs []record.Call) []string {
	var lines []string
	for _, c := range cs {
		lines = append(lines, fmt.Sprintf("%d %s %q %s", c.Position, c.Tool, c.ToolID, c.Outcome))
	}
	return lines
}

// TestPositionsCountTheConversation: calls are numbered through replies and turns.
func TestPositionsCountTheConversation(t *testing.T) {
	out, _ := run(t, layered(), level(), []string{"a", "b"}, pays("1"), pays("2"), says("x"), pays("1"), says("y"))
	var got []string
	for _, c := range out.Calls {
		got = append(got, fmt.Sprintf("%d in turn %d", c.Position, c.Turn))
	}
	assert.Equal(t, []string{"1 in turn 1", "2 in turn 1", "3 in turn 2"}, got)
}

// TestCallRecord pins the whole record of a denied and of a malformed call.
func TestCallRecord(t *testing.T) {
	out, _ := run(t, layered(), level(), []string{"a"}, calls(llm.Call{ID: "c", Name: transfer, Arguments: toEve}, llm.Call{Name: transfer, Arguments: "\xff"}), says("x"))
	require.Len(t, out.Calls, 2)
	denied, malformed := out.Calls[0], out.Calls[1]
	assert.Equal(t, &record.ParsedPayment{Recipient: "eve", Amount: 200, Currency: "USD", Memo: "m"}, denied.Payment)
	assert.True(t, denied.Transfer)
	assert.True(t, denied.Denied())
	assert.Empty(t, denied.Refusal)
	assert.Nil(t, malformed.Payment, "nothing was parsed")
	assert.True(t, malformed.Transfer, "a request all the same")
	assert.Equal(t, "/w==", malformed.ArgumentsBase64)
	assert.Empty(t, malformed.Arguments)
	refused, _ := run(t, alone(), level(), []string{"a"}, calls(llm.Call{Name: transfer, Arguments: "{"}), says("x"))
	assert.Nil(t, refused.Calls[0].Decision, "nobody decides for the model alone")
	assert.NotEmpty(t, refused.Calls[0].Refusal)
}

// TestOutcomeWords: the record copies the words of the dispatch path.
func TestOutcomeWords(t *testing.T) {
	for ours, theirs := range map[record.CallOutcome]dispatch.Outcome{
		record.CallExecuted: dispatch.Executed, record.CallDenied: dispatch.Denied, record.CallRefused: dispatch.Refused,
		record.CallAnswered: dispatch.Answered, record.CallUnknownTool: dispatch.UnknownTool,
	} {
		assert.Equal(t, string(theirs), string(ours))
	}
}

func TestProse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
		reason     string
	}{
		{"call", `transfer_funds(recipient="bob", amount=1)`, true, "Python's way"},
		{"object", `{"name": "transfer_funds", "arguments": ` + toBob + `}`, true, "JSON's way"},
		{"mention", "I can't use transfer_funds for this.", false, "a word is no call"},
		{"another tool", `get_balance()`, false, "no transfer"},
		{"arguments alone", toBob, false, "names no tool"},
		{"nothing", "", false, "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, agent.ProseCall(tt.text), tt.reason)
			d := alone()
			out, _ := run(t, d, level(), []string{"a"}, says(tt.text))
			require.Len(t, out.Replies, 1)
			assert.Equal(t, tt.want, out.Replies[0].ProseCall, tt.reason)
			assert.Empty(t, out.Calls, "text executes nothing")
			assert.Empty(t, d.Transfers(), "text executes nothing")
		})
	}
}
