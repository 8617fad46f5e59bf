package authz_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/jcs"
)

// TestStringsOfRFC8785: the published vectors, and each character alone.
func TestStringsOfRFC8785(t *testing.T) {
	for _, tt := range []struct{ name, in, want, reason string }{
		{"section 3.2.2, string", "\u20ac$\u000f\nA'B\"\\\\\"/", `"€$\u000f\nA'B\"\\\\\"/"`, "the example's value of member string"},
		{"section 3.2.3, carriage return", "\r", `"\r"`, "a name of the sorting example"},
		{"section 3.2.3, control", "\u0080", "\"\u0080\"", "above U+001F nothing is escaped"},
		{"section 3.2.3, latin", "\u00f6", `"ö"`, "as UTF-8"},
		{"section 3.2.3, hebrew", "\ufb33", "\"\ufb33\"", "no normalisation"},
		{"section 3.2.3, emoji", "\U0001f600", `"😀"`, "no surrogates"},
		{"section 3.2.3, script", "</script>", `"</script>"`, "HTML is not this format's business"},
		{"short escapes", "\b\t\n\f\r", `"\b\t\n\f\r"`, "section 3.2.2.2"},
		{"other control characters", "\x00\x1f\v", `"\u0000\u001f\u000b"`, "section 3.2.2.2: lower-case hex"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(jcs.AppendString(nil, tt.in)), tt.reason)
			assert.Equal(t, tt.want, libraryString(t, tt.in), "the library agrees")
		})
	}
	for c := rune(0); c <= utf8.MaxRune; c += 1 + c>>13*97 { // each up to U+1FFF, then samples
		if utf8.ValidRune(c) {
			require.Equal(t, libraryString(t, string(c)), string(jcs.AppendString(nil, string(c))), "%U", c)
		}
	}
}

// TestNoUTF8: each byte that is none is repaired alone, as encoding/json does.
func TestNoUTF8(t *testing.T) {
	for _, in := range []string{"\xff", "a\xc3", "\xc3\x28\"", "\xed\xa0\x80", "\xf0\x9f\x98", "ok\xff\xfe\n😀"} {
		want, err := json.Marshal(in)
		require.NoError(t, err)
		var repaired string
		require.NoError(t, json.Unmarshal(want, &repaired))
		assert.Equal(t, libraryString(t, repaired), string(jcs.AppendString(nil, in)), "%q", in)
	}
}

// TestPlain: what is copied as it stands needs no escape, wherever it stands.
func TestPlain(t *testing.T) {
	for at := range 17 {
		for c := range 256 {
			s := []byte(strings.Repeat("~", 17))
			s[at] = byte(c)
			want := c >= ' ' && c < 0x80 && c != '"' && c != '\\'
			require.Equal(t, want, jcs.Plain(string(s)), "%q", s)
			quoted, err := json.Marshal(string(s))
			require.NoError(t, err)
			require.Equal(t, want && len(quoted) == len(s)+2, jcs.PlainHTML(string(s)), "%q", s)
		}
	}
	assert.True(t, jcs.Plain(""))
	assert.True(t, jcs.PlainHTML(""))
}

// TestLowerHex: each byte, wherever it stands.
func TestLowerHex(t *testing.T) {
	for at := range 17 {
		for c := range 256 {
			s := []byte(strings.Repeat("0af9", 5)[:17])
			s[at] = byte(c)
			require.Equal(t, strings.IndexByte("0123456789abcdef", byte(c)) >= 0, jcs.LowerHex(string(s)), "%q", s)
		}
	}
	assert.True(t, jcs.LowerHex(""))
}

// TestASCII: each byte, wherever it stands in a text of any length.
func TestASCII(t *testing.T) {
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				s := []byte(strings.Repeat("\x7f", size))
				s[at] = byte(c)
				require.Equal(t, c < 0x80, jcs.ASCII(string(s)), "%q", s)
			}
		}
	}
	assert.True(t, jcs.ASCII(""))
}

func libraryString(t *testing.T, s string) string {
	t.Helper()
	raw, err := jsontext.AppendQuote(nil, s)
	require.NoError(t, err)
	c := jsontext.Value(raw)
	require.NoError(t, c.Canonicalize())
	return string(c)
}
