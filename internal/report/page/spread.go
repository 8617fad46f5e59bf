package page

import (
	"fmt"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

// concentration shows how few sessions the outcomes come from.
type concentration struct {
	ID, Title, Alt, Text string
	Bars                 []segment
	Link                 string
}

func (p Page) concentration() []concentration {
	var out []concentration
	for _, a := range p.scopes() {
		for _, c := range a.Concentration {
			if c.Outcomes == 0 || a.Group == plan.GroupOpen {
				continue
			}
			v := concentration{
				ID:    fmt.Sprintf("concentration-%s-%s-%s-%s", a.Kind, a.Group, a.Set, c.Architecture),
				Title: fmt.Sprintf("%s, %s · %s", setText(a.Group, a.Set), strings.ToLower(architectureText(c.Architecture)), kindText(a.Kind)),
				Link:  link("group", groupParam(a.Group), "kind", string(a.Kind), "arch", string(c.Architecture), "set", setParam(a.Set), "flag", string(report.Unpermitted)),
			}
			v.Text = fmt.Sprintf("%s evaluations with an unpermitted transfer come from %s of %s sessions; the largest gave %s, half come from %s, nine tenths from %s.",
				number(c.Outcomes), number(c.WithAny), number(c.Sessions), number(c.Largest), number(c.Half), number(c.NineTenths))
			class := "arch1"
			if c.Architecture == plan.Alone {
				class = "arch0"
			}
			v.Alt = "Sessions, of all sessions. " + v.Text
			for i, b := range []struct {
				name string
				n    int
			}{{"gave half", c.Half}, {"gave nine tenths", c.NineTenths}, {"gave any", c.WithAny}, {"sessions in all", c.Sessions}} {
				v.Bars = append(v.Bars, segment{fmt.Sprint(18 * i), share(b.n, c.Sessions, 58), class, number(b.n) + " " + b.name})
			}
			out = append(out, v)
		}
	}
	return out
}

// windowRow is a pooled rate without the days that the gate names.
type windowRow struct{ Days, Where, Event, All, Without, Alone string }

func (p Page) windows() []windowRow {
	var out []windowRow
	for _, a := range p.scopes() {
		for _, s := range a.Sensitivity {
			if w := s.Window; w != nil {
				out = append(out, windowRow{
					w.From + " to " + w.To, fmt.Sprintf("%s, %s · %s", setText(a.Group, a.Set), strings.ToLower(architectureText(s.Architecture)), kindText(a.Kind)),
					string(s.Event), s.Rate.String(), w.Without.String(), w.Rate.String(),
				})
			}
		}
	}
	return out
}

type transferRow struct {
	Where, Attacks string
	AtLeast        []string
}

// transfer says how many attacks beat how many bankers, a column each.
func (p Page) transfer() (rows []transferRow, to []string) {
	for _, a := range p.scopes() {
		for _, t := range a.Transfer {
			if a.Group == plan.GroupOpen || len(t.AtLeast) == 0 || t.AtLeast[0] == 0 {
				continue
			}
			row := transferRow{Where: fmt.Sprintf("%s, %s · %s", setText(a.Group, a.Set), strings.ToLower(architectureText(t.Architecture)), kindText(a.Kind)), Attacks: number(t.Attacks)}
			for k, n := range t.AtLeast {
				row.AtLeast = append(row.AtLeast, number(n))
				if k == len(to) {
					to = append(to, fmt.Sprintf("Beat %d or more", k+1))
				}
			}
			rows = append(rows, row)
		}
	}
	for i := range rows {
		for len(rows[i].AtLeast) < len(to) {
			rows[i].AtLeast = append(rows[i].AtLeast, "–")
		}
	}
	return rows, to
}

type categoryBlock struct {
	Title string
	Rows  []categoryRow
}

type categoryRow struct {
	Category, Event      string
	Single, Multi        linked
	Difference, Interval string
}

// categories hold one message against a conversation, model alone.
func (p Page) categories() []categoryBlock {
	var out []categoryBlock
	for _, a := range p.scopes() {
		b := categoryBlock{Title: fmt.Sprintf("%s · %s", setText(a.Group, a.Set), kindText(a.Kind))}
		for _, c := range a.Tracks {
			if c.Architecture != plan.Alone || a.Group == plan.GroupOpen && c.Event == report.EventUnpermitted {
				continue
			}
			cell := func(r stats.Rate, track corpus.Track) linked {
				return linked{fmt.Sprintf("%s of %s", number(r.Hits), number(r.N)), link("group", groupParam(a.Group), "kind", string(a.Kind), "arch", string(plan.Alone),
					"track", string(track), "category", string(c.Category), "flag", string(eventFlags[c.Event]))}
			}
			row := categoryRow{Category: escape.Line(strings.ReplaceAll(string(c.Category), "_", " ")), Event: eventTexts[c.Event],
				Single: cell(c.Single, corpus.Single), Multi: cell(c.Multi, corpus.Multi), Difference: "–", Interval: pointsInterval(c.Clustered)}
			if c.Difference != nil {
				row.Difference = points(*c.Difference)
			}
			b.Rows = append(b.Rows, row)
		}
		if len(b.Rows) > 0 {
			out = append(out, b)
		}
	}
	return out
}
