package condition_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap/condition"
)

// FuzzParse: whatever the text, an expression or an *Error with a column inside
// it; binding and evaluating what parses ends likewise.
func FuzzParse(f *testing.F) {
	for _, r := range chargeRules {
		f.Add(r.text)
	}
	for _, text := range []string{
		"", "!(urgent || amount * 2 < qty) && limits.label.startsWith('north')", "NOT (order_currency AND currency != order_currency)",
		"items.every(x => x.parts.some(p => p.code == 'a' && x.tags.includes(p.code)))", "all(any(p.weight > 1 for p in x.parts) for x in items)",
		"version matches semantic versioning pattern", "'ä' == currency §", "totals[merchant] + amount <= passport.limits.max_per_tx", "counts[qty - -1] not in tags IS NOT EMPTY",
		"((((((((((((((((((((1))))))))))))))))))))", "\xff\xfe'", "double(level_for(1)).length", "limits.by_land.IN == 7", "a.b.c.d[e][f].g(h)",
	} {
		f.Add(text)
	}
	bound, open := scope(), scope(unbound)
	f.Fuzz(func(t *testing.T, text string) {
		x, err := condition.Parse(text)
		if err != nil {
			located(t, text, err)
			return
		}
		if x.Text() != text {
			t.Fatalf("Text() = %q, want %q", x.Text(), text)
		}
		for _, s := range []*condition.Scope{bound, open} {
			p, err := x.Bind(s)
			if err != nil {
				located(t, text, err)
				continue
			}
			for _, e := range []*condition.Env{env(nil), {Slots: make([]condition.Value, len(at))}} {
				p.Seen(e)
				first := p.Eval(e)
				if again := p.Eval(e); first > condition.Fault || again != first {
					t.Fatalf("Eval(%q) = %d, then %d", text, first, again)
				}
			}
		}
	})
}

// located fails unless err is an *Error that wraps a sentinel and has a column
// inside the text or just behind it.
func located(t *testing.T, text string, err error) {
	t.Helper()
	var e *condition.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: %T %v is no *Error", text, err, err)
	}
	if e.Column < 1 || e.Column > utf8.RuneCountInString(text)+1 {
		t.Fatalf("%q: column %d is outside: %v", text, e.Column, err)
	}
	if !slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) }) || e.Detail == "" {
		t.Fatalf("%q: %v wraps no sentinel or has no detail", text, err)
	}
}

var sentinels = []error{
	condition.ErrSyntax, condition.ErrProse, condition.ErrUnknownFunction, condition.ErrUnknownName, condition.ErrType,
	condition.ErrMissingLimit, condition.ErrTooLong, condition.ErrNoTest,
}

// FuzzEval: a random well-typed expression on random values comes to what the
// naive interpreter says.
func FuzzEval(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	f.Add([]byte{})
	for range 40 {
		f.Add(randomBytes(r))
	}
	s := scope()
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, s, data) })
}

func randomBytes(r *rand.Rand) []byte {
	data := make([]byte, 100+r.IntN(400))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// agree makes an expression and a world of the bytes and compares the two
// interpreters on them; ok is false where the expression is too large.
func agree(t *testing.T, s *condition.Scope, data []byte) (made *tree, got condition.Result, ok bool) {
	t.Helper()
	g := &generator{source: &source{data}}
	w, e := g.world()
	made = g.boolean(7)
	text := made.print(orLevel)
	x, err := condition.Parse(text)
	if errors.Is(err, condition.ErrTooLong) {
		return made, 0, false
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := x.Bind(s)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p.Seen(e) // before anything was evaluated: reads no variable
	want := w.judge(made)
	if got = p.Eval(e); got != want {
		t.Fatalf("Eval(%s) = %s, the naive interpreter says %s; seen %v", text, resultNames[got], resultNames[want], p.Seen(e))
	}
	return made, got, true
}

// TestAgainstNaive runs what FuzzEval runs on many random bytes, and looks that
// every operator and every result is among them. 30,000 under VAULT_LONG=1, else
// 10,000.
func TestAgainstNaive(t *testing.T) {
	runs := 10_000
	if os.Getenv("VAULT_LONG") == "1" {
		runs = 30_000
	}
	r, s := rand.New(rand.NewPCG(7, 8)), scope()
	ops, results, large := map[string]int{}, map[condition.Result]int{}, 0
	for range runs {
		made, got, ok := agree(t, s, randomBytes(r))
		if !ok {
			large++
			continue
		}
		results[got]++
		made.count(ops)
	}
	t.Logf("seed 7, 8: results %v, too large %d, operators %v", results, large, ops)
	for result, name := range resultNames {
		require.GreaterOrEqual(t, results[result], runs/100, name)
	}
	require.Less(t, large, runs/10)
	require.Len(t, ops, 39, "every operator of the generator")
}

func (t *tree) count(ops map[string]int) {
	op := t.op
	if op == "call" {
		op = t.text
	}
	ops[op]++
	for _, k := range t.kids {
		k.count(ops)
	}
}
