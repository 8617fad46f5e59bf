package condition

import (
	"slices"
	"strings"
)

// index resolves of[by]: a map or totals by a string, a list by an integer.
func (b *binder) index(n *index) (compiled, error) {
	of, err := b.compile(n.of)
	if err != nil {
		return compiled{}, err
	}
	by, err := b.compile(n.by)
	if err != nil {
		return compiled{}, err
	}
	switch want, ok := map[Kind]Kind{KindMap: KindString, KindTotals: KindString, KindList: KindInt, KindAny: KindAny}[of.typ.Kind]; {
	case !ok:
		return compiled{}, fail(n.column(), ErrType, "%s can't be indexed", of.typ.Kind)
	case by.typ.Kind != want && by.typ.Kind != KindAny && want != KindAny:
		return compiled{}, fail(n.column(), ErrType, "%s is indexed by %s, not by %s", of.typ.Kind, want, by.typ.Kind)
	}
	if by.constant != nil && (of.constant != nil || len(of.options) > 0) {
		return b.known(n, of, by.constant)
	}
	out := compiled{at: n.column(), path: true, looped: of.looped || by.looped, optional: of.optional, typ: elem(of.typ), options: of.entries(tableName(n.of))}
	out.open = of.open || out.options != nil && len(out.options) == 0
	if of.typ.Kind == KindTotals {
		out.typ, out.optional = Type{Kind: KindInt}, false // one that is not there is 0
	}
	out.get = indexed(of.value(), by)
	if of.constant != nil && of.constant.Kind == KindMap {
		out.key = by.value()
	}
	return out, nil
}

// indexed reads an entry. A place that is computed is made no value of: nothing keeps it.
func indexed(of getter, by compiled) getter {
	key := by.value()
	return func(e *Env) (*Value, Result) {
		v, r := of(e)
		if r != True {
			return nil, r
		}
		if by.wide != nil {
			w, r := by.wide(e)
			if r != True {
				return nil, r
			}
			place, ok := w.narrow()
			if !ok {
				return nil, Fault
			}
			k := Int(place)
			return entry(v, &k)
		}
		k, r := key(e)
		if r != True {
			return nil, r
		}
		return entry(v, k)
	}
}

// known resolves an index that is known in what is known: a limit that is there, or
// that is known to be missing.
func (b *binder) known(n *index, of compiled, by *Value) (compiled, error) {
	switch {
	case by.Kind == KindString:
		return b.member(of, &member{at: n.at, name: by.Str})
	case of.constant == nil:
		return partOfEach(of, n.column(), by)
	}
	if err := lacksEntry(n, of.constant, by); err != nil {
		return compiled{}, err
	}
	c := constant(n.column(), &of.constant.List[by.Int])
	c.path = true
	return c, nil
}

// lacksEntry refuses an entry that a list is known not to have.
func lacksEntry(n *index, of, by *Value) error {
	if by.Int >= 0 && by.Int < int64(len(of.List)) {
		return nil
	}
	name := tableName(n.of) + "[" + by.Text() + "]"
	if root, parts, ok := flatten(n.of); ok && root == "passport" && parts[0] != "limits" {
		return fail(n.column(), ErrUnknownName, "the passport has no %s", name)
	}
	return fail(n.column(), ErrMissingLimit, "%s", name)
}

// table is a map that is known since load. Most have an entry or two, which are
// found sooner one after the other than by a hash.
type table struct {
	few  []tableEntry
	many map[string]*Value
}

type tableEntry struct {
	key   string
	value *Value
}

func tableOf(m map[string]*Value) *table {
	const few = 8
	if len(m) > few {
		return &table{many: m}
	}
	t := &table{}
	for _, k := range sortedKeys(m) {
		t.few = append(t.few, tableEntry{k, m[k]})
	}
	return t
}

// find is nil where there is no such entry.
func (t *table) find(key string) *Value {
	for i := range t.few {
		if t.few[i].key == key {
			return t.few[i].value
		}
	}
	return t.many[key]
}

// tableName is the limit that an index stands behind.
func tableName(n node) string {
	text := pathText(n)
	text = text[:strings.IndexByte(text+"[", '[')]
	return text[strings.LastIndexByte(text, '.')+1:]
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// entry reads one entry.
func entry(v, k *Value) (*Value, Result) {
	switch {
	case v.Kind == KindMap && k.Kind == KindString:
		if m, ok := v.Map[k.Str]; ok {
			return m, True
		}
		return nil, Missing
	case v.Kind == KindTotals && k.Kind == KindString:
		return made(Int(v.Totals[k.Str])), True
	case v.Kind == KindList && k.Kind == KindInt:
		if k.Int < 0 || k.Int >= int64(len(v.List)) {
			return nil, Missing
		}
		return present(&v.List[k.Int])
	}
	return nil, Fault
}
