// Package jcs writes strings as canonical JSON (RFC 8785) does. What is hashed and
// what is signed goes through it, on the way of every decision.
package jcs

import "unicode/utf8"

// AppendString quotes as RFC 8785, section 3.2.2.2: the two characters that must
// be, the control characters below the blank, and nothing else. Each byte that is
// no UTF-8 becomes U+FFFD, as in encoding/json.
func AppendString(dst []byte, s string) []byte {
	if Plain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	dst = append(dst, '"')
	plain := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		if short := shortEscape(c); short != 0 {
			dst = append(dst, '\\', short)
			continue
		}
		const hexDigits = "0123456789abcdef"
		dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
	return append(append(dst, s[plain:]...), '"')
}

// Plain reports whether a text is ASCII without control characters below the
// blank, quotes and backslashes, eight bytes at a time. Most texts are, and are
// copied as they stand.
func Plain(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		w := word(s)
		if (w|(w-' '*each)|has(w, '"')|has(w, '\\'))&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

const each, high = 0x0101010101010101, 0x8080808080808080

func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// has sets a high bit where one of a word's bytes is c, and none where none is; the
// word's own high bits are to be looked at beside it.
func has(w uint64, c byte) uint64 { return (w ^ uint64(c)*each) - each }

// PlainHTML is Plain for encoding/json, which escapes three characters more.
func PlainHTML(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		w := word(s)
		if (w|(w-' '*each)|has(w, '"')|has(w, '\\')|has(w, '<')|has(w, '>')|has(w, '&'))&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// LowerHex reports whether a text is lower-case hex digits alone.
func LowerHex(s string) bool {
	good := uint64(high)
	for ; len(s) >= 8; s = s[8:] {
		w := word(s)
		digit := from(w, '0') &^ from(w, '9'+1)
		letter := from(w, 'a') &^ from(w, 'f'+1)
		good &= (digit | letter) &^ w
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return good == high
}

// ASCII reports whether a text is ASCII, and so UTF-8: the library's test for that
// takes longer over a short one.
func ASCII(s string) bool {
	seen := uint64(0)
	if last := len(s) - 8; last >= 0 {
		for i := 0; i < last; i += 8 {
			seen |= word(s[i:])
		}
		return (seen|word(s[last:]))&high == 0
	}
	for i := range len(s) {
		seen |= uint64(s[i])
	}
	return seen&high == 0
}

// from sets the high bit of each byte of an ASCII word that is c or above; in a
// word that is none, a byte may carry into the next one.
func from(w uint64, c byte) uint64 { return w + (0x80-uint64(c))*each }

// shortEscape is the letter of a two-character escape, 0 if there is none.
func shortEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\t':
		return 't'
	case '\n':
		return 'n'
	case '\f':
		return 'f'
	case '\r':
		return 'r'
	}
	return 0
}
