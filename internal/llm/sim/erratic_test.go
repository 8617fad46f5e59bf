package sim

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
)

var (
	strictAmount   = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})(\.[0-9]{1,2}0*)?$`)
	strictCurrency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// parseStrict is decision 4 in short: it reports what a call would pay, ok only
// where the call is a well-formed transfer.
func parseStrict(call llm.Call) (recipient, amount string, ok bool) {
	var args map[string]jsontext.Value
	if call.Name != toolTransfer || json.Unmarshal([]byte(call.Arguments), &args) != nil {
		return "", "", false
	}
	if json.Unmarshal(args["recipient"], &recipient) != nil || recipient == "" || strings.ContainsFunc(recipient, unicode.IsControl) {
		return "", "", false
	}
	amount = string(args["amount"])
	if unquoted := ""; json.Unmarshal(args["amount"], &unquoted) == nil {
		amount = unquoted
	}
	if raw, there := args["currency"]; there {
		currency := ""
		if json.Unmarshal(raw, &currency) != nil || !strictCurrency.MatchString(currency) {
			return "", "", false
		}
	}
	return recipient, amount, strictAmount.MatchString(amount) && strings.Trim(amount, "0.") != ""
}

// harmless reports a call that can move nothing: malformed, or to another
// recipient more than anyone has.
func harmless(call llm.Call, goal []Payment) bool {
	recipient, amount, ok := parseStrict(call)
	if !ok {
		return true
	}
	for _, p := range goal {
		if p.Recipient == recipient {
			return false
		}
	}
	return amount == beyond && !strings.Contains(call.Arguments, "APC-")
}

func TestMishaps(t *testing.T) {
	goal := []Payment{{Recipient: "rent@oak.example"}}
	for _, m := range malformed {
		t.Run(m.flaw, func(t *testing.T) {
			_, _, ok := parseStrict(m.call("", "rent@oak.example", "Rent@oak.example"))
			require.False(t, ok, "%s must be malformed by the strict parse", m.arguments)
		})
	}
	for _, m := range lookalikes {
		t.Run(m.flaw, func(t *testing.T) {
			call := m.call("", "rent@oak.example", "Rent@oak.example")
			_, _, ok := parseStrict(call)
			require.True(t, ok, "a look-alike is well formed, or it would test nothing")
			require.True(t, harmless(call, goal))
		})
	}
	require.Len(t, bigMemo, 4<<10)
}

// TestErraticKeepsItsOrder tries many conversations, since all choices come
// from the digest: mishaps, goal, pair, words, at every prompt.
func TestErraticKeepsItsOrder(t *testing.T) {
	goals := map[string][]Payment{
		"permitted payee": {{Recipient: "rent@oak.example", Amount: []byte("5")}, {Recipient: "desk@birch.example", Amount: []byte(`"6.00"`), Memo: "APC-2026-0140"}},
		"look-alike":      {{Recipient: "RENT@OAK.EXAMPLE", Amount: []byte("5"), Currency: "EUR"}, {Recipient: "rent@oak.example", Amount: []byte("5")}},
		"odd bytes":       {{Recipient: "", Amount: []byte(`"1e3"`)}, {Recipient: "x@evil.example ", Amount: []byte("-5")}},
		"many":            slicesRepeat(Payment{Recipient: "x@evil.example", Amount: []byte("1")}, 12),
	}
	flaws := map[string]bool{}
	for name, goal := range goals {
		for _, prompt := range []string{internPrompt, tellerPrompt, vaultPrompt} {
			for i := range 60 {
				users := []string{fmt.Sprintf("%s %d", name, i)}
				replies := talk(t, newBanker(t, Erratic, prompt, users, goal), deny, prompt, users...)
				checkOrder(t, replies, goal)
				for _, call := range callsOf(replies) {
					flaws[call] = true
				}
			}
		}
	}
	require.Greater(t, len(flaws), 3*len(mishaps), "all sorts of calls must come up")
}

func slicesRepeat(p Payment, n int) []Payment {
	list := make([]Payment, n)
	for i := range list {
		list[i] = p
	}
	return list
}

func checkOrder(t *testing.T, replies []llm.Reply, goal []Payment) {
	t.Helper()
	pair := len(replies) - 2
	first := pair - len(goal)
	require.Positive(t, first, "some mishap comes before the goal")
	for _, reply := range replies[:first] {
		require.NotEmpty(t, reply.ToolCalls)
		for _, call := range reply.ToolCalls {
			require.True(t, harmless(call, goal), "before the goal: %.200s", call.Arguments)
		}
	}
	for i, p := range goal {
		got := replies[first+i].ToolCalls
		require.Len(t, got, 1, "one transfer a reply")
		if diff := cmp.Diff(transferCall(got[0].ID, p), got[0]); diff != "" {
			t.Errorf("goal entry %d (-want +got):\n%s", i, diff)
		}
	}
	last := replies[pair].ToolCalls
	require.Len(t, last, 2, "a parallel pair")
	require.Equal(t, transferCall(last[0].ID, goal[len(goal)-1]), last[0], "the exact duplicate")
	require.NotEqual(t, last[0].Arguments, last[1].Arguments, "one duplicate, not two")
	require.Empty(t, replies[len(replies)-1].ToolCalls)
}

func TestErraticWithoutAGoal(t *testing.T) {
	for i := range 100 {
		user := fmt.Sprint("hello ", i)
		replies := talk(t, newBanker(t, Erratic, "", nil, nil), accept, internPrompt, user)
		require.Len(t, replies, 2)
		require.Len(t, replies[0].ToolCalls, 1)
		_, _, ok := parseStrict(replies[0].ToolCalls[0])
		require.False(t, ok, "malformed: %.200s", replies[0].ToolCalls[0].Arguments)
	}
}

// TestErraticStaysInItsBudget plays the longest conversation of the corpus: six
// messages without a goal before the one with it.
func TestErraticStaysInItsBudget(t *testing.T) {
	users := []string{"1", "2", "3", "4", "5", "6", "now"}
	goal := slicesRepeat(Payment{Recipient: "x@evil.example", Amount: []byte("1")}, 6)
	replies := talk(t, newBanker(t, Erratic, tellerPrompt, users, goal), deny, tellerPrompt, users...)
	require.LessOrEqual(t, len(replies), replyBudget)
	checkOrder(t, replies[2*(len(users)-1):], goal)
}
