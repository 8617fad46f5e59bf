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
	if key := by.constant; key != nil && key.Kind == KindString && of.constant != nil && of.constant.Kind == KindMap {
		return b.member(of, &member{at: n.at, name: key.Str}) // a limit that is known, or known to be missing
	}
	if err := lacksEntry(n, of.constant, by.constant); err != nil {
		return compiled{}, err
	}
	out := compiled{at: n.column(), path: true, looped: of.looped || by.looped}
	get, key := of.value(), by.value()
	switch want, ok := map[Kind]Kind{KindMap: KindString, KindTotals: KindString, KindList: KindInt, KindAny: KindAny}[of.typ.Kind]; {
	case !ok:
		return compiled{}, fail(n.column(), ErrType, "%s can't be indexed", of.typ.Kind)
	case by.typ.Kind != want && by.typ.Kind != KindAny && want != KindAny:
		return compiled{}, fail(n.column(), ErrType, "%s is indexed by %s, not by %s", of.typ.Kind, want, by.typ.Kind)
	}
	out.typ = elem(of.typ)
	if of.typ.Kind == KindTotals {
		out.typ = Type{Kind: KindInt}
	}
	out.get = func(e *Env) (*Value, Result) {
		v, r := get(e)
		if r != True {
			return nil, r
		}
		k, r := key(e)
		if r != True {
			return nil, r
		}
		return entry(v, k)
	}
	if of.constant != nil && of.constant.Kind == KindMap {
		out.entries, out.key = of.constant.Map, key
	}
	return out, nil
}

// entryMember resolves limits.table[key].name. Each entry must have the member,
// so that a cap which one currency lacks is found at load and not at a payment.
func (b *binder) entryMember(of compiled, n *member) (compiled, error) {
	flat := map[string]*Value{}
	var typ *Type
	var lacking []string
	for _, k := range sortedKeys(of.entries) {
		v, ok := of.entries[k].Map[n.name]
		if !ok {
			lacking = append(lacking, tableName(n.of)+"."+k+"."+n.name)
			continue
		}
		t := typeOf(v)
		if typ != nil && typ.Kind != t.Kind {
			return compiled{}, fail(n.column(), ErrType, "%s.%s.%s is %s, another is %s", tableName(n.of), k, n.name, t.Kind, typ.Kind)
		}
		if typ != nil {
			t = join(*typ, t)
		}
		flat[k], typ = v, &t
	}
	if len(lacking) > 0 {
		return compiled{}, fail(n.column(), ErrMissingLimit, "%s", strings.Join(lacking, ", "))
	}
	out := compiled{at: of.at, typ: Any, path: true, looped: of.looped}
	if typ != nil {
		out.typ = *typ
	}
	key, entries := of.key, tableOf(flat)
	out.get = func(e *Env) (*Value, Result) {
		k, r := key(e)
		switch {
		case r != True:
			return nil, r
		case k.Kind != KindString:
			return nil, Fault
		}
		if v := entries.find(k.Str); v != nil {
			return v, True
		}
		return nil, Missing
	}
	return out, nil
}

// lacksEntry refuses an entry that a list is known not to have.
func lacksEntry(n *index, of, by *Value) error {
	if of == nil || by == nil || of.Kind != KindList || by.Kind != KindInt || by.Int >= 0 && by.Int < int64(len(of.List)) {
		return nil
	}
	name := tableName(n.of) + "[" + by.Text() + "]"
	if root, parts, ok := flatten(n.of); ok && root == "passport" && parts[0] != "limits" {
		return fail(n.column(), ErrUnknownName, "the passport has no %s", name)
	}
	return fail(n.column(), ErrMissingLimit, "%s", name)
}

// entriesOf are those of a list that is known since load; nil for any other value.
func entriesOf(v *Value) []*Value {
	if v == nil || v.Kind != KindList {
		return nil
	}
	out := make([]*Value, len(v.List))
	for i := range v.List {
		out[i] = &v.List[i]
	}
	return out
}

// eachMember resolves a member of a variable over a limit. As in a table, each
// entry must have it.
func (b *binder) eachMember(of compiled, n *member) (compiled, error) {
	out := of
	out.typ, out.each = Any, make([]*Value, len(of.each))
	for i, v := range of.each {
		if v.Kind != KindMap {
			return compiled{}, fail(n.column(), ErrType, "%s has no members", v.Kind)
		}
		m, ok := v.Map[n.name]
		if !ok {
			return compiled{}, fail(n.column(), ErrMissingLimit, "%s of entry %d, counted from 0", pathText(n), i)
		}
		t := typeOf(m)
		switch {
		case i == 0:
			out.typ = t
		case out.typ.Kind != t.Kind:
			return compiled{}, fail(n.column(), ErrType, "%s of entry %d is %s, of another %s", pathText(n), i, t.Kind, out.typ.Kind)
		default:
			out.typ = join(out.typ, t)
		}
		out.each[i] = m
	}
	out.get = func(e *Env) (*Value, Result) { return lookup(of.get, n.name, e) }
	return out, nil
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
