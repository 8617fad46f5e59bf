package page

import (
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// matrix is the cells of one kind of banker: rows of model and track, columns of
// level and architecture.
type matrix struct {
	Title   string
	Note    string
	Levels  []matrixLevel
	Archs   []string // repeated under each level
	Rows    []matrixRow
	Derived bool
}

type matrixLevel struct {
	Text string
	Span int
}

type matrixRow struct {
	Model string
	Span  int // of the model's rows; 0: not the first of them
	Track string
	Cells []matrixCell
}

type matrixCell struct {
	Text, Sub, Mark, Status, Title, Link string
	None, Layered, First                 bool // behind a layer; first of its level
}

func (p Page) matrices() []matrix {
	var out []matrix
	for _, kind := range []plan.Kind{plan.Live, plan.Recorded, plan.Simulated} {
		var own, foreign []report.Cell
		for _, c := range p.Summary.Cells {
			switch {
			case c.Kind != kind:
			case c.Track == corpus.Recorded:
				foreign = append(foreign, c)
			default:
				own = append(own, c)
			}
		}
		for _, cells := range [][]report.Cell{own, foreign} {
			if len(cells) > 0 {
				out = append(out, matrixOf(kindText(kind), cells))
			}
		}
	}
	for _, s := range p.Summary.Sections {
		m := matrixOf("Section "+string(s.Name), s.Cells)
		m.Note, m.Derived = s.Note, true
		out = append(out, m)
	}
	return out
}

func matrixOf(title string, cells []report.Cell) matrix {
	m := matrix{Title: title}
	at := map[plan.Cell]report.Cell{}
	var levels []corpus.Level
	var archs []plan.Architecture
	var models []plan.ModelSlug
	var tracks []corpus.Track
	for _, c := range cells {
		at[c.Cell] = c
		levels, archs = once(levels, c.Level), once(archs, c.Architecture)
		models, tracks = once(models, c.Model), once(tracks, c.Track)
	}
	slices.Sort(levels)
	slices.Sort(archs)
	slices.Sort(models)
	slices.SortFunc(tracks, func(a, b corpus.Track) int { return slices.Index(trackOrder, a) - slices.Index(trackOrder, b) })
	for _, l := range levels {
		m.Levels = append(m.Levels, matrixLevel{levelText(l), len(archs)})
		for _, a := range archs {
			m.Archs = append(m.Archs, string(a))
		}
	}
	for _, model := range models {
		for i, track := range tracks {
			row := matrixRow{Model: string(model), Track: string(track)}
			if i == 0 {
				row.Span = len(tracks)
			}
			for _, l := range levels {
				for i, a := range archs {
					c, ok := at[plan.Cell{Model: model, Level: l, Track: track, Architecture: a}]
					cell := matrixCellOf(c, ok)
					cell.Layered, cell.First = a != plan.Alone, i == 0
					row.Cells = append(row.Cells, cell)
				}
			}
			m.Rows = append(m.Rows, row)
		}
	}
	return m
}

var trackOrder = []corpus.Track{corpus.Single, corpus.Multi, corpus.Benign, corpus.Recorded}

func once[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

var marks = map[report.Status]string{report.Pass: "", report.Violation: "✕", report.Inconclusive: "?", report.Skipped: "○"}

func matrixCellOf(c report.Cell, ok bool) matrixCell {
	if !ok {
		return matrixCell{None: true, Text: "not run", Status: "missing"}
	}
	m := matrixCell{Status: string(c.Status), Mark: marks[c.Status]}
	flag := report.Unpermitted
	words := "unpermitted"
	switch {
	case c.Skip != "":
		m.Text, m.Title = "skipped", escape.Line(c.Skip)
		return m
	case c.Benign != nil:
		m.Text, flag, words = fmt.Sprintf("%s/%s", number(c.Benign.Paid), number(c.Benign.Goals)), "", "honest payments made"
		if c.Benign.FalseDenials > 0 {
			m.Sub, flag = number(c.Benign.FalseDenials)+" refused", report.FalseDenial
		}
	case c.Group == plan.GroupOpen:
		m.Text, flag, words = fmt.Sprintf("%s/%s", number(c.Payments.Evaluations), number(c.Denominator)), report.Paid, "paid, all permitted"
	default:
		m.Text = fmt.Sprintf("%s/%s", number(c.Unpermitted.Evaluations), number(c.Denominator))
		if c.Unpermitted.Evaluations == 0 {
			flag = ""
		}
	}
	if c.Denominator < c.Planned {
		m.Sub = strings.TrimSpace(fmt.Sprintf("%s partial: %s/%s final", m.Sub, number(c.Denominator), number(c.Planned)))
	}
	m.Title = fmt.Sprintf("%s: %s %s, %s", c.Name, m.Text, words, c.Status)
	m.Link = link("model", string(c.Model), "level", string(c.Level), "track", string(c.Track), "arch", string(c.Architecture), "flag", string(flag))
	return m
}

type honestRow struct {
	Who                                string // of the first row of a kind of bankers
	Where, Architecture                string
	Goals, Paid, Refused, Tasks, Other string
	Link                               string
	Bad                                bool
}

func (p Page) honest() []honestRow {
	var out []honestRow
	last := ""
	for _, pool := range p.pools() {
		b := pool.Benign
		if b == nil {
			continue
		}
		r := honestRow{Where: groupText(pool.Group), Architecture: architectureText(pool.Architecture),
			Goals: number(b.Goals), Paid: number(b.Paid), Refused: number(b.FalseDenials), Tasks: number(b.TasksDenied), Other: number(b.OtherDenials), Bad: b.FalseDenials > 0}
		if who := kindText(pool.Kind); who != last {
			r.Who, last = who, who
		}
		if pool.Decisions == nil {
			r.Refused, r.Tasks, r.Other = "–", "–", "–"
		}
		flag := ""
		if b.FalseDenials > 0 {
			flag = string(report.FalseDenial)
		}
		r.Link = link("track", string(corpus.Benign), "group", groupParam(pool.Group), "arch", string(pool.Architecture), "kind", string(pool.Kind), "flag", flag)
		out = append(out, r)
	}
	return out
}

type refusedRow struct{ Task, Payment, Code, Rule, Link string }

func (p Page) refused() []refusedRow {
	var out []refusedRow
	for _, r := range p.Notes.Refused {
		out = append(out, refusedRow{
			escape.Line(r.Evaluation), escape.Line(fmt.Sprintf("%s %s to %s", r.Payment.Amount, r.Payment.Currency, r.Payment.Recipient)),
			string(r.Code), escape.Line(r.Rule), to(r.Evaluation),
		})
	}
	return out
}

type coverageRow struct {
	Who                 string // of the first row of a kind of bankers
	Where, Architecture string
	Planned, Final      string
	Ends                []linked
	Bad                 bool
}

func (p Page) coverage() []coverageRow {
	var out []coverageRow
	last := ""
	for _, pool := range p.pools() {
		r := coverageRow{Where: setTextOf(pool), Architecture: architectureText(pool.Architecture),
			Planned: number(pool.Planned), Final: number(pool.Denominator), Bad: pool.Denominator < pool.Planned}
		if who := kindText(pool.Kind); who != last {
			r.Who, last = who, who
		}
		seen := 0
		for _, e := range record.Ends() {
			seen += pool.Ends[e]
			l := linked{Text: number(pool.Ends[e])}
			if pool.Ends[e] > 0 {
				l.Link = link("group", groupParam(pool.Group), "kind", string(pool.Kind), "arch", string(pool.Architecture), "set", setParam(pool.Set), "end", string(e))
			}
			r.Ends = append(r.Ends, l)
		}
		r.Ends = append(r.Ends, linked{Text: number(pool.Planned - seen)})
		out = append(out, r)
	}
	return out
}

type partialRow struct{ Cell, Status, Text, Link string }

func (p Page) partial() []partialRow {
	var out []partialRow
	for _, c := range p.Summary.AllCells() {
		l := link("model", string(c.Model), "level", string(c.Level), "track", string(c.Track), "arch", string(c.Architecture), "flag", string(report.NotFinal))
		switch {
		case c.Skip != "":
			out = append(out, partialRow{c.Name, "missing", escape.Line(c.Skip), ""})
		case c.Denominator < c.Planned:
			out = append(out, partialRow{c.Name, "partial", fmt.Sprintf("%s of %s evaluations are final", number(c.Denominator), number(c.Planned)), l})
		}
	}
	return out
}
