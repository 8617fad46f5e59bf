package condition_test

import (
	"math/big"
	"sync"

	"vaultbench/internal/oap/condition"
)

// world makes the values that an expression is evaluated on, once for each of the
// two interpreters.
func (g *generator) world() (*world, *condition.Env) {
	w := &world{fields: map[string]any{}, limits: plainLimits(), passport: plainPassport(), bound: map[string]any{}}
	e := &condition.Env{Slots: make([]condition.Value, len(at))}
	for i, types := range []map[string]condition.Type{fields, kept} {
		for _, name := range drawn()[i] {
			v := g.any(types[name])
			e.Slots[at[name]], w.fields[name] = v, plain(v, types[name])
		}
	}
	return w, e
}

// The names, the limits and the passport are the same in every world, and nobody
// writes them.
var (
	drawn         = sync.OnceValue(func() [2][]string { return [2][]string{sorted(fields), sorted(kept)} })
	plainLimits   = sync.OnceValue(func() map[string]any { return plainAll(limits) })
	plainPassport = sync.OnceValue(func() map[string]any { return plainAll(passport) })
)

func plainAll(all vars) map[string]any {
	out := map[string]any{}
	for name, v := range all {
		out[name] = plain(v, condition.Any)
	}
	return out
}

func (g *generator) any(typ condition.Type) condition.Value {
	var v condition.Value
	if g.pick(7) == 6 {
		return v // absent
	}
	switch typ.Kind {
	case condition.KindBool:
		return condition.Bool(g.pick(2) == 0)
	case condition.KindInt:
		return condition.Int([]int64{1, 2, 0, 100, 3, -1, 500, 1<<63 - 1, -1 << 63, 1 << 62}[g.pick(10)])
	case condition.KindString:
		return condition.String(g.one("USD", "EUR", "a", "", "mära", "L2", "L9", "k1", "L4FIN"))
	case condition.KindList:
		v = condition.List()
		for range g.pick(4) {
			if elem := g.any(*typ.Elem); elem.Kind != condition.KindAbsent || typ.Elem.Kind == condition.KindRecord {
				v.List = append(v.List, elem)
			}
		}
	case condition.KindRecord:
		v.Kind = typ.Kind
		for _, m := range typ.Members {
			v.List = append(v.List, g.any(m))
		}
	case condition.KindSet:
		return condition.Value{Kind: typ.Kind, Set: map[string]bool{"k1": true, g.one("a", "USD"): true}}
	case condition.KindTotals:
		return condition.Value{Kind: typ.Kind, Totals: map[string]int64{"a": 40, g.one("USD", "k1"): 1<<63 - 1}}
	}
	return v
}

// plain is the value as the naive interpreter has it.
func plain(v condition.Value, typ condition.Type) any {
	switch v.Kind {
	case condition.KindBool:
		return v.Bool
	case condition.KindInt:
		return big.NewInt(v.Int)
	case condition.KindString:
		return v.Str
	case condition.KindSet:
		return v.Set
	case condition.KindTotals:
		return v.Totals
	case condition.KindList:
		out := []any{}
		for _, elem := range v.List {
			if typ.Elem == nil {
				typ.Elem = &condition.Any
			}
			out = append(out, plain(elem, *typ.Elem))
		}
		return out
	case condition.KindRecord:
		out := map[string]any{}
		for i, m := range v.List {
			out[typ.Names[i]] = plain(m, typ.Members[i])
		}
		return out
	case condition.KindMap:
		out := map[string]any{}
		for k, m := range v.Map {
			out[k] = plain(*m, condition.Any)
		}
		return out
	}
	return nil
}
