package oap

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

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
