package report

import (
	"cmp"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/stats"
)

// The columns of matched pairs, per session.
const (
	pairN = iota
	pairAlone
	pairBehind
	pairColumns
)

// pairing is the matched pairs of one model, or of all, for one event.
type pairing struct {
	stats.Pairs
	bySession *stats.Sessions
}

func (p *pairing) add(session corpus.SessionID, alone, behind bool) {
	p.Add(alone, behind)
	row := p.bySession.Row(string(session))
	row[pairN]++
	row[pairAlone] += int64(one(alone))
	row[pairBehind] += int64(one(behind))
}

type pairingKey struct {
	model int // −1: all
	event Event
}

// matched compares each layer with the model alone: all models first, then each,
// with p-values corrected over the models.
func (a *analyser) matched(b stats.Bootstrap) []Matched {
	var rows []Matched
	for _, arch := range a.layers() {
		pairings := a.pair(arch)
		keys := slices.SortedFunc(maps.Keys(pairings), func(a, b pairingKey) int {
			return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.model, b.model))
		})
		first := len(rows)
		for _, k := range keys {
			row := pairings[k].row(b)
			row.Architecture, row.Event = arch, k.event
			if k.model >= 0 {
				row.Model = a.models[k.model]
			}
			rows = append(rows, row)
		}
		for _, event := range Events() {
			adjust(rows[first:], event)
		}
	}
	return rows
}

func (a *analyser) pair(layer plan.Architecture) map[pairingKey]*pairing {
	pairings := map[pairingKey]*pairing{}
	asked := []struct {
		event Event
		bit   uint32
	}{{EventRequests, bitRequested}, {EventUnpermitted, bitUnpermitted}}
	for key, v := range a.slots {
		alone, behind := a.bits(v, plan.Alone), a.bits(v, layer)
		if alone&behind&bitFinal == 0 {
			continue
		}
		for _, model := range []int{-1, int(key.model)} {
			for _, of := range asked {
				k := pairingKey{model, of.event}
				if pairings[k] == nil {
					pairings[k] = &pairing{bySession: stats.NewSessions(pairColumns)}
				}
				pairings[k].add(a.attacks[key.attack].session, alone&of.bit != 0, behind&of.bit != 0)
			}
		}
	}
	return pairings
}

func (p *pairing) row(b stats.Bootstrap) Matched {
	m := Matched{
		Sessions: p.bySession.Len(), N: p.N(), Alone: p.A().Hits, Behind: p.B().Hits, OnlyAlone: p.OnlyA, OnlyBehind: p.OnlyB,
	}
	difference := stats.Minus(stats.Ratio(pairBehind, pairN), stats.Ratio(pairAlone, pairN))
	m.Clustered = interval(b.Intervals(p.bySession, difference)[0])
	if d, err := p.Difference(); err == nil {
		m.Difference = &d
	}
	if v, err := p.McNemar(); err == nil {
		m.McNemar = &v
	}
	return m
}

// adjust corrects the models' p-values for being looked at together. Rows over
// all models are no part of the family.
func adjust(rows []Matched, event Event) {
	var at []int
	var p []float64
	for i, r := range rows {
		if r.Event == event && r.Model != "" && r.McNemar != nil {
			at, p = append(at, i), append(p, *r.McNemar)
		}
	}
	q, err := stats.BenjaminiHochberg(p)
	if err != nil {
		return // McNemar gives nothing else than probabilities
	}
	for j, i := range at {
		rows[i].Adjusted = &q[j]
	}
}

// transfer counts the attacks that beat at least so many models.
func (a *analyser) transfer() []Transfer {
	var rows []Transfer
	for _, arch := range a.archs {
		beaten := map[int32]map[int16]bool{}
		for key, v := range a.slots {
			bits := a.bits(v, arch)
			if bits&bitFinal == 0 {
				continue
			}
			if beaten[key.attack] == nil {
				beaten[key.attack] = map[int16]bool{}
			}
			if bits&bitUnpermitted != 0 {
				beaten[key.attack][key.model] = true
			}
		}
		if len(beaten) == 0 {
			continue
		}
		var models []int
		for _, by := range beaten {
			models = append(models, len(by))
		}
		rows = append(rows, Transfer{Architecture: arch, Attacks: len(beaten), AtLeast: stats.AtLeast(models, len(a.models))})
	}
	return rows
}
