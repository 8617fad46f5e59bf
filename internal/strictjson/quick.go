package strictjson

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// quick answers yes or no where the library gathers reasons: nearly every document is
// valid, and corpus and goldens are read at each start. What it has no rule for it
// asks the library, so that a keyword that is new to the schemas is slow and not
// overlooked.
type quick struct {
	schema *jsonschema.Schema
	ask    bool // it has a keyword without a rule here

	never         bool
	types         []string // empty: all
	words         []string // enum or const of strings; empty: anything
	all           []*quick // $ref and allOf
	cond, yes, no *quick   // if, then, else

	runes, entries, members, number bounds // of a string, array, object, number

	properties map[string]*quick
	other      *quick // of members that properties lacks; nil: anything
	items      *quick // nil: anything
}

// bounds are inclusive; nil: none.
type bounds struct{ least, most *int }

func (b bounds) hold(n int) bool {
	return (b.least == nil || n >= *b.least) && (b.most == nil || n <= *b.most)
}

// ruled are the fields of a compiled schema that quick has rules for, and those that
// say nothing of a document.
var ruled = []string{
	"DraftVersion", "Location", "ID", "Title", "Description", "Comment",
	"Bool", "Types", "Enum", "Const", "Ref", "AllOf", "If", "Then", "Else", "Format", "Pattern",
	"MinLength", "MaxLength", "MinItems", "MaxItems", "MinProperties", "MaxProperties", "Minimum", "Maximum",
	"Required", "Properties", "AdditionalProperties", "Items2020",
}

// quicken translates a schema; done holds what it has translated.
func quicken(s *jsonschema.Schema, done map[*jsonschema.Schema]*quick) *quick {
	if s == nil {
		return nil
	}
	if q, ok := done[s]; ok {
		return q
	}
	q := &quick{schema: s}
	done[s] = q
	if q.ask = !q.scalars(s); q.ask {
		return q
	}
	for _, part := range append([]*jsonschema.Schema{s.Ref}, s.AllOf...) {
		if part != nil {
			q.all = append(q.all, quicken(part, done))
		}
	}
	q.cond, q.yes, q.no = quicken(s.If, done), quicken(s.Then, done), quicken(s.Else, done)
	q.items = quicken(s.Items2020, done)
	q.properties = make(map[string]*quick, len(s.Properties))
	for name, p := range s.Properties {
		q.properties[name] = quicken(p, done)
	}
	switch other := s.AdditionalProperties.(type) {
	case bool:
		q.other = &quick{never: !other}
	case *jsonschema.Schema:
		q.other = quicken(other, done)
	}
	return q
}

// scalars takes over what holds no further schema, and reports whether quick has a
// rule for everything that the schema says.
func (q *quick) scalars(s *jsonschema.Schema) bool {
	fields := reflect.ValueOf(s).Elem()
	for i := range fields.NumField() {
		f := fields.Type().Field(i)
		if f.IsExported() && !fields.Field(i).IsZero() && !slices.Contains(ruled, f.Name) {
			return false
		}
	}
	q.never = s.Bool != nil && !*s.Bool
	if s.Types != nil {
		q.types = s.Types.ToStrings()
	}
	var words []any
	switch {
	case s.Enum != nil && s.Const != nil:
		return false
	case s.Enum != nil:
		words = s.Enum.Values
	case s.Const != nil:
		words = []any{*s.Const}
	}
	for _, word := range words {
		text, ok := word.(string)
		if !ok {
			return false
		}
		q.words = append(q.words, text)
	}
	q.runes, q.entries, q.members = bounds{s.MinLength, s.MaxLength}, bounds{s.MinItems, s.MaxItems}, bounds{s.MinProperties, s.MaxProperties}
	var least, most bool
	q.number.least, least = whole(s.Minimum)
	q.number.most, most = whole(s.Maximum)
	return least && most && (s.DraftVersion == 2020 || s.Bool != nil)
}

// whole is a bound of numbers where it is an integer.
func whole(r *big.Rat) (*int, bool) {
	switch {
	case r == nil:
		return nil, true
	case !r.IsInt() || !r.Num().IsInt64():
		return nil, false
	}
	n := int(r.Num().Int64())
	return &n, true
}

// holds reports whether a value is valid.
func (q *quick) holds(v any) bool {
	if q.ask {
		return q.schema.Validate(v) == nil
	}
	if q.never {
		return false
	}
	if text, isText := v.(string); len(q.words) > 0 && !(isText && slices.Contains(q.words, text)) {
		return false
	}
	for _, part := range q.all {
		if !part.holds(v) {
			return false
		}
	}
	if q.cond != nil {
		next := q.no
		if q.cond.holds(v) {
			next = q.yes
		}
		if next != nil && !next.holds(v) {
			return false
		}
	}
	return q.holdsValue(v)
}

// holdsValue applies what depends on the value's type.
func (q *quick) holdsValue(v any) bool {
	s := q.schema
	if s == nil {
		return true
	}
	if s.Format != nil && s.Format.Validate(v) != nil {
		return false
	}
	switch v := v.(type) {
	case nil:
		return q.allows("null")
	case bool:
		return q.allows("boolean")
	case string:
		return q.allows("string") && q.runes.hold(utf8.RuneCountInString(v)) && (s.Pattern == nil || s.Pattern.MatchString(v))
	case json.Number:
		n, err := strconv.Atoi(v.String())
		if err != nil { // a fraction, an exponent or a great number
			return s.Validate(v) == nil
		}
		return (q.allows("integer") || q.allows("number")) && q.number.hold(n)
	case []any:
		if !q.allows("array") || !q.entries.hold(len(v)) {
			return false
		}
		return q.items == nil || !slices.ContainsFunc(v, func(item any) bool { return !q.items.holds(item) })
	case map[string]any:
		return q.allows("object") && q.members.hold(len(v)) && q.holdsMembers(v)
	}
	return false
}

func (q *quick) allows(kind string) bool { return len(q.types) == 0 || slices.Contains(q.types, kind) }

func (q *quick) holdsMembers(v map[string]any) bool {
	for _, name := range q.schema.Required {
		if _, ok := v[name]; !ok {
			return false
		}
	}
	for name, value := range v {
		p, ok := q.properties[name]
		if !ok {
			p = q.other
		}
		if p != nil && !p.holds(value) {
			return false
		}
	}
	return true
}
