package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/scripts/settings"
	"vaultbench/scripts/shipped"
)

// attacksCommand is the tool of those who read or write the corpus. It works on
// the files of the module that it is called in.
type attacksCommand struct {
	List   attacksList   `cmd:"" help:"One line per attack and honest twin."`
	Show   attacksShow   `cmd:"" help:"Whole entries, with hostile text escaped."`
	Lint   attacksLint   `cmd:"" help:"Say everything that is wrong with the attack files. Status 1 if there is anything."`
	Fmt    attacksFmt    `cmd:"" help:"Rewrite the attack files in canonical form, in order of the ids."`
	Add    attacksAdd    `cmd:"" help:"Give entries their ids, check them and append them to their files."`
	Stats  attacksStats  `cmd:"" help:"Count the corpus; golden/corpus-stats.txt holds the same text."`
	Mutate attacksMutate `cmd:"" help:"Print marked variants of an attack as JSONL."`
}

// workshop is the corpus on disk: that of the module, and what stands in for it.
type workshop struct {
	root     string
	fixtures fs.FS
	options  config.Options
}

func openWorkshop() (workshop, error) {
	_, options, err := settings.Load()
	if err != nil {
		return workshop{}, err
	}
	return workshop{options.Root, os.DirFS(filepath.Join(options.Root, "fixtures")), options}, nil
}

// own reports whether VAULT_CORPUS names another corpus than the module's.
func (w workshop) own() bool { return w.options.Corpus != "" }

// shippedOnly refuses to give an id of the shipped corpus, never to be used again,
// to who works on another one.
func (w workshop) shippedOnly(instead string) error {
	if w.own() {
		return fmt.Errorf("VAULT_CORPUS is set, and this adds to fixtures/: unset it, or %s", instead)
	}
	return nil
}

// loadCorpus loads the corpus as the benchmark does.
func loadCorpus() (workshop, corpus.Corpus, error) {
	w, err := openWorkshop()
	if err != nil {
		return w, corpus.Corpus{}, err
	}
	if w.own() {
		c, err := settings.Corpus()
		return w, c, err
	}
	c, err := corpus.Load(w.fixtures, shipped.Expectations())
	if err != nil {
		return w, c, fmt.Errorf("%w (go tool vault attacks lint lists everything)", err)
	}
	return w, c, nil
}
