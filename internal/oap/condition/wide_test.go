package condition_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"vaultbench/internal/oap/condition"
)

// edges are where 64-bit arithmetic goes wrong.
var edges = []int64{
	0, 1, -1, 2, -2, 3, 99, 100, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1,
	math.MaxInt32, math.MinInt32, math.MaxUint32, 1 << 32, -1 << 32, 1 << 52, -1 << 52, 1 << 58, -1 << 58, 1 << 62, -1 << 62, 1<<62 - 1,
	3037000499, 3037000500, -3037000500,
}

func edge(r *rand.Rand) int64 {
	switch i := edges[r.IntN(len(edges))]; r.IntN(4) {
	case 0:
		return int64(r.Uint64())
	case 1:
		return i + r.Int64N(5) - 2 // may wrap: another edge
	default:
		return i
	}
}

func cmp64(op string, order int) bool {
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "==":
		return order == 0
	}
	return order != 0
}

var comparing = []string{"<", "<=", ">", ">=", "==", "!="}

// TestSumsNeverWrap: one sum, difference or product of two 64-bit integers
// compares as math/big has it. A product of 117 bits and more is a fault.
func TestSumsNeverWrap(t *testing.T) {
	calculate := map[string]func(x, y *big.Int) *big.Int{
		"+": func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) },
		"-": func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) },
		"*": func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) },
	}
	r, e := rand.New(rand.NewPCG(1, 2)), env(nil)
	for op, exact := range calculate {
		for _, rel := range comparing {
			p := bind(t, fmt.Sprintf("amount %s qty %s price", op, rel), scope())
			for range 20_000 {
				x, y, z := edge(r), edge(r), edge(r)
				value := exact(big.NewInt(x), big.NewInt(y))
				if r.IntN(3) == 0 && value.IsInt64() {
					z = value.Int64() // the two sides are equal, or one apart
				}
				want := outcome(cmp64(rel, value.Cmp(big.NewInt(z))))
				if !fits(value) {
					want = fault
				}
				if got := p.Eval(setInts(e, x, y, z)); got != want {
					t.Fatalf("%d %s %d %s %d = %s, want %s", x, op, y, rel, z, resultNames[got], resultNames[want])
				}
			}
		}
	}
}

func setInts(e *condition.Env, amount, qty, price int64) *condition.Env {
	e.Slots[at["amount"]], e.Slots[at["qty"]], e.Slots[at["price"]] = condition.Int(amount), condition.Int(qty), condition.Int(price)
	return e
}

func outcome(b bool) condition.Result {
	if b {
		return yes
	}
	return no
}

// fits says whether a value is one that arithmetic keeps: its upper 64 bits are
// above -1<<52 and below 1<<52.
func fits(v *big.Int) bool {
	upper := new(big.Int).Rsh(v, 64)
	return upper.IsInt64() && upper.Int64() > -1<<52 && upper.Int64() < 1<<52
}

// TestBothSidesAreWide compares sums with products.
func TestBothSidesAreWide(t *testing.T) {
	r, e := rand.New(rand.NewPCG(3, 4)), env(nil)
	for _, rel := range comparing {
		p := bind(t, "amount + qty - price "+rel+" price * amount - qty", scope())
		for range 20_000 {
			a, b, c := edge(r), edge(r), edge(r)
			x, y, z := big.NewInt(a), big.NewInt(b), big.NewInt(c)
			left := new(big.Int).Sub(new(big.Int).Add(x, y), z)
			product := new(big.Int).Mul(z, x)
			right := new(big.Int).Sub(product, y)
			want := outcome(cmp64(rel, left.Cmp(right)))
			if !fits(product) || !fits(right) {
				want = fault
			}
			if got := p.Eval(setInts(e, a, b, c)); got != want {
				t.Fatalf("%d + %d - %d %s their product = %s, want %s", a, b, c, rel, resultNames[got], resultNames[want])
			}
		}
	}
}

func TestHugeAmounts(t *testing.T) {
	huge := vars{"amount": condition.Int(math.MaxInt64), "daily_total": condition.Int(math.MaxInt64), "qty": condition.Int(math.MinInt64)}
	evaluate(t, scope(), []evaluation{
		{"total and amount", "daily_total + amount <= limits.max_per_tx", huge, no, "a sum that wraps would slip under the cap"},
		{"thrice", "amount + amount + amount > amount", huge, yes, "no wrap"},
		{"back again", "amount + amount - amount == amount", huge, yes, "in between beyond 64 bits"},
		{"twice by a product", "amount * 2 == amount + amount", huge, yes, "beyond 64 bits on both sides"},
		{"below the smallest", "qty - amount < qty", huge, yes, "no wrap"},
		{"minus the smallest", "0 - qty == amount + 1", huge, yes, "it has no 64-bit opposite"},
		{"first product that is not kept", "limits.half * limits.half > 0", nil, fault, "2 to the 116th is the first that is not"},
		{"smallest product that is kept", "(64 - limits.half) * limits.half < 0", nil, yes, "its upper half is one above minus 2 to the 52nd"},
		{"smallest product that is not", "(0 - limits.half) * limits.half < 0", nil, fault, "minus 2 to the 116th"},
		{"product of the largest", "amount * amount > 0", huge, fault, "beyond what is kept: refused, not wrapped"},
		{"product of the smallest", "qty * qty > 0", huge, fault, "likewise"},
		{"product of a sum beyond 64 bits", "(amount + 1) * 2 > 0", huge, fault, "factors are 64-bit"},
		{"as an argument", "same(amount + 1, 0)", huge, fault, "a value is 64-bit"},
		{"equal to an unknown", "amount + 1 == meta", vars{"amount": condition.Int(math.MaxInt64), "meta": condition.Int(math.MinInt64)}, fault, "wrapped they would be equal"},
	})
}
