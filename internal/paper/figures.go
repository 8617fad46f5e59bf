package paper

import (
	"fmt"
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
)

// none stands where the rows give no such figure.
const none = "–"

// count writes a number as the paper does.
func count[T ~int | ~int64](n T) string { return message.NewPrinter(language.English).Sprintf("%d", n) }

// share writes a rate in percent with one decimal.
func share(r stats.Rate) string {
	if r.N == 0 {
		return none
	}
	return fmt.Sprintf("%.1f%%", 100*float64(r.Hits)/float64(r.N))
}

// analysis is the live attacks' analysis of a level group.
func (t *Tables) analysis(g plan.Group) report.Analysis {
	for _, a := range t.Summary.Analyses {
		if a.Kind == plan.Live && a.Group == g && a.Set == "attacks" {
			return a
		}
	}
	return report.Analysis{}
}

// pool is all models at the levels of a group, or at one of them, in one
// architecture.
func (t *Tables) pool(g plan.Group, level corpus.Level, arch plan.Architecture) report.Pool {
	for _, p := range t.analysis(g).Pools {
		if p.Architecture == arch && p.Level == level {
			return p
		}
	}
	return report.Pool{}
}

// restricted is the pool of Levels 2 to 4.
func (t *Tables) restricted(arch plan.Architecture) report.Pool {
	return t.pool(plan.GroupRestricted, "", arch)
}

// level is the pool of one level.
func (t *Tables) level(l corpus.Level, arch plan.Architecture) report.Pool {
	g := plan.Cell{Level: l}.Group()
	if g != plan.GroupRestricted {
		l = "" // the group's only level
	}
	return t.pool(g, l, arch)
}

// decisions are the layer's at Levels 2 to 4.
func (t *Tables) decisions(g plan.Group) report.DecisionCounts {
	if d := t.pool(g, "", plan.OAP).Decisions; d != nil {
		return *d
	}
	return report.DecisionCounts{}
}

func (t *Tables) matched(e report.Event) report.Matched {
	for _, m := range t.analysis(plan.GroupRestricted).Matched {
		if m.Architecture == plan.OAP && m.Model == "" && m.Event == e {
			return m
		}
	}
	return report.Matched{}
}

func (t *Tables) common(level corpus.Level) report.Common {
	for _, c := range t.analysis(plan.GroupRestricted).Common {
		if c.Track == corpus.Single && c.Level == level {
			return c
		}
	}
	return report.Common{}
}

// extremes are the least and the greatest rate of the models.
func extremes(c report.Common) (least, greatest stats.Rate) {
	for i, m := range c.Models {
		r := m.Rate.Rate
		if i == 0 || r.Hits < least.Hits {
			least = r
		}
		if i == 0 || r.Hits > greatest.Hits {
			greatest = r
		}
	}
	return least, greatest
}

func (t *Tables) concentration() report.Concentrated {
	for _, c := range t.analysis(plan.GroupRestricted).Concentration {
		if c.Architecture == plan.Alone {
			return c
		}
	}
	return report.Concentrated{}
}

// beaten counts the attacks that beat at least k models, alone.
func (t *Tables) beaten(k int) int {
	for _, row := range t.analysis(plan.GroupRestricted).Transfer {
		if row.Architecture == plan.Alone && k <= len(row.AtLeast) {
			return row.AtLeast[k-1]
		}
	}
	return 0
}

func (t *Tables) beatable() int {
	for _, row := range t.analysis(plan.GroupRestricted).Transfer {
		if row.Architecture == plan.Alone {
			return row.Attacks
		}
	}
	return 0
}

func (t *Tables) contrast(c corpus.Category) report.Contrast {
	for _, row := range t.analysis(plan.GroupRestricted).Tracks {
		if row.Architecture == plan.Alone && row.Category == c && row.Event == report.EventUnpermitted {
			return row
		}
	}
	return report.Contrast{}
}

func (t *Tables) recipients() report.Recipients {
	for _, r := range t.analysis(plan.GroupVault).Recipients {
		if r.Architecture == plan.Alone {
			return r
		}
	}
	return report.Recipients{}
}

// where are the live cells that hold for a test.
func (t *Tables) where(want func(report.Cell) bool) []report.Cell {
	return slices.DeleteFunc(slices.Clone(t.Summary.Cells), func(c report.Cell) bool { return c.Kind != plan.Live || !want(c) })
}

func (t *Tables) total(of func(report.Cell) int) int {
	n := 0
	for _, c := range t.where(func(report.Cell) bool { return true }) {
		n += of(c)
	}
	return n
}

func (t *Tables) models() []plan.ModelSlug {
	var models []plan.ModelSlug
	for _, c := range t.where(func(report.Cell) bool { return true }) {
		models = append(models, c.Model)
	}
	return slices.Compact(models) // cells are sorted by name
}

// grid is what a full one would hold: every attack by every model, on both
// tracks, in both architectures.
func (t *Tables) grid() int { return len(t.attacks) * len(t.models()) * 2 * 2 }

// withoutMulti counts the models that have no multi-turn cell behind the layer.
func (t *Tables) withoutMulti() int {
	missing := t.models()
	for _, c := range t.where(func(c report.Cell) bool {
		return c.Track == corpus.Multi && c.Architecture == plan.OAP && c.Denominator > 0
	}) {
		missing = slices.DeleteFunc(missing, func(m plan.ModelSlug) bool { return m == c.Model })
	}
	return len(missing)
}

// leastMulti is the least filled multi-turn cell of Level 1 behind the layer that
// has anything.
func (t *Tables) leastMulti() int {
	least := 0
	for _, c := range t.where(func(c report.Cell) bool {
		return c.Track == corpus.Multi && c.Architecture == plan.OAP && c.Level == corpus.L1 && c.Denominator > 0
	}) {
		if least == 0 || c.Denominator < least {
			least = c.Denominator
		}
	}
	return least
}

func (t *Tables) multiLevel2() int {
	n := 0
	for _, c := range t.where(func(c report.Cell) bool {
		return c.Track == corpus.Multi && c.Architecture == plan.Alone && c.Level == corpus.L2
	}) {
		n += c.Unpermitted.Evaluations
	}
	return n
}

// corpusCount counts the attacks that hold for a test.
func (t *Tables) corpusCount(want func(attack) bool) string {
	n := 0
	for _, a := range t.attacks {
		n += one(want(a))
	}
	return count(n)
}

func (t *Tables) sessions() int {
	seen := map[corpus.SessionID]bool{}
	for _, a := range t.attacks {
		seen[a.session] = true
	}
	return len(seen)
}

func (t *Tables) kappa(levels ...corpus.Level) string {
	var g stats.Agreement[string]
	for _, l := range levels {
		if t.judged[l] != nil {
			g.Merge(*t.judged[l])
		}
	}
	k, err := g.Kappa()
	if err != nil {
		return none
	}
	return fmt.Sprintf("%.3f", k)
}

func (t *Tables) verdicts() int {
	n := 0
	for _, g := range t.judged {
		n += g.N()
	}
	return n
}

func percent(f *float64, decimals int) string {
	if f == nil {
		return none
	}
	return fmt.Sprintf("%.*f%%", decimals, 100**f)
}

func points(f *float64) string {
	if f == nil {
		return none
	}
	return fmt.Sprintf("%+.3f points", 100**f)
}

func millions(n int64) string { return fmt.Sprintf("%.1fM", float64(n)/1e6) }

func ended(e record.End) func(report.Cell) int {
	return func(c report.Cell) int { return c.Ends[e] }
}
