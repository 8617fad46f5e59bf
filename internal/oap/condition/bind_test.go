package condition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

func TestTypeClashes(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"unequal kinds", "currency == 5", condition.ErrType, 1, "string is never equal to integer", "the answer would always be no"},
		{"unequal kinds, turned", "true != amount", condition.ErrType, 1, "boolean is never equal to integer", "the answer would always be yes"},
		{"equal lists", "tags == tags", condition.ErrType, 1, "list can't be compared", "lists have no equality"},
		{"equal objects", "home == home", condition.ErrType, 1, "object can't be compared", "objects have none"},
		{"ordered booleans", "in_stock < urgent", condition.ErrType, 1, "boolean where integer", "booleans have no order"},
		{"ordered kinds", "amount < '5'", condition.ErrType, 10, "string where integer", "a string is no number"},
		{"sum of strings", "currency + currency == 'USDUSD'", condition.ErrType, 1, "string where integer", "+ is arithmetic alone"},
		{"difference", "amount - in_stock == 1", condition.ErrType, 10, "boolean where integer", "a boolean is no number"},
		{"product", "amount * tags == 1", condition.ErrType, 10, "list where integer", "a list is no number"},
		{"a string in integers", "currency in counts", condition.ErrType, 1, "string where integer", "the answer would always be no"},
		{"an integer in strings", "amount not in tags", condition.ErrType, 1, "integer where string", "the answer would always be yes"},
		{"an integer in a map", "amount in limits.caps", condition.ErrType, 1, "integer where string", "keys are strings"},
		{"an integer in a key set", "amount in recent_keys", condition.ErrType, 1, "integer where string", "keys are strings"},
		{"an integer in a string", "1 in currency", condition.ErrType, 1, "integer where string", "parts of strings are strings"},
		{"in an integer", "1 in amount", condition.ErrType, 6, "nothing is in integer", "it holds nothing"},
		{"in an object", "'country' in home", condition.ErrType, 14, "nothing is in object", "its members are known"},
		{"empty integer", "amount is empty", condition.ErrType, 1, "integer is never empty", "the answer would always be no"},
		{"empty totals", "totals is empty", condition.ErrType, 1, "totals is never empty", "a key that is not there is 0"},
		{"prefix of an integer", "amount.startsWith('1')", condition.ErrType, 1, "integer where string", "a number has no characters"},
		{"an integer as prefix", "currency.startsWith(1)", condition.ErrType, 21, "integer where string", "a number has no characters"},
		{"length of an integer", "amount.length == 1", condition.ErrType, 1, "integer has no length", "a number holds nothing"},
		{"length of a key set", "recent_keys.length == 1", condition.ErrType, 1, "key set has no length", "membership alone"},
		{"walking a string", "any(c == 'U' for c in currency)", condition.ErrType, 23, "string where list", "characters are no elements"},
		{"walking a map", "limits.caps.some(c => true)", condition.ErrType, 1, "map where list", "a map is not walked"},
		{"an element of another kind", "any(x == 1 for x in tags)", condition.ErrType, 5, "string is never equal to integer", "elements have a type"},
		{"index of an integer", "amount[0] == 1", condition.ErrType, 1, "integer can't be indexed", "it has no entries"},
		{"index of an object", "home['country'] == 'DE'", condition.ErrType, 1, "object can't be indexed", "its members are known"},
		{"index of a list by a string", "counts['0'] == 1", condition.ErrType, 1, "list is indexed by integer, not by string", "places are integers"},
		{"index of a map by an integer", "limits.rates[0] == 1", condition.ErrType, 1, "map is indexed by string, not by integer", "keys are strings"},
		{"member of an integer", "amount.cents == 1", condition.ErrType, 1, "integer has no members", "it has none"},
		{"member of a list", "items.category == 'toy'", condition.ErrType, 1, "list has no members", "its elements have"},
		{"member of a limit", "limits.max_per_tx.USD == 1", condition.ErrType, 1, "integer has no members", "the passport has no table there"},
		{"member of a comparison", "(amount > 1).x", condition.ErrType, 2, "boolean has no members", "it has none"},
	})
}

func TestUnknownNames(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"bare", "amuont < 5", condition.ErrUnknownName, 1, "amuont", "a slip of the pen is found at load"},
		{"behind others", "amount < 5 and qty < maximum", condition.ErrUnknownName, 22, "maximum", "the column is the name's"},
		{"every kind of letter", "AZaz_09 < 5", condition.ErrUnknownName, 1, "AZaz_09", "the ends of the alphabet are letters"},
		{"names have case", "Amount < 5", condition.ErrUnknownName, 1, "Amount", "compared byte for byte"},
		{"context field", "context.amuont < 5", condition.ErrUnknownName, 1, "amuont", "a slip of the pen"},
		{"state behind context", "context.daily_total < 5", condition.ErrUnknownName, 1, "daily_total", "the engine's state is no field of a request"},
		{"passport field", "passport.stauts == 'active'", condition.ErrUnknownName, 1, "stauts", "a slip of the pen"},
		{"member of an object", "home.city == 'X'", condition.ErrUnknownName, 1, "known are country, zip", "the schema's members are named"},
		{"member of an element", "any(x.colour == 'red' for x in items)", condition.ErrUnknownName, 5, "colour", "the schema's members are known"},
		{"context alone", "context == 1", condition.ErrUnknownName, 1, "context", "the root is no value"},
		{"limits alone", "'x' in limits", condition.ErrUnknownName, 8, "limits", "the root is no value"},
		{"limits by index", "limits['max_per_tx'] == 1", condition.ErrUnknownName, 1, "limits", "the root is no value"},
		{"passport alone", "passport is empty", condition.ErrUnknownName, 1, "passport", "the root is no value"},
		{"the passport's limits", "passport.limits is empty", condition.ErrUnknownName, 1, "as a whole", "the limits are no value"},
		{"a variable behind its quantifier", "any(x == 'a' for x in tags) and x == 'a'", condition.ErrUnknownName, 33, `"x"`, "it is no longer bound"},
		{"a variable in its own list", "any(x == 'a' for x in x)", condition.ErrUnknownName, 23, `"x"`, "it is not bound yet"},
		{"a variable in a sibling", "any(x == 'a' for x in tags) or any(x == y for y in tags)", condition.ErrUnknownName, 36, `"x"`, "it is not bound there"},
	})
}

func TestMissingLimits(t *testing.T) {
	for _, capability := range [][]string{{"payout"}, {"payments", "charge"}, {"finance", "payment", "refund"}} {
		refuse(t, scope(func(s *condition.Scope) { s.Capability = capability }), []refusal{
			{"alone", "amount <= limits.max", condition.ErrMissingLimit, 11, "max", "a limit that a rule reads must be there"},
			{"behind another capability", "amount <= limits.other.max_per_tx", condition.ErrMissingLimit, 11, "other", "only the pack's own capability is left out"},
			{"behind the passport", "amount <= passport.limits.max", condition.ErrMissingLimit, 11, "max", "the dialect does not matter"},
			{"on the side that is not asked", "true or limits.nowhere", condition.ErrMissingLimit, 9, "nowhere", "found at load, not at a payment"},
			{"behind !", "!limits.nowhere || limits.nowhere.includes(merchant)", condition.ErrMissingLimit, 2, "nowhere", "missing is not empty"},
		})
	}
	refuse(t, scope(func(s *condition.Scope) { s.Limits = pointers(nil) }), []refusal{
		{"no limits", "amount <= limits.max_per_tx", condition.ErrMissingLimit, 11, "max_per_tx", "an empty object is a passport's, nil is none"},
	})
}

func TestMissingEntries(t *testing.T) {
	caps := table(vars{"USD": table(vars{"max": condition.Int(1), "daily_cap": condition.Int(2)}), "EUR": table(vars{"max": condition.Int(1)}), "GBP": condition.Int(3)})
	refuse(t, scope(func(s *condition.Scope) { s.Limits = pointers(vars{"currency_limits": caps}) }), []refusal{
		{"one currency lacks the cap", "amount <= limits.payments.charge.currency_limits[currency].daily_cap", condition.ErrMissingLimit, 11, ": currency_limits.EUR.daily_cap", "found at load, not at the first payment in euros"},
		{"alone", "amount <= limits.currency_limits[currency].daily_cap", condition.ErrMissingLimit, 11, ": currency_limits.EUR.daily_cap", "the dialect does not matter"},
		{"behind the passport", "passport.limits.currency_limits[context.currency].daily_cap >= 1", condition.ErrMissingLimit, 1, ": currency_limits.EUR.daily_cap", "the dialect does not matter"},
		{"an entry that is no table", "limits.currency_limits[currency].max >= 1", condition.ErrMissingLimit, 1, ": currency_limits.GBP.max", "a number has no cap in it"},
		{"an entry by a literal", "limits.currency_limits['JPY'].max >= 1", condition.ErrMissingLimit, 1, "JPY", "a key that is known is looked up at load"},
		{"a flat entry by a literal", "limits.currency_limits['JPY'] >= 1", condition.ErrMissingLimit, 1, "JPY", "likewise"},
		{"an entry by members", "limits.currency_limits.EUR.daily_cap >= 1", condition.ErrMissingLimit, 1, "daily_cap", "likewise"},
	})
	refuse(t, scope(), []refusal{
		{"kinds that differ", "amount <= limits.uneven[currency].max", condition.ErrType, 11, "uneven.USD.max is integer", "a cap is a number for every currency"},
	})
}

// nested is a scope whose passport has tables in tables and lists of more than one
// kind.
func nested() *condition.Scope {
	sub := func(v condition.Value) condition.Value { return table(vars{"sub": v}) }
	max := func(v condition.Value) condition.Value { return table(vars{"max": v}) }
	one, ten := condition.Int(1), condition.String("ten")
	return scope(func(s *condition.Scope) {
		s.Limits = pointers(vars{
			"whole": table(vars{"USD": sub(max(one)), "EUR": sub(max(one))}), "lacks": table(vars{"USD": sub(max(one)), "EUR": sub(table(nil))}),
			"flat": table(vars{"USD": sub(max(one)), "EUR": sub(one)}), "clash": table(vars{"USD": sub(max(one)), "EUR": sub(max(ten))}),
			"words": table(vars{"USD": sub(max(ten)), "EUR": sub(max(ten))}), "rates": table(vars{"USD": one, "EUR": ten}),
			"lists": table(vars{"USD": sub(condition.List(max(one))), "EUR": sub(condition.List(max(one), table(nil)))}),
			"short": table(vars{"USD": sub(numbers(1, 2)), "EUR": sub(numbers(1))}), "deep": condition.List(condition.List(max(one)), condition.List(max(one), max(ten))),
			"vips": condition.List(condition.String("a"), condition.Int(5), condition.String("m1")), "numbers": numbers(1), "none": words(),
			"codes": table(vars{"a": words(), "b": words("x"), "c": numbers(1)}), "same": table(vars{"a": words(), "b": words("x")}),
			"flags": table(vars{"USD": sub(condition.Bool(true)), "EUR": sub(condition.String("false"))}),
		})
	})
}

// TestTypesOfEntries: each entry of a table and each element of a list is looked at
// when the passport is bound, at any depth.
func TestTypesOfEntries(t *testing.T) {
	const lack, clash = "limit is missing: ", "type clash: "
	for _, tt := range []struct{ name, text, want, reason string }{
		{"member of a member", "amount <= limits.whole[currency].sub.max", "", "each has it"},
		{"one lacks it", "amount <= limits.lacks[currency].sub.max", lack + "lacks.EUR.sub.max", "found at load, not at a payment in euros"},
		{"one lacks it, by keys", "amount <= limits.lacks[currency]['sub']['max']", lack + "lacks.EUR.sub.max", "however it is written"},
		{"one is no table", "amount <= limits.flat[currency].sub.max", clash + "flat.EUR.sub is integer, flat.USD.sub is map", "likewise"},
		{"kinds differ", "amount <= limits.clash[currency].sub.max", clash + "clash.EUR.sub.max is string, clash.USD.sub.max is integer", "a cap is a number for every currency"},
		{"all of another kind", "amount <= limits.words[currency].sub.max", clash + "words.EUR.sub.max is string where integer is wanted", "of no currency"},
		{"flag of a table", "limits.flags[currency].sub OR amount <= 5", clash + "flags.EUR.sub is string, flags.USD.sub is boolean", "a text is no flag"},
		{"entries that differ", "amount <= limits.rates[currency]", clash + "rates.EUR is string where integer is wanted", "the entry itself is the cap"},
		{"entries that differ, compared", "limits.rates[currency] == amount", clash + "rates.EUR is string, rates.USD is integer", "likewise"},
		{"entries that differ, as a place", "counts[limits.rates[currency]] == 1", clash + "list is indexed by integer, not by mixed", "likewise"},
		{"second key known at run time alone", "amount <= limits.whole[currency][note].max", "", "each has it"},
		{"second key, one lacks it", "amount <= limits.lacks[currency][note].max", lack + "lacks.EUR.sub.max", "whatever the keys are"},
		{"loop over a part", "any(x.max > amount for x in limits.lists[currency].sub)", lack + "lists.EUR.sub.1.max", "each list's elements"},
		{"place in each", "limits.short[currency].sub[0] == amount", "", "each has one"},
		{"place that one lacks", "limits.short[currency].sub[1] == amount", lack + "short.EUR.sub.1", "found at load"},
		{"place known at run time alone", "limits.deep[qty][qty].max > amount", clash + "deep.0.0.max is integer, deep.1.1.max is string", "whatever the places are"},
		{"loop in a loop", "any(any(y.max > amount for y in x) for x in limits.deep)", clash + "deep.0.0.max is integer, deep.1.1.max is string", "likewise"},
		{"a list of words", "merchant in limits.none", "", "an empty list has no other element"},
		{"a list of numbers", "merchant in limits.numbers", clash + "string where integer is wanted", "no element is one"},
		{"a mixed list", "merchant in limits.vips", clash + "vips.0 is string, vips.1 is integer", "found at load, not at the second merchant"},
		{"a mixed list, signs", "limits.vips.includes(merchant)", clash + "vips.0 is string, vips.1 is integer", "likewise"},
		{"a mixed list, an integer", "amount not in limits.vips", clash + "vips.0 is string, vips.1 is integer", "likewise"},
		{"a mixed list, in a loop", "any(x == merchant for x in limits.vips)", clash + "vips.0 is string, vips.1 is integer", "likewise"},
		{"a mixed list, an element", "limits.vips[0] == merchant", "", "that one is a text"},
		{"a mixed list, measured", "limits.vips.length > amount", "", "no element is read"},
		{"lists that differ", "merchant in limits.codes[note]", clash + "codes.b.0 is string, codes.c.0 is integer", "whatever the key is"},
		{"a list among others", "merchant in limits.codes['b']", "", "that one is of texts"},
		{"lists of one kind", "merchant in limits.same[note]", "", "an empty one takes nothing away"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := condition.Parse(tt.text)
			require.NoError(t, err)
			for range 20 { // Go walks a map in another order each time
				_, err = x.BindRule(nested())
				if tt.want == "" {
					require.NoError(t, err, tt.reason)
				} else {
					require.ErrorContains(t, err, ": "+tt.want, tt.reason)
				}
			}
		})
	}
	evaluate(t, nested(), []evaluation{
		{"member of a member", "limits.whole[currency].sub.max == 1", nil, yes, "the entry's own"},
		{"member of a member, by keys", "limits.whole[currency]['sub']['max'] == 1", nil, yes, "the same"},
		{"no such entry", "limits.whole[merchant].sub.max == 1", nil, missing, "known when it is asked"},
		{"second key", "limits.whole[currency][note].max == 1", vars{"note": condition.String("sub")}, yes, "the entry's own"},
		{"no such second key", "limits.whole[currency][note].max == 1", vars{"note": condition.String("sup")}, missing, "known when it is asked"},
		{"place in each", "limits.short[currency].sub[0] == 1", nil, yes, "the first"},
		{"lists of one kind", "merchant in limits.same[note]", vars{"note": condition.String("b"), "merchant": condition.String("x")}, yes, "an element"},
	})
}

// TestShadowing: a variable may not hide another one, a field, what the engine keeps,
// or a root.
func TestShadowing(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"another variable", "any(any(x == 'a' for x in x.tags) for x in items)", condition.ErrSyntax, 5, "hides", "which x is meant must be plain"},
		{"another variable, signs", "items.some(x => x.tags.every(x => x == 'a'))", condition.ErrSyntax, 17, "hides", "likewise"},
		{"limits", "any(limits == 'a' for limits in tags)", condition.ErrSyntax, 1, "hides", "a rule must not read a request for a limit"},
		{"passport", "tags.some(passport => passport == 'a')", condition.ErrSyntax, 1, "hides", "likewise"},
		{"a field", "all(amount <= amount for amount in limits.ragged)", condition.ErrSyntax, 1, `"amount" hides`, "the cap would be held against itself"},
		{"a field, signs", "counts.some(qty => qty > 5)", condition.ErrSyntax, 1, `"qty" hides`, "the request's own number would not be asked"},
		{"a field that is the list", "any(tags == 'a' for tags in tags)", condition.ErrSyntax, 1, `"tags" hides`, "which one is meant must be plain"},
		{"what the engine keeps", "all(daily_total < 5 for daily_total in counts)", condition.ErrSyntax, 1, `"daily_total" hides`, "a rule must not read a request for the engine's total"},
		{"a key set", "tags.every(recent_keys => recent_keys != 'k')", condition.ErrSyntax, 1, `"recent_keys" hides`, "likewise"},
		{"context", "all(context == 'a' for context in tags)", condition.ErrSyntax, 1, "hides", "likewise"},
	})
}

// TestColumns: characters, not bytes.
func TestColumns(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"lexer, two bytes", "'ä' == currency § 1", condition.ErrSyntax, 17, "§", "ä is one character"},
		{"lexer, four bytes", "'𝄞𝄞' == currency ?", condition.ErrSyntax, 18, "?", "𝄞 is one"},
		{"parser", "'äöü' == currency 1", condition.ErrSyntax, 19, `"1"`, "three of two bytes each"},
		{"prose", "'äöü' == currency or so it seems", condition.ErrProse, 25, "it", "three of two bytes each"},
		{"binder", "'日本' == currency and nothing == 1", condition.ErrUnknownName, 22, "nothing", "two of three bytes each"},
		{"type", "'日本' == currency and amount == 'x'", condition.ErrType, 22, "integer", "two of three bytes each"},
		{"limit", "'ä' in tags or limits.nowhere", condition.ErrMissingLimit, 16, "nowhere", "ä is one"},
		{"function", "'é' in tags or missing(1)", condition.ErrUnknownFunction, 16, "missing", "é is one"},
		{"end", "'ä' ==", condition.ErrSyntax, 7, "cut", "one behind the last character"},
		{"other white space", "amount\u00a0==\u2003\t\n'x'", condition.ErrType, 1, "integer", "white space parts words"},
	})
	_, err := condition.Parse("amount ==")
	require.EqualError(t, err, "column 10: syntax error: the condition is cut")
}
