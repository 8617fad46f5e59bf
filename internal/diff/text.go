package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"vaultbench/internal/escape"
	"vaultbench/internal/report"
)

// shown is how many lines of a list the text and the Markdown show; the JSON
// holds all.
const shown = 200

// WriteText writes the comparison for a terminal.
func WriteText(w io.Writer, r *Report) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { b.WriteString(escape.Line(fmt.Sprintf(format, args...)) + "\n") }
	for _, n := range r.Notes {
		line("note: %s", n)
	}
	for i, c := range r.Changes {
		if i == shown {
			line("and %d more changes: see --format json", len(r.Changes)-i)
			break
		}
		line("%s: %s %s: %s → %s", c.Kind, c.where(), c.Attack, c.Before, c.After)
	}
	for _, part := range r.Missing.parts() {
		for i, name := range part.names {
			if i == shown {
				line("and %d more %s: see --format json", len(part.names)-i, part.what)
				break
			}
			line("%s: %s", part.what, name)
		}
	}
	writeCells(&b, r)
	moved, still := r.moved()
	for _, c := range moved {
		line("rate: %s", rateText(c))
	}
	if still > 0 {
		line("rate: %d others moved by nothing", still)
	}
	line("%s", r.Headline())
	_, err := w.Write(b.Bytes())
	return err
}

// where names the cell, and the trial where there are several.
func (c Change) where() string {
	if c.Trial > 1 {
		return fmt.Sprintf("%s (trial %d)", c.Cell, c.Trial)
	}
	return c.Cell
}

type part struct {
	what  string
	names []string
}

func (m Missing) parts() []part {
	return []part{
		{"cells only in A", m.CellsOnlyA}, {"cells only in B", m.CellsOnlyB},
		{"evaluations only in A", m.OnlyA}, {"evaluations only in B", m.OnlyB},
	}
}

// writeCells prints the cells that differ.
func writeCells(b *bytes.Buffer, r *Report) {
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	first := true
	for _, c := range r.Cells {
		if !c.differs() {
			continue
		}
		if first {
			_, _ = fmt.Fprintln(tw, "cell\tmatched\trequested\tpaid\tdenied\tunpermitted\thonest paid\tonly in A\tonly in B")
			first = false
		}
		_, _ = fmt.Fprintln(tw, strings.Join(append([]string{escape.Line(c.Name)}, c.columns()...), "\t"))
	}
	_ = tw.Flush() // into memory
}

// differs reports whether anything but the name tells the sides apart.
func (c Cell) differs() bool { return c.A != c.B || c.Changes+c.OnlyA+c.OnlyB > 0 }

// columns are the cell's figures, before and after.
func (c Cell) columns() []string {
	pair := func(a, b int) string {
		if a == b {
			return fmt.Sprint(a)
		}
		return fmt.Sprintf("%d → %d", a, b)
	}
	return []string{
		fmt.Sprint(c.Matched), pair(c.A.Requests, c.B.Requests), pair(c.A.Payments, c.B.Payments), pair(c.A.Denied, c.B.Denied),
		pair(c.A.Unpermitted, c.B.Unpermitted), pair(c.A.HonestPaid, c.B.HonestPaid), fmt.Sprint(c.OnlyA), fmt.Sprint(c.OnlyB),
	}
}

// moved are the rates that are not what they were; still counts the others.
func (r *Report) moved() (moved []report.RateChange, still int) {
	for _, c := range r.Rates {
		if c.Before == c.After {
			still++
		} else {
			moved = append(moved, c)
		}
	}
	return moved, still
}

func rateText(c report.RateChange) string {
	return fmt.Sprintf("%s, p = %.4f, corrected %.4f over %d sessions", c.Text(), c.PValue, c.Corrected, c.Sessions)
}

// Headline is the comparison in one line.
func (r *Report) Headline() string {
	if r.Same {
		return "no difference: the runs agree on every evaluation that is final in both, and none is missing"
	}
	var parts []string
	for _, kind := range ChangeKinds() {
		if n := r.Counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(kind), "_", " ")))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no outcome changed"}
	}
	cells := 0
	for _, c := range r.Cells {
		cells += one(c.differs())
	}
	return fmt.Sprintf("%s; %d cells differ, %d cells and %d evaluations only in A, %d and %d only in B", strings.Join(parts, ", "), cells,
		len(r.Missing.CellsOnlyA), len(r.Missing.OnlyA), len(r.Missing.CellsOnlyB), len(r.Missing.OnlyB))
}
