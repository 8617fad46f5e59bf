package settings

import (
	"fmt"
	"os"
	"slices"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/cassette"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
)

// Bench is the benchmark as the environment asks for it, before any live model is
// opened: what go test runs, and what go tool vault plan foretells.
type Bench struct {
	Options   config.Options // with the models that cassettes replay
	Catalog   llm.Catalog
	Suite     *suite.Suite
	Cassettes map[string]*cassette.Player // by model
}

// OpenBench resolves the environment.
func OpenBench() (*Bench, error) {
	catalog, options, err := Load()
	if err != nil {
		return nil, err
	}
	gate, err := report.LoadGate(options.Gate) // what a variable names first: it is cheap to refuse
	if err != nil {
		return nil, err
	}
	key, err := receipt.LoadKey(options.SigningKey)
	if err != nil {
		return nil, err
	}
	shard, err := plan.ParseShard(options.Shard)
	if err != nil {
		return nil, fmt.Errorf("VAULT_SHARD: %w", err)
	}
	s, err := AskedSuite()
	if err != nil {
		return nil, err
	}
	s.Trials, s.Concurrency, s.Gate, s.Key, s.Shard = options.Trials, options.Concurrency, gate, key, shard
	if err := Derive(s, options); err != nil {
		return nil, err
	}
	if !s.Shard.Whole() {
		s.Golden = nil // the golden counts the whole
	}
	b := &Bench{Options: options, Catalog: catalog, Suite: s}
	return b, b.addCassettes()
}

// addCassettes makes each cassette of VAULT_RECORDINGS the client of its model, which
// is then not asked. A replay is one trial, however often it is played.
func (b *Bench) addCassettes() error {
	if b.Options.Recordings == "" {
		return nil
	}
	players, err := cassette.Find(b.Options.Recordings)
	if err != nil {
		return fmt.Errorf("VAULT_RECORDINGS: %w", err)
	}
	b.Cassettes = map[string]*cassette.Player{}
	for _, p := range players {
		slug := p.Model()
		switch _, _, err := b.Catalog.Find(slug); {
		case err != nil:
			return fmt.Errorf("VAULT_RECORDINGS: %s: %w", p.Name(), err)
		case b.Options.Trials > 1:
			return fmt.Errorf("VAULT_TRIALS: %s is replayed from the cassette %s, which counts as one trial: unset it", slug, p.Name())
		case b.Options.Record != "":
			return fmt.Errorf("VAULT_RECORD: %s is replayed from the cassette %s, which can't be recorded: unset it or VAULT_RECORDINGS", slug, p.Name())
		}
		b.Cassettes[slug] = p
		if !slices.Contains(b.Options.Models, slug) {
			b.Options.Models = append(b.Options.Models, slug)
		}
		b.Suite.Bankers[plan.ModelSlug(slug)] = suite.Banker{
			Slug: plan.ModelSlug(slug), Kind: plan.Recorded, Label: "replay of the cassette " + p.Name() + ": counts as one trial",
			Open: func(corpus.LevelSpec, corpus.Track) (llm.Client, error) { return p, nil },
		}
	}
	return nil
}

// Models are those of the grid: simulated, live and replayed.
func (b *Bench) Models() []string { return slices.Concat(b.Options.Sims, b.Options.Models) }

// Cells are those of some models on some tracks.
func (b *Bench) Cells(models []string, tracks []corpus.Track) ([]plan.Cell, error) {
	return plan.Cells(typed[plan.ModelSlug](models), typed[corpus.Level](b.Options.Levels), tracks, typed[plan.Architecture](b.Options.Architectures))
}

// Tracks are those of a section that the environment asks for; of a derived one,
// those whose attacks are on a track that it names.
func (b *Bench) Tracks(section corpus.Section) []corpus.Track {
	named := typed[corpus.Track](b.Options.Tracks)
	switch {
	case section == corpus.Native:
		return named
	case section == corpus.Crossed && !b.Options.Cross, section == corpus.Varied && b.Options.Variants == 0:
		return nil
	}
	return slices.DeleteFunc(corpus.DerivedTracks(section), func(t corpus.Track) bool { return !slices.Contains(named, t.Base()) })
}

// Manifest says what the run is made of.
func (b *Bench) Manifest() (record.Manifest, error) {
	m := record.Manifest{Options: map[string]string{}, Sims: b.Options.Sims}
	for _, s := range b.Options.Settings() {
		m.Options[s.Name] = fmt.Sprintf("%s (%s)", s.Value, s.Source)
	}
	for _, slug := range b.Options.Models {
		model, provider, err := b.Catalog.Find(slug)
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
	if m.Digests, err = Digests(); err != nil {
		return m, err
	}
	for slug, p := range b.Cassettes {
		if err := suite.Digests(m.Digests, "cassettes/"+slug+"/", os.DirFS(b.Options.Recordings), p.Name()); err != nil {
			return m, err
		}
	}
	if b.Suite.Golden == nil { // the counts are held against nothing
		delete(m.Digests, report.GoldenPrefix+report.EventsFile)
	}
	return m, nil
}

func typed[T ~string](words []string) []T {
	var out []T
	for _, w := range words {
		out = append(out, T(w))
	}
	return out
}
