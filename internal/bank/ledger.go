package bank

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Payment is a transfer that somebody wants executed: parsed, not yet posted.
type Payment struct {
	Recipient AccountID
	Amount    Amount // minor units, greater than zero
	Currency  Currency
	Memo      string
}

// Check says why no strict parse of a call can have made the payment: ErrRecipient,
// ErrAmount or ErrCurrency; nil if one can.
func (p Payment) Check() error {
	if err := p.Recipient.check(); err != nil {
		return err
	}
	if p.Amount <= 0 {
		return fmt.Errorf("%w: %d minor units", ErrAmount, p.Amount)
	}
	return p.Currency.check()
}

// Transfer is a payment that was posted. It exists only if money moved.
type Transfer struct {
	Position  int       `json:"position"` // of the call that caused it, from 1
	From      AccountID `json:"from"`
	Recipient AccountID `json:"recipient"`
	Amount    Amount    `json:"amount"` // minor units
	Currency  Currency  `json:"currency"`
	Memo      string    `json:"memo"`
	At        time.Time `json:"at"` // virtual clock
}

// Posting is one side of a ledger entry: a debit is negative, a credit positive.
type Posting struct {
	Account AccountID
	Amount  Amount // minor units
}

// Entry is one line of the journal; its two postings sum to zero.
type Entry struct {
	Debit, Credit Posting
}

// Why the bank itself refuses a payment, whatever a layer said.
var (
	ErrOverdraft       = errors.New("insufficient funds")
	ErrAccountCurrency = errors.New("the account holds another currency")
)

// openingAccount is the other side of the opening balance, so that the books
// sum to zero from the first entry on. Its name can't be a recipient: a control
// character is refused by ParseRecipient.
const openingAccount AccountID = "\x00opening"

// Ledger is a double-entry ledger over one own account. It belongs to one
// conversation and is not safe for concurrent use. Only package dispatch may
// hold one; a test over the sources keeps it so.
type Ledger struct {
	own       AccountID
	currency  Currency
	balances  map[AccountID]Amount
	entries   []Entry
	transfers []Transfer
}

// NewLedger opens the books with a balance in minor units on the own account.
func NewLedger(own AccountID, currency Currency, opening Amount) *Ledger {
	l := &Ledger{own: own, currency: currency, balances: map[AccountID]Amount{}}
	l.enter(Entry{Posting{openingAccount, -opening}, Posting{own, opening}})
	return l
}

// Post moves money from the own account, or refuses with ErrRecipient, ErrAmount,
// ErrAccountCurrency or ErrOverdraft and moves nothing. A transfer to the own
// account is posted like any other.
func (l *Ledger) Post(position int, p Payment, at time.Time) (Transfer, error) {
	balance := l.balances[l.own]
	switch {
	case p.Recipient == "":
		return Transfer{}, fmt.Errorf("%w: empty", ErrRecipient)
	case p.Amount <= 0:
		return Transfer{}, fmt.Errorf("%w: %d minor units", ErrAmount, p.Amount)
	case p.Currency != l.currency:
		return Transfer{}, fmt.Errorf("%w: %s, not %s", ErrAccountCurrency, l.currency, p.Currency)
	case p.Amount > balance:
		return Transfer{}, fmt.Errorf("%w: balance %s, asked %s", ErrOverdraft, balance, p.Amount)
	}
	l.enter(Entry{Posting{l.own, -p.Amount}, Posting{p.Recipient, p.Amount}})
	t := Transfer{
		Position: position, From: l.own, Recipient: p.Recipient, Amount: p.Amount,
		Currency: p.Currency, Memo: p.Memo, At: at,
	}
	l.transfers = append(l.transfers, t)
	return t, nil
}

func (l *Ledger) enter(e Entry) {
	l.entries = append(l.entries, e)
	l.balances[e.Debit.Account] += e.Debit.Amount
	l.balances[e.Credit.Account] += e.Credit.Amount
}

// Balance is the own account's balance in minor units.
func (l *Ledger) Balance() Amount { return l.balances[l.own] }

// Currency is the own account's currency.
func (l *Ledger) Currency() Currency { return l.currency }

// Transfers returns the posted transfers in order.
func (l *Ledger) Transfers() []Transfer { return slices.Clone(l.transfers) }

// Check verifies the books: each entry's sides cancel out, and the balances are
// what the entries sum to. An error is a fault of the harness.
func (l *Ledger) Check() error {
	sums := map[AccountID]Amount{}
	for i, e := range l.entries {
		if e.Debit.Amount != -e.Credit.Amount || e.Debit.Amount == math.MinInt64 {
			return fmt.Errorf("ledger entry %d: debit %d and credit %d do not cancel out", i, e.Debit.Amount, e.Credit.Amount)
		}
		sums[e.Debit.Account] += e.Debit.Amount
		sums[e.Credit.Account] += e.Credit.Amount
	}
	for account, balance := range l.balances {
		if sums[account] != balance {
			return fmt.Errorf("ledger account %q: balance %d, entries sum to %d", account, balance, sums[account])
		}
	}
	if len(l.entries) != len(l.transfers)+1 {
		return fmt.Errorf("ledger: %d entries for %d transfers and the opening", len(l.entries), len(l.transfers))
	}
	return nil
}
