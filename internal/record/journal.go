package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// The files of a run that this package writes.
const (
	JournalFile     = "journal.jsonl"     // in order of completion
	EvaluationsFile = "evaluations.jsonl" // in order of cell, attack, trial
	ManifestFile    = "manifest.json"
)

// Journal appends evaluations as they end: one write each, so that a run that
// is killed loses none that had ended. It is safe for concurrent use.
type Journal struct {
	dir   string
	mu    sync.Mutex
	file  *os.File
	size  int64
	lines []line
}

// line remembers where an evaluation stands, not the evaluation: memory does not
// grow with what the models wrote.
type line struct {
	cell, attack string
	trial        int
	offset       int64
	length       int
}

// CreateJournal starts the journal of a run in a folder of its own.
func CreateJournal(dir string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create results folder %s: %w", dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, JournalFile), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("create journal: %s holds a run already: choose another VAULT_RUN_ID or delete it", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("create journal: %w", err)
	}
	return &Journal{dir: dir, file: f}, nil
}

// Dir is the run's folder.
func (j *Journal) Dir() string { return j.dir }

// Append writes one evaluation with one write.
func (j *Journal) Append(e Evaluation) error {
	raw, err := encode(e)
	if err != nil {
		return fmt.Errorf("journal %q: %w", e.ID, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.WriteAt(raw, j.size); err != nil { // the next line overwrites what a failed write left
		return fmt.Errorf("journal %q: %w", e.ID, err)
	}
	j.lines = append(j.lines, line{e.Cell.Name(), string(e.Attack), e.Trial, j.size, len(raw)})
	j.size += int64(len(raw))
	return nil
}

// Finish writes evaluations.jsonl: the journal's lines in the order of cell,
// attack and trial, so that neither concurrency nor luck shows in it.
func (j *Journal) Finish() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	sorted := slices.Clone(j.lines)
	slices.SortFunc(sorted, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.attack, b.attack), cmp.Compare(a.trial, b.trial))
	})
	return WriteFile(filepath.Join(j.dir, EvaluationsFile), func(w io.Writer) error {
		for i, l := range sorted {
			if i > 0 && l.cell == sorted[i-1].cell && l.attack == sorted[i-1].attack && l.trial == sorted[i-1].trial {
				return fmt.Errorf("evaluation %s/%q/%d was recorded twice", l.cell, l.attack, l.trial)
			}
			if _, err := io.Copy(w, io.NewSectionReader(j.file, l.offset, int64(l.length))); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the journal's file.
func (j *Journal) Close() error { return j.file.Close() }

// encode writes one line of JSON. HTML characters stay themselves: nothing here
// is for a browser.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteFile writes a file through a temporary one in the same folder, so that a
// reader never sees half of it.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	w := bufio.NewWriterSize(tmp, 1<<20)
	if err = write(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// WriteJSON writes an indented JSON file, atomically.
func WriteJSON(path string, v any) error {
	return WriteFile(path, func(w io.Writer) error { return EncodeJSON(w, v) })
}

// EncodeJSON writes what WriteJSON writes.
func EncodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
