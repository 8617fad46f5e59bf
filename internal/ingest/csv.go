package ingest

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"vaultbench/internal/unpack"
)

// maxRow bounds what one row may take in memory.
const maxRow = 64 << 20 // bytes

// csvTable reads comma-separated values with a header (RFC 4180).
type csvTable struct {
	name    string
	closer  io.Closer
	limit   *rowLimit
	csv     *csv.Reader
	columns []string
	at      []int
	row     []cell
	number  int64
}

func openCSV(name string, in *unpack.Reader, closer io.Closer) (*csvTable, error) {
	if bom, _ := in.Peek(3); string(bom) == "\ufeff" {
		_, _ = io.CopyN(io.Discard, in, 3)
	}
	t := &csvTable{name: name, closer: closer, limit: &rowLimit{in: in}}
	t.csv = csv.NewReader(t.limit)
	t.csv.ReuseRecord = true
	header, err := t.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, ErrNothing)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: header: %w", name, err)
	}
	for _, h := range header {
		if h == "" || !utf8.ValidString(h) || slices.Contains(t.columns, h) {
			return nil, fmt.Errorf("%s: header: column %d is named %.60q: each column needs a name of its own", name, len(t.columns)+1, h)
		}
		t.columns = append(t.columns, strings.Clone(h))
	}
	return t, nil
}

func (t *csvTable) Columns() []string { return t.columns }
func (t *csvTable) Open() bool        { return false }

func (t *csvTable) Select(columns []string) (err error) {
	t.at, err = positions(t.columns, columns)
	t.row = make([]cell, len(t.at))
	return err
}

// Next rejects a row with too many or too few values. Quotes that don't match are
// an error for good: nobody knows where such a row ends.
func (t *csvTable) Next() ([]cell, error) {
	t.limit.n = 0
	values, err := t.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	t.number++
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		return nil, t.reject(values, fmt.Sprintf("%d values in %d columns", len(values), len(t.columns)))
	case err != nil:
		return nil, fmt.Errorf("%s: row %d: %w", t.name, t.number, err)
	}
	for i, at := range t.at {
		if !utf8.ValidString(values[at]) {
			return nil, t.reject(values, fmt.Sprintf("column %s is no valid UTF-8", t.columns[at]))
		}
		t.row[i] = textCell(strings.Clone(values[at]))
	}
	return t.row, nil
}

func (t *csvTable) reject(values []string, detail string) *Rejected {
	r := reject(Unreadable, "%s", detail)
	r.Raw = strings.Join(values, ",")
	return r
}

func (t *csvTable) Close() error { return t.closer.Close() }

// rowLimit stops a row that never ends.
type rowLimit struct {
	in io.Reader
	n  int64
}

func (l *rowLimit) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if l.n += int64(n); l.n > maxRow {
		return 0, fmt.Errorf("the row is longer than %d MiB", maxRow>>20)
	}
	return n, err
}
