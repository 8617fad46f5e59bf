package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"vaultbench/fixtures"
	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/suite"
	"vaultbench/scripts/shipped"
)

// Corpus is the one that the environment asks for: that of VAULT_CORPUS, or the
// shipped one. Each of its conversations fits its level.
func Corpus() (corpus.Corpus, error) {
	_, options, err := Load()
	if err != nil {
		return corpus.Corpus{}, err
	}
	return corpusOf(options)
}

func corpusOf(options config.Options) (corpus.Corpus, error) {
	if options.Corpus == "" {
		return shipped.Corpus()
	}
	fsys, err := OwnCorpus(options)
	if err != nil {
		return corpus.Corpus{}, err
	}
	c, err := corpus.LoadOwn(fsys, shipped.Expectations())
	if err != nil {
		return c, fmt.Errorf("VAULT_CORPUS: %s: %w (go tool vault attacks lint lists everything)", options.Corpus, err)
	}
	levels, err := shipped.Levels()
	if err == nil {
		err = c.Fits(levels)
	}
	if err != nil {
		return c, fmt.Errorf("VAULT_CORPUS: %s: %w", options.Corpus, err)
	}
	return c, nil
}

// OwnCorpus is the folder of VAULT_CORPUS, which must be set. One without any attack
// would be a run of nothing, and what is not read would be missing from it.
func OwnCorpus(options config.Options) (fs.FS, error) {
	dir := options.Corpus
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("VAULT_CORPUS: no folder %s", dir)
	case err != nil:
		return nil, fmt.Errorf("VAULT_CORPUS: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("VAULT_CORPUS: %s is no folder: name the one that holds attacks/*.jsonl", dir)
	}
	fsys := os.DirFS(dir)
	if err := corpus.OwnFiles(fsys); err != nil {
		return nil, fmt.Errorf("VAULT_CORPUS: %s: %w", dir, err)
	}
	if _, err := corpus.Files(fsys, "attacks", true); err != nil {
		return nil, fmt.Errorf("VAULT_CORPUS: %s has no attack: %w: put attack files there, honest tasks into benign/*.jsonl", dir, err)
	}
	return fsys, nil
}

// corpusDigests are those of the corpus that a run is of.
func corpusDigests(into map[string]string, options config.Options) error {
	if options.Corpus == "" {
		return shippedDigests(into)
	}
	fsys, err := OwnCorpus(options)
	if err != nil {
		return err
	}
	return suite.Digests(into, corpus.OwnPrefix, fsys, "attacks/*.jsonl", "benign/*.jsonl")
}

func shippedDigests(into map[string]string) error {
	all, err := digestsOfShipped()
	maps.Copy(into, all)
	return err
}

// digestsOfShipped reads what is built in, once: it stays as it is.
var digestsOfShipped = sync.OnceValues(func() (map[string]string, error) {
	all := map[string]string{}
	return all, suite.Digests(all, corpus.ShippedPrefix, fixtures.FS, "attacks/*", "benign/*")
})
