package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// cell is one value of a row. Whatever the source's type is, it comes as the text
// that a person would write: 12, true, 2026-03-06. What a list holds comes as a
// list.
type cell struct {
	null    bool
	list    bool
	text    string
	values  []string
	objects []bool // of a list read from JSON: which values are no text
}

func textCell(s string) cell        { return cell{text: s} }
func listCell(values []string) cell { return cell{list: true, values: values} }

var nothing = cell{null: true}

// isEmpty reports whether the source says nothing.
func (c cell) isEmpty() bool {
	return c.null || !c.list && c.text == "" || c.list && len(c.values) == 0
}

// asList returns a list as it is, a text that is a JSON list as that list, any
// other text as a list of one.
func (c cell) asList() (cell, error) {
	switch {
	case c.isEmpty():
		return listCell(nil), nil
	case c.list:
		return c, nil
	case !strings.HasPrefix(strings.TrimSpace(c.text), "["):
		return listCell([]string{c.text}), nil
	}
	out, err := jsonCell(json.RawMessage(strings.TrimSpace(c.text)))
	if err != nil {
		return cell{}, fmt.Errorf("no JSON list: %w", err)
	}
	return out, nil
}

// isObject reports whether a value of the list is a JSON object, and no text that
// looks like one.
func (c cell) isObject(i int) bool { return i < len(c.objects) && c.objects[i] }

// jsonCell reads a JSON value: text unquoted, lists taken apart one level deep,
// everything else as it stands.
func jsonCell(raw json.RawMessage) (cell, error) {
	if len(raw) == 0 {
		return cell{}, errors.New("empty")
	}
	switch raw[0] {
	case 'n':
		return nothing, nil
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return textCell(s), err
	case '[':
		return jsonList(raw)
	}
	return textCell(string(raw)), nil
}

func jsonList(raw json.RawMessage) (cell, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return cell{}, err
	}
	out := listCell(make([]string, 0, len(list)))
	for _, r := range list {
		text := string(r)
		if r[0] == '"' {
			if err := json.Unmarshal(r, &text); err != nil {
				return cell{}, err
			}
		} else if r[0] == 'n' {
			text = ""
		}
		out.values, out.objects = append(out.values, text), append(out.objects, r[0] == '{')
	}
	return out, nil
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
