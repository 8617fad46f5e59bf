package condition

import "strings"

func (b *binder) negation(n *unary) (compiled, error) {
	of, err := b.negated(n.of)
	if err != nil {
		return compiled{}, err
	}
	inner := of.asTest()
	return boolean(n.column(), func(e *Env) Result {
		switch r := inner(e); r {
		case True:
			return False
		case False:
			return True
		default:
			return r
		}
	}, of), nil
}

func boolean(at int, t test, of ...compiled) compiled {
	c := compiled{at: at, typ: Type{Kind: KindBool}, test: t}
	known := len(of) > 0
	for _, o := range of {
		c.looped = c.looped || o.looped
		known = known && o.constant != nil
	}
	if known {
		c.fold(t(&Env{}))
	}
	return c
}

// fold makes a test whose answer is known at load a constant.
func (c *compiled) fold(r Result) {
	switch r {
	case True:
		c.constant = &yes
	case False:
		c.constant = &no
	default:
		return
	}
	c.test = func(*Env) Result { return r }
}

func (b *binder) binary(n *binary) (compiled, error) {
	operand := b.compile
	if n.op == "and" || n.op == "or" {
		operand = b.condition
	}
	left, err := operand(n.left)
	if err != nil {
		return compiled{}, err
	}
	right, err := operand(n.right)
	if err != nil {
		return compiled{}, err
	}
	switch n.op {
	case "and", "or":
		return b.logic(n, left, right), nil
	case "+", "-", "*":
		return b.arithmetic(n, left, right)
	case "==", "!=":
		return b.equality(n, left, right)
	}
	return b.ordering(n, left, right)
}

// logic evaluates from left to right and stops where the answer is known.
func (b *binder) logic(n *binary, left, right compiled) compiled {
	l, r, goOn := left.asTest(), right.asTest(), resultOf(n.op == "and")
	if left.constant != nil {
		if l(&Env{}) == goOn {
			return boolean(n.column(), r, right)
		}
		return boolean(n.column(), l, left)
	}
	if right.constant != nil && r(&Env{}) == goOn { // or false, and true: the left side's answer
		return boolean(n.column(), l, left)
	}
	return boolean(n.column(), func(e *Env) Result {
		if got := l(e); got != goOn {
			return got // the answer, or why there is none
		}
		return r(e)
	}, left, right)
}

func (b *binder) arithmetic(n *binary, left, right compiled) (compiled, error) {
	for _, c := range []compiled{left, right} {
		if err := wants(c, KindInt); err != nil {
			return compiled{}, err
		}
	}
	l, r := left.number(), right.number()
	op := n.op
	return compiled{
		at: n.column(), typ: Type{Kind: KindInt}, looped: left.looped || right.looped,
		wide: func(e *Env) (wide, Result) {
			x, res := l(e)
			if res != True {
				return wide{}, res
			}
			y, res := r(e)
			if res != True {
				return wide{}, res
			}
			return operate(op, x, y)
		},
	}, nil
}

func operate(op string, x, y wide) (wide, Result) {
	ok := true
	switch op {
	case "+":
		x = x.add(y)
	case "-":
		x = x.sub(y)
	default:
		x, ok = x.mul(y)
	}
	if !ok || !x.inRange() {
		return wide{}, Fault
	}
	return x, True
}

// number reads an expression as a wide integer.
func (c compiled) number() func(*Env) (wide, Result) {
	if c.wide != nil {
		return c.wide
	}
	get := c.value()
	return func(e *Env) (wide, Result) {
		v, r := get(e)
		switch {
		case r != True:
			return wide{}, r
		case v.Kind != KindInt:
			return wide{}, Fault
		}
		return widen(v.Int), True
	}
}

func (b *binder) equality(n *binary, left, right compiled) (compiled, error) {
	for _, c := range []compiled{left, right} {
		if err := oneKind(c.at, c.options); err != nil {
			return compiled{}, err
		}
	}
	l, r := left.typ.Kind, right.typ.Kind
	if l != r && l != KindAny && r != KindAny {
		return compiled{}, fail(n.column(), ErrType, "%s is never equal to %s", l, r)
	}
	for _, c := range []compiled{left, right} {
		switch c.typ.Kind {
		case KindBool, KindInt, KindString, KindAny:
		default:
			return compiled{}, fail(c.at, ErrType, "%s can't be compared", c.typ.Kind)
		}
	}
	getL, getR, negated := left.value(), right.value(), n.op == "!="
	if l == KindInt && r == KindInt && (left.wide != nil || right.wide != nil) {
		return b.compareNumbers(n, left, right), nil
	}
	return boolean(n.column(), func(e *Env) Result {
		x, res := getL(e)
		if res != True {
			return res
		}
		y, res := getR(e)
		if res != True {
			return res
		}
		same, ok := x.equal(y)
		if !ok {
			return Fault
		}
		return resultOf(same != negated)
	}, left, right), nil
}

func holds(op string, order int) bool {
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

// ordering compares integers, or words that have an order of their own. Other
// strings have none that a policy could mean.
func (b *binder) ordering(n *binary, left, right compiled) (compiled, error) {
	if left.ordered || right.ordered {
		return b.ranking(n, left, right)
	}
	for _, c := range []compiled{left, right} {
		if err := wants(c, KindInt); err != nil {
			return compiled{}, err
		}
	}
	if left.wide != nil || right.wide != nil {
		return b.compareNumbers(n, left, right), nil
	}
	l, r, op := left.value(), right.value(), n.op
	return boolean(n.column(), func(e *Env) Result {
		x, res := l(e)
		if res != True {
			return res
		}
		y, res := r(e)
		if res != True {
			return res
		}
		if x.Kind != KindInt || y.Kind != KindInt {
			return Fault
		}
		return resultOf(holds(op, compareInts(x.Int, y.Int)))
	}, left, right), nil
}

func compareInts(x, y int64) int {
	if x == y {
		return 0
	}
	return order(x < y)
}

func (b *binder) compareNumbers(n *binary, left, right compiled) compiled {
	l, r, op := left.number(), right.number(), n.op
	return boolean(n.column(), func(e *Env) Result {
		x, res := l(e)
		if res != True {
			return res
		}
		y, res := r(e)
		if res != True {
			return res
		}
		return resultOf(holds(op, x.compare(y)))
	}, left, right)
}

// ranking compares words by their place in the scope's order.
func (b *binder) ranking(n *binary, left, right compiled) (compiled, error) {
	for _, c := range []compiled{left, right} {
		if err := wants(c, KindString); err != nil {
			return compiled{}, err
		}
		if c.constant == nil {
			continue
		}
		if _, ok := b.scope.rank(c.constant.Str); !ok {
			return compiled{}, fail(c.at, ErrType, "%q is none of %s", c.constant.Str, strings.Join(b.scope.Order, ", "))
		}
	}
	l, r, op, scope := left.value(), right.value(), n.op, b.scope
	return boolean(n.column(), func(e *Env) Result {
		x, res := l(e)
		if res != True {
			return res
		}
		y, res := r(e)
		if res != True {
			return res
		}
		i, okX := scope.rank(x.Str)
		j, okY := scope.rank(y.Str)
		if !okX || !okY {
			return Fault
		}
		return resultOf(holds(op, i-j))
	}, left, right), nil
}
