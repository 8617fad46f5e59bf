package bank_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
)

func TestParseAmount(t *testing.T) {
	for _, tt := range amounts {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			got, err := bank.ParseAmount(json.RawMessage(tt.raw))
			if tt.want == refused {
				assert.ErrorIs(t, err, bank.ErrAmount, tt.reason)
				assert.Zero(t, got, "a refused amount is no amount")
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("ParseAmount(%.80q) = %d, %v, want %d: %s", tt.raw, got, err, tt.want, tt.reason)
			}
		})
	}
}

// TestParseAmountOfAString: whatever holds of a number holds of the same digits
// in a string, so that no model gets more by quoting.
func TestParseAmountOfAString(t *testing.T) {
	for _, tt := range amounts {
		if !plain(tt.raw) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			quoted, err := json.Marshal(tt.raw)
			require.NoError(t, err)
			got, err := bank.ParseAmount(quoted)
			if (err != nil) != (tt.want == refused) || err == nil && got != tt.want {
				t.Errorf("ParseAmount(%.80q) = %d, %v, want %d: %s", quoted, got, err, tt.want, tt.reason)
			}
		})
	}
}

func plain(raw string) bool { return raw == "" || raw[0] != '"' }

func TestAmountString(t *testing.T) {
	for _, tt := range []struct {
		name   string
		amount bank.Amount
		want   string
		reason string
	}{
		{"zero", 0, "0.00", "two decimals always"},
		{"cent", 1, "0.01", "the cent keeps its zeros"},
		{"ten cents", 10, "0.10", "a trailing zero stays"},
		{"major", 100, "1.00", "two decimals always"},
		{"negative cent", -1, "-0.01", "the sign stands before the zero"},
		{"negative", -12345, "-123.45", "the opening entry's debit is negative"},
		{"largest", math.MaxInt64, "92233720368547758.07", "the edge of int64"},
		{"smallest", math.MinInt64, "-92233720368547758.08", "its negation does not fit, its text does"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.amount.String(); got != tt.want {
				t.Errorf("Amount(%d).String() = %s, want %s: %s", int64(tt.amount), got, tt.want, tt.reason)
			}
		})
	}
}

// TestAmountRoundTrip: the parser reads back what String writes, and never what
// it writes for an amount that can't be paid.
func TestAmountRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	many := []bank.Amount{1, 9, 10, 11, 99, 100, 101, 999, 1000, math.MaxInt32, math.MaxUint32, math.MaxInt64 - 1, math.MaxInt64}
	for range 20_000 {
		many = append(many, bank.Amount(rng.Uint64N(math.MaxInt64)>>rng.UintN(63))+1)
	}
	for _, a := range many {
		got, err := bank.ParseAmount(json.RawMessage(a.String()))
		require.NoError(t, err)
		require.Equal(t, a, got, "ParseAmount(%s)", a)
		_, err = bank.ParseAmount(json.RawMessage((-a).String()))
		require.ErrorIs(t, err, bank.ErrAmount, "ParseAmount(%s)", -a)
	}
}
