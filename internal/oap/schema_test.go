package oap_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// richFields are optional fields of every type that a schema may ask for.
const richFields = `"score": {"type": "number", "minimum": -0.5, "maximum": 100}, "urgent": {"type": "boolean"},
	"method": {"type": "string", "enum": ["ach", "wire"], "maxLength": 4}, "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "minLength": 1}},
	"loose": {"type": "array"}, "home": {"type": "object", "required": ["zip"], "properties": {"zip": {"type": "string", "pattern": "^[0-9]{5}$"}, "floor": {"type": "integer", "maximum": 9}}},`

// richPack is the shipped pack with richFields.
func richPack(t testing.TB) oap.PolicyPack {
	t.Helper()
	pack, err := oap.ParsePack(packFile, withFields(t, richFields))
	require.NoError(t, err)
	return pack
}

// withFields is the shipped pack whose context has more fields.
func withFields(t testing.TB, fields string) []byte {
	t.Helper()
	return swapOnce(t, shippedBytes(t, packFile), `"amount": {"type": "integer", "minimum": 1, "description": "Minor units."},`+"\n"+`      "currency"`,
		fields+`"amount": {"type": "integer", "minimum": 1},`+"\n"+`      "currency"`)
}

// richLayer allows anyone to be paid under richPack.
func richLayer(t testing.TB) *oap.Layer {
	t.Helper()
	l, err := oap.NewLayer(shippedPassport(t, "level-1.json"), richPack(t), oap.ProfileOAP)
	require.NoError(t, err)
	return l
}

// schemaRows are the good context with one more field; want is empty where the
// field is as it should be.
var schemaRows = []struct {
	name, field, want string
	reason            string
}{
	{"number", `"score":99.5`, "", "no integer is asked for"},
	{"number at its maximum", `"score":100.000`, "", "the same value"},
	{"number just above", `"score":100.0000000000000000000000001`, "out of range", "a float would round it down"},
	{"number at its minimum", `"score":-5e-1`, "", "the same value"},
	{"number just below", `"score":-0.50000000000000000000001`, "out of range", "a float would round it up"},
	{"integer above the maximum", `"score":101`, "101 is out of range", "integers are numbers"},
	{"number of huge exponent", `"score":1e999999999`, "too long", "its exact value would fill the memory"},
	{"number of tiny exponent", `"score":1e-999999999`, "too long", "likewise"},
	{"number of many digits", `"score":0.` + fmt.Sprintf("%080d", 1), "too long", "likewise"},
	{"string for a number", `"score":"99"`, "want a number", "no coercion"},
	{"null for a number", `"score":null`, "want a number", "null is not absent"},
	{"boolean", `"urgent":false`, "", "as asked for"},
	{"number for a boolean", `"urgent":0`, "want boolean", "no coercion"},
	{"null for a boolean", `"urgent":null`, "want boolean", "null is not absent"},
	{"word of an enum", `"method":"wire"`, "", "as asked for"},
	{"word of none", `"method":"cash"`, "none of", "the list is closed"},
	{"list", `"tags":["a","b"]`, "", "as asked for"},
	{"long list", `"tags":["a","b","c"]`, "too many", "maxItems"},
	{"list of others", `"tags":["a",1]`, "[1].want string", "each element counts"},
	{"empty element", `"tags":[""]`, "too few", "minLength of each"},
	{"loose list", `"loose":[1,"a",null,{"b":[]}]`, "", "nothing is asked of its elements"},
	{"object for a list", `"loose":{}`, "want list", "no coercion"},
	{"object", `"home":{"zip":"12345","floor":9,"more":1}`, "", "as asked for"},
	{"object without a member", `"home":{"floor":9}`, "home: zip: missing", "required"},
	{"object with a bad member", `"home":{"zip":"12345x"}`, "zip: does not match", "pattern"},
	{"list for an object", `"home":[]`, "want an object", "no coercion"},
}

// TestSchemaKeywords decides the good context with one more field.
func TestSchemaKeywords(t *testing.T) {
	for _, tt := range schemaRows {
		t.Run(tt.name, func(t *testing.T) {
			d := richLayer(t).Open().DecideContext(fmt.Appendf(nil, good, ","+tt.field), morning)
			if tt.want == "" {
				require.True(t, d.Allowed(), "%s: %v", tt.reason, d.Reasons)
				return
			}
			require.Equal(t, []judged{{"context_schema", authz.ReasonInvalidContext}}, reasonsOf(d), tt.reason)
			require.Contains(t, d.Reasons[0].Message, tt.want, tt.reason)
		})
	}
}

// TestSchemaErrors: a keyword that would be ignored in silence is an error.
func TestSchemaErrors(t *testing.T) {
	for _, tt := range []struct{ name, field, want, reason string }{
		{"unknown keyword", `{"type":"string","format":"uuid"}`, `keyword "format" is not followed`, "it would let more through"},
		{"enum of integers", `{"type":"integer","enum":[1]}`, `keyword "enum" of type integer is not followed`, "likewise"},
		{"enum of numbers", `{"type":"number","enum":[1]}`, `keyword "enum" of type number is not followed`, "likewise"},
		{"enum of booleans", `{"type":"boolean","enum":[true]}`, `keyword "enum" of type boolean is not followed`, "likewise"},
		{"enum of other kinds", `{"type":"string","enum":["a",1]}`, "enum", "a string is none"},
		{"bound of null", `{"type":"integer","minimum":null}`, `keyword "minimum" is null`, "no bound at all"},
		{"bound with a fraction", `{"type":"integer","minimum":0.5}`, "bound 0.5 is no integer", "it would be rounded"},
		{"bound of a number too long", `{"type":"number","maximum":1e999}`, "bound 1e999 is too long", "its exact value is not kept"},
		{"two types", `{"type":["string","null"]}`, "required_context: extra", "not followed"},
		{"no type", `{}`, `type "" is not followed`, "anything would match"},
		{"bad pattern", `{"type":"string","pattern":"("}`, "pattern", "it matches nothing"},
		{"null in an enum", `{"type":"string","enum":["a",null]}`, "enum: null is no string", "it would read as the empty string"},
		{"bound of a string", `{"type":"string","minimum":5}`, `keyword "minimum" of type string is not followed`, "it bounds numbers alone"},
		{"length of an integer", `{"type":"integer","maxLength":5}`, `keyword "maxLength" of type integer is not followed`, "it bounds texts alone"},
		{"members of a list", `{"type":"array","required":["a"]}`, `keyword "required" of type array is not followed`, "a list has none"},
		{"items of an object", `{"type":"object","properties":{},"minItems":1}`, `keyword "minItems" of type object is not followed`, "an object has none"},
		{"negative length", `{"type":"string","maxLength":-1}`, "maxLength is -1: want 0 or more", "no text has it"},
		{"negative count", `{"type":"array","minItems":-1}`, "minItems is -1: want 0 or more", "it bounds nothing"},
		{"lengths that cross", `{"type":"string","minLength":5,"maxLength":3}`, "minLength is 5 and maxLength is 3: nothing is between them", "no text fits"},
		{"counts that cross", `{"type":"array","minItems":2,"maxItems":1}`, "minItems is 2 and maxItems is 1", "no list fits"},
		{"integers that cross", `{"type":"integer","minimum":2,"maximum":1}`, "minimum is 2 and maximum is 1", "no number fits"},
		{"numbers that cross", `{"type":"number","minimum":1.5,"maximum":1.25}`, "minimum is 1.5 and maximum is 1.25", "no number fits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := oap.ParsePack(packFile, withFields(t, `"extra": `+tt.field+`,`))
			require.ErrorContains(t, err, "required_context", tt.reason)
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestEmptyEnum: no word is one of none.
func TestEmptyEnum(t *testing.T) {
	pack, err := oap.ParsePack(packFile, withFields(t, `"method": {"type":"string","enum":[]},`))
	require.NoError(t, err)
	l, err := oap.NewLayer(shippedPassport(t, "level-1.json"), pack, oap.ProfileOAP)
	require.NoError(t, err)
	require.False(t, l.Open().DecideContext(fmt.Appendf(nil, good, `,"method":"ach"`), morning).Allowed())
}

// TestSchemaRoot: what the whole context must be is said by type, required and
// properties, and no property has the name of what the engine gives.
func TestSchemaRoot(t *testing.T) {
	const root = `"required_context": {`
	for _, tt := range []struct{ name, old, changed, want, reason string }{
		{"enum", root, root + `"enum":["x"],`, `keyword "enum" of type object is not followed`, "no context would match"},
		{"pattern", root, root + `"pattern":"(((",`, `keyword "pattern" of type object is not followed`, "it says nothing of an object"},
		{"total", `"memo": {`, `"daily_total": {"type":"integer"}, "memo": {`, `property "daily_total"`, "a request would say itself what was spent"},
		{"keys", `"memo": {`, `"recent_keys": {"type":"array"}, "memo": {`, `property "recent_keys"`, "a request would say itself what was used"},
		{"count", `"memo": {`, `"daily_payout_count": {"type":"integer"}, "memo": {`, `property "daily_payout_count"`, "likewise"},
		{"counterparties", `"memo": {`, `"daily_counterparty_total": {"type":"object","properties":{}}, "memo": {`, `property "daily_counterparty_total"`, "likewise"},
		{"limits", `"memo": {`, `"limits": {"type":"object","properties":{}}, "memo": {`, `property "limits"`, "the passport's"},
		{"passport", `"memo": {`, `"passport": {"type":"string"}, "memo": {`, `property "passport"`, "no request's"},
		{"context", `"memo": {`, `"context": {"type":"string"}, "memo": {`, `property "context"`, "where a path begins"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := oap.ParsePack(packFile, swapOnce(t, shippedBytes(t, packFile), tt.old, tt.changed))
			require.ErrorContains(t, err, "required_context", tt.reason)
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestItemsOfAnyType: a schema that says nothing of an item, or another thing than
// a payment's, does not make a payment's items vanish.
func TestItemsOfAnyType(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		want         judged
		reason       string
	}{
		{"no type", `{"type": "array", "minItems": 1}`, judged{"item_count_cap", authz.ReasonLimitExceeded}, "it can be counted"},
		{"texts", `{"type": "array", "items": {"type": "string"}}`, judged{"context_schema", authz.ReasonInvalidContext}, "an item is no text"},
		{"no list", `{"type": "string"}`, judged{"context_schema", authz.ReasonInvalidContext}, "items are a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := oap.NewLayer(shippedPassport(t, level2), itemsPack(t, tt.schema), oap.ProfileOAP)
			require.NoError(t, err)
			l = withPatch(t, l, limits(`{"max_items_per_tx":0}`))
			require.Equal(t, []judged{tt.want}, reasonsOf(ask(t, l.Open(), payment())), tt.reason)
		})
	}
}

// itemsPack is the shipped pack with another schema of items, which it does not
// require, and without the rules that need theirs.
func itemsPack(t testing.TB, schema string) oap.PolicyPack {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(shippedBytes(t, packFile), &doc))
	rules, wanted := doc["evaluation_rules"].([]any), doc["required_context"].(map[string]any)
	doc["evaluation_rules"] = slices.DeleteFunc(rules, func(r any) bool {
		name := r.(map[string]any)["name"]
		return name == "category_block" || name == "item_count_cap" && !strings.Contains(schema, "array")
	})
	wanted["required"] = slices.DeleteFunc(wanted["required"].([]any), func(name any) bool { return name == "items" })
	wanted["properties"].(map[string]any)["items"] = json.RawMessage(schema)
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	pack, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	return pack
}

// TestCurrencyPattern: the one pattern that has its own lines matches what it says.
func TestCurrencyPattern(t *testing.T) {
	e := openLayer(t).Open()
	for _, code := range []string{"usd", "USd", "UsD", "uSD", "US", "USDX", "U D", "US1", "US[", "US@", "USZ"} {
		d := e.DecideContext([]byte(instead("currency", strconv.Quote(code))), morning)
		want := regexp.MustCompile("^[A-Z]{3}$").MatchString(code)
		require.Equal(t, !want, d.Rule() == "context_schema", code)
	}
}
