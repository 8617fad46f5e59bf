package condition_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

func TestText(t *testing.T) {
	const text = " amount<=limits.max_per_tx  "
	x, err := condition.Parse(text)
	require.NoError(t, err)
	require.Equal(t, text, x.Text(), "as it was written")
}

func seen(pairs ...string) []condition.Seen {
	out := []condition.Seen{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, condition.Seen{Name: pairs[i], Value: pairs[i+1]})
	}
	return out
}

// TestSeen lists what a condition read, each path once, in the order of reading.
func TestSeen(t *testing.T) {
	for _, r := range []struct {
		name, text string
		vars       vars
		want       []condition.Seen
		reason     string
	}{
		{"integers", "amount <= limits.payments.charge.max_per_tx", nil, seen("amount", "100", "limits.payments.charge.max_per_tx", "500"), "as written"},
		{"strings", "context.currency == 'USD'", nil, seen("context.currency", `"USD"`), "quoted; literals are in the text"},
		{"booleans", "in_stock and not limits.off", nil, seen("in_stock", "true", "limits.off", "false"), "as written"},
		{"lists", "merchant in limits.merchants", nil, seen("merchant", `"mära"`, "limits.merchants", "list of 2"), "a list in short"},
		{"maps and sets", "currency in limits.caps and 'k2' not in recent_keys", nil, seen("currency", `"USD"`, "limits.caps", "map of 2", "recent_keys", "key set of 1"), "in short"},
		{"a table's entry", "amount <= limits.caps[currency].max", nil, seen("amount", "100", "limits.caps", "map of 2", "currency", `"USD"`, "limits.caps[currency].max", "150"), "table, key and entry"},
		{"a missing entry", "limits.caps[merchant].max > 0", nil, seen("limits.caps", "map of 2", "merchant", `"mära"`, "limits.caps[merchant].max", "missing"), "why it was denied"},
		{"a total", "totals['acme'] + amount < 5", nil, seen("totals", "totals", `totals["acme"]`, "40", "amount", "100"), "the sum that was kept"},
		{"passport", "passport.status == 'active' and passport.owner.id == 'o1'", nil, seen("passport.status", `"active"`, "passport.owner.id", `"o1"`), "its fields and their members"},
		{"a table's entry by members", "limits.caps.EUR.max == limits.caps['USD'].max", nil, seen("limits.caps.EUR.max", "99", "limits.caps", "map of 2", `limits.caps["USD"].max`, "150"), "known at load"},
		{"absent", "note is empty or country == 'DE'", nil, seen("note", "absent", "country", "absent"), "why it was skipped"},
		{"each once", "amount > 1 and amount < 5 or not amount == 3", nil, seen("amount", "100"), "one value"},
		{"what was not asked", "true or amount == 1", nil, seen("amount", "100"), "all that the condition can read"},
		{"loop variables", "any(x.category in limits.blocked for x in items)", nil, seen("items", "list of 2", "limits.blocked", "list of 1"), "an element has no value of its own"},
		{"nested loop variables", "any(any(p.code == note and totals[p.code] > 0 for p in x.parts) for x in items)", nil, seen("items", "list of 2", "note", "absent", "totals", "totals"), "nor has what they are a key of"},
		{"loop variables in a sum", "any(counts[x - 1] + counts[1 - x] == 2 for x in counts)", nil, seen("counts", "list of 3"), "either side may read one"},
		{"loop variables in a test", "any(meta[same(true, x == 1)] == 1 for x in counts)", nil, seen("counts", "list of 3", "meta", "absent"), "a comparison may read one"},
		{"a whole quantifier as a key", "meta[any(x == 1 for x in counts)] == 1", nil, seen("meta", "absent", "counts", "list of 3", "meta[…]", "absent"), "it reads no variable but its own"},
		{"arguments", "double(qty) < answer()", nil, seen("qty", "2"), "what a function was given"},
		{"lengths", "items.length < 5", nil, seen("items", "list of 2"), "what was measured"},
		{"an index that is computed", "counts[qty - 1] == 2", nil, seen("counts", "list of 3", "qty", "2", "counts[…]", "2"), "in short"},
		{"a value that can't be used", "meta.cap == 1", vars{"meta": words("a")}, seen("meta.cap", "unusable"), "it is there, and no table"},
	} {
		t.Run(r.name, func(t *testing.T) {
			require.NotEmpty(t, r.reason)
			p := bind(t, r.text, scope())
			if diff := cmp.Diff(r.want, p.Seen(env(r.vars))); diff != "" {
				t.Errorf("Seen(%s): %s (-want +got):\n%s", r.text, r.reason, diff)
			}
		})
	}
	require.Equal(t, seen("limits.max", "missing", "passport.x", "missing"), bind(t, "limits.max == passport.x", scope(unbound)).Seen(env(nil)), "without a passport")
}

// TestConcurrency: one program, an Env for each goroutine. It means something
// under -race.
func TestConcurrency(t *testing.T) {
	const text = "any(any(p.weight == price for p in x.parts) and x.category == note for x in items) and double(price) > 0 and totals[note] + price > 0"
	x, err := condition.Parse(text)
	require.NoError(t, err)
	s := scope()
	shared, err := x.Bind(s)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for g := range int64(8) {
		wg.Go(func() {
			own, err := x.Bind(s) // binding is safe too
			if err != nil {
				t.Error(err)
				return
			}
			e := env(vars{"items": condition.List(parts("a", words(), "p", int(g)), parts("b", words(), "q", int(g)+1)), "price": condition.Int(g + 1)})
			for i := range 500 {
				note, want := "b", yes
				if i%2 == 0 {
					note, want = "a", no
				}
				e.Slots[at["note"]] = condition.String(note)
				if a, b := shared.Eval(e), own.Eval(e); a != want || b != want {
					t.Errorf("Eval = %s and %s, want %s", resultNames[a], resultNames[b], resultNames[want])
				}
				shared.Seen(e)
			}
		})
	}
	wg.Wait()
}

// TestEnvIsReused: nothing of one evaluation is left for the next.
func TestEnvIsReused(t *testing.T) {
	p := bind(t, "any(x.category == 'toy' for x in items) or note == 'x'", scope())
	e := env(vars{"note": condition.String("y")})
	require.Equal(t, yes, p.Eval(e))
	e.Slots[at["items"]] = condition.List()
	require.Equal(t, no, p.Eval(e))
	e.Slots[at["note"]] = condition.String("x")
	require.Equal(t, yes, p.Eval(e))
	e.Slots[at["note"]] = condition.Value{}
	e.Slots[at["items"]] = condition.List(bare(1))
	require.Equal(t, absent, p.Eval(e))
}

// TestAlways: a condition that no environment can make fail need not be asked; one
// that is known to fail must be.
func TestAlways(t *testing.T) {
	for _, r := range []struct {
		name, text string
		want       bool
		reason     string
	}{
		{"holds", "passport.status == 'active'", true, "known since load"},
		{"fails", "passport.status == 'suspended'", false, "it denies everything"},
		{"fails by negation", "not limits.on", false, "likewise"},
		{"fails by a list", "passport.status in limits.merchants", false, "likewise"},
		{"can't be evaluated", "limits.merchants in limits.pairs", false, "it denies everything"},
		{"holds by its right side", "merchant in limits.blocked or limits.nobody is empty", false, "the left side may have no value"},
		{"holds by its left side", "limits.nobody is empty or merchant in limits.blocked", true, "the right side is never asked"},
		{"depends", "amount < 5", false, "on the request"},
	} {
		t.Run(r.name, func(t *testing.T) {
			p := bind(t, r.text, scope())
			require.Equal(t, r.want, p.Always(), "%s: %s", r.text, r.reason)
			if r.want {
				require.Equal(t, condition.True, p.Eval(env(nil)))
			}
		})
	}
}
