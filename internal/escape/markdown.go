package escape

import (
	"fmt"
	"regexp"
	"strings"
)

// markup is what Markdown, as GitHub and GitLab read it, may take for anything but
// text: emphasis, code, links, images, HTML, tables, mentions, references to
// issues, formulas, emoji.
const markup = "\\`*_{}[]<>()#+!|~@&$:^"

// autolink is what becomes a link without any markup.
var autolink = regexp.MustCompile(`(?i)www\.`)

// Markdown returns text as one line that Markdown takes for text alone, also in
// the cell of a table: what could be markup stands as a character reference.
func Markdown(text string) string {
	var b strings.Builder
	for _, r := range Line(text) {
		if strings.ContainsRune(markup, r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return autolink.ReplaceAllStringFunc(b.String(), func(www string) string { return www[:3] + "&#46;" })
}
