package ingest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// cell is one value of a row. Whatever the source's type is, it comes as the text
// that a person would write: 12, true, 2026-03-06. What a list holds comes as a
// list.
type cell struct {
	null   bool
	list   bool
	text   string
	values []string
}

func textCell(s string) cell        { return cell{text: s} }
func listCell(values []string) cell { return cell{list: true, values: values} }

var nothing = cell{null: true}

// isEmpty reports whether the source says nothing.
func (c cell) isEmpty() bool {
	return c.null || !c.list && c.text == "" || c.list && len(c.values) == 0
}

// strings returns a list: of a list its values, of a text that is a JSON list its
// values, of any other text the text itself.
func (c cell) strings() ([]string, error) {
	switch {
	case c.isEmpty():
		return nil, nil
	case c.list:
		return c.values, nil
	case !strings.HasPrefix(strings.TrimSpace(c.text), "["):
		return []string{c.text}, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(c.text), &raw); err != nil {
		return nil, fmt.Errorf("no JSON list: %w", err)
	}
	out := make([]string, 0, len(raw))
	for _, r := range raw {
		v, err := jsonCell(r)
		if err != nil {
			return nil, err
		}
		out = append(out, v.text)
	}
	return out, nil
}

// jsonCell reads a JSON value: text unquoted, lists taken apart one level deep,
// everything else as it stands.
func jsonCell(raw json.RawMessage) (cell, error) {
	switch raw[0] {
	case 'n':
		return nothing, nil
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return textCell(s), err
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return cell{}, err
		}
		values := make([]string, 0, len(list))
		for _, r := range list {
			v, err := jsonCell(r)
			if err != nil {
				return cell{}, err
			}
			if v.list {
				v.text = string(r)
			}
			values = append(values, v.text)
		}
		return listCell(values), nil
	}
	return textCell(string(raw)), nil
}

// table streams the rows of a file.
type table interface {
	// Columns are the names of the columns, in the order of the file.
	Columns() []string
	// Open reports whether later rows may hold columns that Columns lacks.
	Open() bool
	// Select chooses the columns that Next returns, by their names, in that
	// order. It is called once, before Next.
	Select(columns []string) error
	// Next returns the next row, valid until the next call; io.EOF behind the
	// last; a *Rejected where one row can't be read and the next one can.
	Next() ([]cell, error)
	Close() error
}

// positions finds columns by name.
func positions(all, wanted []string) ([]int, error) {
	out := make([]int, len(wanted))
	for i, name := range wanted {
		if out[i] = slices.Index(all, name); out[i] < 0 {
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	return out, nil
}
