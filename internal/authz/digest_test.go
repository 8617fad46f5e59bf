package authz_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
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
		r := authz.Request{
			Recipient: bank.AccountID(text()), Amount: bank.Amount(random.Int64N(1 << 52)), Currency: bank.Currency(text()),
			Region: text(), ShippingCountry: text(), Memo: text(), IdempotencyKey: text(),
			At: time.Unix(random.Int64N(1<<32), random.Int64N(1e9)).UTC(),
		}
		for range random.IntN(3) {
			r.Items = append(r.Items, authz.Item{text(), random.Int64N(9), bank.Amount(random.Int64N(1 << 50)), text()})
		}
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		want := jsontext.Value(raw)
		require.NoError(t, want.Canonicalize())
		require.Equal(t, authz.Digest(sha256.Sum256(want)), r.Digest(), "%s", want)
	}
}

func BenchmarkDigest(b *testing.B) {
	r := authz.Request{
		Recipient: "rent@oakhall.example", Amount: 125000, Currency: bank.USD, Region: "US", Memo: "rent of March, flat 4",
		Items:          []authz.Item{{SKU: "transfer", Quantity: 1, Price: 125000}},
		IdempotencyKey: "a-2f81c6#1", At: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC),
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = r.Digest()
	}
}

// TestDigestText: the same digits as the library's, for each byte at each place,
// and back.
func TestDigestText(t *testing.T) {
	for b := range 256 {
		var d, read authz.Digest
		for i := range d {
			d[i] = byte(b + 37*i)
		}
		want := hex.EncodeToString(d[:])
		require.Equal(t, want, d.String())
		require.NoError(t, read.UnmarshalText([]byte(want)))
		require.Equal(t, d, read)
	}
	require.Empty(t, authz.Digest{}.String(), "there is none")
}

// TestDigestInOneWay: what is not written by a Digest is not read as one.
func TestDigestInOneWay(t *testing.T) {
	const refusal = "digest is not 64 lower-case hex digits"
	digits := authz.Digest{31: 0xab}.String()
	for _, tt := range []struct{ name, text, reason string }{
		{"empty", "", "none is left out, not empty"},
		{"none", strings.Repeat("0", 64), "so is the zero value"},
		{"capital", digits[:62] + "AB", "one way of writing"},
		{"short", digits[1:], "64 digits"},
		{"long", digits + "0", "64 digits"},
		{"odd", digits[:63] + "g", "hexadecimal"},
		{"prefixed", "sha256:" + digits[7:], "digits alone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := authz.Digest{1}
			require.EqualError(t, d.UnmarshalText([]byte(tt.text)), refusal, tt.reason)
			require.Equal(t, authz.Digest{1}, d, "an error changes nothing")
			var decision authz.Decision
			require.ErrorContains(t, json.Unmarshal([]byte(`{"request_digest":"`+tt.text+`"}`), &decision), refusal, tt.reason)
		})
	}
	raw, err := json.Marshal(authz.Decision{})
	require.NoError(t, err)
	require.NotContains(t, string(raw), "request_digest")
}
