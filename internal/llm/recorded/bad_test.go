package recorded_test

import (
	"strings"
	"testing"
)

type badRow struct {
	name, in, want, reason string
}

func checkBad(t *testing.T, rows []badRow) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readText(tt.in)
			if err == nil {
				t.Fatalf("no error, want %q: %s", tt.want, tt.reason)
			}
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error = %v, want prefix %q: %s", err, tt.want, tt.reason)
			}
		})
	}
}

func TestBadLines(t *testing.T) {
	good := own("a", greeted)
	checkBad(t, []badRow{
		{"empty file", "", "f.jsonl:1: the file is empty", "a file without a line is mostly a lost download"},
		{"blank first line", "\n" + good, "f.jsonl:1: blank line: delete it; known formats are", "a lost line"},
		{"blank line", good + " \t\n" + own("b", greeted), "f.jsonl:2: blank line: delete it", "a lost line"},
		{"blank line at the end", good + "\n", "f.jsonl:2: blank line", "a lost line"},
		{"cut last line", good + good[:80], "f.jsonl:2: the line is cut", "a crashed writer"},
		{"cut only line", good[:80], "f.jsonl:1: the line is cut", "a crashed writer"},
		{"printed over several lines", "{\n\"format\": 1\n}\n", "f.jsonl:1: the line is cut", "JSON that is not JSONL"},
		{"text", "hello\n", "f.jsonl:1: no JSON: ", "text is no conversation"},
		{"text later", good + "hello\n", "f.jsonl:2: no JSON: ", "text is no conversation"},
		{"a list", "[" + strings.TrimSuffix(good, "\n") + "]\n", "f.jsonl:1: want a JSON object, have a list; known formats are vault-conversation/1", "JSON that is no object"},
		{"null", good + "null\n", "f.jsonl:2: want a JSON object, have null", "JSON that is no object"},
		{"two objects in a line", strings.TrimSuffix(good, "\n") + good, "f.jsonl:1: data after the JSON value", "the second would be lost"},
		{"byte order mark", "\ufeff" + good, "f.jsonl:1: no JSON: ", "an editor's trace is no JSON"},
		{"NaN", strings.Replace(good, "null", "NaN", 1), "f.jsonl:1: no JSON: ", "Python writes it, JSON has none"},
		{"invalid UTF-8", own("a", `{"role":"user","content":"`+"\xff"+`"}`), "f.jsonl:1: byte 144 of the line is no valid UTF-8", "a decoder would replace it silently"},
		{"invalid UTF-8 in a field that is not read", strings.Replace(dojo(greeted), `"x"`, "\"\xc3\"", 1), "f.jsonl:1: byte ", "the file is damaged"},
		{"other format", `{"format":"vault-conversation/2","id":"a"}`, `f.jsonl:1: unknown format "vault-conversation/2"; known formats are`, "a later version"},
		{"no format", `{"id":"a","messages":[]}`, "f.jsonl:1: unknown format; known formats are vault-conversation/1 (docs/recordings.md) and AgentDojo runs", "somebody's own log"},
		{"two formats", good + dojo(greeted), "f.jsonl:2: the line is AgentDojo and the file began as vault-conversation/1", "two files glued together"},
		{"two formats, turned", dojo(greeted) + good, "f.jsonl:2: the line is vault-conversation/1 and the file began as AgentDojo", "two files glued together"},
		{"half a surrogate pair in a field name", `{"\ud800":1}`, `f.jsonl:1: field name "\"\\ud800\"": half a surrogate pair`, "two names would become one"},
		{"terminal escapes", `{"format":"\u001b[31m"}`, `f.jsonl:1: unknown format "\x1b[31m"`, "hostile text stays text"},
	})
}

func TestBadOwnLines(t *testing.T) {
	good := own("a", greeted)
	edit := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	const at = `f.jsonl:1: conversation "a": `
	checkBad(t, []badRow{
		{"no id", edit(`"id":"a",`, ""), "f.jsonl:1: id is missing", "nothing could name the conversation"},
		{"empty id", edit(`"id":"a"`, `"id":""`), "f.jsonl:1: id is empty", "nothing could name the conversation"},
		{"id twice", good + good, `f.jsonl:2: conversation "a": the id stands in line 1 already`, "ids are unique in a file"},
		{"unknown field", edit(`"model"`, `"note":1,"model"`), at + `unknown field "note"`, "it may be one that mattered"},
		{"field in capitals", edit(`"error":null`, `"Error":"crashed"`), at + `unknown field "Error"`, "names are compared byte for byte"},
		{"field twice", edit(`"error":null`, `"error":"crashed","error":null`), `f.jsonl:1: field "error" is given twice`, "two readers would read two values"},
		{"no format later", good + strings.Replace(good, `"format":"vault-conversation/1",`, "", 1), `f.jsonl:2: conversation "a": format: want "vault-conversation/1"`, "every line says what it is"},
		{"no cluster", edit(`"cluster":"c",`, ""), at + "cluster is missing", "nothing to cluster by"},
		{"model of another type", edit(`"model":"m"`, `"model":1`), at + "model: want a string, have a number", "types are fixed"},
		{"no tool map", edit(`"front-desk"`, `null`), at + "tool_map: want a string, have null", "nothing could replay it"},
		{"no error field", edit(`"error":null,`, ""), at + "error is missing: write null", "whether it crashed must be said"},
		{"empty error", edit(`"error":null`, `"error":""`), at + "error is empty", "neither crashed nor not"},
		{"no messages", own("a", ""), at + "the conversation has no messages", "nothing to replay"},
		{"messages missing", edit(`"messages"`, `"error2"`), at + `unknown field "error2"`, "misspelt"},
		{"messages of another type", edit("["+greeted+"]", `{}`), at + "messages: want a list, have an object", "types are fixed"},
	})
}

func TestBadOwnMessages(t *testing.T) {
	message := func(m string) string { return own("a", m) }
	call := func(c string) string { return own("a", `{"role":"assistant","tool_calls":[`+c+`]}`) }
	const at = `f.jsonl:1: conversation "a": `
	checkBad(t, []badRow{
		{"a message that is none", message(hello + `,"x"`), at + "message 2: want a JSON object, have a string", "types are fixed"},
		{"no role", message(`{"content":"x"}`), at + "message 1: role is missing", "who speaks decides whether calls count"},
		{"unknown role", message(`{"role":"developer"}`), at + `message 1: unknown role "developer": want one of ["system" "user" "assistant" "tool"]`, "its calls would be lost"},
		{"unknown message field", message(`{"role":"user","name":"x"}`), at + `message 1: unknown field "name"`, "strict"},
		{"content of another type", message(`{"role":"user","content":1}`), at + "message 1: content: want a string, have a number", "types are fixed"},
		{"half a surrogate pair", message(`{"role":"user","content":"\ud83d"}`), at + "message 1: content: half a surrogate pair", "a decoder would replace it silently"},
		{"image block", message(`{"role":"user","content":[{"type":"image_url","text":"x"}]}`), at + `message 1: content: block 1: type "image_url": want "text"`, "it can't be kept"},
		{"block that is none", message(`{"role":"user","content":["x"]}`), at + "message 1: content: block 1: want a JSON object, have a string", "types are fixed"},
		{"unknown block field", message(`{"role":"user","content":[{"type":"text","text":"x","cache":1}]}`), at + `message 1: content: block 1: unknown field "cache"`, "strict"},
		{"answer to a number", message(`{"role":"tool","tool_call_id":1}`), at + "message 1: tool_call_id: want a string, have a number", "types are fixed"},
		{"call that is none", call(`"x"`), at + "message 1: tool call 1: want a JSON object, have a string", "types are fixed"},
		{"unknown call field", call(`{"index":0,"function":{"name":"x","arguments":"{}"}}`), at + `message 1: tool call 1: unknown field "index"`, "strict"},
		{"unknown function field", call(`{"function":{"name":"x","args":"{}"}}`), at + `message 1: tool call 1: function: unknown field "args"`, "strict"},
		{"call id of another type", call(`{"id":1,"function":{"name":"x","arguments":"{}"}}`), at + "message 1: tool call 1: id: want a string, have a number", "types are fixed"},
		{"block without text", message(`{"role":"user","content":[{"type":"text"}]}`), at + "message 1: content: block 1: text: want a string, have nothing", "it says nothing"},
		{"calls of a user", message(`{"role":"user","tool_calls":[{"function":{"name":"x","arguments":"{}"}}]}`), at + "message 1: tool_calls in a message of role user", "they would be lost"},
		{"answer of a user", message(`{"role":"user","tool_call_id":"x"}`), at + "message 1: tool_call_id in a message of role user", "it would be lost"},
		{"calls of another type", message(`{"role":"assistant","tool_calls":{}}`), at + "message 1: tool_calls: want a list, have an object", "types are fixed"},
		{"call of another type", call(`{"type":"custom","function":{"name":"x","arguments":"{}"}}`), at + `message 1: tool call 1: type "custom": want "function"`, "strict"},
		{"call without function", call(`{"id":"x"}`), at + "message 1: tool call 1: function: want a JSON object, have nothing", "a lost call looks safe"},
		{"call without name", call(`{"function":{"arguments":"{}"}}`), at + "message 1: tool call 1: function: name is missing", "a lost call looks safe"},
		{"call without arguments", call(`{"function":{"name":"x"}}`), at + "message 1: tool call 1: function: arguments: want a string, have nothing", "a lost call looks safe"},
		{"arguments as an object", call(`{"function":{"name":"x","arguments":{}}}`), at + "message 1: tool call 1: function: arguments: want a string, have an object", "the model emitted a string"},
		{"arguments with half a surrogate pair", call(`{"function":{"name":"x","arguments":"\ud800"}}`), at + "message 1: tool call 1: function: arguments: half a surrogate pair", "no bytes stand for it"},
	})
}

func TestBadAgentDojoRuns(t *testing.T) {
	good := dojo(greeted)
	edit := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	call := func(c string) string {
		return dojo(hello + `,{"role":"assistant","content":null,"tool_calls":[` + c + `]}`)
	}
	const at = `f.jsonl:1: conversation "user_task_3/injection_task_1/direct": `
	checkBad(t, []badRow{
		{"no function", call(`{"args":{},"id":"x"}`), at + "message 2: tool call 1: function is missing", "a lost call looks safe"},
		{"empty function", call(`{"function":"","args":{}}`), at + "message 2: tool call 1: function is empty", "a lost call looks safe"},
		{"function null", call(`{"function":null,"args":{}}`), at + "message 2: tool call 1: function: want a string, have null", "a lost call looks safe"},
		{"no args", call(`{"function":"send_money"}`), at + "message 2: tool call 1: args is missing", "a lost payment looks safe"},
		{"args null", call(`{"function":"send_money","args":null}`), at + "message 2: tool call 1: args: want an object, have null", "a lost payment looks safe"},
		{"args a string", call(`{"function":"send_money","args":{}},{"function":"send_money","args":"{}"}`), at + "message 2: tool call 2: args: want an object, have a string", "another format"},
		{"id of another type", call(`{"function":"send_money","args":{},"id":1}`), at + "message 2: tool call 1: id: want a string, have a number", "types are fixed"},
		{"messages empty", dojo(""), at + "the conversation has no messages", "nothing to replay"},
		{"unknown role", dojo(`{"role":"developer","content":"x"}`), at + `message 1: unknown role "developer"`, "its calls would be lost"},
		{"image block", dojo(`{"role":"user","content":[{"type":"image"}]}`), at + `message 1: content: block 1: unknown type "image"`, "it can't be kept"},
		{"block without text", dojo(`{"role":"user","content":[{"type":"text"}]}`), at + "message 1: content: block 1: text is missing", "it says nothing"},
		{"user task null", edit(`"user_task_3"`, "null"), "f.jsonl:1: user_task_id: want a string, have null", "the run has no name"},
		{"user task missing later", good + strings.Replace(good, "user_task_id", "task", 1), "f.jsonl:2: user_task_id is missing", "the run has no name"},
		{"injection task empty", edit(`"injection_task_1"`, `""`), "f.jsonl:1: injection_task_id is empty", "null says that there is none"},
		{"block without type", dojo(`{"role":"user","content":[{"text":"x"}]}`), at + "message 1: content: block 1: type is missing", "it may be no text"},
		{"attack of another type", edit(`"direct"`, "7"), "f.jsonl:1: attack_type: want a string, have a number", "the run has no name"},
		{"suite empty", edit(`"banking"`, `""`), at + "suite_name is empty", "no tool map has that name"},
		{"no model", edit(`"pipeline_name":"gpt",`, ""), at + "pipeline_name is missing", "rows are named by it"},
		{"error of another type", edit(`"error":null`, `"error":{}`), at + "error: want a string, have an object", "whether it crashed must be clear"},
		{"field twice", edit(`"error":null`, `"error":"x","error":null`), `f.jsonl:1: field "error" is given twice`, "two readers would read two values"},
		{"repeated and bad", good + call(`{}`), `f.jsonl:2: conversation "user_task_3/injection_task_1/direct": message 2`, "the line tells the two apart"},
	})
}
