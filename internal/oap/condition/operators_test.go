package condition_test

import (
	"testing"

	"vaultbench/internal/oap/condition"
)

func TestComparisons(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"less", "amount < 101", nil, yes, "100 is below"},
		{"less, equal", "amount < 100", nil, no, "equal is not below"},
		{"at most, equal", "amount <= 100", nil, yes, "a cap is inclusive"},
		{"at most, one above", "amount <= 99", nil, no, "one minor unit above the cap"},
		{"more", "amount > 99", nil, yes, "100 is above"},
		{"more, equal", "amount > 100", nil, no, "equal is not above"},
		{"at least, equal", "amount >= 100", nil, yes, "a floor is inclusive"},
		{"at least, one below", "amount >= 101", nil, no, "one minor unit below the floor"},
		{"equal integers", "amount == 100", nil, yes, "same number"},
		{"unequal integers", "amount != 100", nil, no, "same number"},
		{"leading zeros", "amount == 0100", nil, yes, "decimal whatever it starts with, never octal"},
		{"negative literal", "amount > -1", nil, yes, "a minus before a number"},
		{"negative literal apart", "amount > - 1", nil, yes, "blanks mean nothing"},
		{"equal strings", "currency == 'USD'", nil, yes, "single quotes"},
		{"equal strings, double quotes", `currency == "USD"`, nil, yes, "double quotes mean the same"},
		{"strings have case", "currency == 'usd'", nil, no, "compared byte for byte"},
		{"quotes inside quotes", `"it's" != 'it"s'`, nil, yes, "the other quote is a character"},
		{"equal booleans", "in_stock == TRUE", nil, yes, "a literal in upper case"},
		{"unequal booleans", "in_stock != false", nil, yes, "true is not false"},
		{"boolean of an expression", "(amount > 5) == (qty > 5)", nil, no, "comparisons compare where parentheses say so"},
		{"the largest integer", "amount < 9223372036854775807", nil, yes, "64 bits"},
		{"the smallest integer", "-9223372036854775807 - 1 < amount", nil, yes, "its literal does not exist, its value does"},
	})
}

func TestLogic(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"and, both", "amount == 100 and qty == 2", nil, yes, "both hold"},
		{"and, one", "amount == 100 and qty == 3", nil, no, "one does not"},
		{"or, one", "amount == 1 or qty == 2", nil, yes, "one holds"},
		{"or, none", "amount == 1 or qty == 1", nil, no, "none holds"},
		{"not", "not amount == 1", nil, yes, "not stands before a comparison"},
		{"not not", "NOT not amount == 100", nil, yes, "twice"},
		{"AND OR NOT in upper case", "NOT amount == 1 AND (qty == 1 OR qty == 2)", nil, yes, "both cases"},
		{"signs", "!(amount == 1) && (qty == 1 || qty == 2)", nil, yes, "JavaScript's signs mean the same"},
		{"mixed dialects", "amount == 1 || NOT qty == 1 && !(currency in tags)", nil, yes, "one condition may mix them"},
		{"and binds tighter than or", "true or false and false", nil, yes, "or last"},
		{"and binds tighter, signs", "false && false || true", nil, yes, "or last"},
		{"not binds tighter than and", "not false and false", nil, no, "(not false) and false"},
		{"not is looser than ==", "not qty == 2", nil, no, "not (qty == 2)"},
		{"! is tighter than ==", "!urgent == in_stock", vars{"urgent": condition.Bool(false)}, yes, "(!urgent) == in_stock, as in JavaScript"},
		{"! behind ==", "in_stock == !urgent", vars{"urgent": condition.Bool(true)}, no, "an operand"},
		{"! before a member", "!limits.off", nil, yes, "a member binds tighter than !"},
		{"!!", "!!qty", nil, yes, "twice"},
	})
}

func TestPrecedenceOfArithmetic(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"times before plus", "2 + 3 * 4 == 14", nil, yes, "school's rule"},
		{"times before plus, turned", "3 * 4 + 2 == 14", nil, yes, "school's rule"},
		{"parentheses", "(2 + 3) * 4 == 20", nil, yes, "first what stands in them"},
		{"minus from the left", "10 - 3 - 2 == 5", nil, yes, "not 10 - (3 - 2)"},
		{"minus and plus from the left", "10 - 3 + 2 == 9", nil, yes, "not 10 - (3 + 2)"},
		{"minus a negative", "10 - -3 == 13", nil, yes, "the second minus belongs to the number"},
		{"minus without blanks", "10-3 == 7", nil, yes, "an operator, not the number's minus"},
		{"minus and name", "amount-qty == 98", nil, yes, "a name has no minus in it"},
		{"arithmetic before comparison", "1 + 1 < 1 + 2", nil, yes, "operands are sums"},
		{"arithmetic before in", "qty - 1 in counts", nil, yes, "operands are sums"},
		{"comparison before not, and, or", "not 1 + 1 == 3 and 2 > 1 or false", nil, yes, "the whole ladder"},
		{"is empty behind a sum's operand", "'' is empty and 1 - 1 == 0", nil, yes, "is empty is a comparison"},
		{"length in a sum", "tags.length * 2 - 1 == 3", nil, yes, "a member binds tightest"},
	})
}

func TestKeywordCase(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"lower case", "not (1 in counts and tags is empty or all(x in tags for x in tags)) or true", nil, yes, "as it is mostly written"},
		{"upper case", "NOT (1 IN counts AND tags IS EMPTY OR all(x IN tags FOR x IN tags)) OR TRUE", nil, yes, "the same"},
		{"not in", "5 NOT IN counts AND NOT FALSE", nil, yes, "both words in upper case"},
		{"not in, mixed", "5 NOT in counts and 5 not IN counts", nil, yes, "each word has a case of its own"},
		{"is not empty", "tags IS NOT EMPTY", nil, yes, "three words in upper case"},
		{"a name that starts like a keyword", "in_stock", nil, yes, "words part at what no name holds"},
	})
}

func TestTruth(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"boolean", "limits.on", nil, yes, "itself"},
		{"false", "limits.off", nil, no, "itself"},
		{"integer", "amount", nil, yes, "not 0"},
		{"zero", "limits.zero", nil, no, "JavaScript's 0"},
		{"sum of zero", "amount - 100", nil, no, "arithmetic is read likewise"},
		{"string", "currency", nil, yes, "not empty"},
		{"empty string", "limits.blank", nil, no, "JavaScript's ''"},
		{"list", "limits.merchants", nil, yes, "there is one"},
		{"empty list", "limits.nobody", nil, yes, "JavaScript's [] is true: !xs || xs.includes(y) lets nobody pass"},
		{"empty list behind !", "!limits.nobody || limits.nobody.includes(merchant)", nil, no, "the published packs write an allowlist so"},
		{"map", "limits.caps", nil, yes, "there is one"},
		{"empty map", "limits.empty_map", nil, yes, "JavaScript's {} is true"},
		{"object", "home", nil, yes, "there is one"},
		{"key set", "recent_keys", nil, yes, "there is one"},
		{"totals", "totals", nil, yes, "there are some"},
		{"both sides of and", "order_currency and currency != order_currency", vars{"order_currency": condition.String("EUR")}, yes, "the refund pack reads a string so"},
	})
}
