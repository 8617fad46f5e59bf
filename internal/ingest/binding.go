package ingest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// binding reads the fields of one row after the other. The first thing that is
// wrong with a row stands in bad.
type binding struct {
	mapping Mapping
	columns []string
	at      map[string]int
	lists   map[string]bool // columns that may hold lists
	table   table
	row     []cell
	bad     *Rejected
}

// take begins a row. Of JSON Lines the line was looked through already.
func (b *binding) take(row []cell) {
	b.row, b.bad = row, nil
	for i, c := range row {
		if !utf8.ValidString(c.text) || slices.ContainsFunc(c.values, func(s string) bool { return !utf8.ValidString(s) }) {
			b.fail(Unreadable, "column %s is no valid UTF-8", b.columns[i])
		}
	}
}

func (b *binding) fail(reason Reason, format string, args ...any) {
	if b.bad == nil {
		b.bad = reject(reason, format, args...)
	}
}

func (b *binding) cell(field string) cell {
	if at, ok := b.at[field]; ok {
		return b.row[at]
	}
	if c := b.mapping.Constants[field]; c != "" {
		return textCell(c)
	}
	return nothing
}

// text returns a field's text, empty where the row has none.
func (b *binding) text(field string) string {
	c := b.cell(field)
	switch {
	case c.isEmpty():
		return ""
	case c.list:
		b.fail(BadValue, "%s is a list, want a text", field)
	case c.kind == '{':
		b.fail(BadValue, "%s is an object, want a text", field)
	}
	return c.text
}

func (b *binding) required(field string) string {
	s := b.text(field)
	if s == "" {
		b.fail(MissingValue, "%s is empty", field)
	}
	return s
}

// word returns a field's word in our language; one that is not in the list is
// rejected, never guessed.
func word[T ~string](b *binding, field string, list []T) T {
	s := b.text(field)
	if s == "" {
		return ""
	}
	return known(b, field, s, list)
}

func known[T ~string](b *binding, field, s string, list []T) T {
	if ours, ok := b.mapping.Words[field][s]; ok {
		s = ours
	}
	if len(list) > 0 && !slices.Contains(list, T(s)) {
		b.fail(UnknownWord, "%s is %.60q: want one of %v, or a word that the mapping knows", field, s, list)
	}
	return T(s)
}

// words returns a field's list of words.
func words[T ~string](b *binding, field string, list []T) []T {
	given, err := b.cell(field).asList()
	if err != nil {
		b.fail(BadValue, "%s: %v", field, err)
	}
	var out []T
	for _, s := range given.values {
		out = append(out, known(b, field, s, list))
	}
	return out
}

// count returns a number that is not negative; a flag is one or none.
func (b *binding) count(field string) int64 {
	switch s := b.text(field); s {
	case "", "false", "False", "FALSE":
		return 0
	case "true", "True", "TRUE":
		return 1
	default:
		n, err := strconv.ParseInt(strings.TrimSuffix(s, ".0"), 10, 64)
		if err != nil || n < 0 {
			b.fail(BadValue, "%s is %.60q: want a number that is not negative, or true or false", field, s)
		}
		return n
	}
}

// unread are the table's columns that no field was read from.
func (b *binding) unread() []string {
	var out []string
	for _, name := range b.table.Columns() {
		if !slices.Contains(b.columns, name) {
			out = append(out, name)
		}
	}
	return out
}
