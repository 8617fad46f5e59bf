package bank_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
)

// TestPaymentCheck: what no strict parse makes is told from what one does.
func TestPaymentCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *bank.Payment)
		want   error
		reason string
	}{
		{"as parsed", func(*bank.Payment) {}, nil, "the control"},
		{"largest", func(p *bank.Payment) { p.Amount = 1<<63 - 1 }, nil, "64-bit minor units"},
		{"any script", func(p *bank.Payment) { p.Recipient, p.Memo = "zoë 付", "" }, nil, "names are text"},
		{"nothing", func(p *bank.Payment) { p.Amount = 0 }, bank.ErrAmount, "greater than zero"},
		{"below nothing", func(p *bank.Payment) { p.Amount = -600 }, bank.ErrAmount, "money would come back"},
		{"nobody", func(p *bank.Payment) { p.Recipient = "" }, bank.ErrRecipient, "an account has a name"},
		{"control character", func(p *bank.Payment) { p.Recipient = "bob\x00" }, bank.ErrRecipient, "U+0000 to U+001F"},
		{"high control character", func(p *bank.Payment) { p.Recipient = "bob\u0085" }, bank.ErrRecipient, "U+007F to U+009F"},
		{"no currency", func(p *bank.Payment) { p.Currency = "" }, bank.ErrCurrency, "three letters"},
		{"small letters", func(p *bank.Payment) { p.Currency = "usd" }, bank.ErrCurrency, "capital ones"},
		{"four letters", func(p *bank.Payment) { p.Currency = "USDX" }, bank.ErrCurrency, "three letters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := bank.Payment{Recipient: "bob", Amount: 1, Currency: bank.USD, Memo: "m"}
			tt.change(&p)
			require.ErrorIs(t, p.Check(), tt.want, tt.reason)
		})
	}
}
