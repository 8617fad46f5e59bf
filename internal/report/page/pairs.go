package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

// pairBlock is what a layer changes, one row an event.
type pairBlock struct {
	ID, Title, Alt string
	Limit          string    // the half width of the figure's axis, in points
	Rows           []pairRow // all, for the table
	Marks          []pairRow // of all bankers, for the figure
	Height         int
}

type pairRow struct {
	Where, Banker, Event, Pairs, Alone, Behind, Difference, Interval, OnlyA, OnlyB, P, Adjusted, Link string
	X, Low, High                                                                                      string
	Line                                                                                              int
	x                                                                                                 float64
	clustered                                                                                         *stats.Interval
}

func (p Page) pairs() []pairBlock {
	var out []pairBlock
	limit := 0.01
	for _, a := range p.scopes() {
		for _, m := range a.Matched {
			if m.Difference == nil || m.Event == report.EventUnpermitted && a.Group == plan.GroupOpen {
				continue
			}
			id := fmt.Sprintf("pairs-%s-%s", a.Kind, m.Architecture)
			at := slices.IndexFunc(out, func(b pairBlock) bool { return b.ID == id })
			if at < 0 {
				out = append(out, pairBlock{ID: id, Title: fmt.Sprintf("%s, behind %s less alone", kindText(a.Kind), m.Architecture)})
				at = len(out) - 1
			}
			if m.Model == "" {
				limit = max(limit, reach(m))
			}
			out[at].add(a, m)
		}
	}
	for i := range out {
		out[i].place(math.Ceil(limit*20) / 20)
	}
	return out
}

// reach is how far a difference and its interval are from zero.
func reach(m report.Matched) float64 {
	far := math.Abs(*m.Difference)
	if m.Clustered != nil {
		far = max(far, math.Abs(m.Clustered.Low), math.Abs(m.Clustered.High))
	}
	return far
}

var eventTexts = map[report.Event]string{report.EventRequests: "requested", report.EventUnpermitted: "unpermitted"}
var eventFlags = map[report.Event]report.Flag{report.EventRequests: report.Requested, report.EventUnpermitted: report.Unpermitted}

// add takes a row into the table and, if it is over all bankers, into the figure.
func (b *pairBlock) add(a report.Analysis, m report.Matched) {
	r := pairRow{
		Where: setText(a.Group, a.Set), Banker: "all", Event: eventTexts[m.Event], Pairs: number(m.N),
		Alone: number(m.Alone), Behind: number(m.Behind), OnlyA: number(m.OnlyAlone), OnlyB: number(m.OnlyBehind),
		Difference: points(*m.Difference), Interval: pointsInterval(m.Clustered), P: pValue(m.McNemar), Adjusted: pValue(m.Adjusted),
		Link: link("model", string(m.Model), "group", groupParam(a.Group), "kind", string(a.Kind), "set", setParam(a.Set), "flag", string(eventFlags[m.Event])),
		x:    *m.Difference, clustered: m.Clustered,
	}
	if m.Model != "" {
		r.Banker = string(m.Model)
		b.Rows = append(b.Rows, r)
		return
	}
	b.Rows = append(b.Rows, r)
	b.Marks = append(b.Marks, r)
}

// place turns differences into places on an axis from −limit to limit.
func (b *pairBlock) place(limit float64) {
	b.Limit = fmt.Sprintf("%.0f", 100*limit)
	at := func(v float64) string { return fmt.Sprintf("%.3f%%", 50+48*v/limit) }
	var alt []string
	for i := range b.Marks {
		r := &b.Marks[i]
		r.Line, r.X = b.Height, at(r.x)
		if r.clustered != nil {
			r.Low, r.High = at(r.clustered.Low), at(r.clustered.High)
		}
		alt = append(alt, fmt.Sprintf("%s, %s: %s points", r.Where, r.Event, r.Difference))
		b.Height += 40
	}
	b.Alt = "Difference in percentage points: " + strings.Join(alt, "; ") + "."
}
