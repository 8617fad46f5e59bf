package condition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
		{"!!", "!!in_stock", nil, yes, "twice"},
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

// TestFlags: a boolean is a condition, wherever it is read.
func TestFlags(t *testing.T) {
	flags := func(s *condition.Scope) {
		s.Limits = pointers(vars{
			"on": condition.Bool(true), "off": condition.Bool(false), "none": condition.List(), "no_table": table(nil),
			"list": condition.List(condition.Bool(false), condition.Bool(true)),
			"of":   table(vars{"USD": table(vars{"open": condition.Bool(true)}), "EUR": table(vars{"open": condition.Bool(false)})}),
		})
	}
	eur := vars{"currency": condition.String("EUR")}
	evaluate(t, scope(flags), []evaluation{
		{"limit", "limits.on", nil, yes, "itself"},
		{"limit that is false", "limits.off", nil, no, "itself"},
		{"field", "in_stock", nil, yes, "itself"},
		{"field that is absent", "urgent or amount == 100", nil, absent, "an optional field skips"},
		{"field of another kind", "in_stock", vars{"in_stock": condition.Int(1)}, fault, "a gate's rule may read a context that no schema has passed"},
		{"field of another kind, negated", "!in_stock", vars{"in_stock": condition.String("")}, fault, "an empty text is not false"},
		{"of a table", "limits.of[currency].open", nil, yes, "each entry has one"},
		{"of a table, another", "limits.of[currency].open", eur, no, "each entry has one"},
		{"of a table, by a literal", "limits.of['EUR'].open", nil, no, "known since load"},
		{"each of a list", "any(x for x in limits.list)", nil, yes, "the second"},
		{"all of a list", "all(x for x in limits.list)", nil, no, "the first is not"},
		{"each of an empty list", "any(x for x in limits.none)", nil, no, "there is none"},
		{"of a table without entries", "limits.no_table[currency].open", nil, missing, "there is none"},
		{"behind a table that is asked first", "currency in limits.no_table and limits.no_table[currency].open", nil, no, "nobody reads it"},
		{"an element", "limits.list[1]", nil, yes, "known since load"},
		{"a call", "given(currency)", nil, yes, "its result is one"},
	})
	evaluate(t, scope(unbound), []evaluation{
		{"limit of nobody yet", "limits.a or limits.b[currency].c or any(x for x in limits.d) or passport.e", nil, missing, "a passport will say what they are"},
	})
}

// TestGuardedText: an optional text before the and of a negation asks whether it is
// given and not empty, as the published refund pack does.
func TestGuardedText(t *testing.T) {
	rows := []evaluation{}
	for dialect, text := range map[string]string{
		"words": "NOT (order_currency AND currency != order_currency)", "signs": "!(order_currency && currency != order_currency)",
		"behind context": "NOT (context.order_currency AND currency != order_currency)", "read behind context": "NOT (order_currency AND currency != context.order_currency)",
		"read deeper": "NOT (order_currency AND (qty == 99 OR NOT currency == order_currency))",
	} {
		rows = append(rows,
			evaluation{dialect + ", the same", text, vars{"order_currency": condition.String("USD")}, yes, "they are equal"},
			evaluation{dialect + ", another", text, vars{"order_currency": condition.String("EUR")}, no, "they differ"},
			evaluation{dialect + ", empty", text, vars{"order_currency": condition.String("")}, yes, "nothing was given"},
			evaluation{dialect + ", absent", text, nil, absent, "skipped"},
			evaluation{dialect + ", no text", text, vars{"order_currency": condition.Bool(true)}, fault, "a gate's rule may read a context that no schema has passed"},
		)
	}
	evaluate(t, scope(), rows)
}

// TestAbsentOnEitherSide: a field that is absent skips the rule, in whatever order
// it is written.
func TestAbsentOnEitherSide(t *testing.T) {
	for _, tt := range []struct {
		name, one, other string
		want             condition.Result
		reason           string
	}{
		{"and, the other is false", "amount <= 5", "country == 'US'", absent, "the rule reads the country"},
		{"and, the other holds", "amount > 5", "country == 'US'", absent, "likewise"},
		{"and, the other is known to be false", "limits.off", "country == 'US'", absent, "likewise"},
		{"and, the other misses an entry", "limits.rates[merchant] > 0", "country == 'US'", absent, "a rule that is skipped is not evaluated"},
		{"and, the other faults", "broken()", "country == 'US'", absent, "likewise"},
		{"deeper", "amount <= 5", "(qty > 5 or not country == 'US')", absent, "at any depth"},
		{"member", "amount <= 5", "home.zip == 'a'", absent, "a member is a field like another"},
		{"key", "amount <= 5", "limits.caps[country].max > 5", absent, "what a table is asked for is read"},
		{"argument", "amount <= 5", "same(country, 'US')", absent, "what a function is given is read"},
		{"argument that may be absent", "amount <= 5", "given(country)", no, "the function asks whether it is there"},
		{"emptiness", "amount <= 5", "country is not empty", no, "likewise"},
		{"body", "amount <= 5", "any(country == x for x in tags)", no, "in it nothing skips the rule"},
		{"list of a body", "amount <= 5", "any(x.weight > 1 for x in items[0].parts)", absent, "the list is read outside it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			for _, text := range []string{tt.one + " and " + tt.other, tt.other + " and " + tt.one, "not (" + tt.one + " and " + tt.other + ")", "not (" + tt.other + " and " + tt.one + ")"} {
				want := tt.want
				if want == no && strings.HasPrefix(text, "not (") {
					want = yes
				}
				require.Equal(t, resultNames[want], resultNames[bind(t, text, scope()).Eval(env(nil))], "%s: %s", text, tt.reason)
			}
		})
	}
	evaluate(t, scope(), []evaluation{
		{"or, the other holds", "amount == 100 or country == 'US'", nil, absent, "the rule reads the country"},
		{"or, the other holds, turned", "country == 'US' or amount == 100", nil, absent, "likewise"},
		{"or, negated", "not (amount == 100 or country == 'US')", nil, absent, "likewise"},
		{"a comparison that misses an entry", "price > limits.rates[merchant]", nil, absent, "it reads the price"},
		{"a comparison that misses an entry, turned", "limits.rates[merchant] < price", nil, absent, "likewise"},
	})
}
