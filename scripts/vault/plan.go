package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/record"
	"vaultbench/scripts/settings"
	"vaultbench/scripts/shipped"
)

// planCommand says what the benchmark would do under the present environment. It
// asks no model and spends nothing.
type planCommand struct {
	Like string `help:"A finished run whose live models' tokens and times per evaluation the estimate takes; default the averages that the paper reports." placeholder:"RUN"`
}

// Run prints the plan.
func (c *planCommand) Run(stdout io.Writer) error {
	catalog, options, err := settings.Load()
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	rows, err := planned(catalog, options)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	e := paperEstimate()
	if c.Like != "" {
		if e, err = measured(c.Like); err != nil {
			return fmt.Errorf("plan: %w", err)
		}
	}
	return writePlan(stdout, rows, e, options)
}

// planRow is what one model comes to.
type planRow struct {
	model       string
	live        bool
	skip        string // why it would not be asked
	cells       int
	evaluations int
	price       *price.Price
}

func planned(catalog llm.Catalog, options config.Options) ([]planRow, error) {
	attacks, err := shipped.Corpus()
	if err != nil {
		return nil, err
	}
	attacks, tracks, err := derived(attacks, options)
	if err != nil {
		return nil, err
	}
	var rows []planRow
	for _, slug := range slices.Concat(options.Sims, options.Models) {
		cells, err := plan.Cells([]plan.ModelSlug{plan.ModelSlug(slug)}, typed[corpus.Level](options.Levels),
			tracks, typed[plan.Architecture](options.Architectures))
		if err != nil {
			return nil, err
		}
		row := planRow{model: slug, cells: len(cells)}
		for _, cell := range cells {
			row.evaluations += len(attacks.Select(cell.Level, cell.Track)) * options.Trials
		}
		if slices.Contains(options.Models, slug) {
			m, p, err := catalog.Find(slug)
			if err != nil {
				return nil, err
			}
			row.live, row.price = true, m.Price
			switch {
			case m.ID == nil:
				row.skip = "id is null in fixtures/models.json: the run stops"
			case options.Lookup(p.KeyEnv) == "":
				row.skip = p.KeyEnv + " unset: skipped"
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// derived adds the attacks and tracks of the sections that were asked for.
func derived(c corpus.Corpus, options config.Options) (corpus.Corpus, []corpus.Track, error) {
	tracks := typed[corpus.Track](options.Tracks)
	levels, err := shipped.Levels()
	if err != nil {
		return c, nil, err
	}
	if options.Cross {
		tracks = append(tracks, corpus.DerivedTracks(corpus.Crossed)...)
	}
	if options.Variants > 0 {
		tracks = append(tracks, corpus.DerivedTracks(corpus.Varied)...)
	}
	c, err = settings.Derive(c, levels, options)
	return c, tracks, err
}

func typed[T ~string](words []string) []T {
	var out []T
	for _, w := range words {
		out = append(out, T(w))
	}
	return out
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

func writePlan(stdout io.Writer, rows []planRow, e estimate, options config.Options) error {
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "model\tcells\tevaluations\tinput tokens\toutput tokens\tUSD\ttime\tnote")
	live, cells, evaluations := 0, 0, 0
	for _, r := range rows {
		cells, evaluations = cells+r.cells, evaluations+r.evaluations
		if !r.live {
			_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t-\t-\t-\t-\tsimulated: costs nothing\n", r.model, r.cells, r.evaluations)
			continue
		}
		live++
		n, usd := float64(r.evaluations), "price unconfirmed"
		if each, ok := e.usd(r.price); ok {
			usd = fmt.Sprintf("%.2f", n*each)
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%.0f\t%.0f\t%s\t%s\t%s\n", r.model, r.cells, r.evaluations, n*e.input, n*e.output, usd, e.span(r.evaluations, options.Concurrency), r.skip)
	}
	_, _ = fmt.Fprintf(w, "in all\t%d\t%d\n", cells, evaluations)
	if err := w.Flush(); err != nil {
		return err
	}
	if live == 0 {
		_, err := fmt.Fprintln(stdout, "no live model is named in VAULT_MODELS: nothing is spent")
		return err
	}
	_, err := fmt.Fprintf(stdout, "tokens and time by %s: %.0f input (%.0f from a cache) and %.0f output tokens an evaluation, %d evaluations at a time (VAULT_CONCURRENCY), models one after the other\n",
		e.source, e.input, e.cached, e.output, options.Concurrency)
	return err
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
