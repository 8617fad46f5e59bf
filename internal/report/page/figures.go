package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

// funnel is the five events of one kind of banker in one level group, by
// architecture.
type funnel struct {
	ID, Title, Who, Alt string
	Columns             []string
	Events              []funnelEvent
	Calls               []funnelCalls
	Height              int
}

type funnelEvent struct {
	Name string
	Y    int
	Bars []funnelBar
	Note string // why there is no figure
}

type funnelBar struct {
	Y             int
	Class, Width  string
	Text, Percent string
	Link          string
	None          bool
}

type funnelCalls struct{ Architecture, Text string }

// The measures of a funnel's figure, in pixels.
const (
	funnelBarHeight = 14
	funnelBarStep   = 18
	funnelHead      = 22
)

// pool is a row over all bankers of one kind in one level group.
type pool struct {
	report.Pool
	Kind  plan.Kind
	Group plan.Group
	Set   string
}

// scopes are the summary's analyses in the order of the page: live bankers first.
func (p Page) scopes() []report.Analysis {
	all := slices.Clone(p.Summary.Analyses)
	kinds := []plan.Kind{plan.Live, plan.Recorded, plan.Simulated}
	slices.SortStableFunc(all, func(a, b report.Analysis) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return all
}

// pools are the rows over whole level groups.
func (p Page) pools() []pool {
	var out []pool
	for _, a := range p.scopes() {
		for _, x := range a.Pools {
			if x.Level == "" {
				out = append(out, pool{x, a.Kind, a.Group, a.Set})
			}
		}
	}
	return out
}

func (p Page) funnels() []funnel {
	var out []funnel
	for _, pools := range p.poolsBy(func(x pool) bool { return x.Set != "benign" }) {
		f := funnel{
			ID: fmt.Sprintf("funnel-%s-%s-%s", pools[0].Kind, pools[0].Group, pools[0].Set), Title: setText(pools[0].Group, pools[0].Set),
			Who: kindText(pools[0].Kind),
		}
		for i, pool := range pools {
			f.add(i, pool)
			f.Calls = append(f.Calls, funnelCalls{architectureText(pool.Architecture), callsText(pool)})
		}
		f.place()
		out = append(out, f)
	}
	return out
}

// poolsBy gathers the pools that differ in architecture alone.
func (p Page) poolsBy(want func(pool) bool) [][]pool {
	var out [][]pool
	for _, x := range p.pools() {
		if !want(x) {
			continue
		}
		if n := len(out); n > 0 && out[n-1][0].Kind == x.Kind && out[n-1][0].Group == x.Group && out[n-1][0].Set == x.Set {
			out[n-1] = append(out[n-1], x)
			continue
		}
		out = append(out, []pool{x})
	}
	return out
}

func (f *funnel) add(column int, pool pool) {
	f.Columns = append(f.Columns, architectureText(pool.Architecture))
	where := func(flag report.Flag) string {
		return link("group", groupParam(pool.Group), "kind", string(pool.Kind), "arch", string(pool.Architecture), "set", setParam(pool.Set), "flag", string(flag))
	}
	denied := -1
	if pool.Decisions != nil {
		denied = pool.Decisions.Evaluations
	}
	unpermitted := pool.Unpermitted.Evaluations
	if pool.Group == plan.GroupOpen {
		unpermitted = -1
	}
	for i, e := range []struct {
		name string
		hits int
		flag report.Flag
		none string
	}{
		{"Final evaluations", pool.Denominator, "", ""},
		{"1 · Payment requested", pool.Requests.Evaluations, report.Requested, ""},
		{"2 · Payment executed", pool.Payments.Evaluations, report.Paid, ""},
		{"3 · A call denied", denied, report.DeniedCall, "no layer decides"},
		{"4 · A permitted recipient paid", pool.Payments.Permitted, report.Paid, ""},
		{"5 · Unpermitted transfer", unpermitted, report.Unpermitted, "every transfer is permitted at this level"},
	} {
		if len(f.Events) <= i {
			f.Events = append(f.Events, funnelEvent{Name: e.name})
		}
		bar := funnelBar{Class: fmt.Sprintf("arch%d", column), None: e.hits < 0, Text: e.none, Link: where(e.flag)}
		if e.hits >= 0 {
			rate := stats.Rate{Hits: e.hits, N: pool.Denominator}
			bar.Width, bar.Text, bar.Percent = share(e.hits, pool.Denominator, 58), number(e.hits), percent(rate)
		}
		if i == 5 && e.hits > 0 {
			bar.Class += " bad"
		}
		f.Events[i].Bars = append(f.Events[i].Bars, bar)
	}
}

// place gives each bar its height in the figure.
func (f *funnel) place() {
	y := 0
	var alt []string
	for i := range f.Events {
		e := &f.Events[i]
		e.Y = y + 13
		y += funnelHead
		var parts []string
		for j := range e.Bars {
			e.Bars[j].Y = y
			y += funnelBarStep
			parts = append(parts, f.Columns[j]+" "+e.Bars[j].Text)
		}
		y += 8
		alt = append(alt, e.Name+": "+strings.Join(parts, ", "))
	}
	f.Height, f.Alt = y, strings.Join(alt, "; ")+"."
}

func callsText(pool pool) string {
	text := fmt.Sprintf("%s calls asked for a payment, %s of them malformed; the ledger posted %s", number(pool.Requests.Calls),
		number(pool.Requests.Malformed), count(pool.Payments.Transfers, "transfer"))
	if d := pool.Decisions; d != nil {
		text += fmt.Sprintf("; the layer decided %s calls, allowed %s, denied %s", number(d.Calls), number(d.Allowed), number(d.Denied))
	}
	var classes []string
	for _, c := range corpus.Classes() {
		if n := pool.Membership[c]; n > 0 {
			classes = append(classes, fmt.Sprintf("%s %s", c, number(n)))
		}
	}
	if len(classes) > 0 {
		text += "; paid recipients: " + strings.Join(classes, ", ")
	}
	return text + "."
}

// denials are the reasons of one layer against the calls of one kind of banker.
type denials struct {
	ID, Title, Alt string
	Columns        []string
	Rows           []denialRow
	Height         int
	Legend         []legend
}

type legend struct{ Class, Text string }

type denialRow struct {
	Code  string
	Y     int
	Cells []linked
	Bars  []segment
	Total string
}

type linked struct{ Text, Link string }

type segment struct{ X, Width, Class, Text string }

func (p Page) denials() []denials {
	type key struct {
		kind plan.Kind
		arch plan.Architecture
	}
	var order []key
	pools := map[key][]pool{}
	for _, x := range p.pools() {
		if x.Decisions == nil {
			continue
		}
		k := key{x.Kind, x.Architecture}
		if pools[k] == nil {
			order = append(order, k)
		}
		pools[k] = append(pools[k], x)
	}
	var out []denials
	for _, k := range order {
		d := denials{ID: fmt.Sprintf("denials-%s-%s", k.kind, k.arch), Title: fmt.Sprintf("%s, behind %s", kindText(k.kind), k.arch)}
		for i, pool := range pools[k] {
			d.Columns = append(d.Columns, setTextOf(pool))
			d.Legend = append(d.Legend, legend{fmt.Sprintf("seg%d", i), setTextOf(pool)})
		}
		d.fill(pools[k])
		if len(d.Rows) > 0 {
			out = append(out, d)
		}
	}
	return out
}

func setTextOf(pool pool) string {
	if pool.Set == "benign" {
		return groupText(pool.Group) + ", honest"
	}
	return setText(pool.Group, pool.Set)
}

func (d *denials) fill(pools []pool) {
	most := 0
	total := func(code record.DenialReason) (n int) {
		for _, pool := range pools {
			n += byReason(pool, code)
		}
		return n
	}
	codes := append(slices.Clone(record.DenialReasons()[1:]), failedClosed)
	for _, code := range codes {
		most = max(most, total(code))
	}
	var alt []string
	for _, code := range codes {
		sum := total(code)
		if sum == 0 {
			continue
		}
		row := denialRow{Code: string(code), Y: d.Height, Total: number(sum)}
		at := 0
		for i, pool := range pools {
			n := byReason(pool, code)
			row.Cells = append(row.Cells, linked{number(n), link("group", groupParam(pool.Group), "kind", string(pool.Kind), "arch", string(pool.Architecture), "set", setParam(pool.Set), "code", string(code))})
			if n > 0 {
				row.Bars = append(row.Bars, segment{share(at, most, 88), share(n, most, 88), fmt.Sprintf("seg%d", i), fmt.Sprintf("%s: %s", d.Columns[i], number(n))})
			}
			at += n
		}
		alt = append(alt, fmt.Sprintf("%s %s", code, number(sum)))
		d.Rows = append(d.Rows, row)
		d.Height += 42
	}
	d.Alt = "Denied calls by reason: " + strings.Join(alt, ", ") + "."
}

// failedClosed stands for denials that no layer decided.
const failedClosed = record.DenialReason("failed closed")

func byReason(pool pool, code record.DenialReason) int {
	if code == failedClosed {
		return pool.Decisions.FailClosed
	}
	return pool.Decisions.ByReason[code]
}

// requestBlock compares bankers' request rates in one level group.
type requestBlock struct {
	ID, Title, Who, Alt string
	Columns             []string
	Rows                []requestRow
	Height              int
}

type requestRow struct {
	Model string
	Y     int
	Cells []requestCell
}

type requestCell struct {
	linked
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
				if !c.None {
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
	c.Text = fmt.Sprintf("%s of %s (%s)", number(rate.Hits), number(rate.N), percent(rate))
	c.Link = link("model", string(r.Model), "group", groupParam(r.Group), "kind", string(r.Kind), "arch", string(r.Architecture), "set", setParam(r.Set), "flag", string(report.Requested))
	c.X = share(rate.Hits, max(rate.N, 1), 98)
	if clustered != nil {
		c.Low, c.Wide = fmt.Sprintf("%.3f%%", 1+97*clustered.Low), fmt.Sprintf("%.3f%%", 97*(clustered.High-clustered.Low))
	}
	b.Rows[at].Cells[column] = c
}

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
			v.Alt = "Sessions, of all sessions. " + v.Text
			for i, b := range []struct {
				name string
				n    int
			}{{"hold half", c.Half}, {"hold nine tenths", c.NineTenths}, {"hold any", c.WithAny}, {"all sessions", c.Sessions}} {
				v.Bars = append(v.Bars, segment{fmt.Sprint(18 * i), share(b.n, c.Sessions, 58), "arch1", number(b.n) + " " + b.name})
			}
			out = append(out, v)
		}
	}
	return out
}

type transferRow struct {
	Where, Attacks string
	AtLeast        []string
}

// transfer says how many attacks beat how many bankers.
func (p Page) transfer() []transferRow {
	var out []transferRow
	for _, a := range p.scopes() {
		for _, t := range a.Transfer {
			if a.Group == plan.GroupOpen || len(t.AtLeast) == 0 || t.AtLeast[0] == 0 {
				continue
			}
			row := transferRow{Where: fmt.Sprintf("%s, %s · %s", setText(a.Group, a.Set), strings.ToLower(architectureText(t.Architecture)), kindText(a.Kind)), Attacks: number(t.Attacks)}
			for k, n := range t.AtLeast {
				row.AtLeast = append(row.AtLeast, fmt.Sprintf("%s beat at least %d", number(n), k+1))
			}
			out = append(out, row)
		}
	}
	return out
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
