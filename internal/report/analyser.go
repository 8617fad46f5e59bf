package report

import (
	"cmp"
	"fmt"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/stats"
)

// scope is what an analysis speaks of.
type scope struct {
	kind  plan.Kind
	group plan.Group
	set   string
}

// analyser gathers one scope. Rates are kept as sums per session; only what is
// compared attack by attack is kept by slot, in four bytes.
type analyser struct {
	label    string
	section  corpus.Section
	archs    []plan.Architecture // their order numbers the bits of a slot
	models   []plan.ModelSlug
	played   []corpus.Track // as they came
	attacks  []attackInfo
	number   map[attackInfo]int
	slots    map[slot]uint32
	pools    map[poolKey]*tally
	tracks   map[contrastKey]*stats.Sessions
	days     map[plan.Architecture]*stats.Sessions // by day, not by session
	paid     map[plan.Architecture]map[corpus.Class]int
	trials   int
	windowed map[plan.Architecture]*stats.Sessions
}

// attackInfo is what an attack's slots share.
type attackInfo struct {
	id      corpus.AttackID
	session corpus.SessionID
	level   corpus.Level
}

// slot is one attack, model, track and trial, whatever the architecture: numbers
// alone, since there are nearly as many as evaluations.
type slot struct {
	attack       int32
	model, trial int16
	track        int16 // of played
}

type poolKey struct {
	level corpus.Level // empty: the whole group
	arch  plan.Architecture
}

type contrastKey struct {
	arch     plan.Architecture
	category corpus.Category
}

// The bits of a slot, per architecture.
const (
	bitSeen = 1 << iota
	bitFinal
	bitRequested
	bitUnpermitted
	bitFulfilled // an honest task: every goal was paid
	bitsEach     = 5
	maxArchs     = 32 / bitsEach
)

func (b *Builder) analysis(p record.PlannedCell) *analyser {
	key := scope{p.Kind, p.Cell.Group(), setOf(p.Cell)}
	a, ok := b.analyses[key]
	if !ok {
		a = &analyser{
			label: p.Label, section: p.Cell.Track.Section(), number: map[attackInfo]int{}, slots: map[slot]uint32{}, pools: map[poolKey]*tally{},
			tracks: map[contrastKey]*stats.Sessions{}, days: map[plan.Architecture]*stats.Sessions{},
			paid: map[plan.Architecture]map[corpus.Class]int{}, windowed: map[plan.Architecture]*stats.Sessions{},
		}
		b.analyses[key] = a
	}
	return a
}

// plan notes a cell before its evaluations come.
func (a *analyser) plan(p record.PlannedCell) error {
	if !slices.Contains(a.models, p.Cell.Model) {
		a.models = append(a.models, p.Cell.Model)
		slices.Sort(a.models)
	}
	if !slices.Contains(a.archs, p.Cell.Architecture) {
		a.archs = append(a.archs, p.Cell.Architecture)
		slices.Sort(a.archs)
	}
	if len(a.archs) > maxArchs {
		return fmt.Errorf("cell %s: analyses compare at most %d architectures", p.Cell.Name(), maxArchs)
	}
	for _, level := range []corpus.Level{"", p.Cell.Level} {
		a.pool(level, p.Cell.Architecture).Planned += p.Evaluations
	}
	return nil
}

func (a *analyser) pool(level corpus.Level, arch plan.Architecture) *tally {
	key := poolKey{level, arch}
	t, ok := a.pools[key]
	if !ok {
		t = newTally()
		a.pools[key] = t
	}
	return t
}

// add gathers one outcome. The same evaluation twice is an error.
func (a *analyser) add(o Outcome, w *Window) error {
	if err := a.mark(o); err != nil {
		return err
	}
	for _, level := range []corpus.Level{"", o.Cell.Level} {
		a.pool(level, o.Cell.Architecture).add(o)
	}
	if !o.Final {
		return nil
	}
	a.trials = max(a.trials, o.Trial)
	a.addContrast(o)
	addRow(a.days, o.Cell.Architecture, cmp.Or(o.Date, undated), o)
	if w.holds(o.Date) {
		addRow(a.windowed, o.Cell.Architecture, string(o.Session), o)
	}
	for class := range o.Membership {
		if a.paid[o.Cell.Architecture] == nil {
			a.paid[o.Cell.Architecture] = map[corpus.Class]int{}
		}
		a.paid[o.Cell.Architecture][class]++
	}
	return nil
}

// undated stands for the day of attacks that have none.
const undated = "undated"

func addRow(all map[plan.Architecture]*stats.Sessions, arch plan.Architecture, key string, o Outcome) {
	if all[arch] == nil {
		all[arch] = stats.NewSessions(columns)
	}
	row := all[arch].Row(key)
	for column, hit := range o.events() {
		row[column] += int64(one(hit))
	}
}

// mark keeps what an evaluation came to beside its twins in other architectures.
func (a *analyser) mark(o Outcome) error {
	info := attackInfo{o.Attack, o.Session, o.Cell.Level}
	n, ok := a.number[info]
	if !ok {
		n = len(a.attacks)
		a.number[info] = n
		a.attacks = append(a.attacks, info)
	}
	model, _ := slices.BinarySearch(a.models, o.Cell.Model)
	if !slices.Contains(a.played, o.Cell.Track) {
		a.played = append(a.played, o.Cell.Track)
	}
	key := slot{int32(n), int16(model), int16(o.Trial), int16(slices.Index(a.played, o.Cell.Track))}
	shift := bitsEach * slices.Index(a.archs, o.Cell.Architecture)
	if a.slots[key]>>shift&bitSeen != 0 {
		return fmt.Errorf("attack %s, trial %d: counted already: the line stands twice", o.Attack, o.Trial)
	}
	bits := bitSeen | bitFinal*one(o.Final)
	if o.Final {
		bits |= bitRequested*one(o.Requests.Calls > 0) | bitUnpermitted*one(o.Unpermitted > 0)
		bits |= bitFulfilled * one(o.Benign != nil && o.Benign.Paid == o.Benign.Goals)
	}
	a.slots[key] |= uint32(bits) << shift
	return nil
}

// bits are what a slot came to in one architecture.
func (a *analyser) bits(v uint32, arch plan.Architecture) uint32 {
	i := slices.Index(a.archs, arch)
	if i < 0 {
		return 0
	}
	return v >> (bitsEach * i) & (1<<bitsEach - 1)
}

func (w *Window) holds(date string) bool {
	return w != nil && w.From <= date && date <= w.To
}

// analysisRows lists the analyses of the native cells; derived tracks have none.
func (b *Builder) analysisRows() []Analysis {
	var rows []Analysis
	for k, a := range b.analyses {
		if a.section == corpus.Native {
			rows = append(rows, a.analysis(k, b.bootstrap, b.window))
		}
	}
	slices.SortFunc(rows, func(a, b Analysis) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Set, b.Set))
	})
	return rows
}

// layers are the architectures that are held against the model alone.
func (a *analyser) layers() []plan.Architecture {
	if !slices.Contains(a.archs, plan.Alone) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.archs), func(arch plan.Architecture) bool { return arch == plan.Alone })
}

// analysis closes the scope's books.
func (a *analyser) analysis(k scope, b stats.Bootstrap, w *Window) Analysis {
	out := Analysis{Kind: k.kind, Group: k.group, Set: k.set, Label: a.label, Models: slices.Clone(a.models)}
	out.Pools = a.poolRows(b)
	out.PassHat, out.Trials = a.overTrials(k.set == setBenign)
	if k.set == setBenign {
		return out
	}
	out.Matched = a.matched(b)
	out.Common = a.common(b)
	out.Concentration = a.concentration()
	out.Transfer = a.transfer()
	out.Tracks = a.contrasts(b)
	out.Recipients = a.recipients()
	out.Sensitivity = a.sensitivity(w)
	return out
}
