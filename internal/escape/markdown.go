package escape

import (
	"fmt"
	"regexp"
	"strings"
)

// markup is what Markdown, as GitHub and GitLab read it, may take for anything but
// text: emphasis, code, links, images, HTML, tables, mentions, references to
// issues, formulas, emoji. What is not here is markup in places alone: round
// brackets after square ones, a plus sign where a line begins, a colon before
// anything but a blank.
const markup = "\\`*_{}[]<>#!|~@&$^"

// autolink is what becomes a link without any markup.
var autolink = regexp.MustCompile(`(?i)www\.`)

// colonEnds reports whether what follows a colon makes it one of a sentence. Before
// anything else it may begin an emoji, a command or the rest of an address.
func colonEnds(after string) bool { return after == "" || after[0] == ' ' }

// Markdown returns text as one line that Markdown takes for text alone, also in
// the cell of a table: what could be markup stands as a character reference.
func Markdown(text string) string {
	var b strings.Builder
	line := Line(text)
	for i, r := range line {
		if strings.ContainsRune(markup, r) || r == ':' && !colonEnds(line[i+1:]) || r == '+' && strings.TrimLeft(line[:i], " ") == "" {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return autolink.ReplaceAllStringFunc(b.String(), func(www string) string { return www[:3] + "&#46;" })
}
