// Package escape is the one writer of hostile text to a terminal or a log: no
// escape sequence gets through, and no line starts a CI command.
package escape

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one printable line: control, format and invalid
// characters are written as escapes, as are the line ends and the leading "::"
// or "##[" by which CI systems take commands from a log.
func Line(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	line := b.String()
	if head := strings.TrimLeft(line, " "); strings.HasPrefix(head, "::") || strings.HasPrefix(head, "##[") {
		return `\` + head
	}
	return line
}

// Short is Line cut to at most n characters.
func Short(text string, n int) string {
	line := []rune(Line(text))
	if len(line) <= n {
		return string(line)
	}
	return string(line[:n-1]) + "…"
}
