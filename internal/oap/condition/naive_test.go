package condition_test

import (
	"math/big"
	"slices"
	"strings"

	"vaultbench/internal/oap/condition"
)

// world is what the naive interpreter reads: plain Go values by name, nil where
// one is absent. A list is []any, an object or map map[string]any, a key set
// map[string]bool, totals map[string]int64, an integer *big.Int.
type world struct {
	fields, limits, passport map[string]any
	bound                    map[string]any
}

// Reasons not to have a value.
type stop condition.Result

// value evaluates the tree as OAP's rules have it, by walking it. What has no
// value panics with a stop, which result catches.
func (w *world) value(t *tree) any {
	switch t.op {
	case "literal":
		return big64(t.value)
	case "field":
		return there(w.fields[t.text])
	case "limit":
		return w.limits[t.text]
	case "passport":
		return w.passport[t.text]
	case "variable":
		return there(w.bound[t.text])
	case "member":
		return there(w.value(t.kids[0]).(map[string]any)[t.text])
	case "at", "total", "rate", "cap":
		return w.entry(t)
	case "+", "-", "*":
		return calculate(t.op, w.value(t.kids[0]).(*big.Int), w.value(t.kids[1]).(*big.Int))
	case "length":
		return big.NewInt(int64(size(w.value(t.kids[0]))))
	case "call":
		return w.call(t)
	}
	return w.holds(t)
}

// holds evaluates what is a test.
func (w *world) holds(t *tree) bool {
	switch t.op {
	case "and":
		return w.holds(t.kids[0]) && w.holds(t.kids[1])
	case "or":
		return w.holds(t.kids[0]) || w.holds(t.kids[1])
	case "not":
		return !w.holds(t.kids[0])
	case "guarded":
		return w.value(t.kids[0]).(string) != "" && w.holds(t.kids[1])
	case "field", "limit", "variable", "literal", "call":
		return w.value(t).(bool)
	case "any", "all":
		return w.quantified(t)
	case "empty", "not empty":
		of, r := w.result(func() any { return w.value(t.kids[0]) })
		if r != yes && r != absent {
			panic(stop(r))
		}
		return (r == absent || size(of) == 0) == (t.op == "empty")
	}
	left := w.value(t.kids[0])
	if t.op == "in" || t.op == "not in" {
		left = narrow(left)
	}
	right := w.value(t.kids[1])
	switch t.op {
	case "in", "not in":
		return within(left, right) == (t.op == "in")
	case "prefix":
		return strings.HasPrefix(left.(string), right.(string))
	}
	if op, ranked := strings.CutPrefix(t.op, "rank "); ranked {
		return cmp64(op, rank(left.(string))-rank(right.(string)))
	}
	if x, ok := left.(*big.Int); ok {
		return cmp64(t.op, x.Cmp(right.(*big.Int)))
	}
	return (left == right) == (t.op == "==")
}

// result runs f: what it gives, or why it gives nothing.
func (w *world) result(f func() any) (v any, r condition.Result) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case stop:
			v, r = nil, condition.Result(why)
		default:
			panic(why)
		}
	}()
	return f(), yes
}

// judge is the result of a whole condition, or of the body of any and all.
func (w *world) judge(t *tree) condition.Result {
	if w.lacks(t) {
		return absent
	}
	v, r := w.result(func() any { return w.holds(t) })
	if r != yes {
		return r
	}
	return outcome(v.(bool))
}

// lacks reports whether the tree reads what is not there, but in the body of any and
// all and where that is what is asked.
func (w *world) lacks(t *tree) bool {
	switch {
	case t.op == "empty" || t.op == "not empty" || t.op == "call" && t.text == "given":
		return false
	case t.op == "any" || t.op == "all":
		return w.lacks(t.kids[1])
	case slices.ContainsFunc(t.kids, w.lacks):
		return true
	}
	switch t.op {
	case "field", "variable", "member", "at", "total":
		_, r := w.result(func() any { return w.value(t) })
		return r == absent
	}
	return false
}

func (w *world) quantified(t *tree) bool {
	for _, x := range w.value(t.kids[1]).([]any) {
		w.bound[t.text] = x
		r := w.judge(t.kids[0])
		if r == missing || r == fault {
			panic(stop(r))
		}
		if found := r == yes; found != (t.op == "all") {
			return found
		}
	}
	return t.op == "all"
}

// entry reads an element, total, rate or cap.
func (w *world) entry(t *tree) any {
	switch t.op {
	case "at":
		list := w.value(t.kids[0]).([]any)
		i := narrow(w.value(t.kids[1])).(*big.Int)
		if i.Sign() < 0 || i.Cmp(big.NewInt(int64(len(list)))) >= 0 {
			panic(stop(missing))
		}
		return there(list[i.Int64()])
	case "total":
		totals := there(w.fields["totals"]).(map[string]int64)
		return big.NewInt(totals[w.value(t.kids[0]).(string)])
	case "rate":
		return must(w.limits["rates"].(map[string]any)[w.value(t.kids[0]).(string)])
	}
	entry := must(w.limits["caps"].(map[string]any)[w.value(t.kids[0]).(string)])
	return entry.(map[string]any)[t.text]
}

func (w *world) call(t *tree) any {
	switch t.text {
	case "given":
		_, r := w.result(func() any { return w.value(t.kids[0]) })
		if r != yes && r != absent {
			panic(stop(r))
		}
		return r == yes
	case "double":
		i := narrow(w.value(t.kids[0])).(*big.Int).Int64()
		return big.NewInt(i * 2) // Go's, which wraps
	case "level_for":
		switch i := narrow(w.value(t.kids[0])).(*big.Int).Int64(); {
		case i < 0:
			return "L5"
		case i < 1000:
			return "L3"
		}
		return "L4FIN"
	}
	panic(stop(fault))
}

func there(v any) any {
	if v == nil {
		panic(stop(absent))
	}
	return v
}

func must(v any) any {
	if v == nil {
		panic(stop(missing))
	}
	return v
}

func big64(v any) any {
	if i, ok := v.(int64); ok {
		return big.NewInt(i)
	}
	return v
}

// narrow refuses an integer that is no 64-bit one.
func narrow(v any) any {
	if i, ok := v.(*big.Int); ok && !i.IsInt64() {
		panic(stop(fault))
	}
	return v
}

func calculate(op string, x, y *big.Int) *big.Int {
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	default:
		z.Mul(narrow(x).(*big.Int), narrow(y).(*big.Int))
	}
	if !fits(z) {
		panic(stop(fault))
	}
	return z
}

func size(v any) int {
	switch v := v.(type) {
	case string:
		return len([]rune(v))
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return len(v.(map[string]bool))
}

func within(x, in any) bool {
	switch in := in.(type) {
	case []any:
		return slices.ContainsFunc(in, func(y any) bool {
			if i, ok := y.(*big.Int); ok {
				return i.Cmp(x.(*big.Int)) == 0
			}
			return x == y
		})
	case map[string]any:
		return in[x.(string)] != nil
	case map[string]bool:
		return in[x.(string)]
	case map[string]int64:
		_, ok := in[x.(string)]
		return ok
	}
	return strings.Contains(in.(string), x.(string))
}

func rank(word string) int {
	i := slices.Index([]string{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}, word)
	if i < 0 {
		panic(stop(fault))
	}
	return i
}
