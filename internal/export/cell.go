package export

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A cell of CSV is one printable line that no spreadsheet takes for a formula:
// a backslash, a line end and every other control character are written with a
// backslash, as in \\, \n and \u001b; a text that begins like a formula, or with
// the mark itself, has an apostrophe before it. Both ways lose nothing.

// formulaMark stands before a text that begins like a formula.
const formulaMark = "'"

// formulas are the beginnings that spreadsheets compute, fullwidth ones too; the
// tab and the carriage return, which are others, never come first.
const formulas = "=+-@＝＋－＠"

func encodeText(s string) string {
	first, _ := utf8.DecodeRuneInString(s)
	marked := s != "" && (strings.HasPrefix(s, formulaMark) || strings.ContainsRune(formulas, first))
	if !marked && !strings.ContainsFunc(s, special) {
		return s
	}
	var b strings.Builder
	if marked {
		b.WriteString(formulaMark)
	}
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case special(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// special: what would break a line or a terminal, and the backslash.
func special(r rune) bool {
	return r == '\\' || r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

func decodeText(s string) (string, error) {
	s = strings.TrimPrefix(s, formulaMark)
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(s, `\`)
		b.WriteString(plain)
		switch {
		case !found:
			return b.String(), nil
		case strings.HasPrefix(rest, `\`):
			b.WriteByte('\\')
			s = rest[1:]
		case strings.HasPrefix(rest, "n"):
			b.WriteByte('\n')
			s = rest[1:]
		case strings.HasPrefix(rest, "u") && len(rest) >= 5:
			code, err := strconv.ParseUint(rest[1:5], 16, 16)
			if err != nil {
				return "", fmt.Errorf("escape \\%.5s: want four hex digits", rest)
			}
			b.WriteRune(rune(code))
			s = rest[5:]
		default:
			return "", fmt.Errorf("unknown escape \\%.1s", rest)
		}
	}
}

// column is one field of a row.
type column struct {
	name  string
	index int
}

// columnsOf lists the columns of a row type, in order: its fields by their JSON
// names. A row holds text, whole numbers, flags and lists of text.
func columnsOf[T any]() []column {
	var all []column
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		all = append(all, column{t.Field(i).Tag.Get("json"), i})
	}
	return all
}

// encodeCell writes a field: a list as JSON, null as nothing.
func encodeCell(v reflect.Value) (string, error) {
	switch v.Kind() {
	case reflect.String:
		return encodeText(v.String()), nil
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case reflect.Pointer:
		if v.IsNil() {
			return "", nil
		}
		return encodeCell(v.Elem())
	case reflect.Slice:
		raw, err := json.Marshal(v.Interface())
		return encodeList(string(raw)), err
	}
	return "", fmt.Errorf("no cell holds a %s", v.Type())
}

// encodeList writes what JSON leaves raw, all of it inside strings, as JSON does.
func encodeList(raw string) string {
	if !strings.ContainsFunc(raw, func(r rune) bool { return r != '\\' && special(r) }) {
		return raw
	}
	var b strings.Builder
	for _, r := range raw {
		if r != '\\' && special(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func decodeCell(cell string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		text, err := decodeText(cell)
		v.SetString(text)
		return err
	case reflect.Int64:
		n, err := strconv.ParseInt(cell, 10, 64)
		v.SetInt(n)
		return err
	case reflect.Bool:
		b, err := strconv.ParseBool(cell)
		v.SetBool(b)
		return err
	case reflect.Pointer:
		if cell == "" {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return decodeCell(cell, v.Elem())
	case reflect.Slice:
		return json.Unmarshal([]byte(cell), v.Addr().Interface())
	}
	return fmt.Errorf("no cell holds a %s", v.Type())
}
