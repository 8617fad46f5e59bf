package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/corpus/author"
	"vaultbench/internal/escape"
	"vaultbench/internal/record"
	"vaultbench/scripts/settings"
	"vaultbench/scripts/shipped"
)

// attacksLint checks the attack files.
type attacksLint struct {
	Files []string `arg:"" optional:"" help:"Report only what is wrong with these: files of the corpus, or drafts, which are compared with it. Default: the whole corpus."`
}

// Run prints one line a finding: of the texts first, then of what the layer decides
// otherwise than an entry expects.
func (c *attacksLint) Run(stdout io.Writer) error {
	w, err := openWorkshop()
	if err != nil {
		return err
	}
	files, err := w.read(c.Files)
	if err != nil {
		return err
	}
	findings, err := w.lint(files)
	if err != nil {
		return err
	}
	unexpected, err := contradicted(w.fixtures, author.Entries(files, shipped.Expectations()))
	return errors.Join(problemsFound(stdout, append(findings, unexpected...)), err)
}

func (w workshop) lint(files []author.File) ([]author.Finding, error) {
	if !w.own() {
		return author.Lint(w.fixtures, files, shipped.Expectations())
	}
	levels, err := shipped.Levels()
	return author.LintOwn(levels, files, shipped.Expectations()), err
}

// files are those of the corpus.
func (w workshop) files() ([]author.File, error) {
	if !w.own() {
		return author.Read(w.fixtures)
	}
	fsys, err := settings.OwnCorpus(w.options)
	if err != nil {
		return nil, err
	}
	name, err := w.name(w.options.Corpus)
	if err != nil {
		return nil, err
	}
	return author.ReadOwn(fsys, name)
}

// problemsFound prints findings; any that is no warning is an error.
func problemsFound(stdout io.Writer, findings []author.Finding) error {
	wrong := 0
	for _, f := range findings {
		if _, err := fmt.Fprintln(stdout, escape.Line(f.String())); err != nil {
			return err
		}
		if !f.Warning {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("attacks: %d findings", wrong)
	}
	return nil
}

// read reads the corpus and, if some files are named, makes the others quiet.
func (w workshop) read(named []string) ([]author.File, error) {
	files, err := w.files()
	if err != nil || len(named) == 0 {
		return files, err
	}
	for i := range files {
		files[i].Quiet = true
	}
	for _, path := range named {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(files, func(f author.File) bool { return w.isFile(f, info) }); i >= 0 {
			files[i].Quiet = false
			continue
		}
		name, err := w.name(path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, author.File{Name: name, Data: data})
	}
	return files, nil
}

// isFile compares files and not names: there is more than one way to a file.
func (w workshop) isFile(f author.File, info os.FileInfo) bool {
	other, err := os.Stat(w.path(f))
	return err == nil && os.SameFile(other, info)
}

// path is where a file stands, by its name for messages.
func (w workshop) path(f author.File) string {
	path := filepath.FromSlash(f.Name)
	if filepath.IsAbs(path) || path == ".." || strings.HasPrefix(path, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.Join(w.root, path)
}

// name is how messages call a file: from the module root, or as given where it
// lies outside.
func (w workshop) name(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(w.root, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path, nil
	}
	return filepath.ToSlash(rel), nil
}

// attacksFmt rewrites the attack files.
type attacksFmt struct {
	Check bool     `help:"Write nothing; status 1 and the names if a file is not in canonical form."`
	Files []string `arg:"" optional:"" help:"Files of the corpus or drafts with ids. Default: the whole corpus."`
}

// Run prints the name of each file that changes.
func (c *attacksFmt) Run(stdout io.Writer) error {
	w, err := openWorkshop()
	if err != nil {
		return err
	}
	if c.Check {
		return c.format(w, stdout)
	}
	return w.alone(func() error { return c.format(w, stdout) })
}

func (c *attacksFmt) format(w workshop, stdout io.Writer) error {
	files, err := w.read(c.Files)
	if err != nil {
		return err
	}
	var changed []author.File
	for _, f := range files {
		if f.Quiet {
			continue
		}
		data, err := author.Format(f)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, f.Data) {
			changed = append(changed, author.File{Name: f.Name, Data: data})
		}
	}
	for _, f := range changed {
		if _, err := fmt.Fprintln(stdout, escape.Line(f.Name)); err != nil {
			return err
		}
	}
	if c.Check {
		if len(changed) > 0 {
			return fmt.Errorf("attacks: %d files are not in canonical form: run go tool vault attacks fmt", len(changed))
		}
		return nil
	}
	return w.write(changed)
}

// write writes files by their names, all or, unless one can't be replaced, none.
// Whoever read them before holds alone.
func (w workshop) write(files []author.File) error {
	data := map[string][]byte{}
	var paths []string
	for _, f := range files {
		path := w.path(f)
		paths, data[path] = append(paths, path), f.Data
	}
	return record.WriteFiles(paths, func(path string, out io.Writer) error {
		_, err := out.Write(data[path])
		return err
	})
}
