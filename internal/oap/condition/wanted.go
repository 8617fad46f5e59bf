package condition

// What may stand where: a condition where one is wanted, a value of one kind where
// that is.

// condition compiles what stands where a condition is wanted: the whole, each side of
// and and or, what not is of, and the body of any and all. A value is none: a list
// or a cap whose comparison was forgotten would hold for ever.
func (b *binder) condition(n node) (compiled, error) {
	c, err := b.compile(n)
	if err != nil || c.typ.Kind == KindBool || c.open && c.typ.Kind == KindAny {
		return c, err
	}
	if _, limit := new(reader).limitPath(n); limit {
		return compiled{}, fail(n.column(), ErrNoTest, "%s where a condition is wanted: compare it, ask what is in it, or make the limit true or false", c.typ.Kind)
	}
	return compiled{}, fail(n.column(), ErrNoTest, "%s where a condition is wanted: compare it, or ask what is in it", c.typ.Kind)
}

// negated compiles what a negation is of: a condition, or one behind the guard that
// the published refund pack has, NOT (order_currency AND currency != order_currency):
// the optional text is given, and not empty.
func (b *binder) negated(n node) (compiled, error) {
	and, ok := n.(*binary)
	if !ok || and.op != "and" || !b.guards(and.left, and.right) {
		return b.condition(n)
	}
	text, err := b.compile(and.left)
	if err != nil {
		return compiled{}, err
	}
	right, err := b.condition(and.right)
	if err != nil {
		return compiled{}, err
	}
	get := text.value()
	given := boolean(text.at, func(e *Env) Result {
		v, r := get(e)
		switch {
		case r != True:
			return r
		case v.Kind != KindString:
			return Fault
		}
		return resultOf(v.Str != "")
	}, text)
	return b.logic(and, given, right), nil
}

// guards reports whether the left side is an optional text of the context that the
// right side reads.
func (b *binder) guards(left, right node) bool {
	field, ok := contextField(left)
	slot := b.scope.Context[field]
	return ok && slot.Type.Kind == KindString && !slot.Required && readsField(right, field)
}

// contextField is the name of a field in either way to write it. No variable has one.
func contextField(n node) (field string, ok bool) {
	root, parts, ok := flatten(n)
	switch {
	case ok && len(parts) == 0:
		return root, true
	case ok && len(parts) == 1 && root == "context":
		return parts[0], true
	}
	return "", false
}

func readsField(n node, field string) bool {
	if f, ok := contextField(n); ok && f == field {
		return true
	}
	for _, c := range children(n) {
		if readsField(c, field) {
			return true
		}
	}
	return false
}

// wants refuses an operand whose kind is known to be another.
func wants(c compiled, kind Kind) error {
	if c.typ.Kind == kind || c.typ.Kind == KindAny || kind == KindAny {
		return nil
	}
	for _, o := range c.options {
		if o.value.Kind != kind {
			return fail(c.at, ErrType, "%s is %s where %s is wanted", o.where, o.value.Kind, kind)
		}
	}
	return fail(c.at, ErrType, "%s where %s is wanted", c.typ.Kind, kind)
}

// needs are the paths whose absence skips a rule, or makes an element not match.
type needs struct {
	slots []int    // of fields
	paths []getter // others
}

func (n *needs) add(c compiled) {
	if c.slot > 0 {
		n.slots = append(n.slots, c.slot-1)
		return
	}
	n.paths = append(n.paths, c.get)
}

func (n *needs) lacking(e *Env) bool {
	for _, slot := range n.slots {
		if e.Slots[slot].Kind == KindAbsent {
			return true
		}
	}
	for _, get := range n.paths {
		if _, r := get(e); r == Absent {
			return true
		}
	}
	return false
}

// unneeded compiles what may be absent: is empty and some functions ask for that.
func (b *binder) unneeded(n node) (compiled, error) {
	outer := b.needs
	c, err := b.compile(n)
	b.needs = outer
	return c, err
}
