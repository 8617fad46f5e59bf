package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"vaultbench/internal/unpack"
)

// maxRow bounds what one row may take in memory.
const maxRow = 64 << 20 // bytes

// csvTable reads comma-separated values with a header (RFC 4180). A value comes
// byte for byte: an attack's line ends are part of it, and the standard library's
// reader would make one byte of two.
type csvTable struct {
	name    string
	in      *unpack.Reader
	closer  io.Closer
	columns []string
	at      []int
	row     []cell
	raw     []byte   // the row's lines
	values  []string // the row's
	line    int64    // lines read
	number  int64    // the line on which the row begins
}

func openCSV(name string, in *unpack.Reader, closer io.Closer) (*csvTable, error) {
	t := &csvTable{name: name, in: in, closer: closer}
	err := t.read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, ErrNothing)
	}
	if err != nil {
		return nil, err
	}
	for _, h := range t.values {
		if h == "" || !utf8.ValidString(h) || slices.Contains(t.columns, h) {
			return nil, fmt.Errorf("%s: header: column %d is named %.60q: each column needs a name of its own", name, len(t.columns)+1, h)
		}
		t.columns = append(t.columns, h)
	}
	return t, nil
}

func (t *csvTable) Columns() []string { return t.columns }
func (t *csvTable) Open() bool        { return false }
func (t *csvTable) Row() int64        { return t.number }

func (t *csvTable) Select(columns []string) (err error) {
	t.at, err = positions(t.columns, columns)
	t.row = make([]cell, len(t.at))
	return err
}

// Next rejects a row with too many or too few values. Quotes that don't match are
// an error for good: nobody knows where such a row ends.
func (t *csvTable) Next() ([]cell, error) {
	if err := t.read(); err != nil {
		return nil, err
	}
	if len(t.values) != len(t.columns) {
		r := reject(Unreadable, "%d values in %d columns", len(t.values), len(t.columns))
		r.Raw = string(bytes.TrimRight(t.raw, "\r\n"))
		return nil, r
	}
	for i, at := range t.at {
		t.row[i] = textCell(t.values[at])
	}
	return t.row, nil
}

func (t *csvTable) Raw(lists map[string]bool) string {
	cells := make([]cell, len(t.values))
	for i, v := range t.values {
		cells[i] = textCell(v)
	}
	return rowJSON(t.columns, cells, lists)
}

// read reads the next row; a line without a byte is none.
func (t *csvTable) read() (err error) {
	t.raw, t.values = t.raw[:0], nil
	for len(bytes.TrimRight(t.raw, "\r\n")) == 0 {
		if t.raw, err = t.more(t.raw[:0]); err != nil {
			return err
		}
	}
	t.number = t.line
	for rest := t.raw; ; {
		var value []byte
		if bytes.HasPrefix(rest, []byte{'"'}) {
			value, rest, err = t.quoted(rest[1:])
		} else {
			value, rest, err = t.plain(rest)
		}
		if err != nil {
			return err
		}
		t.values = append(t.values, string(value))
		if len(rest) == 0 || rest[0] != ',' {
			return nil
		}
		rest = rest[1:]
	}
}

// plain cuts a value off that stands without quotes.
func (t *csvTable) plain(rest []byte) (value, behind []byte, err error) {
	end := bytes.IndexAny(rest, ",\n")
	if end < 0 {
		end = len(rest)
	}
	value, behind = rest[:end], rest[end:]
	if len(behind) == 0 || behind[0] == '\n' {
		value = bytes.TrimSuffix(value, []byte{'\r'})
	}
	switch {
	case bytes.IndexByte(value, '"') >= 0:
		return nil, nil, fmt.Errorf("%s:%d: a quote within a value that does not begin with one: quote the value and double the quotes in it", t.name, t.line)
	case bytes.IndexByte(value, '\r') >= 0 && t.columns == nil:
		return nil, nil, fmt.Errorf("%s: lines end with a carriage return alone: write line feeds", t.name)
	}
	return value, behind, nil
}

// quoted cuts off a value whose first quote has been read. It may go on for lines.
func (t *csvTable) quoted(rest []byte) (value, behind []byte, err error) {
	begun := t.line
	for {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			value = append(value, rest...)
			whole := len(t.raw)
			t.raw, err = t.more(t.raw)
			if errors.Is(err, io.EOF) {
				return nil, nil, fmt.Errorf("%s:%d: the quote is never closed", t.name, begun)
			}
			if err != nil {
				return nil, nil, err
			}
			rest = t.raw[whole:]
			continue
		}
		value, rest = append(value, rest[:i]...), rest[i+1:]
		if !bytes.HasPrefix(rest, []byte{'"'}) {
			break
		}
		value, rest = append(value, '"'), rest[1:]
	}
	if end := bytes.TrimRight(rest, "\r\n"); len(end) > 0 && end[0] != ',' {
		return nil, nil, fmt.Errorf("%s:%d: a quote within a quoted value: double it", t.name, t.line)
	}
	return value, rest, nil
}

// more appends a line.
func (t *csvTable) more(raw []byte) ([]byte, error) {
	raw, err := appendLine(t.in, raw)
	if err == nil {
		t.line++
	} else if !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s:%d: %w", t.name, t.line+1, err)
	}
	return raw, err
}

func (t *csvTable) Close() error { return t.closer.Close() }
