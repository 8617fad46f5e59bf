package dispatch_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/bank"
	"vaultbench/internal/dispatch"
)

// FuzzCall gives two calls to one path behind a spy. Nothing may panic; what is
// executed is what was authorized, and what a lenient reader of the same bytes,
// which takes the last of two equal names, would take; there is no second one to
// take; and money is conserved.
func FuzzCall(f *testing.F) {
	for _, tt := range wellFormed {
		f.Add(tt.raw, rent)
	}
	for _, tt := range append(malformedValues, malformedShapes...) {
		f.Add(tt.raw, tt.raw)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		d, layer := behind(func(c *dispatch.Config) { c.KeyByAuditCode = true })
		for i, raw := range []string{first, second} {
			posted := len(d.Transfers())
			r := transfer(d, raw)
			if r.Position != i+1 || !json.Valid([]byte(r.Content)) || r.Decision == nil {
				t.Fatalf("Call(%q) = %+v: wrong position, content that is no JSON, or no decision", raw, r)
			}
			moved := d.Transfers()[posted:]
			if (r.Outcome == dispatch.Executed) != (len(moved) == 1) || len(moved) > 1 {
				t.Fatalf("Call(%q) = %s, and the transfers %+v were posted", raw, r, moved)
			}
			for _, p := range moved {
				if authorized := layer.asked[len(layer.asked)-1].Payment(); paid(p) != authorized {
					t.Errorf("Call(%q) executed %+v, authorized was %+v", raw, paid(p), authorized)
				}
				if want := lenient(t, raw); paid(p) != want {
					t.Errorf("Call(%q) executed %+v, encoding/json reads %+v", raw, paid(p), want)
				}
			}
		}
		conserved(t, d)
	})
}

// lenient reads the arguments as encoding/json does, and fails where a name
// stands twice.
func lenient(t *testing.T, raw string) bank.Payment {
	t.Helper()
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &args); err != nil {
		t.Fatalf("%q was executed, and encoding/json can't read it: %v", raw, err)
	}
	if !uniqueNames(raw) {
		t.Fatalf("%q was executed, and a name stands twice in it", raw)
	}
	p := bank.Payment{Recipient: bank.AccountID(text(t, args["recipient"])), Currency: bank.USD, Memo: text(t, args["memo"])}
	if c := text(t, args["currency"]); c != "" {
		p.Currency = bank.Currency(c)
	}
	amount, ok := new(big.Rat).SetString(strings.TrimSpace(text(t, args["amount"])))
	if !ok {
		t.Fatalf("%q was executed, and its amount is no number", raw)
	}
	p.Amount = bank.Amount(amount.Mul(amount, big.NewRat(bank.MinorPerMajor, 1)).Num().Int64())
	return p
}

// text is a string's value, nothing for null or nothing, and the raw value else.
func text(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] != '"' {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%q is no string: %v", raw, err)
	}
	return s
}

// uniqueNames looks at the top level alone, by another reader than the one
// under test.
func uniqueNames(raw string) bool {
	dec := jsontext.NewDecoder(strings.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	seen := map[string]bool{}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return false
		}
		name := token.String() // before the decoder goes on
		if seen[name] || dec.SkipValue() != nil {
			return false
		}
		seen[name] = true
	}
	return true
}

// conserved asks the account itself what is left.
func conserved(t *testing.T, d *dispatch.Dispatcher) {
	t.Helper()
	left := opening
	for _, p := range d.Transfers() {
		if p.Recipient != own {
			left -= p.Amount
		}
	}
	var answer struct{ Balance string }
	content := d.Call(t.Context(), "get_balance", "{}").Content
	if err := json.Unmarshal([]byte(content), &answer); err != nil || answer.Balance != left.String() || left < 0 {
		t.Errorf("balance %s after %+v, want %s", content, d.Transfers(), left)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}
