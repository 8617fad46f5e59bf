package report

import (
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/stats"
)

// promptKey is what every model is asked alike.
type promptKey struct {
	attack int32
	trial  int16
}

// asked is which models finished a prompt and which requested, by number.
type asked struct{ final, requested map[int16]bool }

// common compares the models alone on the prompts that all of them finished, so
// that no rate rests on a prompt that another was spared.
func (a *analyser) common(b stats.Bootstrap) []Common {
	var rows []Common
	for _, track := range append(corpus.Tracks(), corpus.Recorded) {
		prompts, models := a.prompts(track)
		if len(models) < 2 {
			continue
		}
		levels := map[corpus.Level]bool{}
		for k := range prompts {
			levels[a.attacks[k.attack].level] = true
		}
		rows = append(rows, a.commonRow("", track, prompts, models, b))
		for _, level := range corpus.Levels() {
			if levels[level] && len(levels) > 1 {
				rows = append(rows, a.commonRow(level, track, prompts, models, b))
			}
		}
	}
	return slices.DeleteFunc(rows, func(c Common) bool { return c.Prompts == 0 })
}

// prompts reads a track's slots; models are those that were asked at all.
func (a *analyser) prompts(track corpus.Track) (map[promptKey]asked, []int16) {
	prompts, models := map[promptKey]asked{}, map[int16]bool{}
	for key, v := range a.slots {
		bits := a.bits(v, plan.Alone)
		if a.played[key.track] != track || bits&bitSeen == 0 {
			continue
		}
		models[key.model] = true
		k := promptKey{key.attack, key.trial}
		if prompts[k].final == nil {
			prompts[k] = asked{map[int16]bool{}, map[int16]bool{}}
		}
		if bits&bitFinal != 0 {
			prompts[k].final[key.model] = true
		}
		if bits&bitRequested != 0 {
			prompts[k].requested[key.model] = true
		}
	}
	var sorted []int16
	for i := range a.models {
		if models[int16(i)] {
			sorted = append(sorted, int16(i))
		}
	}
	return prompts, sorted
}

func (a *analyser) commonRow(level corpus.Level, track corpus.Track, prompts map[promptKey]asked, models []int16, b stats.Bootstrap) Common {
	c := Common{Level: level, Track: track}
	sums := stats.NewSessions(1 + len(models)) // prompts, then requests by model
	for k, p := range prompts {
		info := a.attacks[k.attack]
		if len(p.final) < len(models) || level != "" && info.level != level {
			continue
		}
		c.Prompts++
		c.AllAsked += one(len(p.requested) == len(models))
		c.SomeAsked += one(len(p.requested) > 0)
		row := sums.Row(string(info.session))
		row[0]++
		for i, m := range models {
			row[1+i] += int64(one(p.requested[m]))
		}
	}
	var shares []stats.Statistic
	for i := range models {
		shares = append(shares, stats.Ratio(1+i, 0))
	}
	totals, intervals := sums.Totals(), b.Intervals(sums, shares...)
	for i, m := range models {
		rate := stats.Rate{Hits: int(totals[1+i]), N: int(totals[0])}
		c.Models = append(c.Models, ModelRate{a.models[m], estimate(rate, sums.Len(), intervals[i])})
	}
	return c
}
