package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"vaultbench/internal/escape"
)

// WriteMarkdown writes the comparison for a pull request or a job's summary.
func WriteMarkdown(w io.Writer, r *Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s against %s\n\n%s.\n", escape.Markdown(r.B.name()), escape.Markdown(r.A.name()), escape.Markdown(r.Headline()))
	if len(r.Changes) > 0 {
		b.WriteString("\n### Changes\n\n")
		row(&b, "change", "cell", "attack", "before", "after")
		row(&b, "---", "---", "---", "---", "---")
		for i, c := range r.Changes {
			if i == shown {
				row(&b, fmt.Sprintf("and %d more", len(r.Changes)-i), "", "", "", "")
				break
			}
			row(&b, string(c.Kind), escape.Markdown(c.where()), escape.Markdown(string(c.Attack)), escape.Markdown(c.Before), escape.Markdown(c.After))
		}
	}
	r.markdownCells(&b)
	if len(r.Rates) > 0 {
		b.WriteString("\n### Requests\n\n")
		moved, still := r.moved()
		for _, c := range moved {
			fmt.Fprintf(&b, "- %s\n", escape.Markdown(rateText(c)))
		}
		if still > 0 {
			fmt.Fprintf(&b, "- %d others moved by nothing\n", still)
		}
	}
	r.markdownLists(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) markdownCells(b *bytes.Buffer) {
	first := true
	for _, c := range r.Cells {
		if !c.differs() {
			continue
		}
		if first {
			b.WriteString("\n### Cells that differ\n\n")
			row(b, "cell", "matched", "requested", "paid", "denied", "unpermitted", "honest paid", "only in A", "only in B")
			row(b, strings.Split(strings.Repeat("---,", 8)+"---", ",")...)
			first = false
		}
		row(b, append([]string{escape.Markdown(c.Name)}, c.columns()...)...)
	}
}

func (r *Report) markdownLists(b *bytes.Buffer) {
	for _, p := range append(r.Missing.parts(), part{"notes", r.Notes}) {
		if len(p.names) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n", strings.ToUpper(p.what[:1])+p.what[1:])
		for i, name := range p.names {
			if i == shown {
				fmt.Fprintf(b, "- and %d more\n", len(p.names)-i)
				break
			}
			fmt.Fprintf(b, "- %s\n", escape.Markdown(name))
		}
	}
}

func (s Side) name() string {
	if s.RunID != "" {
		return s.RunID
	}
	return s.Folder
}

func row(b *bytes.Buffer, columns ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(columns, " | "))
}
