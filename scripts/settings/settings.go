// Package settings resolves the configuration and names what a run is made of, for
// the benchmark and its companion alike.
package settings

import (
	"os"

	"vaultbench/docs"
	"vaultbench/fixtures"
	"vaultbench/golden"
	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/derived"
	"vaultbench/internal/llm"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/passports"
)

// Load resolves the environment of a process that runs inside the module.
func Load() (llm.Catalog, config.Options, error) {
	dir, err := os.Getwd()
	if err != nil {
		return llm.Catalog{}, config.Options{}, err
	}
	root, err := config.Root(dir)
	if err != nil {
		return llm.Catalog{}, config.Options{}, err
	}
	catalog, err := llm.LoadModels(fixtures.FS)
	if err != nil {
		return llm.Catalog{}, config.Options{}, err
	}
	options, err := config.Load(root, vocabulary(catalog))
	return catalog, options, err
}

func vocabulary(c llm.Catalog) config.Vocabulary {
	v := config.Vocabulary{
		Sims: sim.Names(), Levels: words(corpus.Levels()), Tracks: words(corpus.Tracks()),
		Architectures:        words(plan.Architectures()),
		DefaultArchitectures: words([]plan.Architecture{plan.Alone, plan.OAP}),
		Variants:             len(derived.Operators()),
	}
	for _, m := range c.Models {
		if m.Role == llm.RoleTarget {
			v.Models = append(v.Models, m.Slug)
		}
	}
	return v
}

// Digests are those of the files that a run is made of, by the names of a
// manifest. That of the golden stands in a manifest only where the run was held
// against it.
func Digests() (map[string]string, error) {
	_, options, err := Load()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	if err := corpusDigests(all, options); err != nil {
		return nil, err
	}
	if err := suite.Digests(all, corpus.ShippedPrefix, fixtures.FS, "*.json", "toolmaps/*"); err != nil {
		return nil, err
	}
	if err := suite.Digests(all, report.GoldenPrefix, golden.FS, report.EventsFile); err != nil {
		return nil, err
	}
	if err := suite.Digests(all, "docs/", docs.FS, "preregistration.md"); err != nil {
		return nil, err
	}
	return all, suite.Digests(all, "passports/", passports.FS, "*.json", "packs/*.json")
}

func words[T ~string](ts []T) []string {
	var out []string
	for _, t := range ts {
		out = append(out, string(t))
	}
	return out
}

// Derive adds the attacks of the sections that the options ask for.
func Derive(s *suite.Suite, o config.Options) (err error) {
	if o.Cross {
		if s.Corpus, err = derived.Crossed(s.Corpus, s.Levels); err != nil {
			return err
		}
	}
	if o.Variants > 0 {
		if s.Corpus, err = derived.Varied(s.Corpus, o.Variants, s.Levels); err != nil {
			return err
		}
	}
	s.Bankers = suite.Sims(s.Corpus)
	return nil
}
