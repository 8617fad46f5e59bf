package condition

import (
	"slices"
)

// Program is a condition bound to a scope. It is immutable and safe for
// concurrent use, each caller with an Env of its own.
type Program struct {
	text   string
	test   test
	needs  needs
	leaves []leaf
	always bool // the condition is known to hold since load
}

type (
	test   func(*Env) Result
	getter func(*Env) (*Value, Result)
)

// leaf is a path that the condition reads, for those who ask why.
type leaf struct {
	name string
	text string // of a constant
	typ  Type
	get  getter
}

// Seen is a value that a condition read.
type Seen struct{ Name, Value string }

// Bind compiles the expression, which must be a condition. The error is an *Error.
func (e *Expr) Bind(s *Scope) (*Program, error) {
	b := &binder{scope: s}
	c, err := b.condition(e.root)
	if err != nil {
		return nil, err
	}
	p := &Program{text: e.text, test: c.asTest(), needs: b.needs, leaves: b.leaves}
	p.always = c.constant != nil && p.test(&Env{}) == True
	return p, nil
}

// Eval evaluates the condition. Where a field that it reads is absent it is not
// evaluated at all, so that it does not matter which side of an and stands first.
func (p *Program) Eval(env *Env) Result {
	if p.needs.lacking(env) {
		return Absent
	}
	return p.test(env)
}

// Always reports whether the condition holds in every environment, as one does
// that reads the passport alone.
func (p *Program) Always() bool { return p.always }

// Leaves is how many paths the condition reads, loop variables aside.
func (p *Program) Leaves() int { return len(p.leaves) }

// Leaf is the name of the i-th path that the condition reads.
func (p *Program) Leaf(i int) string { return p.leaves[i].name }

// Constant is the text of the i-th path's value where that is known since load.
func (p *Program) Constant(i int) (text string, known bool) {
	return p.leaves[i].text, p.leaves[i].text != ""
}

// AppendLeaf appends the value in env of the i-th path, for people.
func (p *Program) AppendLeaf(b []byte, i int, env *Env) []byte {
	l := &p.leaves[i]
	if l.text != "" {
		return append(b, l.text...)
	}
	switch v, r := l.get(env); r {
	case True:
		return v.AppendText(b)
	case Missing:
		return append(b, "missing"...)
	case Fault:
		return append(b, "unusable"...)
	}
	return append(b, "absent"...)
}

// Seen lists what the condition reads in env.
func (p *Program) Seen(env *Env) []Seen {
	out := make([]Seen, len(p.leaves))
	for i := range p.leaves {
		out[i] = Seen{p.Leaf(i), string(p.AppendLeaf(nil, i, env))}
	}
	return out
}

// compiled is an expression ready to evaluate: a value, or a test where test is
// set. constant is set where the value is known at load.
type compiled struct {
	at       int
	typ      Type
	ordered  bool // a string that compares by the scope's order
	path     bool // a path: reported by Seen
	looped   bool // reads a loop variable
	optional bool // a path that may be absent
	open     bool // its type is for a passport to say, which does not
	slot     int  // from 1, of a path that is no more than a field's name; otherwise 0
	constant *Value
	options  []option // what it may come to, where that is known since load
	key      getter   // the key of the table whose entries, or parts of entries, the options are
	get      getter
	wide     func(*Env) (wide, Result) // of arithmetic
	test     test
}

func constant(at int, v *Value) compiled {
	return compiled{at: at, typ: typeOf(v), constant: v, get: func(*Env) (*Value, Result) { return v, True }}
}

// typeOf is the type of a value that is known.
func typeOf(v *Value) Type {
	t := Type{Kind: v.Kind}
	var elems []*Value
	switch v.Kind {
	case KindList:
		for i := range v.List {
			elems = append(elems, &v.List[i])
		}
	case KindMap:
		for _, e := range v.Map {
			elems = append(elems, e)
		}
	}
	for _, e := range elems {
		t = join(t, Type{Kind: v.Kind, Elem: new(typeOf(e))})
	}
	return t
}

// join is what two types have in common; an unknown Elem, as of an empty list,
// takes nothing away.
func join(t, u Type) Type {
	switch {
	case t.Kind != u.Kind:
		return Type{Kind: KindMixed}
	case t.Elem == nil:
		return u
	case u.Elem == nil:
		return t
	}
	return Type{Kind: t.Kind, Elem: new(join(*t.Elem, *u.Elem))}
}

// asTest reads a condition.
func (c compiled) asTest() test {
	if c.test != nil {
		return c.test
	}
	get := c.value()
	return func(e *Env) Result {
		v, r := get(e)
		switch {
		case r != True:
			return r
		case v.Kind != KindBool: // a gate's rule may read a context that no schema has passed
			return Fault
		}
		return resultOf(v.Bool)
	}
}

var yes, no = Bool(true), Bool(false)

// made is a value that evaluation makes. The two booleans are shared, since they
// are all that most functions answer.
func made(v Value) *Value {
	if v.Kind == KindBool {
		if v.Bool {
			return &yes
		}
		return &no
	}
	return &v
}

// value reads any expression as a value.
func (c compiled) value() getter {
	switch {
	case c.get != nil:
		return c.get
	case c.wide != nil:
		return func(e *Env) (*Value, Result) {
			w, r := c.wide(e)
			if r != True {
				return nil, r
			}
			i, ok := w.narrow()
			if !ok {
				return nil, Fault
			}
			return made(Int(i)), True
		}
	}
	return func(e *Env) (*Value, Result) {
		switch r := c.test(e); r {
		case True:
			return &yes, True
		case False:
			return &no, True
		default:
			return nil, r
		}
	}
}

type binder struct {
	scope  *Scope
	vars   []variable
	leaves []leaf
	needs  needs
}

type variable struct {
	name    string
	typ     Type
	options []option // where they are known since load; otherwise nil
	open    bool
}

// compile compiles one expression and notes it where it is a path.
func (b *binder) compile(n node) (compiled, error) {
	c, err := b.dispatch(n)
	if err != nil {
		return compiled{}, err
	}
	if c.path && !c.looped {
		l := leaf{name: pathText(n), typ: c.typ, get: c.get}
		if c.constant != nil {
			l.text = c.constant.Text()
		}
		b.note(l)
	}
	if c.path && c.optional {
		b.needs.add(c)
	}
	return c, nil
}

func (b *binder) note(l leaf) {
	if !slices.ContainsFunc(b.leaves, func(o leaf) bool { return o.name == l.name }) {
		b.leaves = append(b.leaves, l)
	}
}

func (b *binder) dispatch(n node) (compiled, error) {
	switch n := n.(type) {
	case *literal:
		return constant(n.column(), &n.value), nil
	case *name, *member, *index:
		return b.path(n)
	case *unary:
		return b.negation(n)
	case *binary:
		return b.binary(n)
	case *membership:
		return b.membership(n)
	case *emptiness:
		return b.emptiness(n)
	case *prefix:
		return b.prefix(n)
	case *length:
		return b.length(n)
	case *quantifier:
		return b.quantifier(n)
	case *call:
		return b.call(n)
	}
	return compiled{}, fail(n.column(), ErrSyntax, "unknown expression %T", n)
}
