package ingest

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"path/filepath"
)

// The shipped mappings of outcomes, in the order in which they are tried.
const (
	RunOutcomes   = "run-outcomes"   // what go tool vault export writes
	PaperOutcomes = "paper-outcomes" // our reading of the paper's dataset, which nobody here has seen
)

// Outcomes streams the outcome rows of a Parquet, CSV or JSON Lines file. With no
// mapping, that is, one without columns, the shipped ones are tried. It yields a
// row and nil; no row and a *Rejected, after which the next row follows; or any
// other error, the last: a file that can't be read, columns that no mapping fits,
// or ErrNothing for a file without a row.
func Outcomes(path string, m Mapping) iter.Seq2[Outcome, error] {
	return OutcomesAnd(path, m, func([]string) {})
}

// OutcomesAnd are Outcomes; behind the last row, unread is called with the columns
// that no field was read from.
func OutcomesAnd(path string, m Mapping, unread func(columns []string)) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		if err := outcomes(path, m, unread, yield); err != nil && !errors.Is(err, errStop) {
			yield(Outcome{}, err)
		}
	}
}

// errStop: the caller wants no more.
var errStop = errors.New("stop")

func outcomes(path string, m Mapping, unread func([]string), yield func(Outcome, error) bool) (err error) {
	seen, seed := map[uint64]bool{}, maphash.MakeSeed()
	return eachRow(path, m, KindOutcomes, []string{RunOutcomes, PaperOutcomes}, func(b *binding, row int64) error {
		o := b.outcome()
		o.File, o.Row = filepath.Base(path), row
		if b.bad == nil {
			key := maphash.Comparable(seed, [...]any{o.Model, o.Level, o.Track, o.Architecture, o.Attack, o.Trial})
			if seen[key] {
				b.fail(DuplicateRow, "model, level, track, architecture, attack and trial stand in an earlier row")
			}
			seen[key] = true
		}
		if b.bad != nil {
			o = Outcome{}
		}
		if !yield(o, b.rejection(path, row)) {
			return errStop
		}
		return nil
	}, func(r *Rejected) error {
		if !yield(Outcome{}, r) {
			return errStop
		}
		return nil
	}, unread)
}

// rejection is what is wrong with the row, nil where nothing is.
func (b *binding) rejection(path string, row int64) error {
	if b.bad == nil {
		return nil
	}
	b.bad.File, b.bad.Row, b.bad.Raw = filepath.Base(path), row, b.table.Raw(b.lists)
	return b.bad
}

// eachRow binds a mapping to a table and visits its rows; what can't be read as a
// row goes to rejected; behind the last, the columns that no field was read from
// go to unread.
func eachRow(path string, m Mapping, kind Kind, shipped []string, visit func(*binding, int64) error, rejected func(*Rejected) error, unread func([]string)) (err error) {
	t, err := openTable(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	m, err = fitting(t, filepath.Base(path), m, kind, shipped)
	if err != nil {
		return err
	}
	b, err := m.bind(t)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	for first := true; ; first = false {
		cells, err := t.Next()
		row := t.Row()
		var bad *Rejected
		switch {
		case errors.Is(err, io.EOF) && first:
			return fmt.Errorf("%s: %w", filepath.Base(path), ErrNothing)
		case errors.Is(err, io.EOF):
			unread(b.unread())
			return nil
		case errors.As(err, &bad):
			bad.File, bad.Row = filepath.Base(path), row
			err = rejected(bad)
		case err == nil:
			b.take(cells)
			err = visit(b, row)
		}
		if err != nil {
			return err
		}
	}
}

// fitting is the mapping that was given, or the first shipped one that fits.
func fitting(t table, name string, m Mapping, kind Kind, shipped []string) (Mapping, error) {
	candidates := []Mapping{m}
	if len(m.Columns) == 0 {
		candidates = nil
		for _, s := range shipped {
			m, err := ShippedMapping(s)
			if err != nil {
				return Mapping{}, err
			}
			candidates = append(candidates, m)
		}
	}
	for _, m := range candidates {
		if m.Kind != kind {
			return Mapping{}, fmt.Errorf("%s: the mapping is one of %s, want %s", name, m.Kind, kind)
		}
	}
	return choose(name, t.Columns(), candidates)
}
