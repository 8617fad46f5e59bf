package llm_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"vaultbench/internal/llm"
)

func TestWireStrings(t *testing.T) {
	rows := []struct{ name, wire, text, reason string }{
		{"empty", `""`, "", "no arguments"},
		{"object in a string", `"{\"a\":\"b\"}"`, `{"a":"b"}`, "the usual case"},
		{"trailing garbage", `"{}\"\""`, `{}""`, "arguments need not be JSON"},
		{"inner escape", `"{\"a\":\"\\ud800\"}"`, `{"a":"\ud800"}`, "an escape inside the arguments is plain text here"},
		{"lone high surrogate", `"x\ud800y"`, "x\xed\xa0\x80y", "an encoder would put U+FFFD"},
		{"lone low surrogate", `"\udc00"`, "\xed\xb0\x80", "the same"},
		{"two high surrogates", `"\ud800\ud801"`, "\xed\xa0\x80\xed\xa0\x81", "no pair"},
		{"low before high", `"\udc00\ud800"`, "\xed\xb0\x80\xed\xa0\x80", "no pair"},
		{"control characters", `"\u0000\u000a\u001b"`, "\x00\n\x1b", "always as escapes"},
		{"unicode as it is", `"ü😀\u007f"`, "ü😀\x7f", "no needless escapes"},
		{"invalid byte", "\"a\xffb\"", "a\xffb", "stays as it is"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := llm.UnquoteWire([]byte(row.wire)); got != row.text {
				t.Errorf("UnquoteWire(%s) = %q, want %q: %s", row.wire, got, row.text, row.reason)
			}
			if got := llm.UnquoteWire(llm.QuoteWire(row.text)); got != row.text {
				t.Errorf("UnquoteWire(QuoteWire(%q)) = %q: %s", row.text, got, row.reason)
			}
		})
	}
}

func TestUnquoteWireReadsWhatOthersWrite(t *testing.T) {
	rows := []struct{ name, wire, text, reason string }{
		{"surrogate pair", `"\ud83d\ude00"`, "😀", "ASCII-only encoders"},
		{"short escapes", `"\b\f\n\r\t\/\\\""`, "\b\f\n\r\t/\\\"", "all of JSON's"},
		{"upper case hex", `"\u00FC"`, "ü", "both cases are allowed"},
		{"object", ` {"a": 1} `, `{"a": 1}`, "some servers do not put arguments into a string"},
		{"null", `null`, ``, "no arguments"},
		{"missing", ``, ``, "no arguments"},
		{"number", `7`, `7`, "kept, for the strict parser to refuse"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := llm.UnquoteWire([]byte(row.wire)); got != row.text {
				t.Errorf("UnquoteWire(%s) = %q, want %q: %s", row.wire, got, row.text, row.reason)
			}
		})
	}
}

// FuzzWireStrings: no byte is lost on the way, and valid text is quoted as the
// standard library understands it.
func FuzzWireStrings(f *testing.F) {
	for _, seed := range []string{"", `{}""`, "\xed\xa0\xbd\xed\xb8\x80", "\xed\xa0\x80\\udc00", "\xed\xa0", "ü\u2028\x00\x7f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		wire := llm.QuoteWire(s)
		if got := llm.UnquoteWire(wire); got != s {
			t.Fatalf("UnquoteWire(QuoteWire(%q)) = %q by way of %s", s, got, wire)
		}
		var std string
		if err := json.Unmarshal(wire, &std); err != nil || utf8.ValidString(s) && std != s {
			t.Fatalf("json.Unmarshal(%s) = %q, %v, want %q", wire, std, err, s)
		}
		llm.UnquoteWire([]byte(s))             // must not panic on what is no JSON
		llm.UnquoteWire([]byte(`"` + s + `"`)) // the same
	})
}
