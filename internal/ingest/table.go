package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// cell is one value of a row. Whatever the source's type is, it comes as the text
// that a person would write: 12, true, 2026-03-06. What a list holds comes as a
// list.
type cell struct {
	null   bool
	list   bool
	text   string
	values []string
	kind   jsontext.Kind   // of a value that stood as JSON: what it was there
	kinds  []jsontext.Kind // likewise, of a list's values
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
	return listIn(c.text)
}

// listIn reads a text that is a JSON list. It is held to what a line of JSON is:
// half a character would come out as another one.
func listIn(text string) (cell, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "[") || !jsontext.Value(text).IsValid() {
		return cell{}, errors.New("no JSON list of whole characters")
	}
	return jsonCell(json.RawMessage(text))
}

// kindOf is what a list's value was in JSON: a text where the list was none.
func (c cell) kindOf(i int) jsontext.Kind {
	if i < len(c.kinds) {
		return c.kinds[i]
	}
	return '"'
}

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
		return cell{text: s, kind: '"'}, err
	case '[':
		return jsonList(raw)
	}
	return cell{text: string(raw), kind: jsontext.Value(raw).Kind()}, nil
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
		out.values, out.kinds = append(out.values, text), append(out.kinds, jsontext.Value(r).Kind())
	}
	return out, nil
}

// table streams the rows of a file.
type table interface {
	// Columns are the names of the columns, in the order of the file; where Open,
	// those that the rows read so far have.
	Columns() []string
	// Open reports whether later rows may hold columns that Columns lacks.
	Open() bool
	// Select chooses the columns that Next returns, by their names, in that
	// order. It is called once, before Next.
	Select(columns []string) error
	// Next returns the next row, valid until the next call; io.EOF behind the
	// last; a *Rejected where one row can't be read and the next one can.
	Next() ([]cell, error)
	// Row is where the row of the last Next stands, from 1: the line on which it
	// begins, or in Parquet, which has no lines, its number.
	Row() int64
	// Raw is that row as it was read: the line of a JSON Lines, and of other
	// tables JSON with the columns that were read. In the columns named in lists a
	// text that is a JSON list stands as one, so that it would be read as one again.
	Raw(lists map[string]bool) string
	Close() error
}

// rowJSON writes a row as a JSON object.
func rowJSON(columns []string, cells []cell, lists map[string]bool) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(name) + ":" + cells[i].json(lists[name]))
	}
	return b.String() + "}"
}

func (c cell) json(list bool) string {
	switch {
	case c.null:
		return "null"
	case c.list:
		out := make([]string, len(c.values))
		for i, v := range c.values {
			out[i] = jsonText(v)
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	if list {
		if _, err := listIn(c.text); err == nil {
			return strings.TrimSpace(c.text)
		}
	}
	return jsonText(c.text)
}

// jsonText quotes a text, with U+FFFD for what is no character.
func jsonText(s string) string {
	raw, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		return strconv.Quote(s)
	}
	return string(raw)
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
