package report

import (
	"fmt"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/record"
	"vaultbench/internal/stats"
)

// Builder adds evaluations up. It is not safe for concurrent use.
type Builder struct {
	judge       oracle.JudgeFunc
	golden      map[string]Counts
	directories map[corpus.Level]corpus.Directory
	cells       map[string]*cellTally
	planned     map[plan.Cell]*cellTally // the same: a name costs more to make than to look up
	groups      map[groupKey]*groupTally
	gate        Gate
	analyses    map[scope]*analyser
	bootstrap   stats.Bootstrap
	window      *Window
	costs       costTally
	prices      map[plan.ModelSlug]*price.Price
	served      servedTally
	requested   map[plan.ModelSlug]string // ids
}

type cellTally struct {
	planned record.PlannedCell
	*tally
	group    *groupTally
	analysis *analyser
	findings findings
	causes   map[string]int           // of ends that are no evidence, by what was said
	open     map[record.SubReason]int // evaluations that are not final
	stopped  int                      // of these, not run
	byTrial  []*tally                 // where each trial is held against the golden; else nil
}

type groupKey struct {
	kind  plan.Kind
	model plan.ModelSlug
	group plan.Group
	set   string
	arch  plan.Architecture
}

type groupTally struct {
	label   string
	section corpus.Section
	*tally
}

// NewBuilder prepares for the planned cells. directories holds what the oracle
// knows of each level and of each tool map, by name; golden the expected counts
// by cell name, nil where nothing is compared.
func NewBuilder(planned []record.PlannedCell, directories map[corpus.Level]corpus.Directory, judge oracle.JudgeFunc, golden map[string]Counts) (*Builder, error) {
	b := &Builder{
		judge: judge, golden: golden, directories: directories, cells: map[string]*cellTally{}, planned: map[plan.Cell]*cellTally{}, groups: map[groupKey]*groupTally{},
		analyses: map[scope]*analyser{}, costs: costTally{}, served: servedTally{}, bootstrap: stats.DefaultBootstrap(),
	}
	for _, p := range planned {
		name := p.Cell.Name()
		if _, twice := b.cells[name]; twice {
			return nil, fmt.Errorf("cell %s is planned twice", name)
		}
		if _, ok := directories[p.Cell.Level]; !ok {
			return nil, fmt.Errorf("cell %s: no directory for level %q", name, p.Cell.Level)
		}
		c := &cellTally{planned: p, tally: newTally(), group: b.group(p), analysis: b.analysis(p), causes: map[string]int{}, open: map[record.SubReason]int{}}
		c.Planned = p.Evaluations
		if b.holdsGolden(p) && golden[name].Planned > 0 {
			c.byTrial = make([]*tally, p.Evaluations/golden[name].Planned)
			for i := range c.byTrial {
				c.byTrial[i] = newTally()
			}
		}
		b.cells[name], b.planned[p.Cell] = c, c
		c.group.Planned += p.Evaluations
		if err := c.analysis.plan(p); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *Builder) group(p record.PlannedCell) *groupTally {
	key := groupKey{p.Kind, p.Cell.Model, p.Cell.Group(), setOf(p.Cell), p.Cell.Architecture}
	g, ok := b.groups[key]
	if !ok {
		g = &groupTally{label: p.Label, section: p.Cell.Track.Section(), tally: newTally()}
		b.groups[key] = g
	}
	return g
}

// setOf names what a group adds up; sets of different sections differ.
func setOf(c plan.Cell) string {
	switch {
	case c.Track == corpus.Benign:
		return setBenign
	case c.Track == corpus.Recorded:
		return string(c.Level)
	case c.Track.Section() == corpus.Crossed:
		return "from-" + string(c.Track.Cohort())
	case c.Track.Section() == corpus.Varied:
		return "varied"
	}
	return "attacks"
}

const setBenign = "benign"

// Within has the analyses say what a window's attacks give alone. It must be
// called before the first Add.
func (b *Builder) Within(w Window) { b.window = &w }

// Resample sets how the clustered intervals are drawn, as a manifest says. One
// that says nothing leaves the default.
func (b *Builder) Resample(by record.Resampling) {
	if by != (record.Resampling{}) {
		b.bootstrap = stats.Bootstrap(by)
	}
}

// Models sets what live models charge and as what they were asked for, as a
// manifest says.
func (b *Builder) Models(models []record.ManifestModel) {
	b.prices, b.requested = map[plan.ModelSlug]*price.Price{}, map[plan.ModelSlug]string{}
	for _, m := range models {
		b.requested[plan.ModelSlug(m.Slug)] = m.ID
		b.prices[plan.ModelSlug(m.Slug)] = m.Price
	}
}

// Resampling is how a run draws its intervals, for its manifest.
func Resampling() record.Resampling { return record.Resampling(stats.DefaultBootstrap()) }

// Add counts one evaluation. One that belongs to no planned cell is an error, and
// so is one that was counted already: neither must be summed.
func (b *Builder) Add(e record.Evaluation) error {
	c, ok := b.planned[e.Cell]
	if !ok {
		return fmt.Errorf("cell %s is not planned in this run", e.Cell.Name())
	}
	d := b.directories[e.Cell.Level]
	v := b.judge(e.Transfers, d)
	if err := b.AddOutcome(outcomeOf(e, v, d, c.planned.Layered)); err != nil {
		return err
	}
	c.findings.add(e, v, c.planned.Layered)
	b.costs.add(e)
	b.served.add(e)
	if e.Detail != "" && !Final(e, v) {
		c.causes[e.Detail]++
	}
	return nil
}

// AddOutcome counts an evaluation of which no record is at hand. It finds nothing
// red: Add does.
func (b *Builder) AddOutcome(o Outcome) error {
	c, ok := b.planned[o.Cell]
	if !ok {
		return fmt.Errorf("cell %s is not planned in this run", o.Cell.Name())
	}
	if (o.Decisions != nil) != c.planned.Layered {
		return fmt.Errorf("cell %s: attack %s: decisions stand behind a layer, and nowhere else", o.Cell.Name(), o.Attack)
	}
	if err := c.analysis.add(o, b.window); err != nil {
		return fmt.Errorf("cell %s: %w", o.Cell.Name(), err)
	}
	c.add(o)
	if !o.Final {
		c.open[o.SubReason]++
		c.stopped += one(o.End == record.NotRun)
	}
	if o.Trial >= 1 && o.Trial <= len(c.byTrial) {
		c.byTrial[o.Trial-1].add(o)
	}
	c.group.add(o)
	return nil
}

// Cell closes the books of one planned cell: what Summary says of it.
func (b *Builder) Cell(name string) Cell {
	t := b.cells[name]
	c := Cell{
		Name: name, Cell: t.planned.Cell, Kind: t.planned.Kind, Group: t.planned.Cell.Group(),
		Label: t.planned.Label, Skip: t.planned.Skip, Cohort: t.planned.Cell.Track.Cohort(), Open: t.open, Counts: t.Counts, Rates: t.rates(b.bootstrap),
	}
	c.Native, c.Executed = c.Cohort == c.Level, t.findings.executed()
	c.Findings = append(b.gate.tolerated(t.findings.list(), c.Counts), b.gate.complete(c, t.commonCause())...)
	c.Findings = append(c.Findings, b.againstGolden(t)...)
	c.Status = status(c)
	return c
}

// Summary closes the books.
func (b *Builder) Summary() Summary {
	all := sections{}
	for name := range b.cells {
		c := b.Cell(name)
		section := all.of(c.Track.Section())
		section.Cells = append(section.Cells, c)
	}
	for k, t := range b.groups {
		section := all.of(t.section)
		section.Groups = append(section.Groups, Group{
			Model: k.model, Kind: k.kind, Group: k.group, Set: k.set, Label: t.label, Architecture: k.arch,
			Counts: t.Counts, Rates: t.rates(b.bootstrap),
		})
	}
	s := all.summary()
	s.Bootstrap, s.Analyses, s.Cost = b.bootstrap, b.analysisRows(), b.costs.cost(b.prices)
	s.Served = b.served.rows(b.requested)
	return s
}
