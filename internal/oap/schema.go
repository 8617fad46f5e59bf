package oap

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"

	"vaultbench/internal/oap/condition"
)

// contextSchema is a pack's required_context, compiled: the types of the fields
// that rules may name, and the checks that a context must pass. It follows the
// keywords that packs use; another one is an error at load, since a keyword that
// is silently ignored would let more through than the pack says.
type contextSchema struct {
	typ    condition.Type
	checks []fieldCheck // in the order of typ
}

// fieldCheck is what a field must be.
type fieldCheck struct {
	kind     condition.Kind
	required bool
	test     valueTest // nil: the kind is all there is to it
}

// keyword sets of a schema object.
type schemaObject struct {
	Type       string                     `json:"type"`
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
	Items      json.RawMessage            `json:"items"`
	Pattern    *string                    `json:"pattern"`
	Enum       []json.RawMessage          `json:"enum"`
	Minimum    *json.Number               `json:"minimum"`
	Maximum    *json.Number               `json:"maximum"`
	MinLength  *int                       `json:"minLength"`
	MaxLength  *int                       `json:"maxLength"`
	MinItems   *int                       `json:"minItems"`
	MaxItems   *int                       `json:"maxItems"`
}

// The keywords that are followed, by the type that they say something about, and
// those that only tell people something.
var (
	followed = map[string][]string{
		"type": {"string", "integer", "number", "boolean", "array", "object"}, "required": {"object"}, "properties": {"object"},
		"items": {"array"}, "minItems": {"array"}, "maxItems": {"array"}, "pattern": {"string"}, "enum": {"string"},
		"minLength": {"string"}, "maxLength": {"string"}, "minimum": {"integer", "number"}, "maximum": {"integer", "number"},
	}
	ignored = []string{"$schema", "$id", "title", "description", "example", "examples", "default", "$comment"}
)

func readSchema(raw json.RawMessage) (schemaObject, error) {
	members, err := object(raw)
	if err != nil {
		return schemaObject{}, err
	}
	var s schemaObject
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		types, known := followed[name]
		switch {
		case slices.Contains(ignored, name):
		case !known:
			return s, fmt.Errorf("keyword %q is not followed: write the schema without it", name)
		case string(members[name]) == "null":
			return s, fmt.Errorf("keyword %q is null: give it a value or leave it out", name)
		case !slices.Contains(types, s.Type) && slices.Contains(followed["type"], s.Type):
			return s, fmt.Errorf("keyword %q of type %s is not followed: write the schema without it", name, s.Type)
		}
	}
	for name, bound := range map[string][2]*int{"Length": {s.MinLength, s.MaxLength}, "Items": {s.MinItems, s.MaxItems}} {
		if err := checkBounds(name, bound[0], bound[1]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// checkBounds refuses what no length can be.
func checkBounds(of string, low, high *int) error {
	switch {
	case low != nil && *low < 0:
		return fmt.Errorf("min%s is %d: want 0 or more", of, *low)
	case high != nil && *high < 0:
		return fmt.Errorf("max%s is %d: want 0 or more", of, *high)
	case low != nil && high != nil && *low > *high:
		return fmt.Errorf("min%s is %d and max%s is %d: nothing is between them", of, *low, of, *high)
	}
	return nil
}

// compileSchema compiles required_context, which describes an object.
func compileSchema(raw json.RawMessage) (contextSchema, error) {
	s, err := readSchema(raw)
	if err != nil {
		return contextSchema{}, err
	}
	if s.Type != "object" {
		return contextSchema{}, fmt.Errorf("type is %q: want object", s.Type)
	}
	for name := range s.Properties {
		if reserved(name) {
			return contextSchema{}, fmt.Errorf("property %q has the name of what conditions read elsewhere: a request could answer for it: give it another name", name)
		}
	}
	return compileObject(s)
}

func compileObject(s schemaObject) (contextSchema, error) {
	c := contextSchema{typ: condition.Type{Kind: condition.KindRecord, Names: slices.Sorted(maps.Keys(s.Properties))}}
	for _, name := range c.typ.Names {
		typ, test, err := compileProperty(s.Properties[name])
		if err != nil {
			return contextSchema{}, fmt.Errorf("%s: %w", name, err)
		}
		c.typ.Members = append(c.typ.Members, typ)
		c.checks = append(c.checks, fieldCheck{kind: typ.Kind, test: test})
	}
	for _, name := range s.Required {
		i := slices.Index(c.typ.Names, name)
		if i < 0 {
			return contextSchema{}, fmt.Errorf("required %q is no property", name)
		}
		c.checks[i].required = true
	}
	return c, nil
}

// validate checks a record of the schema's type.
func (c *contextSchema) validate(record []condition.Value) error {
	missing := -1
	for i := range c.checks {
		check, v := &c.checks[i], &record[i]
		switch {
		case v.Kind == condition.KindAbsent:
			if check.required && missing < 0 {
				missing = i
			}
		case check.test != nil:
			if err := check.test(v); err != nil {
				return fmt.Errorf("%s: %w", c.typ.Names[i], err)
			}
		case v.Kind != check.kind:
			return fmt.Errorf("%s: %w", c.typ.Names[i], ofKind(check.kind)(v))
		}
	}
	if missing >= 0 {
		return fmt.Errorf("%s: missing", c.typ.Names[missing])
	}
	return nil
}

type valueTest func(*condition.Value) error

func compileProperty(raw json.RawMessage) (condition.Type, valueTest, error) {
	s, err := readSchema(raw)
	if err != nil {
		return condition.Type{}, nil, err
	}
	switch s.Type {
	case "string":
		test, err := stringTest(s)
		return condition.Type{Kind: condition.KindString}, test, err
	case "integer":
		test, err := integerTest(s)
		return condition.Type{Kind: condition.KindInt}, test, err
	case "boolean":
		return condition.Type{Kind: condition.KindBool}, nil, nil
	case "number": // no rule can read it unless it is an integer
		test, err := numberTest(s)
		return condition.Any, test, err
	case "array":
		return compileArray(s)
	case "object":
		c, err := compileObject(s)
		return c.typ, func(v *condition.Value) error {
			if v.Kind != condition.KindRecord {
				return fmt.Errorf("want an object, not %s", v.Kind)
			}
			return c.validate(v.List)
		}, err
	}
	return condition.Type{}, nil, fmt.Errorf("type %q is not followed", s.Type)
}

// kindFraction stands for a number that is no integer: it can be there, and no
// condition can compare it.
const kindFraction = condition.KindAny

func ofKind(k condition.Kind) valueTest {
	return func(v *condition.Value) error {
		if v.Kind != k {
			return fmt.Errorf("want %s, not %s", k, v.Kind)
		}
		return nil
	}
}

func stringTest(s schemaObject) (valueTest, error) {
	matches, err := matcher(s.Pattern)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, raw := range s.Enum {
		var w *string
		if err := json.Unmarshal(raw, &w); err != nil || w == nil {
			return nil, fmt.Errorf("enum: %s is no string", raw)
		}
		words = append(words, *w)
	}
	if matches == nil && s.Enum == nil && s.MinLength == nil && s.MaxLength == nil {
		return nil, nil
	}
	return func(v *condition.Value) error {
		switch n := 0; {
		case v.Kind != condition.KindString:
			return fmt.Errorf("want string, not %s", v.Kind)
		case matches != nil && !matches(v.Str):
			return fmt.Errorf("does not match %s", *s.Pattern)
		case s.Enum != nil && !slices.Contains(words, v.Str):
			return fmt.Errorf("%q is none of %q", v.Str, words)
		case s.MinLength != nil || s.MaxLength != nil:
			n = utf8.RuneCountInString(v.Str)
			if s.MinLength != nil && n < *s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
				return fmt.Errorf("%d characters are too few or too many", n)
			}
		}
		return nil
	}, nil
}

// matcher compiles a pattern; nil where there is none. The one that every pack
// has for currencies is worth its own few lines.
func matcher(pattern *string) (func(string) bool, error) {
	switch {
	case pattern == nil:
		return nil, nil
	case *pattern == "^[A-Z]{3}$":
		return func(s string) bool {
			return len(s) == 3 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z' && s[2] >= 'A' && s[2] <= 'Z'
		}, nil
	}
	re, err := regexp.Compile(*pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return re.MatchString, nil
}

func integerTest(s schemaObject) (valueTest, error) {
	low, high := int64(-1<<63), int64(1<<63-1)
	for _, b := range []struct {
		at   *json.Number
		into *int64
	}{{s.Minimum, &low}, {s.Maximum, &high}} {
		if b.at == nil {
			continue
		}
		i, err := b.at.Int64()
		if err != nil {
			return nil, fmt.Errorf("bound %s is no integer", *b.at)
		}
		*b.into = i
	}
	if low > high {
		return nil, fmt.Errorf("minimum is %d and maximum is %d: nothing is between them", low, high)
	}
	return func(v *condition.Value) error {
		switch {
		case v.Kind == kindFraction:
			return fmt.Errorf("want integer, not %s", v.Str)
		case v.Kind != condition.KindInt:
			return fmt.Errorf("want integer, not %s", v.Kind)
		case v.Int < low || v.Int > high:
			return fmt.Errorf("%d is out of range", v.Int)
		}
		return nil
	}, nil
}

func compileArray(s schemaObject) (condition.Type, valueTest, error) {
	typ := condition.Type{Kind: condition.KindList}
	var each valueTest
	if s.Items != nil {
		elem, test, err := compileProperty(s.Items)
		if err != nil {
			return typ, nil, fmt.Errorf("items: %w", err)
		}
		if test == nil {
			test = ofKind(elem.Kind)
		}
		typ.Elem, each = &elem, test
	}
	return typ, func(v *condition.Value) error {
		switch {
		case v.Kind != condition.KindList:
			return fmt.Errorf("want list, not %s", v.Kind)
		case s.MinItems != nil && len(v.List) < *s.MinItems, s.MaxItems != nil && len(v.List) > *s.MaxItems:
			return fmt.Errorf("%d items are too few or too many", len(v.List))
		case each == nil:
			return nil
		}
		for i := range v.List {
			if err := each(&v.List[i]); err != nil {
				return fmt.Errorf("[%d].%w", i, err)
			}
		}
		return nil
	}, nil
}
