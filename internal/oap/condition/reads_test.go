package condition_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// TestLimitsRead lists the limits that a condition reads, in every dialect.
func TestLimitsRead(t *testing.T) {
	read := func(path ...string) condition.Read { return condition.Read{Path: path} }
	empty := func(path ...string) condition.Read { return condition.Read{Path: path, Empty: true} }
	for _, tt := range []struct {
		name, text string
		want       []condition.Read
		reason     string
	}{
		{"none", "amount > 0 and passport.status == 'active'", nil, "neither reads a limit"},
		{"long dialect", "qty <= limits.payments.charge.max_items", []condition.Read{read("max_items")}, "the capability is no part of the limit"},
		{"short dialect", "qty <= limits.max_items", []condition.Read{read("max_items")}, "as it stands"},
		{"behind the passport", "qty <= passport.limits.payments.charge.max_items", []condition.Read{read("max_items")}, "the third dialect"},
		{"other capability", "qty <= limits.payments.refund.max_items", []condition.Read{read("payments", "refund", "max_items")}, "not a limit of this one"},
		{"table by a field", "amount <= limits.caps[currency].max", []condition.Read{read("caps", condition.AnyKey, "max")}, "any entry may be meant"},
		{"table by a literal", "amount <= limits.caps['USD'].max", []condition.Read{read("caps", "USD", "max")}, "one entry is meant"},
		{"index of an index", "amount <= limits.caps[limits.label].max", []condition.Read{read("caps", condition.AnyKey, "max"), read("label")}, "the index reads one too"},
		{"emptiness", "limits.merchants is empty", []condition.Read{empty("merchants")}, "it matters whether it is"},
		{"both ways", "merchant in limits.merchants or limits.merchants is empty", []condition.Read{empty("merchants")}, "one limit, once"},
		{"emptiness of a field", "note is empty or limits.on", []condition.Read{read("on")}, "the field is no limit"},
		{"loop", "not any(item.category in limits.blocked for item in items)", []condition.Read{read("blocked")}, "in the body"},
		{"list of a loop", "limits.merchants.some(m => m == merchant)", []condition.Read{read("merchants"), read("merchants", condition.AnyKey)}, "the list, and each of it"},
		{"call and method", "known(note) or merchant.startsWith(limits.label) and limits.merchants.length > 0", []condition.Read{read("label"), read("merchants")}, "in each argument"},
		{"arithmetic and negation", "!(daily_total + amount > limits.caps[currency].daily - -1)", []condition.Read{read("caps", condition.AnyKey, "daily")}, "at any depth"},
		{"field named like one", "meta.limits.on == true", nil, "limits stand at the root"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := condition.Parse(tt.text)
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, x.Limits([]string{"payments", "charge"})); diff != "" {
				t.Errorf("Limits(%s): %s (-want +got):\n%s", tt.text, tt.reason, diff)
			}
		})
	}
}

// TestShown writes out what Seen only counts.
func TestShown(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		vars       vars
		want       []condition.Seen
		reason     string
	}{
		{"list of strings", "'a' in tags", nil, seen("tags", `["a", "b"]`), "its elements count"},
		{"empty list", "'a' in limits.nobody", nil, seen("limits.nobody", "[]"), "it is there"},
		{"objects", "any(x.price > 1 for x in items)", vars{"items": condition.List(item("book", 3))}, seen("items", `[{"category": "book", "price": 3}]`), "absent members are left out"},
		{"map", "currency in limits.rates", nil, seen("currency", `"USD"`, "limits.rates", `{"EUR": 3, "USD": 2}`), "sorted by key"},
		{"used keys", "note in recent_keys", vars{"note": condition.String("k2")}, seen("note", `"k2"`, "recent_keys", `["k1"]`), "those of the day"},
		{"long list", "7 in counts", vars{"counts": numbers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)}, seen("counts", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … 2 more]"), "cut, and it says so"},
		{"absent and missing", "note == 'x' or limits.rates[country] > 0", vars{"country": condition.String("CHF")}, seen("note", "absent", "limits.rates", `{"EUR": 3, "USD": 2}`, "country", `"CHF"`, "limits.rates[country]", "missing"), "as Seen says it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := bind(t, tt.text, scope())
			if diff := cmp.Diff(tt.want, p.Shown(env(tt.vars))); diff != "" {
				t.Errorf("Shown(%s): %s (-want +got):\n%s", tt.text, tt.reason, diff)
			}
		})
	}
}
