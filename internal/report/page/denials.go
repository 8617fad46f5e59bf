package page

import (
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

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
		for _, pool := range pools[k] {
			d.Columns = append(d.Columns, setTextOf(pool))
			d.Legend = append(d.Legend, legend{segmentClass(pool), setTextOf(pool)})
		}
		d.fill(pools[k])
		if len(d.Rows) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// segmentClass is a colour of its own for each level group, lighter for honest tasks.
func segmentClass(pool pool) string {
	at := 2 * slices.Index([]plan.Group{plan.GroupOpen, plan.GroupRestricted, plan.GroupVault, plan.GroupRecorded}, pool.Group)
	if pool.Set == "benign" {
		at++
	}
	return fmt.Sprintf("seg%d", at)
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
				row.Bars = append(row.Bars, segment{share(at, most, 88), share(n, most, 88), segmentClass(pool), fmt.Sprintf("%s: %s", d.Columns[i], number(n))})
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
