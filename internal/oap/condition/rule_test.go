package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// TestBindRule: a rule's whole condition tests something; no value stands where a
// condition is wanted.
func TestBindRule(t *testing.T) {
	const idle = "it reads no field, limit or state, and so is the same for every request: name what it shall test, or delete it"
	for _, tt := range []struct{ name, text, want, reason string }{
		{"a comparison", "amount <= 5", "", "it tests"},
		{"a flag", "limits.on", "", "a boolean tests"},
		{"not a flag", "NOT limits.on OR amount <= 5", "", "likewise"},
		{"the guard of the refund pack", "NOT (order_currency AND currency != order_currency)", "", "an optional text is given"},
		{"a call of a field", "given(note)", "", "it reads the field"},
		{"a text that is compared", "'a' == note", "", "no condition is wanted there"},
		{"arithmetic without a path, compared", "amount <= 2 * 50", "", "likewise"},
		{"a variable", "any(tag == 'a' for tag in tags)", "", "it reads the list"},
		{"a type that no load knows", "items[0].tags[0] == 'a' AND limits.on", "", "it tests"},
		{"quoted once too often", "'amount <= 5'", `column 1: tests nothing: the quotes make a text of "amount <= 5": take them off`, "a text is true for ever"},
		{"a part quoted", "qty > 0 AND 'amount <= 5'", `column 13: tests nothing: the quotes make a text of "amount <= 5": take them off`, "likewise"},
		{"a part quoted, negated", "NOT ''", `column 5: tests nothing: the quotes make a text of "": take them off`, "false for ever"},
		{"a body quoted", "any('tag' for tag in tags)", `column 5: tests nothing: the quotes make a text of "tag": take them off`, "likewise"},
		{"numbers", "1 < 2", "column 1: tests nothing: " + idle, "true for ever"},
		{"numbers beside a test", "amount <= 5 OR 1 < 2", "column 16: tests nothing: " + idle, "the whole is true for ever"},
		{"a word", "true", "column 1: tests nothing: " + idle, "true for ever"},
		{"a word beside a test", "amount <= 5 OR true", "column 16: tests nothing: " + idle, "the whole is true for ever"},
		{"a number", "5", "column 1: tests nothing: " + idle, "true for ever"},
		{"a body of numbers", "all(1 < 2 for tag in tags)", "column 5: tests nothing: " + idle, "true for ever"},
		{"a call of a text", "given('a')", "column 1: tests nothing: " + idle, "the same for every payment"},
		{"no name", "nothing_known < 5", `column 1: unknown name: "nothing_known" is neither in the context nor kept by the engine`, "as Bind says"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := condition.Parse(tt.text)
			require.NoError(t, err)
			p, err := x.BindRule(scope())
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				require.NotNil(t, p)
				return
			}
			require.EqualError(t, err, tt.want, tt.reason)
			require.Nil(t, p)
		})
	}
}

// values are what is no condition, each with its kind. Those of the limits are named
// as what a passport may mend.
var values = []struct{ name, text, kind string }{
	{"list of the context", "tags", "list"}, {"list of the limits", "limits.merchants", "list"}, {"empty list", "limits.nobody", "list"},
	{"list of the limits, long", "limits.payments.charge.merchants", "list"}, {"list of the limits, behind the passport", "passport.limits.merchants", "list"},
	{"table", "limits.caps", "map"}, {"entry of a table", "limits.caps[currency]", "map"}, {"number of a table", "limits.caps[currency].max", "integer"},
	{"number of the limits", "limits.max_items", "integer"}, {"zero", "limits.zero", "integer"}, {"text of the limits", "limits.label", "string"},
	{"text of the passport", "passport.status", "string"}, {"number", "amount", "integer"}, {"number behind context", "context.amount", "integer"},
	{"sum", "daily_total + amount", "integer"}, {"length", "tags.length", "integer"}, {"text", "currency", "string"}, {"optional text", "note", "string"},
	{"object", "home", "object"}, {"key set", "recent_keys", "key set"}, {"totals", "totals", "totals"}, {"a total", "totals[merchant]", "integer"},
	{"result of a function", "double(amount)", "integer"}, {"element", "counts[0]", "integer"}, {"what no schema says", "meta", "unknown"},
	{"element that no schema says", "loose[0]", "unknown"}, {"member that no schema says", "meta.on", "unknown"},
}

// TestValuesAreNoConditions: a value stands in no place of a condition. It would
// hold for ever, or but for 0 and the empty text.
func TestValuesAreNoConditions(t *testing.T) {
	for _, place := range []string{
		"#", "(#)", "amount <= 5 OR #", "amount <= 5 || #", "# OR amount <= 5", "amount <= 5 AND #", "# && amount <= 5", "NOT #", "!#", "!# || amount <= 5",
		"any(# for v in tags)", "all(# for v in tags)", "tags.some(v => #)", "tags.every(v => #)", "amount <= 5 OR NOT (qty == 1 AND (#))",
		"(amount <= 5 OR #) == in_stock", "same(amount <= 5 AND #, true)", "NOT (# AND amount <= 5)", "NOT (amount <= 5 AND #)",
	} {
		for _, v := range values {
			text := strings.Replace(place, "#", v.text, 1)
			mend := "compare it, or ask what is in it"
			if strings.Contains(v.text, "limits.") {
				mend = "compare it, ask what is in it, or make the limit true or false"
			}
			x, err := condition.Parse(text)
			require.NoError(t, err, text)
			_, err = x.Bind(scope())
			require.EqualError(t, err, fmt.Sprintf("column %d: tests nothing: %s where a condition is wanted: %s", strings.Index(place, "#")+1, v.kind, mend), "%s: %s", v.name, text)
		}
	}
}

// TestNoWiderGuard: what is like the guard of the refund pack and is not.
func TestNoWiderGuard(t *testing.T) {
	required := func(s *condition.Scope) {
		slot := s.Context["order_currency"]
		slot.Required = true
		s.Context["order_currency"] = slot
	}
	for _, tt := range []struct {
		name, text string
		column     int
		change     func(*condition.Scope)
		reason     string
	}{
		{"no negation", "order_currency AND currency != order_currency", 1, nil, "it would deny where nothing is given"},
		{"a required field", "NOT (order_currency AND currency != order_currency)", 6, required, "it is always given"},
		{"not read behind it", "NOT (note AND currency != order_currency)", 6, nil, "it guards nothing"},
		{"behind what it guards", "NOT (currency != order_currency AND order_currency)", 37, nil, "read too late"},
		{"by or", "NOT (order_currency OR currency != order_currency)", 6, nil, "no guard"},
		{"of three", "NOT (order_currency AND currency != order_currency AND amount > 5)", 6, nil, "no pack has it"},
		{"negated alone", "!order_currency || currency == order_currency", 2, nil, "no pack has it: is empty says it"},
		{"a list negated alone", "!tags || tags.includes('a')", 2, nil, "likewise"},
		{"a number", "NOT (price AND price > 5)", 6, nil, "0 is a price"},
		{"a list", "NOT (tags AND 'a' in tags)", 6, nil, "an empty one is there"},
		{"a member", "NOT (home.zip AND home.zip != 'a')", 6, nil, "no field"},
		{"a limit", "NOT (limits.label AND limits.label != currency)", 6, nil, "no field"},
		{"an element", "any(NOT (x AND x != 'a') for x in tags)", 10, nil, "no field"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scope()
			if tt.change != nil {
				tt.change(s)
			}
			x, err := condition.Parse(tt.text)
			require.NoError(t, err)
			_, err = x.BindRule(s)
			require.ErrorContains(t, err, " where a condition is wanted: compare it, ", tt.reason)
			refused(t, err, condition.ErrNoTest, tt.column)
		})
	}
}

// TestEntriesThatLack: an entry or a member that is known to be missing is found at
// load.
func TestEntriesThatLack(t *testing.T) {
	s := scope()
	bob := func(members map[string]*condition.Value) condition.Value {
		return condition.Value{Kind: condition.KindMap, Map: members}
	}
	one, word := condition.Int(1), condition.String("x")
	both := condition.List(bob(map[string]*condition.Value{"once": &one, "id": &word}), bob(map[string]*condition.Value{"once": &one, "in": &one}))
	mixed := condition.List(bob(map[string]*condition.Value{"once": &one}), bob(map[string]*condition.Value{"once": &word}))
	two := condition.List(condition.String("US"), condition.String("CA"))
	s.Limits = map[string]*condition.Value{"both": &both, "mixed": &mixed, "two": &two, "n": &one}
	s.Passport["regions"] = &two
	for _, tt := range []struct{ name, text, want, reason string }{
		{"first", "limits.two[0] == note", "", "it is there"},
		{"last", "limits.two[1] == note", "", "it is there"},
		{"one above", "limits.two[2] == note", "column 1: limit is missing: two[2]", "it is not"},
		{"by a limit", "limits.two[limits.n] == note", "", "it is there"},
		{"known at run time alone", "limits.two[amount] == note", "", "nobody knows"},
		{"of the passport", "passport.regions[2] == note", "column 1: unknown name: the passport has no regions[2]", "no limit"},
		{"by the third dialect", "passport.limits.two[2] == note", "column 1: limit is missing: two[2]", "a limit"},
		{"member of each", "any(p.once > amount for p in limits.both)", "", "it is there"},
		{"member of one", "any(p.id == note for p in limits.both)", "column 5: limit is missing: both.1.id", "the other has none"},
		{"of two types", "any(p.once > amount for p in limits.mixed)", "column 5: type clash: mixed.0.once is integer, mixed.1.once is string", "as in a table"},
		{"of no table", "any(p.once > amount for p in limits.two)", "column 5: type clash: string has no members", "a list of words"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := condition.Parse(tt.text)
			require.NoError(t, err)
			_, err = x.Bind(s)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.EqualError(t, err, tt.want, tt.reason)
		})
	}
}
