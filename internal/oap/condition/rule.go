package condition

// BindRule is Bind for what is a rule's whole condition, which must test something.
// The error is an *Error.
func (e *Expr) BindRule(s *Scope) (*Program, error) {
	if err := testsNothing(e.root); err != nil {
		return nil, err
	}
	return e.Bind(s)
}

// testsNothing finds the first place where a condition is wanted and something
// stands that is the same whatever is asked, by whatever passport.
func testsNothing(n node) error {
	var wanted []node
	switch n := n.(type) {
	case *unary:
		wanted = []node{n.of}
	case *binary:
		if n.op == "and" || n.op == "or" {
			wanted = []node{n.left, n.right}
		}
	case *quantifier:
		wanted = []node{n.body}
	}
	for _, w := range wanted {
		if err := testsNothing(w); err != nil {
			return err
		}
	}
	if text, ok := n.(*literal); ok && text.value.Kind == KindString {
		return fail(n.column(), ErrNoTest, "the quotes make a text of %s: take them off", text.value.Text())
	}
	if !readsAny(n) {
		return fail(n.column(), ErrNoTest, "it reads no field, limit or state, and so is the same for every request: name what it shall test, or delete it")
	}
	return nil
}

// readsAny reports whether a name stands in the expression.
func readsAny(n node) bool {
	if _, ok := n.(*name); ok {
		return true
	}
	for _, c := range children(n) {
		if readsAny(c) {
			return true
		}
	}
	return false
}
