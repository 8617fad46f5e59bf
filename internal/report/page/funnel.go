package page

import (
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
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
