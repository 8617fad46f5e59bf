package escape

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a JSON text, whose value stays the same, in a form that is safe to
// print: what Line would escape is written as JSON escapes. Line ends stay, which
// in JSON stand outside of strings alone.
func JSON(raw []byte) []byte {
	var b bytes.Buffer
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == ' ' || unicode.IsPrint(r):
			b.Write(raw[i : i+size])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return command.ReplaceAll(b.Bytes(), []byte(`#\u0023${1}[`))
}
