package authz_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

func TestAuditCode(t *testing.T) {
	for _, tt := range memos {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := authz.AuditCode(tt.memo)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("AuditCode(%q) = %q, %t, want %q: %s", tt.memo, got, ok, tt.want, tt.reason)
			}
		})
	}
}

const code = "APC-2026-0001"

var memos = []struct {
	name, memo, want string // want empty: none, or more than one
	reason           string
}{
	{"alone", code, code, "a token"},
	{"in a sentence", "rent, code " + code + ".", code, "bounded by a blank and a full stop"},
	{"in brackets", "[" + code + "]", code, "bounded by signs"},
	{"between underscores", "_" + code + "_", code, "an underscore is no letter or digit"},
	{"between hyphens", "-" + code + "-", code, "a hyphen is no letter or digit"},
	{"on a line", "a\n" + code + "\nb", code, "bounded by lines"},
	{"forged", "APC-0000-9999", "APC-0000-9999", "well-formed passes by design"},
	{"after a false start", "APC-2026-" + code, code, "the start is bounded by a hyphen"},
	{"one good, one in a word", "x" + code + " APC-2026-0002", "APC-2026-0002", "the first is no token"},
	{"beside an emoji", "💶" + code + "💶", code, "an emoji is no letter or digit"},
	{"beside invalid UTF-8", "\xff" + code + "\xff", code, "a stray byte is no letter or digit"},
	{"none", "rent", "", "no code"},
	{"empty", "", "", "no code"},
	{"two", code + " APC-2026-0002", "", "exactly one"},
	{"twice the same", code + " " + code, "", "exactly one token, even of one code"},
	{"three", code + "," + code + "," + code, "", "exactly one"},
	{"two joined by a hyphen", code + "-APC-2026-0002", "", "a hyphen bounds both"},
	{"digit behind", code + "2", "", "touches a digit"},
	{"letter behind", code + "a", "", "touches a letter"},
	{"letter before", "x" + code, "", "touches a letter"},
	{"digit before", "1" + code, "", "touches a digit"},
	{"glued to another", code + "APC-2026-0002", "", "each touches the other"},
	{"umlaut before", "ü" + code, "", "a letter of any script"},
	{"cyrillic behind", code + "а", "", "a letter of any script"},
	{"chinese before", "付" + code, "", "a letter of any script"},
	{"arabic digit behind", code + "٢", "", "a digit of any script"},
	{"fullwidth digit behind", code + "２", "", "a digit of any script"},
	{"superscript behind", code + "²", "", "a number of any kind"},
	{"roman numeral before", "Ⅳ" + code, "", "a number of any kind"},
	{"lower case", "apc-2026-0001", "", "capitals alone"},
	{"short year", "APC-202-0001", "", "four digits"},
	{"short number", "APC-2026-001", "", "four digits"},
	{"other hyphen", "APC\u20112026\u20110001", "", "ASCII alone"},
	{"no hyphens", "APC20260001", "", "hyphens belong to it"},
	{"blanks", "APC - 2026 - 0001", "", "one token"},
	{"cyrillic letters", "АРС-2026-0001", "", "ASCII alone"},
	{"fullwidth digits", "APC-２０２６-0001", "", "ASCII alone"},
	{"letters for digits", "APC-2O26-0001", "", "digits alone"},
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func request() authz.Request {
	return authz.Request{
		Recipient: "rent@oakhall.example", Amount: 2500, Currency: bank.USD, Region: "US", ShippingCountry: "US",
		Items: []authz.Item{{SKU: "transfer", Quantity: 1, Price: 2500}}, Memo: "rent", IdempotencyKey: "e#1", At: noon,
	}
}

func TestRequestPayment(t *testing.T) {
	want := bank.Payment{Recipient: "rent@oakhall.example", Amount: 2500, Currency: bank.USD, Memo: "rent"}
	if diff := cmp.Diff(want, request().Payment()); diff != "" {
		t.Errorf("Payment() (-want +got):\n%s", diff)
	}
}

// TestDigest: a decision about another value is told by the digest, so each
// field must change it.
func TestDigest(t *testing.T) {
	digests := map[authz.Digest]string{request().Digest(): "unchanged"}
	require.Len(t, request().Digest().String(), 64)
	require.Equal(t, request().Digest(), request().Digest(), "the same value has the same digest")
	for _, tt := range []struct {
		name   string
		change func(*authz.Request)
	}{
		{"recipient", func(r *authz.Request) { r.Recipient = "Rent@oakhall.example" }},
		{"recipient with a blank", func(r *authz.Request) { r.Recipient += " " }},
		{"amount", func(r *authz.Request) { r.Amount++ }},
		{"currency", func(r *authz.Request) { r.Currency = "EUR" }},
		{"region", func(r *authz.Request) { r.Region = "EU" }},
		{"shipping country", func(r *authz.Request) { r.ShippingCountry = "" }},
		{"no items", func(r *authz.Request) { r.Items = nil }},
		{"more items", func(r *authz.Request) { r.Items = append(r.Items, r.Items[0]) }},
		{"sku", func(r *authz.Request) { r.Items[0].SKU = "x" }},
		{"quantity", func(r *authz.Request) { r.Items[0].Quantity = 2 }},
		{"price", func(r *authz.Request) { r.Items[0].Price++ }},
		{"category", func(r *authz.Request) { r.Items[0].Category = "weapons" }},
		{"memo", func(r *authz.Request) { r.Memo = "" }},
		{"key", func(r *authz.Request) { r.IdempotencyKey = "e#2" }},
		{"moment", func(r *authz.Request) { r.At = r.At.Add(time.Nanosecond) }},
	} {
		req := request()
		tt.change(&req)
		same, seen := digests[req.Digest()]
		assert.False(t, seen, "%s has the digest of %s", tt.name, same)
		digests[req.Digest()] = tt.name
	}
}
