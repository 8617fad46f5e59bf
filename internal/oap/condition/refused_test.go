package condition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// refusal is a condition that Parse or Bind refuses.
type refusal struct {
	name, text string
	want       error
	column     int
	detail     string // part of what the error says
	reason     string
}

// refuse runs a table. Every row has a name of its own and a reason.
func refuse(t *testing.T, s *condition.Scope, rows []refusal) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.name] || r.reason == "", "row %q needs a name of its own and a reason", r.name)
		seen[r.name] = true
		t.Run(r.name, func(t *testing.T) {
			x, err := condition.Parse(r.text)
			if err == nil {
				_, err = x.Bind(s)
			}
			var e *condition.Error
			if !errors.As(err, &e) || !errors.Is(err, r.want) || e.Column != r.column || !strings.Contains(err.Error(), r.detail) {
				t.Errorf("%s: got %v, want column %d: %v: …%s…: %s", r.text, err, r.column, r.want, r.detail, r.reason)
			}
		})
	}
}

// TestLexicalErrors: what no token is.
func TestLexicalErrors(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"one equals sign", "amount = 5", condition.ErrSyntax, 8, `'='`, "no assignment"},
		{"three equals signs", "amount === 5", condition.ErrSyntax, 10, `'='`, "not part of the language"},
		{"one ampersand", "urgent & in_stock", condition.ErrSyntax, 8, `'&'`, "no bits"},
		{"division", "amount / 2 == 1", condition.ErrSyntax, 8, `'/'`, "not part of the language"},
		{"semicolon", "amount == 1; true", condition.ErrSyntax, 12, `';'`, "one condition, no statements"},
		{"float", "amount < 1.5", condition.ErrSyntax, 10, "1.5", "there are no floats in a policy"},
		{"float of a whole number", "amount < 1.0", condition.ErrSyntax, 10, "1.0", "there are no floats in a policy"},
		{"float up to nine", "amount < 1.9", condition.ErrSyntax, 10, "1.9", "there are no floats in a policy"},
		{"cut behind a number's dot", "amount < 1.", condition.ErrSyntax, 11, "name must follow the dot", "the dot is no part of a number"},
		{"exponent", "amount < 1e3", condition.ErrSyntax, 10, "1e3", "there are no floats in a policy"},
		{"hexadecimal", "amount < 0x10", condition.ErrSyntax, 10, "0x10", "decimal alone"},
		{"separator", "amount < 1_000", condition.ErrSyntax, 10, "1_000", "digits alone"},
		{"beyond 64 bits", "amount < 9223372036854775808", condition.ErrSyntax, 10, "64-bit", "no cap is silently another"},
		{"open string", "currency == 'USD", condition.ErrSyntax, 13, "not closed", "a quote is missing"},
		{"string closed by the other quote", `currency == 'USD"`, condition.ErrSyntax, 13, "not closed", "a quote is missing"},
		{"escape", `currency == 'U\'D'`, condition.ErrSyntax, 15, "escapes", "not part of the language"},
		{"a letter of no alphabet of ours", "beträge < 5", condition.ErrSyntax, 5, `'ä'`, "names are ASCII"},
	})
}

// TestGrammarErrors: tokens that make no condition.
func TestGrammarErrors(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"nothing", "", condition.ErrSyntax, 1, "cut", "an empty condition is none"},
		{"blanks", "  ", condition.ErrSyntax, 3, "cut", "likewise"},
		{"cut behind an operator", "amount <=", condition.ErrSyntax, 10, "cut", "an operand is missing"},
		{"cut behind a keyword", "amount in", condition.ErrSyntax, 10, "cut", "an operand is missing"},
		{"cut behind is", "note is", condition.ErrSyntax, 8, "cut", "empty is missing"},
		{"cut behind is not", "note is not", condition.ErrSyntax, 12, "cut", "empty is missing"},
		{"cut in parentheses", "(amount < 1", condition.ErrSyntax, 12, "cut", "one is open"},
		{"cut in an index", "counts[1", condition.ErrSyntax, 9, "cut", "one is open"},
		{"cut in a call", "double(1", condition.ErrSyntax, 9, "cut", "one is open"},
		{"cut behind a dot", "items.", condition.ErrSyntax, 6, "name must follow the dot", "a member is missing"},
		{"number behind a dot", "items.1", condition.ErrSyntax, 6, "name must follow the dot", "a member is a name"},
		{"name behind parentheses", "(amount < 5) qty", condition.ErrSyntax, 14, `"qty"`, "no word follows a word"},
		{"no operator", "amount 5", condition.ErrSyntax, 8, `"5"`, "two operands side by side"},
		{"no operand", "amount == == 5", condition.ErrSyntax, 11, `"=="`, "two operators side by side"},
		{"operator first", "<= 5", condition.ErrSyntax, 1, `"<="`, "an operand is missing"},
		{"keyword first", "in tags", condition.ErrSyntax, 1, `"in"`, "an operand is missing"},
		{"closed twice", "(amount < 1))", condition.ErrSyntax, 13, `")"`, "none is open"},
		{"keyword in mixed case", "amount < 5 And qty < 3", condition.ErrSyntax, 12, "And", "a keyword has two cases"},
		{"list literal", "currency in ['USD']", condition.ErrSyntax, 13, `"["`, "not part of the language"},
		{"comparisons that chain", "1 < amount < 5", condition.ErrSyntax, 12, "do not chain", "it would compare a boolean"},
		{"equalities that chain", "1 == 1 == true", condition.ErrSyntax, 8, "do not chain", "likewise"},
		{"memberships that chain", "1 in counts in tags", condition.ErrSyntax, 13, `"in"`, "likewise"},
		{"not behind an operator", "true == not false", condition.ErrSyntax, 9, `"not"`, "not is looser than =="},
		{"minus before a name", "-amount < 5", condition.ErrSyntax, 1, "minus", "0 - amount says it"},
		{"plus before a number", "+5 < amount", condition.ErrSyntax, 1, `"+"`, "not part of the language"},
		{"unknown method", "merchant.endsWith('a')", condition.ErrSyntax, 10, "endsWith", "known ones are named"},
		{"method in another case", "tags.Includes('a')", condition.ErrSyntax, 6, "Includes", "JavaScript has case"},
		{"no arrow", "tags.some(x == 'a')", condition.ErrSyntax, 13, `"=="`, "an arrow must follow the variable"},
		{"no variable", "tags.some('a')", condition.ErrSyntax, 11, "x =>", "a variable must come first"},
		{"keyword as variable", "any(true for in in tags)", condition.ErrSyntax, 14, "for x in xs", "a keyword is no name"},
		{"quantifier without for", "any(in_stock)", condition.ErrSyntax, 13, `")"`, "over what"},
		{"quantifier without in", "any(x for x)", condition.ErrSyntax, 12, `")"`, "over what"},
		{"quantifier of two conditions", "any(true, x for x in tags)", condition.ErrSyntax, 9, `","`, "one condition"},
		{"arguments without a comma", "same(1 2)", condition.ErrSyntax, 8, `"2"`, "a comma is missing"},
		{"comma before the end", "double(1,)", condition.ErrSyntax, 10, `")"`, "an argument is missing"},
		{"arrow alone", "x => true", condition.ErrSyntax, 3, `"=>"`, "only in some and every"},
	})
}

func TestProse(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"upstream's own", "version matches semantic versioning pattern", condition.ErrProse, 9, "matches", "a word follows a word"},
		{"all, then words", "all files have allowed extensions", condition.ErrProse, 5, "files", "all is no quantifier here"},
		{"another of upstream's", "agent has release permission for repository", condition.ErrProse, 7, "has", "a word follows a word"},
		{"is, then words", "amount is below the cap", condition.ErrProse, 11, "below", "a word follows is"},
		{"behind a condition", "amount < 5 and merchant seems fine", condition.ErrProse, 25, "seems", "the whole rule is refused"},
		{"with an apostrophe", "the merchant's country is allowed", condition.ErrProse, 5, "merchant", "the first thing wrong is the sentence, not the quote"},
		{"with a full stop", "Amount stays below 10% of the balance.", condition.ErrProse, 8, "stays", "not the percent sign"},
	})
	for _, text := range []string{"amount <= 'x", "amount < 5 %", "(merchant", "amount <"} {
		_, err := condition.Parse(text)
		require.ErrorIs(t, err, condition.ErrSyntax, text)
		require.NotErrorIs(t, err, condition.ErrProse, "%s is no sentence", text)
	}
}
