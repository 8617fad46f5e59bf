package oap

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"vaultbench/internal/oap/condition"
)

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
