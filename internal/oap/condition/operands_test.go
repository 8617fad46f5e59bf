package condition_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// operands has each construct with a hole, #, for an operand that is read. Those
// that end with an i want an integer there, with an s a string, with a b a condition.
var operands = []string{
	"# == 1 i", "1 == # i", "# != 1 i", "'a' != # s", "# < 1 i", "1 < # i", "# <= 1 i", "1 >= # i", "# > 1 i",
	"# + 1 == 2 i", "1 + # == 2 i", "1 - # == 2 i", "# * 2 == 2 i", "2 * # == 2 i", "2 == # + 1 i", "1 + 1 == # i", "1 + 1 < # * 2 i",
	"# in tags s", "'a' not in # s", "tags.includes(#) s", "#.includes('a') s", "# in counts i", "# + 1 in counts i", "# in limits.caps s", "# in recent_keys s",
	"#.startsWith('a') s", "'a'.startsWith(#) s", "#.length == 1 s", "1 < #.length s",
	"not # b", "!# b", "# and true b", "true and # b", "# or true b", "false or # b", "(#) b",
	"limits.caps[#].max == 1 s", "limits.rates[#] == 1 s", "totals[#] == 1 s", "counts[#] == 1 i", "counts[# + 1] == 1 i",
	"double(#) == 2 i", "same(1, #) b", "same(# + 1, 2) i", "passport.assurance_level >= # s", "'L1' < level_for(#) i",
}

// fill puts an operand of the wanted kind in the hole.
func fill(construct, integer, text, condition string) string {
	operand := map[byte]string{'i': integer, 's': text, 'b': condition}[construct[len(construct)-1]]
	return strings.Replace(construct[:len(construct)-2], "#", operand, 1)
}

// TestAbsentOperands: an optional field that is absent skips the rule, whatever
// reads it.
func TestAbsentOperands(t *testing.T) {
	for _, c := range operands {
		text := fill(c, "price", "note", "urgent")
		require.Equal(t, absent, bind(t, text, scope()).Eval(env(nil)), text)
	}
}

// TestMissingOperands: what must be there denies, whatever reads it.
func TestMissingOperands(t *testing.T) {
	for _, c := range operands {
		text := fill(c, "limits.rates[merchant]", "limits.anything", "limits.anything")
		s := scope()
		if strings.Contains(text, "limits.anything") {
			s = scope(func(s *condition.Scope) { s.Limits = nil })
		}
		require.Equal(t, missing, bind(t, text, s).Eval(env(nil)), text)
	}
}

// TestFaultyOperands: what can't be used denies, whatever reads it.
func TestFaultyOperands(t *testing.T) {
	for _, c := range operands {
		text := fill(c, "(9223372036854775807 * 9223372036854775807)", "meta.cap", "broken()")
		require.Equal(t, fault, bind(t, text, scope()).Eval(env(vars{"meta": condition.Bool(true)})), text)
	}
}

// TestUnknownOperands: an unknown name is found whatever reads it, and its column
// is its own.
func TestUnknownOperands(t *testing.T) {
	constructs := append([]string{
		"# is empty s", "# is not empty s", "any(# for x in tags) b", "any(true for x in #) b", "tags.some(x => #) b", "#.every(x => true) b",
		"#.member == 1 s", "#[0] == 1 s", "any(any(# == y for y in x.tags) for x in items) b",
	}, operands...)
	for _, c := range constructs {
		text := "'ä' in tags or " + fill(c, "nothing", "nothing", "nothing")
		x, err := condition.Parse(text)
		require.NoError(t, err, text)
		_, err = x.Bind(scope())
		refused(t, err, condition.ErrUnknownName, utf8.RuneCountInString(text[:strings.Index(text, "nothing")])+1)
	}
}

// TestCutOperands: whatever stands before the hole, without an operand the
// condition is refused where the operand should be.
func TestCutOperands(t *testing.T) {
	for _, c := range operands {
		before, _, _ := strings.Cut(c[:len(c)-2], "#")
		_, err := condition.Parse(before)
		refused(t, err, condition.ErrSyntax, utf8.RuneCountInString(before)+1)
		_, err = condition.Parse(before + "==")
		require.ErrorIs(t, err, condition.ErrSyntax, before)
	}
}
