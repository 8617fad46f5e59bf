// Package escape is the one writer of hostile text to a terminal or a log: no
// escape sequence gets through, and no line starts a CI command.
package escape

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// command is what Azure, TeamCity and GitHub runners take for a command wherever
// it stands in a line, so that a prefix does not help. Source of the last:
// actions/runner, ActionCommand.TryParse.
var command = regexp.MustCompile(`##([A-Za-z]*)\[`)

// Line returns text as one printable line: control, format and invalid
// characters are written as escapes, as are the line ends. A leading "::", and
// "##[" or "##name[" anywhere, by which CI systems take commands from a log, get
// a backslash.
func Line(text string) string {
	line := command.ReplaceAllString(visible(text, ' '), `##${1}\[`)
	if head := strings.TrimLeft(line, " "); strings.HasPrefix(head, "::") {
		return `\` + head
	}
	return line
}

// Block returns text for a page: as Line, but line feeds stay, and CI commands,
// which a page is not read for.
func Block(text string) string { return visible(text, '\n') }

// visible writes out what is not printable, but for blanks and one other.
func visible(text string, also rune) string {
	var b strings.Builder
	from := 0 // of what stands as it is and is not yet written
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c <= '~' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		invalid := r == utf8.RuneError && size == 1
		if !invalid && (r == also || unicode.IsPrint(r)) {
			i += size
			continue
		}
		b.WriteString(text[from:i])
		switch {
		case invalid:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
		from = i
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// Short is Line cut to at most n characters.
func Short(text string, n int) string {
	line := []rune(Line(text))
	switch {
	case len(line) <= n:
		return string(line)
	case n < 1:
		return ""
	}
	return string(line[:n-1]) + "…"
}
