package authz

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
)

// TestCanonicalRequest holds the hand-written encoding equal to the library's
// canonical form of encoding/json's.
func TestCanonicalRequest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "Z", "0", "\"", "\\", "<", "&", "\u2028", "é", "😀", "\x1b", "\x00", "\n", "\u200b", " "}
	text := func() string {
		s := ""
		for range random.IntN(8) {
			s += alphabet[random.IntN(len(alphabet))]
		}
		return s
	}
	for range 2000 {
		r := Request{
			Recipient: bank.AccountID(text()), Amount: bank.Amount(random.Int64N(1 << 52)), Currency: bank.Currency(text()),
			Region: text(), ShippingCountry: text(), Memo: text(), IdempotencyKey: text(),
			At: time.Unix(random.Int64N(1<<32), random.Int64N(1e9)).UTC(),
		}
		for range random.IntN(3) {
			r.Items = append(r.Items, Item{text(), random.Int64N(9), bank.Amount(random.Int64N(1 << 50)), text()})
		}
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		want := jsontext.Value(raw)
		require.NoError(t, want.Canonicalize())
		require.Equal(t, string(want), string(r.appendCanonical(nil)))
	}
}

func BenchmarkDigest(b *testing.B) {
	r := Request{
		Recipient: "rent@oakhall.example", Amount: 125000, Currency: bank.USD, Region: "US", Memo: "rent of March, flat 4",
		Items:          []Item{{SKU: "transfer", Quantity: 1, Price: 125000}},
		IdempotencyKey: "a-2f81c6#1", At: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC),
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = r.Digest()
	}
}

// TestHexText: the same digits as the library's, for each byte at each place.
func TestHexText(t *testing.T) {
	for b := range 256 {
		var sum [sha256.Size]byte
		for i := range sum {
			sum[i] = byte(b + 37*i)
		}
		require.Equal(t, hex.EncodeToString(sum[:]), hexText(&sum))
	}
}
