package condition_test

import (
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
		{"a guard of the JavaScript dialect", "!limits.merchants || limits.merchants.includes(merchant)", "", "a value inside is what it is there"},
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
		{"a list of the context", "tags", "column 1: tests nothing: list where a condition is wanted: compare it, or ask what is in it", "true for ever"},
		{"a list of the limits", "limits.nobody", "column 1: tests nothing: list where a condition is wanted: compare it, or ask what is in it", "true for ever, though it is empty"},
		{"a table", "limits.caps", "column 1: tests nothing: map where a condition is wanted: compare it, or ask what is in it", "true for ever"},
		{"an integer", "amount", "column 1: tests nothing: integer where a condition is wanted: compare it, or ask what is in it", "true but for 0"},
		{"a sum", "amount + 1", "column 1: tests nothing: integer where a condition is wanted: compare it, or ask what is in it", "true but for 0"},
		{"a field of text", "note", "column 1: tests nothing: string where a condition is wanted: compare it, or ask what is in it", "skipped where it is absent"},
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
		{"member of one", "any(p.id == note for p in limits.both)", "column 5: limit is missing: p.id of entry 1, counted from 0", "the other has none"},
		{"of two types", "any(p.once > amount for p in limits.mixed)", "column 5: type clash: p.once of entry 1 is string, of another integer", "as in a table"},
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
