package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vaultbench/internal/corpus"
	"vaultbench/internal/publish"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Restored is what came of an import.
type Restored struct {
	Snapshot    string
	Evaluations int
	Receipts    int
	Summary     report.Summary
	SameSummary bool // as the one that was exported
}

// OpenFunc prepares the reports of a run's folder.
type OpenFunc func(folder string) (publish.Run, error)

// Restore reads an export back into a run's folder, from the tables of one
// format. The lines that the rows make must be the very bytes that the run's
// manifest sealed and signed, and the reports are made from them anew, with
// what open finds for the folder.
func Restore(ctx context.Context, dir, out string, f Format, open OpenFunc) (r Restored, err error) {
	if out, err = record.Vacant(out); err != nil {
		return r, err
	}
	if r.Snapshot, err = CheckSnapshot(dir); err != nil {
		return r, err
	}
	return r, record.CreateFolder(ctx, out, func(tmp string) error { return r.into(ctx, tmp, dir, f, open) })
}

func (r *Restored) into(ctx context.Context, out, dir string, f Format, open OpenFunc) error {
	for _, file := range []string{record.ManifestFile, receipt.File} {
		if err := copyFile(filepath.Join(dir, file), filepath.Join(out, file)); err != nil {
			return err
		}
	}
	rows, err := openRows(dir, f)
	if err != nil {
		return err
	}
	err = record.WriteFile(filepath.Join(out, record.EvaluationsFile), func(w io.Writer) error { return rows.writeTo(ctx, w) })
	if err = errors.Join(err, rows.close()); err != nil {
		return err
	}
	if err := goesOn(ctx); err != nil {
		return err
	}
	run, err := open(out)
	if err != nil {
		return err
	}
	p, err := run.Write()
	if err != nil {
		return fmt.Errorf("the rows do not make the run that was exported: %w", err)
	}
	r.Summary, r.Evaluations, r.Receipts = p.Summary, p.Manifest.Seal.Evaluations.Lines, p.Manifest.Seal.Decisions.Lines
	was, err := os.ReadFile(filepath.Join(dir, publish.SummaryFile))
	if err != nil {
		return err
	}
	is, err := os.ReadFile(filepath.Join(out, publish.SummaryFile))
	r.SameSummary = bytes.Equal(was, is)
	return err
}

// rows are the tables of an export, read side by side: outcomes of all sections
// in the order of a record, and their transcripts, which are in that order.
type rows struct {
	outcomes []*head[Outcome]
	entries  *head[Entry]
}

// head is a table with its next row in view.
type head[T any] struct {
	*rowReader[T]
	row  T
	done bool
}

func newHead[T any](dir, name string, f Format) (*head[T], error) {
	r, err := openTable[T](dir, name, f)
	if err != nil {
		return nil, err
	}
	h := &head[T]{rowReader: r}
	return h, h.advance()
}

func (h *head[T]) advance() error {
	row, err := h.read()
	if h.row = row; errors.Is(err, io.EOF) {
		h.done = true
		return nil
	}
	return err
}

func openRows(dir string, f Format) (r *rows, err error) {
	r = &rows{}
	for _, s := range sections() {
		h, err := newHead[Outcome](dir, outcomesOf(s), f)
		if errors.Is(err, os.ErrNotExist) && s != corpus.Native {
			continue // the run had no such section
		}
		if h != nil {
			r.outcomes = append(r.outcomes, h)
		}
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	r.entries, err = newHead[Entry](dir, transcriptsTable, f)
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *rows) close() error {
	var errs []error
	for _, h := range r.outcomes {
		errs = append(errs, h.close())
	}
	if r.entries != nil {
		errs = append(errs, r.entries.close())
	}
	return errors.Join(errs...)
}

// writeTo writes evaluations.jsonl.
func (r *rows) writeTo(ctx context.Context, w io.Writer) error {
	for {
		if err := goesOn(ctx); err != nil {
			return err
		}
		h := r.first()
		if h == nil {
			break
		}
		e, err := h.row.evaluation()
		if err != nil {
			return fmt.Errorf("%s: row %d: %w", h.name, h.rowReader.row, err)
		}
		for !r.entries.done && r.entries.row.Evaluation == e.ID {
			if err := r.entries.row.join(&e); err != nil {
				return fmt.Errorf("%s: row %d: %w", r.entries.name, r.entries.rowReader.row, err)
			}
			if err := r.entries.advance(); err != nil {
				return err
			}
		}
		if err := record.WriteLine(w, e); err != nil {
			return err
		}
		if err := h.advance(); err != nil {
			return err
		}
	}
	if !r.entries.done {
		return fmt.Errorf("%s: row %d: evaluation %q has no row in outcomes, or its rows are not together", r.entries.name, r.entries.rowReader.row, r.entries.row.Evaluation)
	}
	return nil
}

// first is the table whose next row comes first in a record; nil at the end.
func (r *rows) first() *head[Outcome] {
	var best *head[Outcome]
	for _, h := range r.outcomes {
		if !h.done && (best == nil || h.row.compare(best.row) < 0) {
			best = h
		}
	}
	return best
}

// compare is the order of a record: cell, attack, trial.
func (o Outcome) compare(p Outcome) int {
	return cmp.Or(cmp.Compare(o.cell(), p.cell()), cmp.Compare(o.Attack, p.Attack), cmp.Compare(o.Trial, p.Trial))
}

func (o Outcome) cell() string {
	return o.Model + "/" + o.Level + "/" + o.Track + "/" + o.Architecture
}
