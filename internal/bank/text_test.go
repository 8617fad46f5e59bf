package bank_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
)

func TestParseRecipient(t *testing.T) {
	for _, tt := range recipients {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			got, err := bank.ParseRecipient(json.RawMessage(tt.raw))
			if tt.want == "" {
				assert.ErrorIs(t, err, bank.ErrRecipient, "ParseRecipient(%q) = %q: %s", tt.raw, got, tt.reason)
				assert.Empty(t, got, "a refused recipient is nobody")
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("ParseRecipient(%q) = %q, %v, want %q: %s", tt.raw, got, err, tt.want, tt.reason)
			}
		})
	}
}

// TestParseRecipientControlCharacters goes over every code point up to U+00FF,
// raw and escaped, in each position.
func TestParseRecipientControlCharacters(t *testing.T) {
	for r := rune(0); r <= 0xff; r++ {
		control := r <= 0x1f || r >= 0x7f && r <= 0x9f
		for _, spelling := range []string{string(r), fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r)} {
			if spelling == `"` || spelling == `\` {
				continue // raw, they are syntax
			}
			for _, form := range []string{`"%s"`, `"%sab"`, `"a%sb"`, `"ab%s"`} {
				raw := fmt.Sprintf(form, spelling)
				_, err := bank.ParseRecipient(json.RawMessage(raw))
				require.Equal(t, control, err != nil, "ParseRecipient(%q) for %U: %v", raw, r, err)
			}
		}
	}
}

// TestLoneSurrogates puts each half that lacks its other half between every two
// neighbours, among them the characters that a lone half is repaired to.
func TestLoneSurrogates(t *testing.T) {
	neighbours := []string{``, `a`, `\\`, `\n`, `\u0041`, `😀`, `\ud83d\ude00`, `\ufffd`, "\ufffd"}
	for _, lone := range []string{`\ud800`, `\udbff`, `\udc00`, `\udfff`, `\uD83D`, `\uDE00`, `\ude00\ud83d`, `\ud83d\ud83d`} {
		for _, before := range neighbours {
			for _, after := range neighbours {
				raw := `"` + before + lone + after + `"`
				text, ok := bank.ParseText(json.RawMessage(raw))
				require.False(t, ok, "ParseText(%s) = %q, want none: encoding/json would repair it to U+FFFD", raw, text)
				_, err := bank.ParseRecipient(json.RawMessage(raw))
				require.ErrorIs(t, err, bank.ErrRecipient, "ParseRecipient(%s)", raw)
			}
		}
	}
	for _, before := range neighbours {
		for _, after := range neighbours {
			raw := `"` + before + after + `"`
			_, ok := bank.ParseText(json.RawMessage(raw))
			require.True(t, ok, "ParseText(%s): the neighbours alone are fine", raw)
		}
	}
}

func TestParseCurrency(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      bank.Currency // empty: refused
		reason    string
	}{
		{"dollar", `"USD"`, "USD", "three capital letters"},
		{"unknown", `"XYZ"`, "XYZ", "which currencies exist is for layer and bank to say"},
		{"escaped", `"\u0055SD"`, "USD", "the value counts, not its spelling"},
		{"lower case", `"usd"`, "", "capitals alone"},
		{"mixed case", `"Usd"`, "", "capitals alone"},
		{"short", `"US"`, "", "three letters"},
		{"long", `"USDT"`, "", "three letters"},
		{"empty", `""`, "", "three letters"},
		{"digits", `"U5D"`, "", "letters alone"},
		{"blank", `" USD"`, "", "letters alone"},
		{"sign", `"US$"`, "", "letters alone"},
		{"three bytes of one letter", `"Ａ"`, "", "ASCII letters alone"},
		{"cyrillic", `"UЅD"`, "", "ASCII letters alone"},
		{"number", `840`, "", "another type"},
		{"null", `null`, "", "another type; what null means is for the caller"},
		{"bare", `USD`, "", "no JSON"},
		{"nothing", ``, "", "missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := bank.ParseCurrency(json.RawMessage(tt.raw))
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("ParseCurrency(%q) = %q, %v, want %q: %s", tt.raw, got, err, tt.want, tt.reason)
			}
			if tt.want == "" {
				assert.ErrorIs(t, err, bank.ErrCurrency)
			}
		})
	}
}

func TestParseText(t *testing.T) {
	for _, tt := range []struct {
		name, raw, want string
		ok              bool
		reason          string
	}{
		{"plain", `"rent"`, "rent", true, "a string"},
		{"empty", `""`, "", true, "a memo may be empty"},
		{"control characters", `"a\u0000\n\u009f"`, "a\x00\n\u009f", true, "any text, not a name"},
		{"replacement character", `"\ufffd"`, "\ufffd", true, "a character like others"},
		{"emoji pair", `"\ud83d\ude00"`, "😀", true, "both halves are there"},
		{"separators", "\"\u2028\u2029\"", "\u2028\u2029", true, "legal in JSON"},
		{"invalid UTF-8", "\"a\xff\"", "", false, "encoding/json would repair it"},
		{"number", `1`, "", false, "another type"},
		{"null", `null`, "", false, "encoding/json would take it for an empty string"},
		{"list", `["a"]`, "", false, "another type"},
		{"nothing", ``, "", false, "missing"},
		{"open", `"a`, "", false, "no JSON"},
		{"trailing", `"a"x`, "", false, "no JSON"},
		{"blank behind", `"a" `, "", false, "one value and nothing else"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := bank.ParseText(json.RawMessage(tt.raw))
			if got != tt.want || ok != tt.ok {
				t.Errorf("ParseText(%q) = %q, %t, want %q, %t: %s", tt.raw, got, ok, tt.want, tt.ok, tt.reason)
			}
		})
	}
}

var recipients = []struct {
	name, raw string
	want      bank.AccountID // empty: refused
	reason    string
}{
	{"address", `"rent@oakhall.example"`, "rent@oakhall.example", "the usual form"},
	{"iban", `"GB33BUKB20201555555555"`, "GB33BUKB20201555555555", "any name will do"},
	{"one letter", `"a"`, "a", "not empty"},
	{"case kept", `"Rent@OakHall.example"`, "Rent@OakHall.example", "byte for byte, so another account"},
	{"trailing blank kept", `"rent "`, "rent ", "byte for byte, so another account"},
	{"blank alone", `" "`, " ", "a blank is no control character"},
	{"homoglyph kept", `"rеnt"`, "r\u0435nt", "a Cyrillic letter makes another account"},
	{"not normalised", `"e\u0301"`, "e\u0301", "two code points stay two"},
	{"escaped letters", `"\u0072ent"`, "rent", "one string, however spelled"},
	{"escaped slash", `"a\/b"`, "a/b", "one string, however spelled"},
	{"escaped quote", `"a\"b"`, `a"b`, "one string, however spelled"},
	{"escaped backslash before u", `"\\ud800"`, `\ud800`, "a backslash and letters, no surrogate"},
	{"two backslashes before u", `"\\\\ud800"`, `\\ud800`, "no surrogate either"},
	{"replacement character", "\"a\ufffd\"", "a\ufffd", "the real character is legal"},
	{"escaped replacement character", `"a\uFFFD"`, "a\ufffd", "the real character is legal"},
	{"emoji", `"😀"`, "😀", "valid UTF-8"},
	{"surrogate pair", `"\ud83d\ude00"`, "😀", "the same account as the raw emoji"},
	{"capital surrogate pair", `"\uD83D\uDE00"`, "😀", "hexadecimal has two cases"},
	{"two pairs", `"\ud83d\ude00\ud83d\ude00"`, "😀😀", "each half has its other half"},
	{"pair beside replacement", `"\ufffd\ud83d\ude00\ufffd"`, "\ufffd😀\ufffd", "nothing is alone"},
	{"last pair beside replacement", `"\ufffd\udbff\udfff"`, "\ufffd\U0010ffff", "nothing is alone"},
	{"escaped backslash beside replacement", `"\ufffd\\ud800"`, "\ufffd\\ud800", "a backslash and letters, no surrogate"},
	{"last code point", `"\udbff\udfff"`, "\U0010ffff", "the edge of Unicode"},
	{"below surrogates", `"\ud7ff"`, "\ud7ff", "the edge of the surrogates"},
	{"above surrogates", `"\ue000"`, "\ue000", "the edge of the surrogates"},
	{"no-break space", `"\u00a0"`, "\u00a0", "the edge of the upper control characters"},
	{"zero-width space", `"a\u200b"`, "a\u200b", "unseen, but no control character: another account"},
	{"right-to-left override", `"a\u202eb"`, "a\u202eb", "a format character, no control character"},
	{"empty", `""`, "", "nobody"},
	{"nothing", ``, "", "missing"},
	{"null", `null`, "", "another type"},
	{"number", `5`, "", "another type"},
	{"true", `true`, "", "another type"},
	{"list", `["a"]`, "", "another type"},
	{"object", `{"a":"b"}`, "", "another type"},
	{"bare word", `rent`, "", "no JSON"},
	{"open", `"rent`, "", "no JSON"},
	{"quote alone", `"`, "", "no JSON"},
	{"trailing", `"a""b"`, "", "two values"},
	{"blank before", ` "a"`, "", "one value and nothing else"},
	{"blank behind", `"a" `, "", "one value and nothing else"},
	{"NUL", `"a\u0000"`, "", "control character"},
	{"the books' own account", `"\u0000opening"`, "", "the other side of the opening can't be paid"},
	{"tab", `"a\tb"`, "", "control character"},
	{"delete", "\"a\x7f\"", "", "control character"},
	{"next line", `"a\u0085"`, "", "control character of the upper range"},
	{"invalid byte", "\"a\xff\"", "", "no UTF-8"},
	{"overlong", "\"\xc0\xaf\"", "", "no UTF-8"},
	{"overlong NUL", "\"\xc0\x80\"", "", "no UTF-8"},
	{"cut sequence", "\"\xe2\x82\"", "", "no UTF-8"},
	{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "", "no UTF-8"},
	{"surrogate pair in UTF-8", "\"\xed\xa0\xbd\xed\xb8\x80\"", "", "no UTF-8"},
	{"beyond Unicode", "\"\xf4\x90\x80\x80\"", "", "no UTF-8"},
}
