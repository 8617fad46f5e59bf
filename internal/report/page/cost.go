package page

import (
	"fmt"

	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
)

// cost is what bankers took: tokens, US dollars where that is no guess, and time.
type cost struct {
	Rows   []costRow
	Live   bool   // a live model was asked
	Total  string // of all live models
	Why    string // why there is none
	Prices []string
}

type costRow struct {
	Who, Model, Evaluations, Replies, Input, Output, Cached, USD, Median, P95, Link string
}

// cost is nil where no banker that is a model replied.
func (p Page) cost() *cost {
	taken := p.Summary.Cost
	if taken == nil {
		return nil
	}
	var out cost
	for _, m := range taken.Models {
		row := costRow{
			Who: kindText(m.Kind), Model: string(m.Model), Evaluations: number(m.Evaluations), Replies: number(m.Replies),
			Input: number(int(m.InputTokens)), Output: number(int(m.OutputTokens)), Cached: number(int(m.CachedTokens)), USD: "–", Median: "–", P95: "–",
			Link: link("model", string(m.Model), "kind", string(m.Kind)),
		}
		if m.USD != nil {
			row.USD = price.Dollars(*m.USD).String()
		}
		for _, pace := range p.Notes.Pace {
			if pace.Kind == m.Kind && pace.Model == m.Model {
				row.Median, row.P95 = seconds(pace.MedianMS), seconds(pace.P95MS)
			}
		}
		out.Rows, out.Live = append(out.Rows, row), out.Live || m.Kind == plan.Live
	}
	if out.Why = sentence(taken.Text()); taken.USD != nil {
		out.Total, out.Why = price.Dollars(*taken.USD).String(), ""
	}
	out.Prices = p.prices()
	return &out
}

func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// prices are those that the run was made under.
func (p Page) prices() []string {
	var out []string
	for _, m := range p.Manifest.Models {
		if m.Price == nil {
			continue
		}
		cached := "cached input not confirmed"
		if m.Price.CacheRead != nil {
			cached = fmt.Sprintf("cached input $%g", *m.Price.CacheRead)
		}
		out = append(out, escape.Line(fmt.Sprintf("%s: input $%g, %s, output $%g, read on %s", m.Slug, m.Price.Input, cached, m.Price.Output, m.Price.Date)))
	}
	return out
}
