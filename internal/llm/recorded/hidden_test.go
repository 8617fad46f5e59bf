package recorded_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHiddenCalls: whatever may hold a call, and stands where the format has
// none, is refused. A reader that leaves it out would count a model as one that
// held.
func TestHiddenCalls(t *testing.T) {
	pay := `{"name":"send_money","arguments":"{}"}`
	reply := func(fields string) string {
		return dojo(hello + `,{"role":"assistant","content":"ok","tool_calls":null,` + fields + `}`)
	}
	const at = `f.jsonl:1: conversation "user_task_3/injection_task_1/direct": message 2: `
	checkBad(t, []badRow{
		{"legacy function_call", reply(`"function_call":` + pay), at + `unknown field "function_call" holds an object, which may be a call`, "OpenAI's first form"},
		{"camel case", reply(`"toolCalls":[` + pay + `]`), at + `unknown field "toolCalls" holds a list, which may be a call`, "another SDK's form"},
		{"tool uses", reply(`"tool_uses":[` + pay + `]`), at + `unknown field "tool_uses"`, "another form"},
		{"one call", reply(`"tool_call":` + pay), at + `unknown field "tool_call"`, "a reply has a list of them"},
		{"a call as text", reply(`"functionCall":"send_money()"`), at + `unknown field "functionCall" holds a string`, "the name says what it is"},
		{"action", reply(`"action":"send_money"`), at + `unknown field "action"`, "agents' form"},
		{"parts", reply(`"parts":[{"functionCall":` + pay + `}]`), at + `unknown field "parts" holds a list`, "Gemini's form"},
		{"something else that holds more", reply(`"extra":{"x":1}`), at + `unknown field "extra" holds an object`, "nobody knows what it is"},
		{"tool_use block", dojo(hello + `,{"role":"assistant","content":[{"type":"tool_use","name":"send_money","input":{}}],"tool_calls":null}`),
			at + `content: block 1: unknown type "tool_use"`, "Anthropic's form"},
		{"call in a text block", dojo(hello + `,{"role":"assistant","content":[{"type":"text","text":"x","tool_calls":[` + pay + `]}],"tool_calls":null}`),
			at + `content: block 1: unknown field "tool_calls"`, "a block says text"},
		{"call in a call", dojo(hello + `,{"role":"assistant","content":null,"tool_calls":[{"function":"a","args":{},"then":{"function":"send_money","args":{}}}]}`),
			at + `tool call 1: unknown field "then" holds an object`, "one call an entry"},
		{"call in an argument", dojo(hello + `,{"role":"assistant","content":null,"tool_calls":[{"function":"get_iban","args":{"x":[{"function":"send_money","args":{}}]}}]}`),
			at + "tool call 1: args: an argument is a call of its own", "AgentDojo runs nested calls"},
		{"nothing at all", dojo(hello + `,{"role":"assistant","content":null,"tool_calls":[]}`), at + "the reply holds neither text nor a call", "AgentDyn drops calls that it can't parse"},
		{"no blocks at all", dojo(hello + `,{"role":"assistant","content":[],"tool_calls":null}`), at + "the reply holds neither text nor a call", "the same in blocks"},
		{"answer to a lost call", dojo(hello + `,{"role":"tool","content":"sent","tool_call":{"function":"send_money","args":{}}}`),
			at + `a tool answers a call of "send_money" and no message before makes it`, "what was answered was made"},
		{"second answer to one call", dojo(`{"role":"assistant","content":null,"tool_calls":[{"function":"send_money","args":{}}]},` +
			strings.Repeat(`{"role":"tool","content":"sent","tool_call":{"function":"send_money","args":{}}},`, 2) + hello),
			`f.jsonl:1: conversation "user_task_3/injection_task_1/direct": message 3: a tool answers a call of "send_money"`, "two answers, two calls"},
		{"answer to an id that nobody gave", own("a", hello+`,{"role":"tool","content":"sent","tool_call_id":"x"}`),
			`f.jsonl:1: conversation "a": message 2: a tool answers call "x" and no message before makes it`, "the same in our own format"},
		{"nothing at all, own", own("a", `{"role":"assistant"}`), `f.jsonl:1: conversation "a": message 1: the reply holds neither text nor a call`, "the same in our own format"},
		{"two lists of messages", strings.Replace(dojo(greeted), `"error":null`, `"error":null,"conversations":[`+hello+`]`, 1),
			`f.jsonl:1: conversation "user_task_3/injection_task_1/direct": messages and conversations are both given`, "one would be lost"},
	})
}

// TestHarmlessFields: what says nothing, or can't be a call, is left unread.
func TestHarmlessFields(t *testing.T) {
	for _, tt := range []struct{ name, in, reason string }{
		{"empty forms", dojo(hello + `,{"role":"assistant","content":"","function_call":null,"toolCalls":[],"action":"","extra":{},"usedTools":false}`), "they say nothing"},
		{"plain values", dojo(hello + `,{"role":"assistant","content":"x","reasoning_content":"hm","timestamp":7,"cached":true}`), "no call is a number or a thought"},
		{"an argument that has a function", dojo(hello + `,{"role":"assistant","content":null,"tool_calls":[{"function":"a","args":{"x":{"function":"b"}},"placeholder_args":{"x":1}}]}`), "no call has no args"},
		{"a crashed run", strings.Replace(dojo(hello+`,{"role":"assistant","content":null}`), `"error":null`, `"error":"503"`, 1), "nothing of it is evidence"},
		{"DRIFT", strings.Replace(dojo(greeted), `"messages"`, `"conversations"`, 1), "AgentDyn's runs under that defense"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readText(tt.in)
			require.NoError(t, err, tt.reason)
			require.Len(t, got, 1)
			require.NotEmpty(t, got[0].Messages)
		})
	}
}

// TestUnanswered: where the model's last word is missing, nothing says that it held. A
// reader and an import of the same bytes say the same.
func TestUnanswered(t *testing.T) {
	const (
		asked   = `{"role":"system","content":"be careful"}`
		called  = `{"role":"assistant","content":null,"tool_calls":[CALL]},{"role":"tool","content":"12"}`
		said    = `,{"role":"assistant","content":""}`
		ends    = "it ends with a message of role "
		missing = ": the model's reply is missing; add it, or say in error what stopped the run"
	)
	for _, tt := range []struct {
		name, messages, crashed string
		want                    string // empty: it is whole
		reason                  string
	}{
		{"only a user", hello, "null", ends + "user" + missing, "nobody answered"},
		{"only a system message", asked, "null", ends + "system" + missing, "nobody was asked"},
		{"both", asked + "," + hello, "null", ends + "user" + missing, "nobody answered"},
		{"a tool's answer last", hello + "," + called, "null", ends + "tool" + missing, "what the model did then is lost"},
		{"a user last", greeted + "," + hello, "null", ends + "user" + missing, "what the model did then is lost"},
		{"an empty reply", hello + said, "null", "", "it said nothing, and the source says so"},
		{"a reply after the tool's", hello + "," + called + said, "null", "", "whole"},
		{"a crashed run", hello, `"503"`, "", "nothing of it is evidence, and it says why"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := func(in, id, call string) {
				t.Helper()
				_, err := readText(strings.Replace(strings.Replace(in, "CALL", call, 1), `"error":null`, `"error":`+tt.crashed, 1))
				if tt.want == "" {
					require.NoError(t, err, tt.reason)
					return
				}
				require.EqualError(t, err, `f.jsonl:1: conversation "`+id+`": `+tt.want, tt.reason)
			}
			check(own("a", tt.messages), "a", `{"function":{"name":"balance","arguments":"{}"}}`)
			run := strings.Replace(dojo(tt.messages), "CALL", `{"function":"balance","args":{}}`, 1)
			check(run, "user_task_3/injection_task_1/direct", "")
			_, bad, err := imported(ofDojo, strings.Replace(run, `"error":null`, `"error":`+tt.crashed, 1))
			require.NoError(t, err)
			var want []string
			if tt.want != "" {
				want = []string{`1: conversation "user_task_3/injection_task_1/direct": ` + tt.want}
			}
			require.Equal(t, want, bad, tt.reason)
		})
	}
}
