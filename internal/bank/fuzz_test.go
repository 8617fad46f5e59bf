package bank_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/bank"
)

// plainDecimal is the grammar of money, written down apart from the parser.
var plainDecimal = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// referenceAmount reads an amount by exact rational arithmetic.
func referenceAmount(raw string) (bank.Amount, bool) {
	text := raw
	if strings.HasPrefix(raw, `"`) {
		if !strings.HasSuffix(raw, `"`) || json.Unmarshal([]byte(raw), &text) != nil {
			return 0, false
		}
	}
	if !plainDecimal.MatchString(text) {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	r.Mul(r, big.NewRat(bank.MinorPerMajor, 1))
	if !r.IsInt() || r.Sign() <= 0 || !r.Num().IsInt64() {
		return 0, false
	}
	return bank.Amount(r.Num().Int64()), true
}

// FuzzParseAmount compares the parser with the reference: same verdict, same
// value.
func FuzzParseAmount(f *testing.F) {
	for _, tt := range amounts {
		if len(tt.raw) < 1000 {
			f.Add(tt.raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if len(raw) > 1<<12 {
			t.Skip("the reference is slow on long digit strings")
		}
		want, ok := referenceAmount(raw)
		got, err := bank.ParseAmount(json.RawMessage(raw))
		if (err == nil) != ok || got != want {
			t.Errorf("ParseAmount(%q) = %d, %v, want %d, %t", raw, got, err, want, ok)
		}
		if err == nil {
			if again, err := bank.ParseAmount(json.RawMessage(got.String())); err != nil || again != got {
				t.Errorf("ParseAmount(%s) = %d, %v, want %d: String must be read back", got, again, err, got)
			}
		}
	})
}

// TestReferenceAmount holds the reference to the same table as the parser, so
// that the two can't be wrong together.
func TestReferenceAmount(t *testing.T) {
	for _, tt := range amounts {
		if len(tt.raw) > 1000 {
			continue
		}
		if got, ok := referenceAmount(tt.raw); ok != (tt.want != refused) || ok && got != tt.want {
			t.Errorf("referenceAmount(%q) = %d, %t, want %d: %s", tt.raw, got, ok, tt.want, tt.reason)
		}
	}
}

// FuzzParseRecipient compares the parser with two others: jsontext, which is
// strict, gives the verdict, and encoding/json the value.
func FuzzParseRecipient(f *testing.F) {
	for _, tt := range recipients {
		f.Add(tt.raw)
	}
	for _, raw := range []string{`"\ud800"`, `"\ud83d\ud83d\ude00"`, `"\ude00\ud83d"`, `"\ufffd\udfff"`} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		strict, err := jsontext.AppendUnquote(nil, raw)
		want := err == nil && len(strict) > 0 && !strings.ContainsFunc(string(strict), unicode.IsControl)
		got, err := bank.ParseRecipient(json.RawMessage(raw))
		if (err == nil) != want {
			t.Fatalf("ParseRecipient(%q) = %q, %v, want accepted %t (%q)", raw, got, err, want, strict)
		}
		if err != nil {
			return
		}
		if got == "" || !utf8.ValidString(string(got)) || strings.ContainsFunc(string(got), unicode.IsControl) {
			t.Errorf("ParseRecipient(%q) = %q: empty, no UTF-8, or a control character", raw, got)
		}
		var lenient string
		if err := json.Unmarshal([]byte(raw), &lenient); err != nil || lenient != string(got) || string(strict) != lenient {
			t.Errorf("ParseRecipient(%q) = %q, encoding/json reads %q (%v), jsontext %q", raw, got, lenient, err, strict)
		}
	})
}
