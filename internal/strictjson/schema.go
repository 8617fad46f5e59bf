package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"vaultbench/fixtures"
)

var (
	schemaMu sync.Mutex
	schemas  = map[string]*jsonschema.Schema{}
)

// schemaFor compiles a file of fixtures/schema once.
func schemaFor(name string) (*jsonschema.Schema, error) {
	schemaMu.Lock()
	defer schemaMu.Unlock()
	if s, ok := schemas[name]; ok {
		return s, nil
	}
	raw, err := fs.ReadFile(fixtures.FS, "schema/"+name)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	schemas[name] = s
	return s, nil
}

// Validate checks one JSON document against a file of fixtures/schema. The
// error names each place that fails as a JSON pointer.
func Validate(schema string, data []byte) error { return validate(schema, data) }

func validate(schema string, data []byte) error {
	s, err := schemaFor(schema)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	err = s.Validate(doc)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return &schemaError{schema: schema, places: places(invalid, nil)}
	}
	return err
}

// schemaError lists the places at which a document does not match its schema.
type schemaError struct {
	schema string
	places []place
}

type place struct {
	pointer jsontext.Pointer
	reason  string
}

func (e *schemaError) Error() string {
	var texts []string
	for _, p := range e.places {
		texts = append(texts, fmt.Sprintf("at %s: %s", shown(p.pointer), p.reason))
	}
	slices.Sort(texts) // the validator walks maps
	return fmt.Sprintf("does not match schema %s: %s", e.schema, strings.Join(texts, "; "))
}

// shown is a pointer without control characters; the outermost value is /.
func shown(p jsontext.Pointer) string {
	quoted := strconv.Quote("/" + strings.TrimPrefix(string(p), "/"))
	return quoted[1 : len(quoted)-1]
}

// offset is where the first of the places ends or, for an object or array,
// begins; -1 if none is found.
func (e *schemaError) offset(data []byte) int64 {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return -1
		}
		here := dec.StackPointer()
		if slices.ContainsFunc(e.places, func(p place) bool { return p.pointer == here }) {
			return dec.InputOffset()
		}
	}
}

var printer = message.NewPrinter(language.English)

// places lists the innermost causes, since the outer ones only say that an inner
// one failed.
func places(e *jsonschema.ValidationError, out []place) []place {
	for _, c := range e.Causes {
		out = places(c, out)
	}
	if len(e.Causes) > 0 {
		return out
	}
	var pointer jsontext.Pointer
	for _, token := range e.InstanceLocation {
		pointer = pointer.AppendToken(token)
	}
	if unknown, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		for _, name := range unknown.Properties {
			out = append(out, place{pointer.AppendToken(name), Unknown})
		}
		return out
	}
	return append(out, place{pointer, e.ErrorKind.LocalizedString(printer)})
}
