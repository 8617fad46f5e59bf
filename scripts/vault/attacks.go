package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
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

// workshop is the corpus on disk.
type workshop struct {
	root     string
	fixtures fs.FS
}

func openWorkshop() (workshop, error) {
	dir, err := os.Getwd()
	if err != nil {
		return workshop{}, err
	}
	root, err := config.Root(dir)
	if err != nil {
		return workshop{}, err
	}
	return workshop{root, os.DirFS(filepath.Join(root, "fixtures"))}, nil
}

// loadCorpus loads the corpus of the module as the benchmark does.
func loadCorpus() (workshop, corpus.Corpus, error) {
	w, err := openWorkshop()
	if err != nil {
		return w, corpus.Corpus{}, err
	}
	c, err := corpus.Load(w.fixtures, shipped.Expectations())
	if err != nil {
		return w, c, fmt.Errorf("%w (go tool vault attacks lint lists everything)", err)
	}
	return w, c, nil
}
