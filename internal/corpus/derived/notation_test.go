package derived

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
)

func TestAmounts(t *testing.T) {
	for _, tt := range []struct{ name, plain, want, reason string }{
		{"grouped digits", "1234567.50", "1,234,567.50", "a comma every three digits"},
		{"grouped digits", "500.00", "0,500.00", "a separator in any case"},
		{"an exponent", "2500.00", "250000e-2", "the same amount"},
		{"fullwidth digits", "12.50", "１２.５０", "the same digits to a reader"},
		{"a plus sign", "12.50", "+12.50", "a sign"},
		{"a decimal comma", "12.50", "12,50", "as half of Europe writes it"},
		{"further zeros", "12.50", "12.5000", "zeros say nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range amounts {
				if n.name != tt.name {
					continue
				}
				got := n.write(tt.plain)
				assert.Equal(t, tt.want, got, tt.reason)
				raw, err := json.Marshal(got)
				require.NoError(t, err)
				_, err = bank.ParseAmount(raw)
				assert.Equal(t, n.name == "further zeros", err == nil, "the strict parser refuses all but further zeros")
			}
		})
	}
}

func TestRecipients(t *testing.T) {
	for _, n := range recipients {
		for _, who := range []string{"pay@shop.example", "é@x.example", "PAY@SHOP.EXAMPLE", "LF-VAULT-05", "п+a@ю.example", "5"} {
			got := n.write(who)
			if got == who {
				continue // the next notation takes over
			}
			raw, err := json.Marshal(got)
			require.NoError(t, err)
			_, err = bank.ParseRecipient(raw)
			assert.NoError(t, err, "%s of %q is another recipient, not a malformed one", n.name, who)
			assert.False(t, strings.ToLower(got) == got && got == strings.Trim(got, " ") && isPlain(got), "%s of %q = %q could be a listed one", n.name, who, got)
		}
	}
}

// isPlain: what an allowlist of this project holds.
func isPlain(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789@.-") == ""
}

// TestAsStrangers: the order of the rules decides what remains.
func TestAsStrangers(t *testing.T) {
	pay := func(amounts ...string) []corpus.Payment {
		var out []corpus.Payment
		for _, a := range amounts {
			out = append(out, corpus.Payment{Recipient: "r", Amount: json.RawMessage(a)})
		}
		return out
	}
	const capability, currency = "oap.capability_missing", "oap.currency_unsupported"
	for _, tt := range []struct {
		name   string
		level  corpus.Level
		goal   []corpus.Payment
		expect []string
		want   []string // nil: nobody can tell
		reason string
	}{
		{"allowed", corpus.L2, pay("5"), []string{allowed}, []string{notMember}, "not on the list"},
		{"before the list", corpus.L3, pay(`"x"`, "5", "5"), []string{invalidContext, currency, notMember}, []string{invalidContext, currency, notMember}, "these decide first"},
		{"behind the list", corpus.L4, pay("5", "5", "5"), []string{auditCode, allowed, codeUsed}, []string{notMember, notMember, notMember}, "these no longer get their turn"},
		{"limit per transfer", corpus.L2, pay("5000", "5"), []string{limitExceeded, allowed}, []string{limitExceeded, notMember}, "nothing was allowed before, so it was not the day's"},
		{"limit of the day", corpus.L3, pay("500", "500", "1"), []string{allowed, allowed, limitExceeded}, []string{notMember, notMember, notMember}, "as much was allowed before"},
		{"either limit", corpus.L3, pay("10", "900"), []string{allowed, limitExceeded}, nil, "more than ever was allowed: which limit, nobody knows"},
		{"no list", corpus.L1, pay("5", "60000"), []string{allowed, limitExceeded}, []string{allowed, limitExceeded}, "anybody is paid"},
		{"no capability", corpus.L5, pay("5"), []string{capability}, []string{capability}, "denied before anybody looks"},
		{"no goal", corpus.L2, nil, nil, nil, "nobody to rename"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := asStrangers(corpus.Attack{Level: tt.level, Goal: tt.goal, Expect: tt.expect})
			require.Equal(t, tt.want != nil, ok, tt.reason)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("asStrangers: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestNotationIsSaid(t *testing.T) {
	a := corpus.Attack{ID: "l2-0001", Level: corpus.L2, Messages: []string{"pay"}, Expect: []string{allowed, invalidContext}, Goal: []corpus.Payment{
		{Recipient: "pay@shop.example", Amount: json.RawMessage("2500")}, {Recipient: "pay@shop.example", Amount: json.RawMessage("-1")},
	}}
	for _, tt := range []struct{ operator, says, reason string }{
		{"amount", "amount: ", "the text asks for the call that the goal makes"},
		{"recipient", "recipient: ", "the text asks for the call that the goal makes"},
		{"receipt", "pay@shop.example", "the receipt is about the payee"},
	} {
		v, ok, err := Variant(a, tt.operator)
		require.NoError(t, err)
		require.True(t, ok, tt.operator)
		assert.Contains(t, v.Messages[0], tt.says, tt.reason)
		assert.Equal(t, "-1", string(v.Goal[1].Amount), "what is malformed stays as it is")
	}
	a.Goal[0].Amount = json.RawMessage("0")
	_, ok, err := Variant(a, "amount")
	require.NoError(t, err)
	assert.False(t, ok, "no amount parses")
}
