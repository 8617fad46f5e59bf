package condition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// TestLength: 1,000 characters are read, one more is not. Characters, not bytes.
func TestLength(t *testing.T) {
	for name, fill := range map[string]string{"one byte each": "x", "two bytes each": "ä", "four bytes each": "𝄞"} {
		t.Run(name, func(t *testing.T) {
			frame := "currency != ''"
			text := strings.Replace(frame, "''", "'"+strings.Repeat(fill, 1000-len(frame))+"'", 1)
			require.Equal(t, yes, bind(t, text, scope()).Eval(env(nil)))
			for _, longer := range []string{text + " ", strings.Repeat(text, 50), text + strings.Repeat("(", 1<<20)} {
				_, err := condition.Parse(longer)
				refused(t, err, condition.ErrTooLong, 1001)
			}
		})
	}
}

func refused(t *testing.T, err, want error, column int) {
	t.Helper()
	var e *condition.Error
	require.ErrorAs(t, err, &e)
	require.ErrorIs(t, err, want)
	require.Equal(t, column, e.Column, err)
}

// TestDepth nests each thing that nests until it is refused, and looks that what
// is still accepted binds and evaluates.
func TestDepth(t *testing.T) {
	want := map[string]int{"argument": 20, "index": 20, "quantifier": 20, "parentheses": 20, "not": 39, "!": 39, "mixed": 7}
	for name, nest := range map[string]func(inner string) string{
		"parentheses": func(s string) string { return "(" + s + ")" },
		"not":         func(s string) string { return "not " + s },
		"!":           func(s string) string { return "!" + s },
		"mixed":       func(s string) string { return "!(not (" + s + "))" },
		"argument":    func(s string) string { return "same(" + s + ", true)" },
		"index":       func(s string) string { return "counts[" + s + "]" },
		"quantifier":  func(s string) string { return "any(" + s + " for x in tags)" },
	} {
		t.Run(name, func(t *testing.T) {
			text, deepest := "1", 0
			for {
				x, err := condition.Parse(text)
				if err != nil {
					require.ErrorIs(t, err, condition.ErrTooLong)
					break
				}
				deepest++
				if p, err := x.Bind(scope()); err == nil {
					p.Eval(env(nil))
				}
				text = nest(text)
			}
			require.Less(t, len(text), 1000, "the depth is refused, not the length")
			require.Equal(t, want[name], deepest, "expressions of each depth up to the bound")
		})
	}
}

// walks nests n quantifiers, the innermost of which reads every variable.
func walks(n int) string {
	text := "true"
	for i := range n {
		text += " and x" + string(rune('a'+i)) + " == 'a'"
	}
	for i := range n {
		text = "any(" + text + " for x" + string(rune('a'+i)) + " in tags)"
	}
	return text
}

// TestDeepQuantifiers fills every place that variables have.
func TestDeepQuantifiers(t *testing.T) {
	deepest := 0
	for {
		x, err := condition.Parse(walks(deepest + 1))
		if err != nil {
			require.ErrorIs(t, err, condition.ErrTooLong)
			break
		}
		p, err := x.Bind(scope())
		require.NoError(t, err)
		require.Equal(t, yes, p.Eval(env(vars{"tags": words("a", "b")})), "depth %d", deepest)
		require.Equal(t, no, p.Eval(env(vars{"tags": words("b")})), "depth %d", deepest)
		deepest++
	}
	require.GreaterOrEqual(t, deepest, 10, "no policy nests deeper")
}

// TestLongChains: what does not nest is bound by the length alone.
func TestLongChains(t *testing.T) {
	chain := func(first, rest string) string { return first + strings.Repeat(rest, (1000-len(first))/len(rest)) }
	for _, text := range []string{
		chain("true", " and true"), chain("false or true", " or false"), chain("0 < 1", "+1"), chain("0 < 1", "*1"), chain("2 > 1", "-1"),
	} {
		require.Equal(t, yes, bind(t, text, scope()).Eval(env(nil)), text[:20])
	}
	x, err := condition.Parse(chain("home", ".a"))
	require.NoError(t, err)
	_, err = x.Bind(scope())
	require.True(t, errors.Is(err, condition.ErrUnknownName), err)
	x, err = condition.Parse(chain("1 == meta", "[0]"))
	require.NoError(t, err)
	p, err := x.Bind(scope())
	require.NoError(t, err)
	require.Equal(t, fault, p.Eval(env(vars{"meta": condition.Int(1)})))
}
