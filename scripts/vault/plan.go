package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/record"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// planCommand says what the benchmark would do under the present environment. It
// asks no model and spends nothing.
type planCommand struct {
	Like string `help:"A finished run whose live models' tokens and times per evaluation the estimate takes; default the averages that the paper reports." placeholder:"RUN"`
}

// Run prints the plan.
func (c *planCommand) Run(stdout io.Writer) error {
	b, err := settings.OpenBench()
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	left, err := leftOf(b)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	rows, err := planned(b, left)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	e := paperEstimate()
	if c.Like != "" {
		if e, err = measured(c.Like); err != nil {
			return fmt.Errorf("plan: %w", err)
		}
	}
	if err := writePlan(stdout, rows, e, b.Options); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, leftOut(b.Suite.Corpus))
	return err
}

// leftOut says which variants no cell replays, since no banker could tell whose goal to
// pay; empty: none.
func leftOut(c corpus.Corpus) string {
	var ids []string
	for _, level := range corpus.Levels() {
		for _, track := range corpus.DerivedTracks(corpus.Varied) {
			for _, id := range c.LeftOut(level, track) {
				ids = append(ids, string(id))
			}
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return ""
	}
	some := ids[:min(len(ids), 5)]
	return fmt.Sprintf("left out, variants that begin like another one: %d, such as %s\n", len(ids), strings.Join(some, ", "))
}

// leftOf is what the run named by VAULT_RUN_ID has done already.
func leftOf(b *settings.Bench) (record.Left, error) {
	m, err := b.Manifest()
	if err != nil {
		return record.Left{}, err
	}
	return suite.Left(b.Suite, b.Options.Root, b.Options.Results, b.Options.RunID, m)
}

// planRow is what one model comes to.
type planRow struct {
	model       string
	live        bool
	notes       []string
	cells       int
	evaluations int // still to be asked
	price       *price.Price
	charged     record.Usage // to earlier processes of the run
}

func planned(b *settings.Bench, left record.Left) ([]planRow, error) {
	var rows []planRow
	for _, slug := range b.Models() {
		row, err := newRow(b, slug, left)
		if err != nil {
			return nil, err
		}
		cells, err := b.Cells([]string{slug}, slices.Concat(b.Tracks(corpus.Native), b.Tracks(corpus.Crossed), b.Tracks(corpus.Varied)))
		if err != nil {
			return nil, err
		}
		done := 0
		for _, cell := range cells {
			p, err := b.Suite.Planned(cell)
			if err != nil {
				return nil, err
			}
			if p.Skip == "" {
				row.cells++
			}
			row.evaluations += p.Evaluations
			done += b.Suite.Done(cell, left)
		}
		if done > 0 {
			row.notes = append(row.notes, fmt.Sprintf("%d of %d are done", done, row.evaluations))
		}
		row.evaluations -= done
		rows = append(rows, row)
	}
	return rows, nil
}

// newRow says what sort of banker a model is. A live one gets a place in the suite
// that nothing can be asked through.
func newRow(b *settings.Bench, slug string, left record.Left) (planRow, error) {
	row := planRow{model: slug}
	switch {
	case b.Cassettes[slug] != nil:
		row.notes = append(row.notes, "replayed from the cassette "+b.Cassettes[slug].Name()+": costs nothing")
		return row, nil
	case !slices.Contains(b.Options.Models, slug):
		row.notes = append(row.notes, "simulated: costs nothing")
		return row, nil
	}
	m, p, err := b.Catalog.Find(slug)
	if err != nil {
		return row, err
	}
	b.Suite.Bankers[plan.ModelSlug(slug)] = suite.Banker{Slug: plan.ModelSlug(slug), Kind: plan.Live}
	row.live, row.price, row.charged = true, m.Price, left.Charged[slug]
	switch {
	case m.ID == nil:
		row.notes = append(row.notes, "id is null in fixtures/models.json: the run stops")
	case b.Options.Lookup(p.KeyEnv) == "":
		row.notes = append(row.notes, p.KeyEnv+" unset: skipped")
	case b.Options.BudgetUSD > 0 && m.Price == nil:
		row.notes = append(row.notes, "price is null in fixtures/models.json, and VAULT_BUDGET_USD needs it: the run stops")
	}
	return row, nil
}

// estimate is what one evaluation of a live model takes.
type estimate struct {
	source                string
	input, output, cached float64       // tokens; cached ones are part of input
	fast, slow            time.Duration // per evaluation
}

// paperEstimate: 987.6 million input tokens, 686.0 million of them read from a
// cache, and 218.5 million output tokens over 222,400 evaluations; the models'
// median evaluations took 8.2 s to 66.8 s.
func paperEstimate() estimate {
	const evaluations = 222_400
	return estimate{
		source: "the paper's averages over fourteen models", input: 987.6e6 / evaluations, output: 218.5e6 / evaluations, cached: 686.0e6 / evaluations,
		fast: 8200 * time.Millisecond, slow: 66800 * time.Millisecond,
	}
}

// measured takes the averages of a run's live evaluations.
func measured(run string) (estimate, error) {
	var a averages
	err := record.Read(filepath.Join(run, record.EvaluationsFile), func(e record.Evaluation) error {
		a.add(e)
		return nil
	})
	if err != nil {
		return estimate{}, err
	}
	e, ok := a.estimate(run)
	if !ok {
		return e, fmt.Errorf("%s: no completed evaluation of a live model: leave --like out or name another run", run)
	}
	return e, nil
}

// averages adds up what completed live evaluations took.
type averages struct {
	n                     int
	input, output, cached int64 // tokens
	took                  time.Duration
}

func (a *averages) add(e record.Evaluation) {
	if e.Kind != plan.Live || e.End != record.Completed {
		return
	}
	a.n++
	for _, r := range e.Replies {
		a.input, a.output, a.cached = a.input+r.InputTokens, a.output+r.OutputTokens, a.cached+r.CachedTokens
		a.took += time.Duration(r.LatencyMS) * time.Millisecond
	}
}

func (a *averages) estimate(run string) (estimate, bool) {
	if a.n == 0 {
		return estimate{}, false
	}
	n, each := float64(a.n), a.took/time.Duration(a.n)
	return estimate{
		source: "the live evaluations of " + run, input: float64(a.input) / n, output: float64(a.output) / n, cached: float64(a.cached) / n,
		fast: each, slow: each,
	}, true
}

// usd is what an evaluation costs; false where the price is not confirmed.
func (e estimate) usd(p *price.Price) (float64, bool) {
	if p == nil {
		return 0, false
	}
	thousand := func(each float64) int64 { return int64(math.Round(each * 1e3)) } // an average has fractions
	return p.Of(price.Tokens{Input: thousand(e.input), Cached: thousand(e.cached), Output: thousand(e.output)}).USD() / 1e3, true
}

// recordedBytes is what an evaluation takes on the disk in all files of a run, in
// bytes, as runs of simulated bankers measure; long answers take more.
const recordedBytes = 4700

func writePlan(stdout io.Writer, rows []planRow, e estimate, options config.Options) error {
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "model\tcells\tevaluations\tinput tokens\toutput tokens\tUSD\ttime\tnote")
	live, cells, evaluations := 0, 0, 0
	for _, r := range rows {
		cells, evaluations = cells+r.cells, evaluations+r.evaluations
		note := strings.Join(r.notes, "; ")
		if !r.live {
			_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t-\t-\t-\t-\t%s\n", r.model, r.cells, r.evaluations, note)
			continue
		}
		live++
		n, usd := float64(r.evaluations), "price unconfirmed"
		if each, ok := e.usd(r.price); ok {
			usd = fmt.Sprintf("%.2f", n*each)
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%.0f\t%.0f\t%s\t%s\t%s\n", r.model, r.cells, r.evaluations, n*e.input, n*e.output, usd, e.span(r.evaluations, options.Concurrency), note)
	}
	_, _ = fmt.Fprintf(w, "in all\t%d\t%d\n", cells, evaluations)
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "the record of these takes about %.0f MB\n", math.Ceil(float64(evaluations)*recordedBytes/1e6)); err != nil {
		return err
	}
	if live == 0 {
		_, err := fmt.Fprintln(stdout, "no live model is named in VAULT_MODELS: nothing is spent")
		return err
	}
	_, _ = fmt.Fprintf(stdout, "tokens and time by %s: %.0f input (%.0f from a cache) and %.0f output tokens an evaluation, %d evaluations at a time (VAULT_CONCURRENCY), models one after the other\n",
		e.source, e.input, e.cached, e.output, options.Concurrency)
	_, err := io.WriteString(stdout, overBudget(rows, e, options))
	return err
}

// overBudget says what of a run's budget the plan goes beyond; empty: of none.
func overBudget(rows []planRow, e estimate, options config.Options) string {
	tokens, usd := 0.0, 0.0 // what earlier processes were charged counts as well
	for _, r := range rows {
		if !r.live {
			continue
		}
		tokens += float64(r.charged.InputTokens+r.charged.OutputTokens) + float64(r.evaluations)*(e.input+e.output)
		if each, ok := e.usd(r.price); ok {
			usd += r.price.Of(price.Tokens{Input: r.charged.InputTokens, Cached: r.charged.CachedTokens, Output: r.charged.OutputTokens}).USD() + float64(r.evaluations)*each
		}
	}
	text := ""
	if limit := options.BudgetTokens; limit > 0 && tokens > float64(limit) {
		text += fmt.Sprintf("beyond the budget: VAULT_BUDGET_TOKENS is %d, and the run comes to about %.0f: the rest would be not_run\n", limit, tokens)
	}
	if limit := options.BudgetUSD; limit > 0 && usd > limit {
		text += fmt.Sprintf("beyond the budget: VAULT_BUDGET_USD is %.2f, and the run comes to about %.2f: the rest would be not_run\n", limit, usd)
	}
	return text
}

// span is how long so many evaluations take, from the fastest model to the slowest.
func (e estimate) span(evaluations, parallel int) string {
	at := func(d time.Duration) string {
		return (d * time.Duration(evaluations) / time.Duration(max(1, parallel))).Round(time.Minute).String()
	}
	if e.fast == e.slow {
		return "about " + at(e.fast)
	}
	return at(e.fast) + " to " + at(e.slow)
}
