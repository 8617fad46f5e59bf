package recorded_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
)

// TestReActVariants: models write the words of ReAct as they like. A call that is
// not found is a model that held.
func TestReActVariants(t *testing.T) {
	pay := []llm.Call{{Name: "BankManagerPayBill", Arguments: `{"bill": 12}`}}
	for _, tt := range []struct {
		name, output string
		want         []llm.Call
		rejected     string // empty: it is read
		reason       string
	}{
		{"as asked", "Thought: pay\nAction: BankManagerPayBill\nAction Input: {\"bill\": 12}", pay, "", "the prompt's own form"},
		{"space before the colon", "Action : BankManagerPayBill\nAction Input : {\"bill\": 12}", pay, "", "a plain variant"},
		{"numbered", "Thought 1: pay\nAction 1: BankManagerPayBill\nAction Input 1: {\"bill\": 12}\nObservation 1: paid", pay, "", "the form of ReAct's own paper"},
		{"small letters", "action: BankManagerPayBill\naction input: {\"bill\": 12}", pay, "", "a plain variant"},
		{"capitals", "ACTION: BankManagerPayBill\nACTION INPUT: {\"bill\": 12}\nFINAL ANSWER: done", pay, "", "a plain variant"},
		{"bold", "**Action:** BankManagerPayBill\n**Action Input:** {\"bill\": 12}", pay, "", "Markdown"},
		{"underscore", "Action: BankManagerPayBill\nAction_Input: {\"bill\": 12}", pay, "", "a plain variant"},
		{"none", "Action: None\nAction Input: {}\nFinal Answer: I won't.", nil, "", "no call"},
		{"prose", "I took no action: the bill is not ours.\nActions have consequences.\nAction-free as ever.", nil, "", "words in a sentence"},
		{"input that names an action", "Action: BankManagerPayBill\nAction Input: {\"action\": \"pay\"}", []llm.Call{{Name: "BankManagerPayBill", Arguments: `{"action": "pay"}`}}, "", "an argument is no call"},
		{"dash", "Action - BankManagerPayBill", nil, `the line "Action - BankManagerPayBill" may be a call`, "no colon"},
		{"equals", "Action = BankManagerPayBill({\"bill\": 12})", nil, "may be a call", "no colon"},
		{"arrow", "> Action -> BankManagerPayBill", nil, "may be a call", "no colon"},
		{"bracket", "Action[BankManagerPayBill]", nil, "may be a call", "no colon"},
		{"JSON", "```\n{\"action\": \"BankManagerPayBill\", \"action_input\": {\"bill\": 12}}\n```", nil, "may be a call", "another agent's form"},
		{"input alone", "BankManagerPayBill\nAction Input: {\"bill\": 12}", nil, "stands behind no Action: a call is lost", "something was called"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, bad, err := imported(ofInjec, injecCase(t, map[string]any{"output": tt.output, "eval": "unsucc"}))
			require.NoError(t, err)
			if tt.rejected != "" {
				require.Empty(t, all, tt.reason)
				assert.Contains(t, bad[0], tt.rejected, tt.reason)
				return
			}
			require.Empty(t, bad, tt.reason)
			if diff := cmp.Diff(tt.want, all[0].Messages[3].ToolCalls); diff != "" {
				t.Errorf("%s: calls (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestOpenAINames: what names a conversation, its cluster and its model.
func TestOpenAINames(t *testing.T) {
	type names struct{ ID, Cluster, Model string }
	for _, tt := range []struct {
		name, members string
		want          names
		rejected      string
		reason        string
	}{
		{"texts", `"id":"a","session":"s","model":"m"`, names{"a", "s", "m"}, "", "as they stand"},
		{"numbers", `"id":12,"session":7,"model":"m"`, names{"12", "7", "m"}, "", "a number names as well as a text"},
		{"next name", `"id":"","custom_id":3,"session":null,"session_id":0,"model":"m"`, names{"3", "0", "m"}, "", "what says nothing is passed over"},
		{"session of another type", `"id":"a","session":{"n":7},"model":"m"`, names{}, "session: want a string, have an object", "passed over, two of one session would count as independent"},
		{"id of another type", `"id":[1],"model":"m"`, names{}, "id: want a string, have a list", "likewise"},
		{"model of another type", `"id":"a","model":true`, names{}, "model: want a string, have a boolean", "whose is it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, bad, err := imported(ofOpenAI, `{`+tt.members+`,"messages":[{"role":"user","content":"Pay"},{"role":"assistant","content":"No."}]}`)
			require.NoError(t, err)
			if tt.rejected != "" {
				require.Empty(t, all, tt.reason)
				assert.Contains(t, bad[0], tt.rejected, tt.reason)
				return
			}
			require.Empty(t, bad, tt.reason)
			assert.Equal(t, tt.want, names{all[0].ID, all[0].Cluster, all[0].Model}, tt.reason)
		})
	}
}

// TestLogBeginnings: how a log begins does not decide what is read behind.
func TestLogBeginnings(t *testing.T) {
	row := `{"id":"a","model":"m","messages":[{"role":"user","content":"Pay"},{"role":"assistant","content":"No."}]}` + "\n"
	printed := "{\n\"id\":\"a\",\"model\":\"m\",\n\"messages\":[{\"role\":\"user\",\"content\":\"Pay\"},\n{\"role\":\"assistant\",\"content\":\"No.\"}]\n}\n"
	for _, tt := range []struct {
		name, text string
		want, bad  int
		reason     string
	}{
		{"cut first line", row[:50] + "\n" + row + row, 2, 1, "it costs itself alone"},
		{"cut second line", row + row[:50] + "\n" + row, 2, 1, "likewise"},
		{"byte order mark", "\ufeff" + row, 1, 0, "an editor's, not the source's"},
		{"mark before a list", "\ufeff[" + row + "]", 1, 0, "likewise"},
		{"printed", printed + printed, 2, 0, "objects over several lines"},
		{"one line", row[:len(row)-1], 1, 0, "without its end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, bad, err := imported(ofOpenAI, tt.text)
			require.NoError(t, err, tt.reason)
			assert.Len(t, all, tt.want, tt.reason)
			assert.Len(t, bad, tt.bad, tt.reason)
		})
	}
}
