package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/escape"
	"vaultbench/internal/ingest"
	"vaultbench/internal/record"
	"vaultbench/scripts/shipped"
)

// tableFlags are common to all tables.
type tableFlags struct {
	Mapping string `help:"Where the fields stand (docs/import.md). Default: the shipped mapping that fits." placeholder:"FILE"`
	Rejects string `help:"File for rejected rows. Default: <file>.rejects.jsonl, in the folder that it is called in." placeholder:"FILE"`
}

// open refuses rejects that would stand where the import goes: out is its path,
// empty for the module's own files.
func (t *tableFlags) open(path, out string) (ingest.Mapping, *ingest.Rejects, error) {
	var m ingest.Mapping
	file := t.Rejects
	if file == "" {
		file = filepath.Base(path) + ".rejects.jsonl"
	}
	if out != "" && samePath(file, out) {
		return m, nil, fmt.Errorf("%s is both --out and the file of rejects: name another with --rejects", file)
	}
	if t.Mapping != "" {
		var err error
		if m, err = ingest.LoadMapping(t.Mapping); err != nil {
			return m, nil, err
		}
	}
	rejects, err := ingest.NewRejects(file)
	return m, rejects, err
}

// samePath compares two paths, of which neither need exist.
func samePath(a, b string) bool {
	for _, p := range []*string{&a, &b} {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(filepath.Clean(*p))); err == nil {
			*p = filepath.Join(dir, filepath.Base(*p))
		}
		if abs, err := filepath.Abs(*p); err == nil {
			*p = abs
		}
	}
	return a == b
}

// importOutcomes checks outcome rows and writes them in our own columns.
type importOutcomes struct {
	File string `arg:"" help:"Parquet, or CSV or JSON Lines, gzip'd, zstd'd or not."`
	Out  string `required:"" help:"File to write, JSON Lines with the columns of an export's outcomes; it must not exist." placeholder:"FILE"`
	tableFlags
}

// Run writes every row that is whole, and says what the others were rejected for.
func (c *importOutcomes) Run(stdout io.Writer) error {
	if _, err := os.Lstat(c.Out); err == nil {
		return fmt.Errorf("import: %w", &record.TakenError{Path: c.Out, Kind: "file"})
	}
	m, rejects, err := c.open(c.File, c.Out)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	var counts ingest.Counts
	ctx, stop := config.Interruptible()
	defer stop()
	err = record.CreateFile(c.Out, func(w io.Writer) error { return c.rows(ctx, w, m, rejects, &counts) })
	if err = errors.Join(err, rejects.Close()); err != nil {
		return rejectedIn(rejects.Path(), fmt.Errorf("import: %w", err))
	}
	if err := say(stdout, filepath.Base(c.File), counts, rejects.Path()); err != nil {
		return err
	}
	return anyRejected(counts)
}

func (c *importOutcomes) rows(ctx context.Context, w io.Writer, m ingest.Mapping, rejects *ingest.Rejects, counts *ingest.Counts) error {
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for row, err := range ingest.OutcomesAnd(c.File, m, func(columns []string) { counts.Unread = columns }) {
		var bad *ingest.Rejected
		switch {
		case errors.As(err, &bad):
			counts.Reject(bad)
			err = rejects.Write(bad)
		case err == nil:
			counts.Take()
			err = enc.Encode(row)
		}
		if err == nil && ctx.Err() != nil {
			err = fmt.Errorf("interrupted, nothing was imported: %w", ctx.Err())
		}
		if err != nil {
			return err
		}
	}
	if counts.Imported == 0 {
		return fmt.Errorf("%s: none of %d rows could be imported", c.File, counts.Read)
	}
	return out.Flush()
}

// importAttacks adds a table's attacks to the attack files.
type importAttacks struct {
	File string `arg:"" help:"Parquet, or CSV or JSON Lines, gzip'd, zstd'd or not."`
	Out  string `help:"Folder for the new entries alone, attacks/level-N.jsonl: a corpus for VAULT_CORPUS. Default: they are added to the module's attack files." placeholder:"DIR"`
	tableFlags
}

// Run adds what passes the author's checks, and says what the others were
// rejected for.
func (c *importAttacks) Run(stdout io.Writer) error {
	w, err := openWorkshop()
	if err != nil {
		return err
	}
	if c.Out == "" {
		err = w.shippedOnly("name a folder with --out")
	} else {
		err = c.unclaimed()
	}
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	m, rejects, err := c.open(c.File, c.Out)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	var added author.Addition
	var counts ingest.Counts
	add := func() error {
		added, counts, err = ingest.Attacks{
			Fixtures: w.fixtures, Own: c.Out != "", Expectations: shipped.Expectations(), Mapping: m, Rejects: rejects,
			Contradicted: func(entries []corpus.Attack) ([]author.Finding, error) { return contradicted(w.fixtures, entries) },
		}.Import(c.File)
		if err = errors.Join(err, rejects.Close()); err != nil {
			return rejectedIn(rejects.Path(), err)
		}
		return c.write(w, added)
	}
	if c.Out == "" {
		err = w.alone(add)
	} else {
		err = add()
	}
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if err := say(stdout, filepath.Base(c.File), counts, rejects.Path()); err != nil {
		return err
	}
	for _, a := range added.Entries {
		if _, err := fmt.Fprintf(stdout, "%s (%s) session %s\n", a.ID, a.Category, a.Session); err != nil {
			return err
		}
	}
	if c.Out != "" {
		if _, err := fmt.Fprintf(stdout, "the benchmark over them: VAULT_CORPUS=%s go test -count=1 ./vault_test\n", escape.Line(absolute(c.Out))); err != nil {
			return err
		}
	}
	return anyRejected(counts)
}

// absolute is a folder's name wherever it is read: relative values of variables count
// from the module's root.
func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// unclaimed refuses a folder in which some of a corpus stands: its ids would be given
// twice, and a twin there would be that of another attack.
func (c *importAttacks) unclaimed() error {
	for _, folder := range []string{"attacks", "benign"} {
		path := filepath.Join(c.Out, folder)
		list, err := os.ReadDir(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case len(list) > 0:
			path = filepath.Join(path, list[0].Name())
		}
		return fmt.Errorf("%s exists, and the new entries' ids begin at 1: choose another folder for --out", path)
	}
	return nil
}

func (c *importAttacks) write(w workshop, added author.Addition) error {
	if c.Out == "" {
		return w.write(added.Files)
	}
	files := map[string][]byte{}
	for _, a := range added.Entries {
		name := "level-" + string(a.Level[1:]) + ".jsonl"
		files[name] = append(files[name], author.Line(a)...)
	}
	return record.CreateFolder(context.Background(), filepath.Join(c.Out, "attacks"), func(dir string) error {
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				return fmt.Errorf("%w: nothing was written to %s", err, c.Out)
			}
		}
		return nil
	})
}
