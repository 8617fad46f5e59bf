package recorded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// object is one level of a JSON object, each value as it stands in the file.
// Levels are taken apart one by one because only here may names not repeat and
// strings not be damaged: inside a model's arguments both are evidence.
type object map[string]jsontext.Value

// readLineObject checks a whole line and takes its top level apart.
func readLineObject(raw []byte) (object, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("blank line: delete it")
	}
	if i := invalidUTF8(raw); i >= 0 {
		return nil, fmt.Errorf("byte %d of the line is no valid UTF-8: repair the source, nothing is replaced here", i+1)
	}
	dec := decoder(raw)
	value, err := readValue(dec, raw)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the line is cut: it ends inside a JSON value; one whole conversation a line")
	case err != nil:
		return nil, fmt.Errorf("no JSON: %w", err)
	case len(bytes.Trim(raw[dec.InputOffset():], " \t\r")) > 0:
		return nil, errors.New("data after the JSON value: one conversation a line")
	}
	return readObject(value)
}

// invalidUTF8 returns the offset of the first invalid byte, -1 where there is none.
func invalidUTF8(raw []byte) int {
	if utf8.Valid(raw) {
		return -1
	}
	for i := 0; ; {
		c, size := utf8.DecodeRune(raw[i:])
		if c == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

// decoder reads JSON as it comes. What it lets pass, repeated names and lone
// surrogates, is refused by readObject and unquote where it would change a value.
func decoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// readValue returns the bytes of the next value as a part of raw: the decoder's
// own slice dies with the next read.
func readValue(dec *jsontext.Decoder, raw []byte) (jsontext.Value, error) {
	v, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := dec.InputOffset()
	return raw[end-int64(len(v)) : end : end], nil
}

func readObject(raw jsontext.Value) (object, error) {
	if raw.Kind() != '{' {
		return nil, fmt.Errorf("want a JSON object, have %s", kind(raw))
	}
	dec := decoder(raw)
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	o := object{}
	for dec.PeekKind() != '}' {
		quoted, err := readValue(dec, raw)
		if err != nil {
			return nil, err
		}
		name, err := unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("field name %s: %w", excerpt(quoted), err)
		}
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("field %.60q is given twice: keep one", name)
		}
		if o[name], err = readValue(dec, raw); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func readList(raw jsontext.Value) ([]jsontext.Value, error) {
	if raw.Kind() != '[' {
		return nil, fmt.Errorf("want a list, have %s", kind(raw))
	}
	dec := decoder(raw)
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var list []jsontext.Value
	for dec.PeekKind() != ']' {
		v, err := readValue(dec, raw)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// unquote refuses half a surrogate pair, which UTF-8 can't hold: the usual
// decoders put a replacement character there without a word.
func unquote(raw jsontext.Value) (string, error) {
	if raw.Kind() != '"' {
		return "", fmt.Errorf("want a string, have %s", kind(raw))
	}
	s, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", fmt.Errorf("half a surrogate pair, which has no UTF-8 form: repair the source, nothing is replaced here: %w", err)
	}
	return string(s), nil
}

// only reports a field that the format doesn't have.
func (o object) only(names ...string) error {
	var unknown []string
	for name := range o {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return fmt.Errorf("unknown field %.60q: want one of %q", slices.Min(unknown), names)
}

// text returns a string field, "" where it is null or missing.
func (o object) text(name string) (string, error) {
	if isNull(o[name]) {
		return "", nil
	}
	s, err := unquote(o[name])
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// required returns a string field that must say something.
func (o object) required(name string) (string, error) {
	if _, given := o[name]; !given {
		return "", fmt.Errorf("%s is missing: want a string", name)
	}
	s, err := unquote(o[name])
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	case s == "":
		return "", fmt.Errorf("%s is empty: want a string that says something", name)
	}
	return s, nil
}

func isNull(raw jsontext.Value) bool { return raw == nil || raw.Kind() == 'n' }

// kind names a value's kind for messages.
func kind(raw jsontext.Value) string {
	if raw == nil {
		return "nothing"
	}
	names := map[jsontext.Kind]string{
		'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "a list",
	}
	return names[raw.Kind()]
}

// excerpt shows the start of a value in a message, safe for a terminal.
func excerpt(raw jsontext.Value) string {
	text := string(raw)
	if s, err := unquote(raw); err == nil {
		text = s
	}
	return fmt.Sprintf("%.60q", text)
}
