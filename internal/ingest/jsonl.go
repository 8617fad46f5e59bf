package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	first   []byte // the first row, read for its columns
	row     []cell
}

func openJSONL(name string, in *unpack.Reader, closer io.Closer) (*jsonlTable, error) {
	t := &jsonlTable{name: name, in: in, closer: closer}
	line, err := t.line()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, ErrNothing)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	t.first = bytes.Clone(line)
	members, err := object(line)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w: want one JSON object a line", name, err)
	}
	for _, m := range members {
		t.columns = append(t.columns, m.name)
	}
	return t, nil
}

func (t *jsonlTable) Columns() []string { return t.columns }
func (t *jsonlTable) Open() bool        { return true }

func (t *jsonlTable) Select(columns []string) error {
	t.wanted, t.row = columns, make([]cell, len(columns))
	return nil
}

func (t *jsonlTable) Next() ([]cell, error) {
	line := t.first
	if t.first = nil; line == nil {
		var err error
		if line, err = t.line(); err != nil {
			return nil, err
		}
	}
	members, err := object(line)
	if err != nil {
		r := reject(Unreadable, "%v", err)
		r.Raw = string(line)
		return nil, r
	}
	clear(t.row)
	for i, name := range t.wanted {
		t.row[i] = nothing
		for _, m := range members {
			if m.name == name {
				if t.row[i], err = jsonCell(json.RawMessage(m.value)); err != nil {
					return nil, reject(Unreadable, "member %s: %v", name, err)
				}
			}
		}
	}
	return t.row, nil
}

// line returns the next line without its end, valid until the next call.
func (t *jsonlTable) line() ([]byte, error) {
	t.buf = t.buf[:0]
	for {
		part, err := t.in.ReadSlice('\n')
		t.buf = append(t.buf, part...)
		switch {
		case len(t.buf) > maxRow:
			return nil, fmt.Errorf("the row is longer than %d MiB", maxRow>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && len(t.buf) > 0:
			return bytes.TrimRight(t.buf, "\r\n"), nil
		default:
			return nil, err
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
