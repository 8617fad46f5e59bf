package vault_test

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/budget"
	"vaultbench/internal/llm/cassette"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/plan"
	"vaultbench/internal/progress"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/scripts/settings"
)

// bench is the suite as the environment asks for it, with the run that it
// writes. The run begins with the first test that needs it.
type bench struct {
	options config.Options
	suite   *suite.Suite
	catalog llm.Catalog
	run     *suite.Run

	progress *progress.Tracker

	budget   *budget.Budget
	limiters map[string]*limit.Limiter // by the variable of the key

	cassettes map[string]*cassette.Player // by model
}

var (
	current   *bench
	openBench = sync.OnceValues(func() (*bench, error) { return newBench() })
)

// theBench opens the suite and begins the run, once per process.
func theBench(t *testing.T) *bench {
	t.Helper()
	b, err := openBench()
	require.NoError(t, err)
	watchDeadline(t)
	return b
}

func newBench() (*bench, error) {
	catalog, options, err := settings.Load()
	if err != nil {
		return nil, err
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: options.Log})))
	s, err := settings.Suite()
	if err != nil {
		return nil, err
	}
	s.Trials, s.Concurrency = options.Trials, options.Concurrency
	if err := derive(s, options); err != nil {
		return nil, err
	}
	if s.Gate, err = report.LoadGate(options.Gate); err != nil {
		return nil, err
	}
	if s.Key, err = receipt.LoadKey(options.SigningKey); err != nil {
		return nil, err
	}
	b := &bench{options: options, suite: s, catalog: catalog}
	if s.Shard, err = plan.ParseShard(options.Shard); err != nil {
		return nil, fmt.Errorf("VAULT_SHARD: %w", err)
	}
	if !s.Shard.Whole() {
		fmt.Printf("golden/%s: not compared: VAULT_SHARD runs a part; go tool vault merge compares the whole\n", report.EventsFile)
	}
	if !s.Shard.Whole() || *update {
		s.Golden = nil // the golden counts the whole
	}
	if err := b.addCassettes(); err != nil {
		return nil, err
	}
	if err := b.addLive(); err != nil {
		return nil, err
	}
	manifest, err := b.manifest()
	if err != nil {
		return nil, err
	}
	b.print()
	if b.run, err = suite.Start(s, options.Root, options.Results, options.RunID, manifest); err != nil {
		return nil, err
	}
	slog.Info("run begins", "folder", b.run.Dir(), "shard", options.Shard, "models", options.Models, "concurrency", options.Concurrency)
	if recorded, final, torn := b.run.Resumed(); recorded > 0 {
		fmt.Printf("resumed: %d evaluations recorded, %d of them final and not asked again; %d bytes of a torn line dropped\n", recorded, final, torn)
	}
	if err := b.chargeEarlier(); err != nil {
		return nil, err
	}
	b.watch()
	current = b
	return b, nil
}

// derive adds the attacks of the sections that were asked for.
func derive(s *suite.Suite, o config.Options) (err error) {
	if s.Corpus, err = settings.Derive(s.Corpus, s.Levels, o); err != nil {
		return err
	}
	s.Bankers = suite.Sims(s.Corpus)
	return nil
}

// cells are the cells that the environment selects.
func (b *bench) cells() ([]plan.Cell, error) {
	return b.cellsOn(typed[corpus.Track](b.options.Tracks))
}

func (b *bench) cellsOn(tracks []corpus.Track) ([]plan.Cell, error) {
	var models []plan.ModelSlug
	for _, m := range slices.Concat(b.options.Sims, b.options.Models) {
		models = append(models, plan.ModelSlug(m))
	}
	return plan.Cells(models, typed[corpus.Level](b.options.Levels), tracks,
		typed[plan.Architecture](b.options.Architectures))
}

func (b *bench) manifest() (record.Manifest, error) {
	m := record.Manifest{Options: map[string]string{}, Sims: b.options.Sims}
	for _, s := range b.options.Settings() {
		m.Options[s.Name] = fmt.Sprintf("%s (%s)", s.Value, s.Source)
	}
	for _, slug := range b.options.Models {
		model, provider, err := b.catalog.Find(slug)
		if err != nil {
			return m, err
		}
		entry := record.ManifestModel{Slug: slug, Provider: provider.Name, Price: model.Price}
		if model.ID != nil {
			entry.ID = string(*model.ID)
		}
		m.Models = append(m.Models, entry)
	}
	var err error
	if m.Digests, err = settings.Digests(); err != nil {
		return m, err
	}
	for slug, p := range b.cassettes {
		if err := suite.Digests(m.Digests, "cassettes/"+slug+"/", os.DirFS(b.options.Recordings), p.Name()); err != nil {
			return m, err
		}
	}
	if b.suite.Golden == nil { // the counts are held against nothing
		delete(m.Digests, report.GoldenPrefix+report.EventsFile)
	}
	return m, nil
}

// print shows the resolved configuration once. It holds no secret.
func (b *bench) print() {
	for _, s := range b.options.Settings() {
		fmt.Printf("config: %s=%s (%s)\n", s.Name, escape.Line(s.Value), s.Source)
	}
}

func typed[T ~string](ws []string) []T {
	var out []T
	for _, w := range ws {
		out = append(out, T(w))
	}
	return out
}
