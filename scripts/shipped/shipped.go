// Package shipped reads what this checkout holds, once a process: the parts of one
// command ask for the same corpus, and to check it is most of what a short command
// does. What is returned is the caller's to extend or cut; attacks and levels
// themselves are shared, and nobody changes them.
package shipped

import (
	"maps"
	"slices"
	"sync"

	"vaultbench/fixtures"
	"vaultbench/golden"
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/report"
)

var (
	loadCorpus = sync.OnceValues(func() (corpus.Corpus, error) { return corpus.Load(fixtures.FS, Expectations()) })
	loadLevels = sync.OnceValues(func() (map[corpus.Level]corpus.LevelSpec, error) { return corpus.LoadLevels(fixtures.FS) })
	loadGolden = sync.OnceValues(func() (map[string]report.Counts, error) { return report.LoadGolden(golden.FS) })
)

// Corpus holds the attacks and honest tasks.
func Corpus() (corpus.Corpus, error) {
	c, err := loadCorpus()
	c.Attacks, c.Benign = slices.Clone(c.Attacks), slices.Clone(c.Benign)
	return c, err
}

// Levels are what the levels permit.
func Levels() (map[corpus.Level]corpus.LevelSpec, error) {
	levels, err := loadLevels()
	return maps.Clone(levels), err
}

// Golden is the expected counts of simulated cells.
func Golden() (map[string]report.Counts, error) {
	counts, err := loadGolden()
	return maps.Clone(counts), err
}

// Expectations is the vocabulary of an attack's field expect.
func Expectations() []string {
	var words []string
	for _, r := range authz.Reasons() {
		words = append(words, string(r))
	}
	return words
}
