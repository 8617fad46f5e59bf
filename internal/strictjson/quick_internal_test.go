package strictjson

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"vaultbench/fixtures"
)

// TestQuickAgrees: of values that keep a schema or nearly do, quick says what the
// library says, for every schema and every part of one that it does not ask about.
func TestQuickAgrees(t *testing.T) {
	files, err := fs.Glob(fixtures.FS, "schema/*.json")
	require.NoError(t, err)
	answers := map[bool]int{}
	for _, file := range files {
		name := strings.TrimPrefix(file, "schema/")
		t.Run(name, func(t *testing.T) {
			s, err := schemaFor(name)
			require.NoError(t, err)
			parts := map[*jsonschema.Schema]*quick{}
			quicken(s.Schema, parts)
			maps.DeleteFunc(parts, func(_ *jsonschema.Schema, q *quick) bool { return q.ask })
			if len(parts) == 0 {
				return // the library answers all of it
			}
			all := slices.SortedFunc(maps.Keys(parts), func(a, b *jsonschema.Schema) int { return strings.Compare(a.Location, b.Location) })
			rapid.Check(t, func(t *rapid.T) {
				part := rapid.SampledFrom(all).Draw(t, "part")
				v := nearly(t, part, 6)
				want := part.Validate(v) == nil
				answers[want]++
				if got := parts[part].holds(v); got != want {
					t.Fatalf("%s: holds = %v, the library says %v", part.Location, got, want)
				}
			})
		})
	}
	assert.Greater(t, answers[true], 100, "valid values")
	assert.Greater(t, answers[false], 100, "values that are not valid")
}

// TestQuickRules: each rule by itself, and as the library has it.
func TestQuickRules(t *testing.T) {
	const ifA = `"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}`
	for _, tt := range []struct {
		name, schema, value string
		want                bool
		reason              string
	}{
		{"then kept", `{` + ifA + `}`, `{"a": 1, "b": 1}`, true, "the condition holds"},
		{"then missed", `{` + ifA + `}`, `{"a": 1, "c": 1}`, false, "else does not count"},
		{"else kept", `{` + ifA + `}`, `{"c": 1}`, true, "the condition does not hold"},
		{"else missed", `{` + ifA + `}`, `{"b": 1}`, false, "then does not count"},
		{"no then", `{"if": {"required": ["a"]}, "else": false}`, `{"a": 1}`, true, "nothing more is asked"},
		{"one of allOf missed", `{"allOf": [{"required": ["a"]}, {"required": ["b"]}]}`, `{"a": 1}`, false, "all are asked"},
		{"beside a reference", `{"$defs": {"x": {"type": "string"}}, "$ref": "#/$defs/x", "maxLength": 1}`, `"ab"`, false, "what stands beside it counts"},
		{"a reference", `{"$defs": {"x": {"type": "string"}}, "$ref": "#/$defs/x"}`, `1`, false, "it is followed"},
		{"another member", `{"properties": {"a": true}, "additionalProperties": false}`, `{"b": 1}`, false, "closed"},
		{"a member of its own", `{"properties": {"a": true}, "additionalProperties": {"type": "null"}}`, `{"a": 1, "b": null}`, true, "the others' rule is not its own"},
		{"others' rule", `{"additionalProperties": {"type": "null"}}`, `{"b": 1}`, false, "each of them"},
		{"never", `{"properties": {"a": false}}`, `{"a": 1}`, false, "false takes nothing"},
		{"integer with a point", `{"type": "integer"}`, `2.0`, true, "its value is whole"},
		{"fraction", `{"type": "integer"}`, `2.5`, false, "its value is not"},
		{"great number", `{"type": "integer", "maximum": 5}`, `99999999999999999999`, false, "greater than any of ours"},
		{"number", `{"type": "number", "minimum": 0.5}`, `1`, true, "a bound that is no integer"},
		{"bounds", `{"minimum": 2, "maximum": 3}`, `3`, true, "inclusive"},
		{"below", `{"minimum": 2, "maximum": 3}`, `1`, false, "least"},
		{"runes", `{"maxLength": 1}`, `"é"`, true, "not bytes"},
		{"word of another type", `{"enum": ["1"]}`, `1`, false, "text alone"},
		{"number for a word", `{"const": 1}`, `1.0`, true, "equal as numbers"},
		{"repeated", `{"uniqueItems": true}`, `[1, 1.0]`, false, "a keyword without a rule"},
		{"none of oneOf", `{"items": {"oneOf": [{"type": "null"}, {"enum": ["a"]}]}}`, `[null, "b"]`, false, "below a keyword with a rule"},
		{"format of a number", `{"format": "date"}`, `1`, true, "it is about text"},
		{"format", `{"format": "date"}`, `"2031-02-30"`, false, "no such day"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := compile("inline.json", []byte(tt.schema))
			require.NoError(t, err)
			v, err := parse([]byte(tt.value))
			require.NoError(t, err)
			assert.Equal(t, tt.want, s.quick.holds(v), tt.reason)
			assert.Equal(t, tt.want, s.Validate(v) == nil, "the library: %s", tt.reason)
		})
	}
}

// TestQuickAnswers: what is read at each start is answered without the library.
func TestQuickAnswers(t *testing.T) {
	for _, name := range []string{"attack.schema.json", "golden-events.schema.json"} {
		s, err := schemaFor(name)
		require.NoError(t, err)
		parts := map[*jsonschema.Schema]*quick{}
		quicken(s.Schema, parts)
		for part, q := range parts {
			assert.False(t, q.ask, "%s has a keyword that quick has no rule for", part.Location)
		}
	}
}

// nearly draws a value that keeps a schema, or misses it somewhere.
func nearly(t *rapid.T, s *jsonschema.Schema, depth int) any {
	odd := rapid.IntRange(0, 19).Draw(t, "odd") == 0
	switch {
	case s == nil || odd || depth == 0:
		return rapid.SampledFrom([]any{nil, true, "", "x", json.Number("0"), json.Number("-1"), json.Number("5.0"), json.Number("1e3"), json.Number("1.5"),
			json.Number("99999999999999999999"), json.Number("1e999"), json.Number("-0"), []any{}, []any{"x", "x"}, map[string]any{}, map[string]any{"x": nil}}).Draw(t, "any")
	case s.Const != nil:
		return *s.Const
	case s.Enum != nil:
		return rapid.SampledFrom(s.Enum.Values).Draw(t, "word")
	case s.Ref != nil && len(s.Properties) == 0:
		return nearly(t, s.Ref, depth)
	case len(s.OneOf)+len(s.AnyOf) > 0:
		return nearly(t, rapid.SampledFrom(slices.Concat(s.OneOf, s.AnyOf)).Draw(t, "one"), depth)
	}
	kinds := []string{"object", "string"}
	if s.Types != nil && !s.Types.IsEmpty() {
		kinds = s.Types.ToStrings()
	}
	switch rapid.SampledFrom(kinds).Draw(t, "type") {
	case "string":
		return nearlyText(t, s)
	case "integer", "number":
		return nearlyNumber(t, s)
	case "boolean":
		return rapid.Bool().Draw(t, "bool")
	case "array":
		least := 0
		if s.MinItems != nil {
			least = *s.MinItems
		}
		list := []any{}
		for range rapid.IntRange(max(least-1, 0), least+2).Draw(t, "entries") {
			list = append(list, nearly(t, s.Items2020, depth-1))
		}
		return list
	case "object":
		return nearlyObject(t, s, depth)
	}
	return nil
}

func nearlyText(t *rapid.T, s *jsonschema.Schema) string {
	switch {
	case s.Format != nil:
		return rapid.SampledFrom([]string{"2031-03-03", "2031-13-03", "2031-03-03T09:00:00Z", "2031-03-03 09:00", "https://a.example/x", "a b", "a@b.example"}).Draw(t, "formatted")
	case s.Pattern != nil:
		return rapid.StringMatching(s.Pattern.String()).Draw(t, "matching")
	case s.MaxLength != nil:
		return strings.Repeat("é", rapid.IntRange(max(*s.MaxLength-1, 0), *s.MaxLength+1).Draw(t, "runes"))
	}
	return rapid.SampledFrom([]string{"", "é", "two words"}).Draw(t, "text")
}

func nearlyNumber(t *rapid.T, s *jsonschema.Schema) json.Number {
	texts := []string{"0", "1", "7", "2.0", "0.25"}
	if s.Minimum != nil {
		texts = append(texts, s.Minimum.RatString(), s.Minimum.FloatString(1), "-1")
	}
	if s.Maximum != nil {
		texts = append(texts, s.Maximum.FloatString(0), s.Maximum.FloatString(0)+"0")
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.Contains(s, "/") })
	return json.Number(rapid.SampledFrom(texts).Draw(t, "number"))
}

func nearlyObject(t *rapid.T, s *jsonschema.Schema, depth int) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || rapid.Bool().Draw(t, name) {
			object[name] = nearly(t, s.Properties[name], depth-1)
		}
	}
	for _, more := range append([]*jsonschema.Schema{s.If, s.Then, s.Else}, s.AllOf...) {
		if more != nil && rapid.Bool().Draw(t, "also") {
			also, _ := nearly(t, more, depth-1).(map[string]any)
			maps.Copy(object, also)
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "members") {
	case 0:
		object["zeal"] = json.Number("1")
	case 1:
		for _, name := range s.Required {
			delete(object, name)
			break
		}
	}
	return object
}
