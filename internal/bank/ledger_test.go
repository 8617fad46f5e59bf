package bank_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
)

const own bank.AccountID = "own@bank.example"

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestOpening(t *testing.T) {
	for _, tt := range []struct {
		name    string
		opening bank.Amount
		reason  string
	}{
		{"empty", 0, "an account may be empty"},
		{"cent", 1, "minor units"},
		{"largest", math.MaxInt64, "the other side's negative fits"},
		{"overdrawn", -500, "an account may be in debt, it just can't pay"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := bank.NewLedger(own, bank.USD, tt.opening)
			assert.Equal(t, tt.opening, l.Balance(), tt.reason)
			assert.Equal(t, bank.USD, l.Currency())
			assert.Empty(t, l.Transfers(), "the opening is no transfer")
			assert.NoError(t, l.Check())
		})
	}
}

func TestPost(t *testing.T) {
	for _, tt := range posts {
		t.Run(tt.name, func(t *testing.T) {
			l := bank.NewLedger(own, bank.USD, tt.opening)
			got, err := l.Post(7, tt.payment, noon)
			assert.ErrorIs(t, err, tt.want, tt.reason)
			assert.Equal(t, tt.left, l.Balance(), tt.reason)
			require.NoError(t, l.Check())
			want := bank.Transfer{
				Position: 7, From: own, Recipient: tt.payment.Recipient, Amount: tt.payment.Amount,
				Currency: bank.USD, Memo: tt.payment.Memo, At: noon,
			}
			all := []bank.Transfer{want}
			if tt.want != nil {
				want, all = bank.Transfer{}, nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Post(%+v) (-want +got): %s\n%s", tt.payment, tt.reason, diff)
			}
			if diff := cmp.Diff(all, l.Transfers()); diff != "" {
				t.Errorf("Transfers() (-want +got): %s\n%s", tt.reason, diff)
			}
		})
	}
}

// TestPostsInOrder: a refused payment leaves the next one to the whole balance.
func TestPostsInOrder(t *testing.T) {
	l := bank.NewLedger(own, bank.USD, 100)
	for i, step := range []struct {
		amount bank.Amount
		want   error
		left   bank.Amount
	}{
		{99, nil, 1},
		{2, bank.ErrOverdraft, 1},
		{1, nil, 0},
		{1, bank.ErrOverdraft, 0},
	} {
		_, err := l.Post(i+1, bank.Payment{Recipient: "a", Amount: step.amount, Currency: bank.USD}, noon)
		require.ErrorIs(t, err, step.want)
		require.Equal(t, step.left, l.Balance())
		require.NoError(t, l.Check())
	}
	require.Len(t, l.Transfers(), 2)
	assert.Equal(t, []int{1, 3}, []int{l.Transfers()[0].Position, l.Transfers()[1].Position}, "each under the position of its call")
}

func TestTransfersIsACopy(t *testing.T) {
	l := bank.NewLedger(own, bank.USD, 100)
	_, err := l.Post(1, bank.Payment{Recipient: "a", Amount: 5, Currency: bank.USD}, noon)
	require.NoError(t, err)
	held := l.Transfers()
	held[0].Amount, held[0].Recipient = 99, "b"
	_ = append(held[:0], bank.Transfer{})
	want := []bank.Transfer{{Position: 1, From: own, Recipient: "a", Amount: 5, Currency: bank.USD, At: noon}}
	if diff := cmp.Diff(want, l.Transfers()); diff != "" {
		t.Errorf("Transfers() after its result was changed (-want +got):\n%s", diff)
	}
}

// TestMoneyIsConserved posts at random: what left the own account is what the
// transfers to others sum to, and the books stay sound.
func TestMoneyIsConserved(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		opening := bank.Amount(rng.Int64N(10_000))
		l := bank.NewLedger(own, bank.USD, opening)
		for i := range 50 {
			_, _ = l.Post(i, bank.Payment{
				Recipient: []bank.AccountID{"a", "b", own, ""}[rng.IntN(4)],
				Amount:    bank.Amount(rng.Int64N(1000) - 100),
				Currency:  []bank.Currency{bank.USD, bank.USD, bank.USD, "EUR"}[rng.IntN(4)],
			}, noon)
		}
		left := opening
		for _, transfer := range l.Transfers() {
			require.Positive(t, transfer.Amount)
			if transfer.Recipient != own {
				left -= transfer.Amount
			}
		}
		require.Equal(t, left, l.Balance())
		require.GreaterOrEqual(t, l.Balance(), bank.Amount(0))
		require.NoError(t, l.Check())
	}
}

func pay(to bank.AccountID, amount bank.Amount) bank.Payment {
	return bank.Payment{Recipient: to, Amount: amount, Currency: bank.USD, Memo: "rent"}
}

func inEuros(amount bank.Amount) bank.Payment {
	return bank.Payment{Recipient: "rent", Amount: amount, Currency: "EUR", Memo: "rent"}
}

var posts = []struct {
	name    string
	opening bank.Amount
	payment bank.Payment
	left    bank.Amount // on the own account
	want    error       // nil: posted
	reason  string
}{
	{"some", 10000, pay("rent", 2550), 7450, nil, "money moves"},
	{"one cent", 10000, pay("rent", 1), 9999, nil, "the least that can be paid"},
	{"everything", 10000, pay("rent", 10000), 0, nil, "the balance to the cent"},
	{"one cent too many", 10000, pay("rent", 10001), 10000, bank.ErrOverdraft, "past the balance by a cent"},
	{"from an empty account", 0, pay("rent", 1), 0, bank.ErrOverdraft, "nothing is there"},
	{"in debt", -1, pay("rent", 1), -1, bank.ErrOverdraft, "less than nothing is there"},
	{"largest", math.MaxInt64, pay("rent", math.MaxInt64), 0, nil, "nothing overflows"},
	{"zero", 10000, pay("rent", 0), 10000, bank.ErrAmount, "nothing is paid"},
	{"negative", 10000, pay("rent", -1), 10000, bank.ErrAmount, "it would pull money in"},
	{"most negative", 10000, pay("rent", math.MinInt64), 10000, bank.ErrAmount, "its negation does not fit"},
	{"other currency", 10000, inEuros(5), 10000, bank.ErrAccountCurrency, "nothing is converted"},
	{"no currency", 10000, bank.Payment{Recipient: "rent", Amount: 1}, 10000, bank.ErrAccountCurrency, "the parser fills it in, not the ledger"},
	{"nobody", 10000, pay("", 1), 10000, bank.ErrRecipient, "money can't go nowhere"},
	{"own account", 10000, pay(own, 2500), 10000, nil, "a transfer like any other, though the balance stays"},
	{"own account, too much", 10000, pay(own, 10001), 10000, bank.ErrOverdraft, "a transfer like any other"},
}
