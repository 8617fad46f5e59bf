package condition_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// vars are values by name.
type vars map[string]condition.Value

// The types of the tests' scope.
var (
	boolType   = condition.Type{Kind: condition.KindBool}
	intType    = condition.Type{Kind: condition.KindInt}
	stringType = condition.Type{Kind: condition.KindString}
	partType   = record([]string{"code", "weight"}, stringType, intType)
	itemType   = record([]string{"category", "sku", "price", "tags", "parts"}, stringType, stringType, intType, listOf(stringType), listOf(partType))
	homeType   = record([]string{"country", "zip"}, stringType, stringType)
)

func listOf(elem condition.Type) condition.Type {
	return condition.Type{Kind: condition.KindList, Elem: &elem}
}

func record(names []string, members ...condition.Type) condition.Type {
	return condition.Type{Kind: condition.KindRecord, Names: names, Members: members}
}

// fields are the context of the tests' scope, kept what its engine keeps.
var fields = map[string]condition.Type{
	"amount": intType, "qty": intType, "price": intType, "currency": stringType, "merchant": stringType, "note": stringType,
	"country": stringType, "order_currency": stringType, "urgent": boolType, "items": listOf(itemType), "tags": listOf(stringType),
	"counts": listOf(intType), "home": homeType, "meta": condition.Any, "loose": listOf(condition.Any), "in_stock": boolType,
}

var kept = map[string]condition.Type{
	"daily_total": intType, "recent_keys": {Kind: condition.KindSet}, "totals": {Kind: condition.KindTotals},
}

// usual is what the fields hold where a test does not say otherwise. The fields
// price, note, country, order_currency, urgent, meta and loose are absent.
var usual = vars{
	"amount": condition.Int(100), "qty": condition.Int(2), "currency": condition.String("USD"), "merchant": condition.String("mära"),
	"items":  condition.List(item("book", 3), item("toy", 5)),
	"tags":   words("a", "b"),
	"counts": numbers(1, 2, 3), "home": object(condition.String("DE"), condition.Value{}), "in_stock": condition.Bool(true),
	"daily_total": condition.Int(900), "recent_keys": {Kind: condition.KindSet, Set: map[string]bool{"k1": true}},
	"totals": {Kind: condition.KindTotals, Totals: map[string]int64{"acme": 40}},
}

// limits are those of the tests' passport.
var limits = vars{
	"level": condition.String("L2"), "max_per_tx": condition.Int(500), "max_items": condition.Int(3), "on": condition.Bool(true),
	"off": condition.Bool(false), "zero": condition.Int(0), "label": condition.String("north-east"), "blank": condition.String(""),
	"merchants": words("mära", "acme"), "nobody": words(), "blocked": words("arms"), "no_table": table(nil),
	"caps":     table(vars{"USD": table(vars{"max": condition.Int(150), "daily": condition.Int(1000)}), "EUR": table(vars{"max": condition.Int(99), "daily": condition.Int(2000)})}),
	"by_land":  table(vars{"IN": condition.Int(7), "in": condition.Int(8), "IS": words("fish"), "DE": words()}),
	"codes":    table(vars{"a": words(), "b": words("x"), "c": numbers(1), "d": words()}),
	"codes_of": table(vars{"USD": table(vars{"ok": numbers(1)}), "EUR": table(vars{"ok": words("x")})}),
	"pairs":    condition.List(words("a"), numbers(1)),
	"ragged":   condition.List(condition.Int(1), condition.String("a")),
	"uneven":   table(vars{"USD": table(vars{"max": condition.Int(1)}), "EUR": table(vars{"max": condition.String("1")})}),
	"rates":    table(vars{"USD": condition.Int(2), "EUR": condition.Int(3)}),
	"in":       condition.Int(9), "half": condition.Int(1 << 58),
	"dozen":     words("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"),
	"rooms":     table(roomOf("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")),
	"empty_map": table(nil),
}

var passport = vars{
	"status": condition.String("active"), "assurance_level": condition.String("L4KYC"), "regions": words("US", "DE"),
	"owner": table(vars{"id": condition.String("o1")}),
}

func item(category string, price int64) condition.Value {
	return object(condition.String(category), condition.Value{}, condition.Int(price), condition.Value{}, condition.Value{})
}

func object(members ...condition.Value) condition.Value {
	return condition.Value{Kind: condition.KindRecord, List: members}
}

func words(ws ...string) condition.Value {
	v := condition.List()
	for _, w := range ws {
		v.List = append(v.List, condition.String(w))
	}
	return v
}

func numbers(is ...int64) condition.Value {
	v := condition.List()
	for _, i := range is {
		v.List = append(v.List, condition.Int(i))
	}
	return v
}

func table(entries vars) condition.Value {
	return condition.Value{Kind: condition.KindMap, Map: pointers(entries)}
}

// roomOf is a table that gives each word a number of its own, from 1.
func roomOf(ws ...string) vars {
	out := vars{}
	for i, w := range ws {
		out[w] = table(vars{"number": condition.Int(int64(i + 1))})
	}
	return out
}

func pointers(vs vars) map[string]*condition.Value {
	out := map[string]*condition.Value{}
	for k, v := range vs {
		out[k] = &v
	}
	return out
}

// at gives each name of both maps its place in an Env.
var at = places()

func places() map[string]int {
	out := map[string]int{}
	for i, n := range append(sorted(fields), sorted(kept)...) {
		out[n] = i
	}
	return out
}

func sorted(types map[string]condition.Type) []string { return slices.Sorted(maps.Keys(types)) }

func slots(types map[string]condition.Type) map[string]condition.Slot {
	out := map[string]condition.Slot{}
	for name, typ := range types {
		out[name] = condition.Slot{Index: at[name], Type: typ}
	}
	return out
}

// scope is the tests' scope with changes.
func scope(changes ...func(*condition.Scope)) *condition.Scope {
	s := &condition.Scope{
		Context: slots(fields), State: slots(kept), Capability: []string{"payments", "charge"},
		Limits: pointers(limits), Passport: pointers(passport), Functions: functions,
		Order: []string{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}, Ordered: []string{"assurance_level"},
	}
	for _, change := range changes {
		change(s)
	}
	return s
}

// unbound is a scope without a passport.
func unbound(s *condition.Scope) { s.Limits, s.Passport = nil, nil }

// env holds the usual values with changes; an absent value takes one away.
func env(changes vars) *condition.Env {
	e := &condition.Env{Slots: make([]condition.Value, len(at))}
	for _, vs := range []vars{usual, changes} {
		for name, v := range vs {
			e.Slots[at[name]] = v
		}
	}
	return e
}

func bind(t testing.TB, text string, s *condition.Scope) *condition.Program {
	t.Helper()
	x, err := condition.Parse(text)
	require.NoError(t, err, text)
	p, err := x.Bind(s)
	require.NoError(t, err, text)
	return p
}

// evaluation is a condition on the tests' scope and what it must come to.
type evaluation struct {
	name, text string
	vars       vars
	want       condition.Result
	reason     string
}

// The results under short names, for the tables.
const (
	no      = condition.False
	yes     = condition.True
	absent  = condition.Absent
	missing = condition.Missing
	fault   = condition.Fault
)

var resultNames = map[condition.Result]string{no: "False", yes: "True", absent: "Absent", missing: "Missing", fault: "Fault"}

// evaluate runs a table. Every row has a name of its own and a reason.
func evaluate(t *testing.T, s *condition.Scope, rows []evaluation) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.name] || r.reason == "", "row %q needs a name of its own and a reason", r.name)
		seen[r.name] = true
		t.Run(r.name, func(t *testing.T) {
			got := bind(t, r.text, s).Eval(env(r.vars))
			if got != r.want {
				t.Errorf("Eval(%s) = %s, want %s: %s", r.text, resultNames[got], resultNames[r.want], r.reason)
			}
		})
	}
}
