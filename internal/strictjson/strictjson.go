// Package strictjson reads the suite's data files: one strict decoder for JSON
// and JSONL, each document checked against its JSON Schema in fixtures/schema
// before it is decoded. Unknown members, duplicate names, names in another case,
// invalid UTF-8 and trailing data are errors; every error starts with file:line.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode checks data against the named schema (a file of fixtures/schema) and
// decodes it into the value that into points to. name is the file's name for
// messages.
func Decode(name string, data []byte, schema string, into any) error {
	return decodeAt(name, 1, data, schema, into)
}

// Line is one document of a JSONL file.
type Line struct {
	File   string
	Number int // from 1
	Raw    []byte
}

// Decode checks the line against the named schema and decodes it into the value
// that into points to.
func (l Line) Decode(schema string, into any) error {
	return decodeAt(l.File, l.Number, l.Raw, schema, into)
}

// Errorf makes an error that starts with the line's file and number.
func (l Line) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.File, l.Number, fmt.Errorf(format, args...))
}

// Lines splits a JSONL file. A blank line in the middle is an error, since it
// is mostly a line that got lost; a file without any line is one too.
func Lines(name string, data []byte) ([]Line, error) {
	data = bytes.TrimSuffix(data, []byte("\n"))
	if len(data) == 0 {
		return nil, fmt.Errorf("%s:1: file is empty: write one JSON object a line or delete it", name)
	}
	var lines []Line
	for i, raw := range bytes.Split(data, []byte("\n")) {
		raw = bytes.TrimSuffix(raw, []byte("\r"))
		if len(bytes.TrimSpace(raw)) == 0 {
			return nil, fmt.Errorf("%s:%d: blank line: delete it", name, i+1)
		}
		lines = append(lines, Line{File: name, Number: i + 1, Raw: raw})
	}
	return lines, nil
}

func decodeAt(name string, line int, data []byte, schema string, into any) error {
	if err := checkSyntax(data); err != nil {
		return locate(name, line, data, err)
	}
	if err := validate(schema, data); err != nil {
		return locate(name, line, data, err)
	}
	err := json.Unmarshal(data, into, json.RejectUnknownMembers(true))
	return locate(name, line, data, err)
}

// checkSyntax runs before the schema so that a duplicate name, which a schema
// validator silently folds, is reported at its place.
func checkSyntax(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	if err := dec.SkipValue(); errors.Is(err, io.EOF) {
		return errors.New("file is empty: write one JSON value or delete it")
	} else if err != nil {
		return err
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return &trailingError{offset: int64(bytes.LastIndex(data, rest))}
	}
	return nil
}

type trailingError struct{ offset int64 }

func (e *trailingError) Error() string { return "data after the end of the JSON value" }

// locate prefixes err with the file and the line at which it happened.
func locate(name string, line int, data []byte, err error) error {
	if err == nil {
		return nil
	}
	offset := int64(-1)
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	var trailing *trailingError
	var mismatch *schemaError
	switch {
	case errors.As(err, &syntactic):
		offset = syntactic.ByteOffset
	case errors.As(err, &semantic):
		offset, err = semantic.ByteOffset, describe(semantic)
	case errors.As(err, &trailing):
		offset = trailing.offset
	case errors.As(err, &mismatch):
		offset = mismatch.offset(data)
	}
	if offset > 0 && offset <= int64(len(data)) {
		line += bytes.Count(data[:offset], []byte("\n"))
	}
	return fmt.Errorf("%s:%d: %w", name, line, err)
}

// Worded gives a decoder's error words that are the same in every process.
func Worded(err error) error {
	if semantic := (*json.SemanticError)(nil); errors.As(err, &semantic) {
		return describe(semantic)
	}
	return err
}

// describe words a semantic error itself, since the library's wording differs
// from process to process.
func describe(e *json.SemanticError) error {
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Errorf("at %s: unknown member", shown(e.JSONPointer))
	case e.Err != nil:
		return fmt.Errorf("at %s: no %v: %w", shown(e.JSONPointer), e.GoType, e.Err)
	}
	return fmt.Errorf("at %s: no %v", shown(e.JSONPointer), e.GoType)
}
