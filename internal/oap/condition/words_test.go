package condition_test

import (
	"fmt"
	"testing"

	"vaultbench/internal/oap/condition"
)

// atLevel is a scope whose passport has the one level and its limits the other.
func atLevel(have, want string) *condition.Scope {
	return scope(func(s *condition.Scope) {
		s.Passport = pointers(vars{"assurance_level": condition.String(have), "status": condition.String("L0")})
		s.Limits = pointers(vars{"level": condition.String(want)})
	})
}

// TestEveryPairOfLevels compares each level with each, by each operator. A
// comparison of strings would have L4FIN below L4KYC.
func TestEveryPairOfLevels(t *testing.T) {
	order := scope().Order
	for i, have := range order {
		for j, want := range order {
			for op, holds := range map[string]bool{"<": i < j, "<=": i <= j, ">": i > j, ">=": i >= j, "==": i == j, "!=": i != j} {
				s := atLevel(have, want)
				for _, right := range []string{"'" + want + "'", "limits.level", "context.note"} {
					text := fmt.Sprintf("passport.assurance_level %s %s", op, right)
					got := bind(t, text, s).Eval(env(vars{"note": condition.String(want)}))
					if (got == yes) != holds || got > yes {
						t.Errorf("Eval(%s) at %s against %s = %s, want %t", text, have, want, resultNames[got], holds)
					}
				}
			}
		}
	}
}

func TestOrderOfWords(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"on the right", "'L3' <= passport.assurance_level", nil, yes, "either side may be the ordered one"},
		{"a function's result", "passport.assurance_level >= level_for(amount)", nil, yes, "L4KYC reaches L3"},
		{"a function's result, higher", "passport.assurance_level >= level_for(amount)", vars{"amount": condition.Int(5000)}, no, "L4KYC does not reach L4FIN"},
		{"a function against a literal", "level_for(amount) == 'L3' and level_for(amount) < 'L4KYC'", nil, yes, "the function says that it is ordered"},
		{"no word at run time", "passport.assurance_level >= level_for(amount)", vars{"amount": condition.Int(-1)}, fault, "a word of no order is no level"},
		{"no word at run time, turned", "level_for(amount) <= passport.assurance_level", vars{"amount": condition.Int(-1)}, fault, "likewise"},
		{"unknown field", "passport.assurance_level >= note", vars{"note": condition.String("l2")}, fault, "words have case"},
		{"unknown kind", "passport.assurance_level >= meta", vars{"meta": condition.Int(2)}, fault, "a number is no word"},
		{"absent", "passport.assurance_level >= note", nil, absent, "an optional field skips"},
		{"equality needs no order", "passport.assurance_level != 'l2'", nil, yes, "strings that differ"},
	})
}

func TestWordsRefused(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"unknown literal", "passport.assurance_level >= 'L5'", condition.ErrType, 29, "L5", "no level of that name"},
		{"literal in another case", "passport.assurance_level >= 'l4kyc'", condition.ErrType, 29, "l4kyc", "words have case"},
		{"literal on the left", "'5' < passport.assurance_level", condition.ErrType, 1, `"5"`, "either side"},
		{"limit that is no word", "passport.assurance_level >= limits.label", condition.ErrType, 29, "north-east", "a passport's value is known at load"},
		{"number", "passport.assurance_level >= 2", condition.ErrType, 29, "integer", "a number is no word"},
		{"field that is a number", "passport.assurance_level >= amount", condition.ErrType, 29, "integer", "a type is known at load"},
		{"a string without an order", "passport.status >= 'active'", condition.ErrType, 1, "string", "other strings have none that a policy could mean"},
		{"two strings of the context", "currency < merchant", condition.ErrType, 1, "string", "likewise"},
	})
	refuse(t, scope(unbound), []refusal{
		{"a word of none, without a passport", "passport.assurance_level >= 'L5'", condition.ErrType, 29, "L5", "found in the pack alone"},
	})
	refuse(t, atLevel("L9", "L2"), []refusal{
		{"the passport's level", "passport.assurance_level >= limits.level", condition.ErrType, 1, "L9", "a passport of an unknown level is refused at load"},
	})
}
