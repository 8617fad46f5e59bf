package condition

import "strings"

// membership compiles left in right: an element of a list, a key of a map or a
// key set, a part of a string.
func (b *binder) membership(n *membership) (compiled, error) {
	left, err := b.compile(n.left)
	if err != nil {
		return compiled{}, err
	}
	right, err := b.compile(n.right)
	if err != nil {
		return compiled{}, err
	}
	if err := checkMembership(left, right, tableName(n.right)); err != nil {
		return compiled{}, err
	}
	l, r, negated := left.value(), right.value(), n.negated
	if words := wordsOf(right.constant); words != nil && left.typ.Kind == KindString {
		return boolean(n.column(), func(e *Env) Result {
			x, res := l(e)
			switch {
			case res != True:
				return res
			case x.Kind != KindString:
				return Fault
			}
			return resultOf((words.find(x.Str) != nil) != negated)
		}, left, right), nil
	}
	return boolean(n.column(), func(e *Env) Result {
		x, res := l(e)
		if res != True {
			return res
		}
		in, res := r(e)
		if res != True {
			return res
		}
		found, ok := contains(in, x)
		if !ok {
			return Fault
		}
		return resultOf(found != negated)
	}, left, right), nil
}

// wordsOf is a list of strings or the keys of a map, where they are known since
// load and there is one; nil for any other value.
func wordsOf(v *Value) *table {
	words := map[string]*Value{}
	switch {
	case v == nil:
		return nil
	case v.Kind == KindMap:
		words = v.Map
	case v.Kind == KindList:
		for i := range v.List {
			if v.List[i].Kind != KindString {
				return nil
			}
			words[v.List[i].Str] = &v.List[i]
		}
	}
	if len(words) == 0 {
		return nil
	}
	return tableOf(words)
}

// checkMembership finds a clash that would make every answer no.
func checkMembership(left, right compiled, name string) error {
	switch right.typ.Kind {
	case KindAny:
		return nil
	case KindList:
		if right.typ.Elem != nil {
			if err := oneKind(right.at, right.entries(name)); err != nil {
				return err
			}
			return wants(left, right.typ.Elem.Kind)
		}
		return nil
	case KindMap, KindSet, KindString, KindTotals:
		return wants(left, KindString)
	}
	return fail(right.at, ErrType, "nothing is in %s", right.typ.Kind)
}

// contains is the membership itself; ok is false where the kinds do not fit.
func contains(in, x *Value) (found, ok bool) {
	switch in.Kind {
	case KindList:
		for i := range in.List {
			same, ok := in.List[i].equal(x)
			if !ok {
				return false, false
			}
			if same {
				return true, true
			}
		}
		return false, true
	}
	if x.Kind != KindString {
		return false, false
	}
	switch in.Kind {
	case KindMap:
		_, found = in.Map[x.Str]
	case KindSet:
		found = in.Set[x.Str]
	case KindTotals:
		_, found = in.Totals[x.Str]
	case KindString:
		found = strings.Contains(in.Str, x.Str)
	default:
		return false, false
	}
	return found, true
}

// emptiness compiles is empty. An optional field that is absent is empty: the
// question is whether something was given, and to skip the rule would answer
// that it was.
func (b *binder) emptiness(n *emptiness) (compiled, error) {
	of, err := b.unneeded(n.of)
	if err != nil {
		return compiled{}, err
	}
	switch of.typ.Kind {
	case KindString, KindList, KindMap, KindSet, KindAny:
	default:
		return compiled{}, fail(of.at, ErrType, "%s is never empty", of.typ.Kind)
	}
	get, negated := of.value(), n.negated
	return boolean(n.column(), func(e *Env) Result {
		v, res := get(e)
		if res == Absent {
			return resultOf(!negated)
		}
		if res != True {
			return res
		}
		size, ok := v.size()
		if !ok {
			return Fault
		}
		return resultOf((size == 0) != negated)
	}, of), nil
}

func (b *binder) prefix(n *prefix) (compiled, error) {
	of, err := b.compile(n.of)
	if err != nil {
		return compiled{}, err
	}
	with, err := b.compile(n.with)
	if err != nil {
		return compiled{}, err
	}
	for _, c := range []compiled{of, with} {
		if err := wants(c, KindString); err != nil {
			return compiled{}, err
		}
	}
	l, r := of.value(), with.value()
	return boolean(n.column(), func(e *Env) Result {
		x, res := l(e)
		if res != True {
			return res
		}
		y, res := r(e)
		switch {
		case res != True:
			return res
		case x.Kind != KindString || y.Kind != KindString:
			return Fault
		}
		return resultOf(strings.HasPrefix(x.Str, y.Str))
	}, of, with), nil
}

func (b *binder) length(n *length) (compiled, error) {
	of, err := b.compile(n.of)
	if err != nil {
		return compiled{}, err
	}
	switch of.typ.Kind {
	case KindString, KindList, KindMap, KindAny:
	default:
		return compiled{}, fail(of.at, ErrType, "%s has no length", of.typ.Kind)
	}
	get := of.value()
	return compiled{at: n.column(), typ: Type{Kind: KindInt}, looped: of.looped, wide: func(e *Env) (wide, Result) {
		v, res := get(e)
		if res != True {
			return wide{}, res
		}
		size, ok := v.size()
		if !ok {
			return wide{}, Fault
		}
		return widen(int64(size)), True
	}}, nil
}

// quantifier compiles any and all over a list. A field that one element lacks
// makes that element not match; it never skips the rule.
func (b *binder) quantifier(n *quantifier) (compiled, error) {
	list, err := b.compile(n.list)
	if err != nil {
		return compiled{}, err
	}
	if err := wants(list, KindList); err != nil {
		return compiled{}, err
	}
	if b.named(n.v) {
		return compiled{}, fail(n.column(), ErrSyntax, "variable %q hides another name", n.v)
	}
	place := len(b.vars)
	options, outer := list.entries(tableName(n.list)), b.needs
	b.vars = append(b.vars, variable{n.v, elem(list.typ), options, list.open || options != nil && len(options) == 0})
	b.needs = needs{}
	body, err := b.condition(n.body)
	inside := b.needs
	b.vars, b.needs = b.vars[:place], outer
	if err != nil {
		return compiled{}, err
	}
	get, each, all := list.value(), body.asTest(), n.all
	return boolean(n.column(), func(e *Env) Result {
		v, res := get(e)
		if res != True {
			return res
		}
		if v.Kind != KindList {
			return Fault
		}
		for i := range v.List {
			e.vars[place] = &v.List[i]
			res := False
			if !inside.lacking(e) {
				res = each(e)
			}
			if res == Missing || res == Fault || (res == True) != all {
				return res
			}
		}
		return resultOf(all)
	}, list, compiled{looped: body.looped && place > 0}), nil
}
