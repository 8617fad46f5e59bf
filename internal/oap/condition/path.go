package condition

import (
	"slices"
	"strings"
)

// pathText writes a path as it stands in the condition.
func pathText(n node) string {
	switch n := n.(type) {
	case *name:
		return n.text
	case *member:
		return pathText(n.of) + "." + n.name
	case *index:
		return pathText(n.of) + "[" + pathText(n.by) + "]"
	case *literal:
		return n.value.Text()
	}
	return "…"
}

// flatten takes a chain of members apart; ok is false where it does not start
// with a name.
func flatten(n node) (root string, parts []string, ok bool) {
	for {
		switch x := n.(type) {
		case *name:
			slices.Reverse(parts)
			return x.text, parts, true
		case *member:
			parts = append(parts, x.name)
			n = x.of
		default:
			return "", nil, false
		}
	}
}

// path resolves a name, member or index.
func (b *binder) path(n node) (compiled, error) {
	if root, parts, ok := flatten(n); ok && !b.isVariable(root) {
		if Root(root) {
			return b.rooted(n.column(), root, parts)
		}
	}
	switch n := n.(type) {
	case *name:
		return b.bare(n)
	case *member:
		of, err := b.path(n.of)
		if err != nil {
			return compiled{}, err
		}
		return b.member(of, n)
	case *index:
		return b.index(n)
	}
	return b.dispatch(n)
}

func (b *binder) isVariable(name string) bool {
	return slices.ContainsFunc(b.vars, func(v variable) bool { return v.name == name })
}

// named reports whether a name means something already, so that a variable of the
// name would hide it: all(amount <= amount for amount in caps) asks nothing.
func (b *binder) named(name string) bool {
	_, field := b.scope.Context[name]
	_, state := b.scope.State[name]
	return field || state || Root(name) || b.isVariable(name)
}

// bare resolves a name without a dot: a loop variable, a field of the context,
// or what the engine keeps.
func (b *binder) bare(n *name) (compiled, error) {
	for i := len(b.vars) - 1; i >= 0; i-- {
		if b.vars[i].name == n.text {
			v := &b.vars[i]
			return compiled{
				at: n.column(), typ: v.typ, path: true, looped: true, optional: v.options == nil, open: v.open, options: v.options,
				get: func(e *Env) (*Value, Result) { return present(e.vars[i]) },
			}, nil
		}
	}
	slot, ok := b.scope.Context[n.text]
	if !ok {
		slot, ok = b.scope.State[n.text]
	}
	if !ok {
		return compiled{}, fail(n.column(), ErrUnknownName, "%q is neither in the context nor kept by the engine", n.text)
	}
	return fromSlot(n.column(), slot), nil
}

func fromSlot(at int, s Slot) compiled {
	return compiled{at: at, typ: s.Type, path: true, optional: true, slot: s.Index + 1, get: func(e *Env) (*Value, Result) { return present(&e.Slots[s.Index]) }}
}

func present(v *Value) (*Value, Result) {
	if v.Kind == KindAbsent {
		return nil, Absent
	}
	return v, True
}

// rooted resolves a path that starts with passport, limits or context.
func (b *binder) rooted(at int, root string, parts []string) (compiled, error) {
	if len(parts) == 0 {
		return compiled{}, fail(at, ErrUnknownName, "%q alone is no value", root)
	}
	switch {
	case root == "context":
		slot, ok := b.scope.Context[parts[0]]
		if !ok {
			return compiled{}, fail(at, ErrUnknownName, "the context has no field %q", parts[0])
		}
		return b.members(fromSlot(at, slot), at, parts[1:])
	case root == "passport" && parts[0] != "limits":
		return b.passport(at, parts)
	case root == "passport":
		parts = parts[1:]
	}
	return b.limits(at, parts)
}

func (b *binder) passport(at int, parts []string) (compiled, error) {
	ordered := slices.Contains(b.scope.Ordered, parts[0])
	if b.scope.Passport == nil {
		c := unknown(at)
		c.ordered = ordered
		return c, nil
	}
	v, ok := b.scope.Passport[parts[0]]
	if !ok {
		return compiled{}, fail(at, ErrUnknownName, "a passport has no field %q", parts[0])
	}
	c := constant(at, v)
	c.path, c.ordered = true, ordered
	return b.members(c, at, parts[1:])
}

// limits resolves a limit in each of the three dialects.
func (b *binder) limits(at int, parts []string) (compiled, error) {
	if n := len(b.scope.Capability); len(parts) > n && slices.Equal(parts[:n], b.scope.Capability) {
		parts = parts[n:]
	}
	if len(parts) == 0 {
		return compiled{}, fail(at, ErrUnknownName, "the limits as a whole are no value")
	}
	if b.scope.Limits == nil {
		return unknown(at), nil
	}
	v, ok := b.scope.Limits[parts[0]]
	if !ok {
		return compiled{}, fail(at, ErrMissingLimit, "%s", parts[0])
	}
	c := constant(at, v)
	c.path = true
	return b.members(c, at, parts[1:])
}

// unknown stands for a value that no passport gives yet.
func unknown(at int) compiled {
	return compiled{at: at, typ: Any, path: true, open: true, get: func(*Env) (*Value, Result) { return nil, Missing }}
}

func (b *binder) members(c compiled, column int, parts []string) (compiled, error) {
	var err error
	for _, part := range parts {
		if c, err = b.member(c, &member{at: at(column), name: part}); err != nil {
			return compiled{}, err
		}
	}
	return c, nil
}

// member resolves one member of a value.
func (b *binder) member(of compiled, n *member) (compiled, error) {
	switch {
	case len(of.options) > 0:
		return memberOfEach(of, n)
	case of.typ.Kind == KindRecord:
		i, typ, ok := of.typ.Member(n.name)
		if !ok {
			return compiled{}, fail(n.column(), ErrUnknownName, "no member %q: known are %s", n.name, strings.Join(of.typ.Names, ", "))
		}
		out := of
		out.slot, out.typ, out.get = 0, typ, func(e *Env) (*Value, Result) {
			v, r := of.get(e)
			switch {
			case r != True:
				return nil, r
			case v.Kind != KindRecord || i >= len(v.List):
				return nil, Fault // a gate's rule may read a context that no schema has passed
			}
			return present(&v.List[i])
		}
		return out, nil
	case of.constant != nil && of.constant.Kind == KindMap:
		v, ok := of.constant.Map[n.name]
		if !ok {
			return compiled{}, fail(n.column(), ErrMissingLimit, "%s", n.name)
		}
		c := constant(of.at, v)
		c.path = true
		return c, nil
	case of.typ.Kind == KindAny || of.typ.Kind == KindMap:
		out := of
		out.slot, out.constant, out.typ = 0, nil, elem(of.typ)
		out.get = func(e *Env) (*Value, Result) { return lookup(of.get, n.name, e) }
		return out, nil
	}
	return compiled{}, fail(n.column(), ErrType, "%s has no members", of.typ.Kind)
}

func elem(t Type) Type {
	if t.Elem == nil {
		return Any
	}
	return *t.Elem
}

func lookup(get getter, key string, e *Env) (*Value, Result) {
	v, r := get(e)
	if r != True {
		return nil, r
	}
	if v.Kind != KindMap {
		return nil, Fault
	}
	if m, ok := v.Map[key]; ok {
		return m, True
	}
	return nil, Missing
}
