package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/unpack"
)

// jsonlTable reads JSON Lines, one object a row. Rows may hold different members.
type jsonlTable struct {
	name    string
	in      *unpack.Reader
	closer  io.Closer
	columns []string // of the first row
	wanted  []string
	buf     []byte
	row     []cell
	ahead   []line // read for the columns, and still to be handed out
	number  int64
}

// line is one that was read; bad where it was too long to be kept.
type line struct {
	text []byte
	bad  *Rejected
}

// maxAhead bounds what is read before the first row that shows columns.
const maxAhead = 1 << 20 // bytes

// openJSONL takes the columns from the first line that is an object: one that is
// cut costs itself alone.
func openJSONL(name string, in *unpack.Reader, closer io.Closer) (*jsonlTable, error) {
	t := &jsonlTable{name: name, in: in, closer: closer}
	var first error // what is wrong with the first line
	var ahead []line
	for size := 0; ; size += len(t.buf) {
		err := t.read()
		var bad *Rejected
		switch {
		case errors.As(err, &bad):
			ahead, first = append(ahead, line{bad: bad}), cmp.Or(first, err)
			continue
		case errors.Is(err, io.EOF) && len(ahead) == 0:
			return nil, fmt.Errorf("%s: %w", name, ErrNothing)
		case errors.Is(err, io.EOF), err == nil && size > maxAhead:
			return nil, fmt.Errorf("%s:1: %w: want one JSON object a line", name, first)
		case err != nil:
			return nil, err
		}
		ahead = append(ahead, line{text: bytes.Clone(t.buf)})
		members, err := object(t.buf)
		if first == nil {
			first = err
		}
		for _, m := range members {
			t.columns = append(t.columns, m.name)
		}
		if err == nil {
			break
		}
	}
	t.ahead, t.number = ahead, 0
	return t, nil
}

func (t *jsonlTable) Columns() []string { return t.columns }
func (t *jsonlTable) Open() bool        { return true }

func (t *jsonlTable) Select(columns []string) error {
	t.wanted, t.row = columns, make([]cell, len(columns))
	return nil
}

func (t *jsonlTable) Row() int64 { return t.number }

// Raw is the line.
func (t *jsonlTable) Raw(map[string]bool) string { return string(t.buf) }

func (t *jsonlTable) Next() ([]cell, error) {
	if err := t.read(); err != nil {
		return nil, err
	}
	members, err := object(t.buf)
	if err != nil {
		return nil, t.reject("%v", err)
	}
	clear(t.row)
	for i := range t.row {
		t.row[i] = nothing
	}
	for _, m := range members {
		if !slices.Contains(t.columns, m.name) && len(t.columns) < maxColumns {
			t.columns = append(t.columns, m.name)
		}
		i := slices.Index(t.wanted, m.name)
		if i < 0 {
			continue
		}
		if t.row[i], err = jsonCell(json.RawMessage(m.value)); err != nil {
			return nil, t.reject("member %s: %v", m.name, err)
		}
	}
	return t.row, nil
}

// maxColumns bounds the names that are kept to be listed.
const maxColumns = 1000

func (t *jsonlTable) reject(format string, args ...any) *Rejected {
	r := reject(Unreadable, format, args...)
	r.Raw = string(t.buf)
	return r
}

// read reads the next line, without its end.
func (t *jsonlTable) read() (err error) {
	if len(t.ahead) > 0 {
		next := t.ahead[0]
		t.buf, t.ahead = append(t.buf[:0], next.text...), t.ahead[1:]
		if t.number++; next.bad != nil {
			return next.bad
		}
		return nil
	}
	t.buf, err = appendLine(t.in, t.buf[:0])
	switch {
	case errors.Is(err, errLongRow):
		t.number++
		return t.long()
	case err == nil:
		t.number++
		t.buf = bytes.TrimRight(t.buf, "\r\n")
	case !errors.Is(err, io.EOF):
		err = fmt.Errorf("%s:%d: %w", t.name, t.number+1, err)
	}
	return err
}

// long rejects a row of which too much was read already, and goes to its end.
func (t *jsonlTable) long() error {
	r := reject(Unreadable, "%v", errLongRow)
	r.Raw = string(t.buf[:longRaw])
	ended := bytes.HasSuffix(t.buf, []byte("\n"))
	t.buf = nil // what it takes is not needed again
	for !ended {
		switch _, err := t.in.ReadSlice('\n'); {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF):
			ended = true
		default:
			return fmt.Errorf("%s:%d: %w", t.name, t.number, err)
		}
	}
	return r
}

// longRaw is how much of a row that is too long stands in its rejection, in bytes.
const longRaw = 1000

var errLongRow = fmt.Errorf("the row is longer than %d MiB", maxRow>>20)

// appendLine appends the next line with its end; io.EOF where there is none.
func appendLine(in *unpack.Reader, buf []byte) ([]byte, error) {
	for before := len(buf); ; {
		part, err := in.ReadSlice('\n')
		buf = append(buf, part...)
		switch {
		case len(buf) > maxRow:
			return buf, errLongRow
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(buf) > before:
			return buf, nil
		default:
			return buf, err
		}
	}
}

func (t *jsonlTable) Close() error { return t.closer.Close() }

type member struct {
	name  string
	value jsontext.Value
}

// object takes a line's object apart: strict JSON, no name given twice.
func object(line []byte) ([]member, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("no valid UTF-8")
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(line))
	if dec.PeekKind() != '{' {
		return nil, errors.New("no JSON object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var out []member
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, noEOF(err)
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, noEOF(err)
		}
		m.value = value.Clone()
		out = append(out, m)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, noEOF(err)
	}
	if len(bytes.TrimSpace(line[dec.InputOffset():])) > 0 {
		return nil, errors.New("data after the object")
	}
	return out, nil
}
