// Package export turns a finished run into tables that anybody can read: outcomes,
// prompts and transcripts as Parquet, JSON Lines and CSV, with a datasheet and one
// digest over all, so that a run can be published. It streams: memory holds a few
// rows. Restore reads the tables back into the run, byte for byte.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/publish"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// The names of the tables. Outcomes of derived tracks have tables of their own,
// so that nobody who reads outcomes pools them.
const (
	outcomesTable    = "outcomes"
	promptsTable     = "prompts"
	transcriptsTable = "transcripts"
)

// outcomesOf names the table of a section's outcomes.
func outcomesOf(s corpus.Section) string {
	if s == corpus.Native {
		return outcomesTable
	}
	return outcomesTable + "-" + string(s)
}

func sections() []corpus.Section {
	return []corpus.Section{corpus.Native, corpus.Crossed, corpus.Varied}
}

// Config says what is exported, and where to.
type Config struct {
	Run    publish.Run   // a finished run
	Out    string        // a folder that does not exist
	Corpus corpus.Corpus // what the prompts are taken from
	Levels map[corpus.Level]corpus.LevelSpec
}

// Result is what an export holds.
type Result struct {
	Evaluations int
	Prompts     int
	Entries     int
	Snapshot    string // sha256:<hex> over all files
}

// Export verifies a run and writes its tables, whole or not at all, also when the
// context ends.
func Export(ctx context.Context, c Config) (r Result, err error) {
	if c.Out, err = record.Vacant(c.Out); err != nil {
		return Result{}, err
	}
	err = record.CreateFolder(ctx, c.Out, func(dir string) (err error) {
		r, err = c.into(ctx, dir)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return r, nil
}

func (c Config) into(ctx context.Context, dir string) (Result, error) {
	m, err := c.Run.Manifest()
	if err != nil {
		return Result{}, err
	}
	w, err := c.newWriter(dir, m)
	if err != nil {
		return Result{}, err
	}
	var failed error
	_, counted, err := c.Run.Count(func(e record.Evaluation) {
		if failed == nil {
			failed = goesOn(ctx)
		}
		if failed == nil {
			failed = w.add(e)
		}
	})
	if err = errors.Join(err, failed); err == nil && w.evaluations == 0 {
		err = fmt.Errorf("%s: the run holds no evaluation: there is nothing to export", c.Run.Folder)
	}
	if err == nil {
		err = w.writePrompts()
	}
	if err = errors.Join(err, w.close()); err != nil {
		return Result{}, err
	}
	if err := publish.WriteSummary(dir, counted.Summary); err != nil {
		return Result{}, err
	}
	for _, file := range []string{record.ManifestFile, receipt.File} {
		if err := copyFile(filepath.Join(c.Run.Folder, file), filepath.Join(dir, file)); err != nil {
			return Result{}, err
		}
	}
	if err := w.datasheet(dir, counted.Summary); err != nil {
		return Result{}, err
	}
	r := Result{Evaluations: w.evaluations, Prompts: w.prompts.rows, Entries: w.transcripts.rows}
	r.Snapshot, err = Seal(dir)
	return r, err
}

// writer writes the tables of one run.
type writer struct {
	Config
	dir         string
	manifest    record.Manifest
	layered     map[string]bool // by cell
	outcomes    map[corpus.Section]*table[Outcome]
	prompts     *table[Prompt]
	transcripts *table[Entry]
	asked       map[promptKey]bool
	evaluations int
	counts      counts
}

func (c Config) newWriter(dir string, m record.Manifest) (w *writer, err error) {
	w = &writer{Config: c, dir: dir, manifest: m, layered: map[string]bool{}, outcomes: map[corpus.Section]*table[Outcome]{}, asked: map[promptKey]bool{}}
	w.counts = newCounts()
	wanted := map[corpus.Section]bool{corpus.Native: true}
	for _, p := range m.Cells {
		w.layered[p.Cell.Name()] = p.Layered
		wanted[p.Cell.Track.Section()] = true
	}
	for _, s := range sections() {
		if !wanted[s] {
			continue
		}
		if w.outcomes[s], err = newTable[Outcome](dir, outcomesOf(s)); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	if w.transcripts, err = newTable[Entry](dir, transcriptsTable); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if w.prompts, err = newTable[Prompt](dir, promptsTable); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) add(e record.Evaluation) error {
	o, err := outcomeOf(e, w.layered[e.Cell.Name()], w.manifest.Directories[e.Cell.Level])
	if err != nil {
		return fmt.Errorf("%q: %w", e.ID, err)
	}
	section := e.Cell.Track.Section()
	if err := w.outcomes[section].write(o); err != nil {
		return fmt.Errorf("%q: %w", e.ID, err)
	}
	entries, err := entriesOf(e)
	if err != nil {
		return fmt.Errorf("%q: %w", e.ID, err)
	}
	for _, row := range entries {
		if err := w.transcripts.write(row); err != nil {
			return fmt.Errorf("%q: %w", e.ID, err)
		}
	}
	w.evaluations++
	w.counts.add(e, o)
	w.ask(e)
	return nil
}

func (w *writer) close() error {
	var errs []error
	for _, t := range w.outcomes {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	if w.transcripts != nil {
		errs = append(errs, w.transcripts.close())
	}
	if w.prompts != nil {
		errs = append(errs, w.prompts.close())
	}
	return errors.Join(errs...)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return record.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// otherCorpus names an attack file of the run that is not the one at hand.
func otherCorpus(run, here map[string]string) string {
	for name, digest := range run {
		attacks := strings.HasPrefix(name, corpus.ShippedPrefix+"attacks/") || strings.HasPrefix(name, corpus.ShippedPrefix+"benign/") || name == corpus.ShippedPrefix+"levels.json"
		if attacks && here[name] != digest {
			return name
		}
	}
	return ""
}
