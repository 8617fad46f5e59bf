package report

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/stats"
)

// poolRows lists the group first, then its levels where it has several.
func (a *analyser) poolRows(b stats.Bootstrap) []Pool {
	levels := map[corpus.Level]bool{}
	for k := range a.pools {
		levels[k.level] = true
	}
	keys := slices.SortedFunc(maps.Keys(a.pools), func(a, b poolKey) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.arch, b.arch))
	})
	rows := []Pool{}
	for _, k := range keys {
		if k.level != "" && len(levels) == 2 {
			continue // the group's only level says what the group says
		}
		t := a.pools[k]
		rows = append(rows, Pool{Architecture: k.arch, Level: k.level, Counts: t.Counts, Rates: t.rates(b)})
	}
	return rows
}

func (a *analyser) concentration() []Concentrated {
	var rows []Concentrated
	for _, arch := range a.archs {
		t := a.pool("", arch)
		if t.Denominator > 0 {
			rows = append(rows, Concentrated{arch, stats.Concentrate(t.bySession.Column(colUnpermitted))})
		}
	}
	return rows
}

func (a *analyser) recipients() []Recipients {
	var rows []Recipients
	for _, arch := range a.archs {
		t := a.pool("", arch)
		if t.Denominator == 0 {
			continue
		}
		byClass := map[corpus.Class]int{}
		maps.Copy(byClass, a.paid[arch])
		rows = append(rows, Recipients{Architecture: arch, Final: t.Denominator, Paid: t.Payments.Evaluations, ByClass: byClass})
	}
	return rows
}

func (a *analyser) sensitivity(w *Window) []Sensitivity {
	var rows []Sensitivity
	for _, arch := range a.archs {
		t := a.pool("", arch)
		if t.Denominator == 0 {
			continue
		}
		for _, event := range Events() {
			row := Sensitivity{Architecture: arch, Event: event, Rate: rateOf(t.bySession, event)}
			row.Session = leverage(t.bySession, event)
			row.Day = leverage(a.days[arch], event)
			if w != nil {
				row.Window = &WindowRate{Window: *w}
				if in := a.windowed[arch]; in != nil {
					row.Window.Rate = rateOf(in, event)
				}
				row.Window.Without = stats.Rate{Hits: row.Rate.Hits - row.Window.Rate.Hits, N: row.Rate.N - row.Window.Rate.N}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func rateOf(s *stats.Sessions, e Event) stats.Rate {
	t := s.Totals()
	return stats.Rate{Hits: int(t[e.column()]), N: int(t[colFinal])}
}

func leverage(s *stats.Sessions, e Event) *stats.Leverage {
	l, err := s.LeaveOneOut(stats.Ratio(e.column(), colFinal))
	if err != nil {
		return nil
	}
	return &l
}

// The columns of a contrast: those of a tally, for the one track and the other.
const contrastColumns = 2 * columns

func (a *analyser) addContrast(o Outcome) {
	side := 0
	switch o.Cell.Track {
	case corpus.Single:
	case corpus.Multi:
		side = columns
	default:
		return
	}
	key := contrastKey{o.Cell.Architecture, o.Category}
	if a.tracks[key] == nil {
		a.tracks[key] = stats.NewSessions(contrastColumns)
	}
	row := a.tracks[key].Row(string(o.Session))
	for column, hit := range o.events() {
		row[side+column] += int64(one(hit))
	}
}

func (a *analyser) contrasts(b stats.Bootstrap) []Contrast {
	keys := slices.SortedFunc(maps.Keys(a.tracks), func(a, b contrastKey) int {
		return cmp.Or(cmp.Compare(a.arch, b.arch), cmp.Compare(a.category, b.category))
	})
	var rows []Contrast
	for _, k := range keys {
		s := a.tracks[k]
		for _, event := range Events() {
			rows = append(rows, contrast(k, s, event, b))
		}
	}
	return rows
}

func contrast(k contrastKey, s *stats.Sessions, event Event, b stats.Bootstrap) Contrast {
	t, column := s.Totals(), event.column()
	difference := stats.Minus(stats.Ratio(columns+column, columns+colFinal), stats.Ratio(column, colFinal))
	c := Contrast{
		Architecture: k.arch, Category: k.category, Event: event,
		Single: stats.Rate{Hits: int(t[column]), N: int(t[colFinal])},
		Multi:  stats.Rate{Hits: int(t[columns+column]), N: int(t[columns+colFinal])},
	}
	if d, ok := difference(t); ok {
		c.Difference = &d
		c.Clustered = interval(b.Intervals(s, difference)[0])
	}
	return c
}

// bankerTasks are one model's tasks in one architecture: how many of each one's
// final trials ended well, in a fixed order, since a sum in one order has one value.
type bankerTasks struct {
	model plan.ModelSlug
	arch  plan.Architecture
	rates []stats.Rate
}

func (a *analyser) tasks(benign bool) []bankerTasks {
	type place struct {
		model int16
		arch  plan.Architecture
	}
	type task struct {
		attack int32
		track  int16
	}
	tasks := map[place]map[task]stats.Rate{}
	for key, v := range a.slots {
		for _, arch := range a.archs {
			bits := a.bits(v, arch)
			at := place{key.model, arch}
			if tasks[at] == nil {
				tasks[at] = map[task]stats.Rate{}
			}
			r := tasks[at][task{key.attack, key.track}]
			r.N += one(bits&bitFinal != 0)
			r.Hits += one(bits&bitFinal != 0 && endedWell(bits, benign))
			tasks[at][task{key.attack, key.track}] = r
		}
	}
	var all []bankerTasks
	for i, model := range a.models {
		for _, arch := range a.archs {
			rates := slices.SortedFunc(maps.Values(tasks[place{int16(i), arch}]), func(a, b stats.Rate) int {
				return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.Hits, b.Hits))
			})
			all = append(all, bankerTasks{model, arch, rates})
		}
	}
	return all
}

// overTrials lists pass^k for k = 1, 2, … up to the greatest trial, and the spread
// of the trials, for every model and architecture; nothing where there is one
// trial.
func (a *analyser) overTrials(benign bool) (rows []PassHat, spread []TrialSpread) {
	if a.trials < 2 {
		return nil, nil
	}
	for _, t := range a.tasks(benign) {
		for k := 1; k <= a.trials; k++ {
			row := PassHat{Model: t.model, Architecture: t.arch, K: k}
			value, used, err := stats.PassHat(k, t.rates)
			row.Tasks = used
			if err != nil {
				row.Reason = err.Error()
			} else {
				row.Value = &value
			}
			rows = append(rows, row)
		}
		row := TrialSpread{Model: t.model, Architecture: t.arch}
		within, between, used, err := stats.TrialVariance(t.rates)
		row.Tasks = used
		if err != nil {
			row.Reason = err.Error()
		} else {
			row.Within, row.Between = &within, &between
		}
		spread = append(spread, row)
	}
	return rows, spread
}

func endedWell(bits uint32, benign bool) bool {
	if benign {
		return bits&bitFulfilled != 0
	}
	return bits&bitUnpermitted == 0
}
