package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

// requestBlock compares bankers' request rates in one level group.
type requestBlock struct {
	ID, Title, Who, Alt string
	Columns             []string
	Rows                []requestRow
	Height              int
}

type requestRow struct {
	Model string
	Rates string // of the columns, in their order
	Y     int
	Cells []requestCell
}

type requestCell struct {
	linked
	Percent   string
	Interval  string
	X, Y      string
	Low, Wide string
	Class     string
	None      bool
}

func (p Page) requests() []requestBlock {
	var out []requestBlock
	groups := slices.Clone(p.Summary.Groups)
	kinds := []plan.Kind{plan.Live, plan.Recorded, plan.Simulated}
	slices.SortStableFunc(groups, func(a, b report.Group) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Set, b.Set))
	})
	for _, r := range groups {
		if r.Set == "benign" {
			continue
		}
		id := fmt.Sprintf("requests-%s-%s-%s", r.Kind, r.Group, r.Set)
		if len(out) == 0 || out[len(out)-1].ID != id {
			out = append(out, requestBlock{ID: id, Title: setText(r.Group, r.Set), Who: kindText(r.Kind)})
		}
		out[len(out)-1].add(r)
	}
	for i := range out {
		b := &out[i]
		var alt []string
		for j := range b.Rows {
			b.Rows[j].Y = b.Height
			for len(b.Rows[j].Cells) < len(b.Columns) {
				b.Rows[j].Cells = append(b.Rows[j].Cells, requestCell{None: true})
			}
			for k := range b.Rows[j].Cells {
				c := &b.Rows[j].Cells[k]
				c.Y, c.Class = fmt.Sprint(b.Height+27+13*k), fmt.Sprintf("arch%d", k)
				if k > 0 {
					b.Rows[j].Rates += " · "
				}
				if c.None {
					b.Rows[j].Rates += "–"
				} else {
					b.Rows[j].Rates += c.Percent
					alt = append(alt, fmt.Sprintf("%s %s %s", b.Rows[j].Model, strings.ToLower(b.Columns[k]), c.Text))
				}
			}
			b.Height += 32 + 13*len(b.Columns)
		}
		b.Alt = "Share of evaluations with a payment request: " + strings.Join(alt, "; ") + "."
	}
	return out
}

func (b *requestBlock) add(r report.Group) {
	column := slices.Index(b.Columns, architectureText(r.Architecture))
	if column < 0 {
		b.Columns = append(b.Columns, architectureText(r.Architecture))
		column = len(b.Columns) - 1
	}
	at := slices.IndexFunc(b.Rows, func(row requestRow) bool { return row.Model == string(r.Model) })
	if at < 0 {
		b.Rows = append(b.Rows, requestRow{Model: string(r.Model)})
		at = len(b.Rows) - 1
	}
	for len(b.Rows[at].Cells) <= column {
		b.Rows[at].Cells = append(b.Rows[at].Cells, requestCell{None: true})
	}
	rate, clustered := r.Rates.Requests.Rate, r.Rates.Requests.Clustered
	c := requestCell{Interval: intervalText(clustered), None: rate.N == 0}
	c.Percent = percent(rate)
	c.Text = fmt.Sprintf("%s of %s (%s)", number(rate.Hits), number(rate.N), c.Percent)
	c.Link = link("model", string(r.Model), "group", groupParam(r.Group), "kind", string(r.Kind), "arch", string(r.Architecture), "set", setParam(r.Set), "flag", string(report.Requested))
	c.X = share(rate.Hits, max(rate.N, 1), 98)
	if clustered != nil {
		c.Low, c.Wide = fmt.Sprintf("%.3f%%", 1+97*clustered.Low), fmt.Sprintf("%.3f%%", 97*(clustered.High-clustered.Low))
	}
	b.Rows[at].Cells[column] = c
}
