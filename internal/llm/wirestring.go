package llm

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// QuoteWire writes s as a JSON string that UnquoteWire reads back byte for byte.
// Arguments of tool calls go over the wire this way: a usual encoder would put
// U+FFFD where a model emitted a lone surrogate, and the value that the policy
// decides would no longer be the value that the model asked for. Half a
// surrogate pair becomes its escape; any other invalid byte stays as it is, which
// strict JSON forbids and no provider is known to emit.
func QuoteWire(s string) []byte { return AppendWire(make([]byte, 0, len(s)+2), s) }

// AppendWire is QuoteWire at the end of out.
func AppendWire(out []byte, s string) []byte {
	out = append(out, '"')
	afterHigh := false // the last thing written is the escape of a high surrogate
	for i := 0; i < len(s); {
		if n := plainRun(s[i:]); n > 0 {
			out = append(out, s[i:i+n]...)
			afterHigh = false
			i += n
			continue
		}
		half, ok := surrogateAt(s[i:])
		switch {
		case ok && afterHigh && half >= lowSurrogate:
			// As an escape it would complete a pair and read back as another character.
			out = append(out, s[i:i+3]...)
			afterHigh = false
			i += 3
		case ok:
			out = append(out, `\u`...)
			out = strconv.AppendInt(out, int64(half), 16)
			afterHigh = half < lowSurrogate
			i += 3
		default:
			out = appendWireByte(out, s[i])
			afterHigh = false
			i++
		}
	}
	return append(out, '"')
}

// plainRun is how many bytes at the start of s stand for themselves.
func plainRun(s string) int {
	for i := range len(s) {
		if b := s[i]; b < 0x20 || b == '"' || b == '\\' || b == 0xED {
			return i
		}
	}
	return len(s)
}

func appendWireByte(out []byte, b byte) []byte {
	switch {
	case b == '"' || b == '\\':
		return append(out, '\\', b)
	case b < 0x10:
		return strconv.AppendInt(append(out, `\u000`...), int64(b), 16)
	case b < 0x20:
		return strconv.AppendInt(append(out, `\u00`...), int64(b), 16)
	}
	return append(out, b)
}

// UnquoteWire decodes a JSON string without losing a byte: the escape of a lone
// surrogate becomes its three bytes of generalized UTF-8, which no strict parser
// of arguments takes for text. A token of another type comes back as it stands
// (some servers send arguments as an object), and null as nothing. The token
// must be valid JSON.
func UnquoteWire(token []byte) string {
	token = bytes.TrimSpace(token)
	if len(token) < 2 || token[0] != '"' {
		if string(token) == "null" {
			return ""
		}
		return string(token)
	}
	in := token[1 : len(token)-1]
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		if in[i] != '\\' || i+1 == len(in) {
			out = append(out, in[i])
			i++
			continue
		}
		var size int
		out, size = appendUnescaped(out, in[i:])
		i += size
	}
	return string(out)
}

// appendUnescaped decodes the escape at the start of in and says how long it is.
func appendUnescaped(out, in []byte) ([]byte, int) {
	if plain, ok := map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[in[1]]; ok {
		return append(out, plain), 2
	}
	if in[1] != 'u' {
		return append(out, in[1]), 2 // quote, backslash, slash
	}
	first, ok := hexEscape(in)
	if !ok {
		return append(out, in[:2]...), 2
	}
	if first < highSurrogate || first > lastSurrogate {
		return utf8.AppendRune(out, first), 6
	}
	if second, ok := hexEscape(in[6:]); ok && first < lowSurrogate && second >= lowSurrogate && second <= lastSurrogate {
		return utf8.AppendRune(out, (first-highSurrogate)<<10+(second-lowSurrogate)+0x10000), 12
	}
	return append(out, 0xED, byte(0x80|first>>6&0x3F), byte(0x80|first&0x3F)), 6
}

const (
	highSurrogate = 0xD800
	lowSurrogate  = 0xDC00
	lastSurrogate = 0xDFFF
)

// surrogateAt reads the generalized UTF-8 of half a surrogate pair.
func surrogateAt(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

func hexEscape(in []byte) (rune, bool) {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(in[2:6]), 16, 16)
	return rune(n), err == nil
}
