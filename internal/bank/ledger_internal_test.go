package bank

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCheckFindsBrokenBooks reaches into the ledger, since nothing else can
// break it.
func TestCheckFindsBrokenBooks(t *testing.T) {
	for _, tt := range []struct {
		name    string
		breakIt func(*Ledger)
		want    string // part of the error
		reason  string
	}{
		{"credit lost", func(l *Ledger) { l.entries[1].Credit.Amount-- }, "do not cancel out", "the sides must sum to zero"},
		{"side of another entry", func(l *Ledger) { l.entries[1].Debit = l.entries[0].Debit }, "do not cancel out", "each entry alone must sum to zero"},
		{"balance raised", func(l *Ledger) { l.balances["own"]++ }, `account "own"`, "money from nowhere"},
		{"account invented", func(l *Ledger) { l.balances["thief"] = 5 }, `account "thief"`, "money from nowhere"},
		{"credited to another", func(l *Ledger) { l.entries[1].Credit.Account = "thief" }, `account "a"`, "the balance stays behind"},
		{"entry lost", func(l *Ledger) { l.entries = l.entries[:1] }, `account "`, "the balances remember it"},
		{"transfer lost", func(l *Ledger) { l.transfers = nil }, "2 entries for 0 transfers", "the judge would not see it"},
		{"transfer invented", func(l *Ledger) { l.transfers = append(l.transfers, Transfer{}) }, "2 entries for 2 transfers", "the judge would see what never moved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLedger("own", USD, 100)
			_, err := l.Post(1, Payment{Recipient: "a", Amount: 30, Currency: USD}, time.Time{})
			require.NoError(t, err)
			require.NoError(t, l.Check())
			tt.breakIt(l)
			assert.ErrorContains(t, l.Check(), tt.want, tt.reason)
		})
	}
}

// TestCheckRefusesTheSmallestOpening: the one amount whose negation overflows.
func TestCheckRefusesTheSmallestOpening(t *testing.T) {
	assert.Error(t, NewLedger("own", USD, math.MinInt64).Check())
}
