package sim

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func usd(cents int64) money { return money{cents, "USD"} }

var amountRows = []struct {
	text   string
	want   money // zero where nothing is read
	reason string
}{
	{"pay $1,234.56", usd(123456), "English separators"},
	{"pay 1.234,56 €", money{123456, "EUR"}, "continental separators"},
	{"pay €1.234", money{123400, "EUR"}, "a group for a continental writer"},
	{"pay 1 234,56 EUR", money{123456, "EUR"}, "blanks between groups"},
	{"pay 1\u00a0234,56 EUR", money{123456, "EUR"}, "unbroken blanks between groups"},
	{"pay CHF 1'234.50", money{123450, "CHF"}, "apostrophes between groups"},
	{"pay 500 dollars", usd(50000), "the currency behind"},
	{"pay 500 US dollars", usd(50000), "the currency in two words"},
	{"pay USD500", usd(50000), "the currency touches"},
	{"pay 500$", usd(50000), "the sign behind"},
	{"pay 500 dólares", usd(50000), "another language"},
	{"支付500美元", usd(50000), "no blanks"},
	{"pay $2.5k", usd(250000), "thousands"},
	{"pay 500.00", money{50000, ""}, "no currency"},
	{"pay 19.99", money{1999, ""}, "no currency"},
	{"pay 500", money{50000, ""}, "a bare number where an amount is expected"},
	{"pay 2,500", money{250000, ""}, "a comma before three digits is a group"},
	{`{"amount": "2500.00", "week": 12}`, money{250000, ""}, "a key of a structure"},
	{"pay 1,234,567.8", money{123456780, ""}, "one decimal"},
	{"pay $0.475", money{}, "three decimals are no money"},
	{"pay $2.500", money{}, "may be meant either way"},
	{"pay $0", money{}, "nothing to pay"},
	{"pay 007", money{}, "a number with leading zeros is an id"},
	{"pay -500", money{}, "negative"},
	{"pay -$500", money{}, "negative"},
	{"pay 1e3", money{}, "exponent"},
	{"pay ５００", money{}, "fullwidth digits"},
	{"pay 50%", money{}, "a percentage"},
	{"pay 12 boxes", money{}, "a count"},
	{"pay 2026-03-06 at 09:30", money{}, "a date and a time"},
	{"pay invoice BW-2207", money{}, "part of a word"},
	{"pay week 8", money{}, "a number behind a noun"},
	{"pay up to $500", money{}, "a limit"},
	{"pay 99999999999999999999", money{}, "more than any bank holds"},
}

func TestReadAmounts(t *testing.T) {
	const to = " to a@b.example"
	for _, tt := range amountRows {
		t.Run(tt.text, func(t *testing.T) {
			r := read(tt.text+to, false)
			var got money
			if len(r.orders) > 0 {
				got = r.orders[0].money
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(money{})); diff != "" {
				t.Errorf("read(%q) (-want +got):\n%s%s", tt.text+to, diff, tt.reason)
			}
		})
	}
}

func TestReadRecipients(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		want   string
		reason string
	}{
		{"full stop", "pay $5 to a@b.example.", "a@b.example", "the sentence's"},
		{"brackets", "pay $5 to <a@b.example>", "a@b.example", "the writer's"},
		{"mailto", "pay $5 to mailto:a@b.example", "a@b.example", "a scheme is no part of it"},
		{"bold", "pay $5 to **a@b.example**", "a@b.example", "Markdown"},
		{"Chinese around", "支付$5给a@b.example谢谢", "a@b.example", "no blanks in this script"},
		{"digits first", "pay $5 to 4471@b.example", "4471@b.example", "an address may begin with a digit"},
		{"zero-width inside", "pay $5 to a@b\u200b.example", "a@b\u200b.example", "another byte, another recipient"},
		{"Cyrillic inside", "pay $5 to а@b.example", "а@b.example", "another byte, another recipient"},
		{"sender", "From: z@b.example\npay $5 to a@b.example", "a@b.example", "a sender is no payee"},
		{"handle", "pay $5 @everyone", "", "nothing before the sign"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if orders := read(tt.text, false).orders; len(orders) > 0 {
				got = orders[0].recipient
			}
			require.Equal(t, tt.want, got, tt.reason)
		})
	}
}

func TestReadMemos(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		want   string
		reason string
	}{
		{"none", "pay $5 to a@b.example", "", "nothing is stated"},
		{"key", "pay $5 to a@b.example memo: desk lamps, thanks", "desk lamps", "up to the comma"},
		{"quotes", `pay $5 to a@b.example, memo "lamps, two"`, "lamps, two", "up to the closing quote"},
		{"German quotes", "pay $5 to a@b.example, Verwendungszweck „Lampen, zwei“", "Lampen, zwei", "up to the closing quote"},
		{"French quotes", "pay $5 to a@b.example, motif « lampes, deux »", "lampes, deux", "up to the closing quote"},
		{"Chinese", "支付$5给a@b.example，备注“灯，两个”", "灯，两个", "a key without blanks around"},
		{"reference", "pay $5 to a@b.example reference BW-2207.", "BW-2207", "a reference is a memo"},
		{"for", "pay $5 to a@b.example for invoice BW-2207", "invoice BW-2207", "the purpose"},
		{"key before for", "pay $5 to a@b.example for me, memo lamps", "lamps", "what is called a memo comes first"},
		{"own line", "pay a@b.example\namount: $5\nmemo: lamps", "lamps", "a line of its own"},
		{"JSON", `{"memo":"lamps","recipient":"a@b.example","amount":5}`, "lamps", "a key of a structure"},
		{"empty JSON", `{"recipient":"a@b.example","amount":5,"memo":"","currency":"USD"}`, "", "stated as empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			orders := read(tt.text, false).orders
			require.Len(t, orders, 1)
			require.Equal(t, tt.want, orders[0].memo, tt.reason)
		})
	}
}

// TestPoliciesOfTheLevels reads the real prompts: a changed wording that the
// bankers no longer understand must not pass as a banker that holds back.
func TestPoliciesOfTheLevels(t *testing.T) {
	data, err := os.ReadFile("../../../fixtures/levels.json")
	require.NoError(t, err)
	var file struct {
		Levels []struct {
			Level        string `json:"level"`
			SystemPrompt string `json:"system_prompt"`
			Permits      string `json:"permits"`
			Recipients   []struct{ ID, Class string }
		} `json:"levels"`
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Levels, 5)
	for _, level := range file.Levels {
		got := newPolicy(level.SystemPrompt)
		var payees []string
		for _, r := range level.Recipients {
			if r.Class == "permitted" && level.Permits == "listed" {
				payees = append(payees, r.ID)
			}
		}
		require.Equal(t, payees, got.payees, level.Level)
		require.True(t, got.dollarsOnly, level.Level)
		require.Equal(t, level.Permits == "any", got.anyone, level.Level)
		require.Equal(t, level.Level == "l5", got.guarded, level.Level)
		require.Equal(t, level.Level == "l4", got.needsCode, level.Level)
		require.Equal(t, level.Level == "l3", got.clearOrders, level.Level)
		require.Equal(t, level.Level != "l5", got.perTransfer > 0, level.Level)
		require.Equal(t, level.Level == "l3" || level.Level == "l4", got.perDay > 0, level.Level)
	}
}
