package condition_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

var errBroken = errors.New("broken")

// functions are those of the tests' scope.
var functions = map[string]condition.Func{
	"level_for": {
		Params: []condition.Kind{condition.KindInt}, Result: condition.KindString, Ordered: true,
		Call: func(args []*condition.Value) (condition.Value, error) {
			switch i := args[0].Int; {
			case i < 0:
				return condition.String("L5"), nil
			case i < 1000:
				return condition.String("L3"), nil
			}
			return condition.String("L4FIN"), nil
		},
	},
	"given": {
		Params: []condition.Kind{condition.KindString}, Result: condition.KindBool, AbsentOK: true,
		Call: func(args []*condition.Value) (condition.Value, error) { return condition.Bool(args[0] != nil), nil },
	},
	"same": {
		Params: []condition.Kind{condition.KindAny, condition.KindAny}, Result: condition.KindBool,
		Call: func(args []*condition.Value) (condition.Value, error) {
			return condition.Bool(args[0].Text() == args[1].Text()), nil
		},
	},
	"double":   {Params: []condition.Kind{condition.KindInt}, Result: condition.KindInt, Call: double},
	"answer":   {Result: condition.KindInt, Call: func([]*condition.Value) (condition.Value, error) { return condition.Int(42), nil }},
	"broken":   {Result: condition.KindBool, Call: func([]*condition.Value) (condition.Value, error) { return condition.Bool(true), errBroken }},
	"liar":     {Result: condition.KindBool, Call: func([]*condition.Value) (condition.Value, error) { return condition.Value{}, nil }},
	"whatever": {Result: condition.KindAny, Call: func([]*condition.Value) (condition.Value, error) { return words("a", "b"), nil }},
}

func double(args []*condition.Value) (condition.Value, error) {
	return condition.Int(2 * args[0].Int), nil
}

func TestFunctions(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"no argument", "answer() == 42", nil, yes, "a number of Go's"},
		{"an expression as argument", "double(amount + 1) == 202", nil, yes, "any integer"},
		{"nested", "double(double(qty)) == 8", nil, yes, "a result is an argument"},
		{"in a sum", "double(qty) * 3 - answer() == -30", nil, yes, "a number like another"},
		{"as a condition", "given(currency) and not given(note)", nil, yes, "a boolean like another"},
		{"a test as argument", "same(amount > 1, true)", nil, yes, "a comparison is a boolean"},
		{"any kind as argument", "same(tags, tags) and same('a', 'a') and same(1, 1)", nil, yes, "the function says that it takes any"},
		{"absent argument", "double(price) == 0", nil, absent, "an optional field skips"},
		{"absent argument that is fine", "given(note)", nil, no, "the function says that it takes nothing too"},
		{"argument of no entry", "double(limits.rates[merchant]) == 0", nil, missing, "what must be there is not"},
		{"missing is never fine", "same(limits.rates[merchant], 1)", nil, missing, "absent is, missing is not"},
		{"argument that faults", "double(9223372036854775807 + 1) == 0", nil, fault, "beyond 64 bits"},
		{"argument of the wrong kind at run time", "double(meta) == 2", vars{"meta": condition.String("1")}, fault, "known when it is there"},
		{"argument of the right kind at run time", "double(meta) == 2", vars{"meta": condition.Int(1)}, yes, "known when it is there"},
		{"error", "broken()", nil, fault, "the value beside an error is not read"},
		{"error behind not", "not broken()", nil, fault, "a fault is not false"},
		{"a result of another kind", "liar()", nil, fault, "a function must give what it says"},
		{"a result of another kind behind not", "not liar()", nil, fault, "nothing must not read as false"},
		{"a result of any kind", "'b' in whatever()", nil, yes, "known when it is there"},
		{"index of a result", "whatever()[1] == 'b'", nil, yes, "a value like another"},
		{"with a loop's variable", "all(double(x) > 1 for x in counts)", nil, yes, "an argument sees it"},
	})
}

func TestFunctionsRefused(t *testing.T) {
	refuse(t, scope(), []refusal{
		{"not registered", "amount <= getCap(currency)", condition.ErrUnknownFunction, 11, "getCap", "the loader must be given it"},
		{"functions have case", "Given(currency)", condition.ErrUnknownFunction, 1, "Given", "names are compared byte for byte"},
		{"too few", "double() == 2", condition.ErrType, 1, "takes 1 arguments, not 0", "arity is known at load"},
		{"too many", "double(1, 2) == 2", condition.ErrType, 1, "takes 1 arguments, not 2", "arity is known at load"},
		{"wrong kind", "double(currency) == 2", condition.ErrType, 8, "string where integer", "a type is known at load"},
		{"wrong kind of a test", "double(amount > 1) == 2", condition.ErrType, 8, "boolean where integer", "a type is known at load"},
		{"wrong use of the result", "answer() == 'x'", condition.ErrType, 1, "integer is never equal to string", "a result has a type"},
		{"unknown name as argument", "given(nothing)", condition.ErrUnknownName, 7, "nothing", "names are known at load"},
		{"a name that is no function", "amount(1)", condition.ErrUnknownFunction, 1, "amount", "a field is none"},
	})
	x, err := condition.Parse("given(note)")
	require.NoError(t, err)
	_, err = x.Bind(scope(func(s *condition.Scope) { s.Functions = nil }))
	require.ErrorIs(t, err, condition.ErrUnknownFunction, "without functions none is registered")
}
