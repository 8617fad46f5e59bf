package condition

import "errors"

// maxDepth bounds how deep expressions nest, and so how deep evaluation goes.
const maxDepth = 40

// Expr is a parsed condition, not yet bound to names.
type Expr struct {
	text string
	root node
}

// Text is the condition as it was written.
func (e *Expr) Text() string { return e.text }

// Parse reads a condition. The error is an *Error.
func Parse(text string) (*Expr, error) {
	tokens, lexErr := lex(text)
	root, err := (&parser{tokens: tokens}).whole()
	switch {
	case lexErr != nil && !errors.Is(err, ErrProse):
		return nil, lexErr // of a sentence, its words are what is wrong first
	case err != nil:
		return nil, err
	}
	return &Expr{text: text, root: root}, nil
}

func (p *parser) whole() (node, error) {
	root, err := p.or()
	if t := p.peek(); err == nil && t.kind != tokenEnd {
		err = p.unexpected(t)
	}
	return root, err
}

type parser struct {
	tokens []token
	next   int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.next] }

func (p *parser) take() token {
	t := p.tokens[p.next]
	if t.kind != tokenEnd {
		p.next++
	}
	return t
}

// accept takes the operator or keyword if it is next.
func (p *parser) accept(op string) bool {
	if t := p.peek(); t.kind == tokenOp && t.text == op {
		p.next++
		return true
	}
	return false
}

func (p *parser) expect(op string) error {
	if !p.accept(op) {
		return p.unexpected(p.peek())
	}
	return nil
}

// unexpected words the error; two words side by side are a sentence.
func (p *parser) unexpected(t token) error {
	if t.kind == tokenEnd {
		return fail(t.column, ErrSyntax, "the condition is cut")
	}
	if t.kind == tokenName && p.next > 0 {
		if before := p.tokens[p.next-1]; before.kind == tokenName || before.kind == tokenOp && keywords[before.text] {
			return fail(t.column, ErrProse, "word %q follows a word", t.text)
		}
	}
	return fail(t.column, ErrSyntax, "unexpected %q", t.text)
}

// deeper counts a level of nesting.
func (p *parser) deeper() (func(), error) {
	p.depth++
	if p.depth > maxDepth {
		return nil, fail(p.peek().column, ErrTooLong, "nested deeper than %d", maxDepth)
	}
	return func() { p.depth-- }, nil
}

func (p *parser) or() (node, error)  { return p.chain("or", p.and) }
func (p *parser) and() (node, error) { return p.chain("and", p.not) }

// chain parses operands joined by one operator, from left to right.
func (p *parser) chain(op string, operand func() (node, error)) (node, error) {
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	left, err := operand()
	for err == nil && p.accept(op) {
		var right node
		if right, err = operand(); err == nil {
			left = &binary{at(left.column()), op, left, right}
		}
	}
	return left, err
}

func (p *parser) not() (node, error) {
	t := p.peek()
	if !p.accept("not") {
		return p.comparison()
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	of, err := p.not()
	return &unary{at(t.column), of}, err
}

var comparators = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

// comparison parses one comparison; they do not chain, since a < b < c would
// compare a boolean.
func (p *parser) comparison() (node, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	switch {
	case t.kind == tokenOp && comparators[t.text]:
		p.take()
		right, err := p.sum()
		if err == nil && p.peek().kind == tokenOp && comparators[p.peek().text] {
			return nil, fail(p.peek().column, ErrSyntax, "comparisons do not chain")
		}
		return &binary{at(left.column()), t.text, left, right}, err
	case p.accept("is"):
		negated := p.accept("not")
		return &emptiness{at(left.column()), left, negated}, p.expect("empty")
	case p.accept("in"):
		right, err := p.sum()
		return &membership{at(left.column()), left, right, false}, err
	case t.kind == tokenOp && t.text == "not" && p.tokens[p.next+1].kind == tokenOp && p.tokens[p.next+1].text == "in":
		p.next += 2
		right, err := p.sum()
		return &membership{at(left.column()), left, right, true}, err
	}
	return left, nil
}

func (p *parser) sum() (node, error) {
	left, err := p.product()
	for err == nil {
		op := p.peek()
		if op.kind != tokenOp || op.text != "+" && op.text != "-" {
			break
		}
		p.take()
		var right node
		if right, err = p.product(); err == nil {
			left = &binary{at(left.column()), op.text, left, right}
		}
	}
	return left, err
}

func (p *parser) product() (node, error) {
	left, err := p.prefixed()
	for err == nil && p.accept("*") {
		var right node
		if right, err = p.prefixed(); err == nil {
			left = &binary{at(left.column()), "*", left, right}
		}
	}
	return left, err
}

// prefixed parses JavaScript's ! and a minus before a number.
func (p *parser) prefixed() (node, error) {
	t := p.peek()
	switch {
	case p.accept("!"):
		up, err := p.deeper()
		if err != nil {
			return nil, err
		}
		defer up()
		of, err := p.prefixed()
		return &unary{at(t.column), of}, err
	case p.accept("-"):
		n := p.take()
		if n.kind != tokenInt {
			return nil, fail(t.column, ErrSyntax, "a minus stands before a number or between two operands")
		}
		return &literal{at(t.column), Int(-n.number)}, nil
	}
	return p.postfix()
}

// postfix parses members, indexes and methods behind a primary.
func (p *parser) postfix() (node, error) {
	x, err := p.primary()
	for err == nil {
		t := p.peek()
		switch {
		case p.accept("."):
			x, err = p.afterDot(x, t)
		case p.accept("["):
			var by node
			if by, err = p.or(); err == nil {
				x, err = &index{at(x.column()), x, by}, p.expect("]")
			}
		default:
			return x, nil
		}
	}
	return nil, err
}

// afterDot parses what follows a dot: a member or one of the known methods.
func (p *parser) afterDot(x node, dot token) (node, error) {
	t := p.take()
	if t.kind != tokenName {
		return nil, fail(dot.column, ErrSyntax, "a name must follow the dot")
	}
	if next := p.peek(); next.kind != tokenOp || next.text != "(" {
		if t.text == "length" {
			return &length{at(x.column()), x}, nil
		}
		return &member{at(x.column()), x, t.text}, nil
	}
	p.take()
	return p.method(x, t)
}

func (p *parser) method(x node, t token) (node, error) {
	switch t.text {
	case "includes", "startsWith":
		arg, err := p.or()
		if err != nil {
			return nil, err
		}
		if t.text == "includes" {
			return &membership{at(x.column()), arg, x, false}, p.expect(")")
		}
		return &prefix{at(x.column()), x, arg}, p.expect(")")
	case "some", "every":
		v := p.take()
		if v.kind != tokenName {
			return nil, fail(v.column, ErrSyntax, "want %s(x => …)", t.text)
		}
		if err := p.expect("=>"); err != nil {
			return nil, err
		}
		body, err := p.or()
		if err != nil {
			return nil, err
		}
		return &quantifier{at(x.column()), t.text == "every", body, v.text, x}, p.expect(")")
	}
	return nil, fail(t.column, ErrSyntax, "unknown method %q: known are includes, some, every, startsWith", t.text)
}

func (p *parser) primary() (node, error) {
	t := p.take()
	switch {
	case t.kind == tokenInt:
		return &literal{at(t.column), Int(t.number)}, nil
	case t.kind == tokenString:
		return &literal{at(t.column), String(t.text)}, nil
	case t.kind == tokenOp && (t.text == "true" || t.text == "false"):
		return &literal{at(t.column), Bool(t.text == "true")}, nil
	case t.kind == tokenOp && t.text == "(":
		x, err := p.or()
		if err != nil {
			return nil, err
		}
		return x, p.expect(")")
	case t.kind == tokenName && p.accept("("):
		if t.text == "any" || t.text == "all" {
			return p.comprehension(t)
		}
		return p.call(t)
	case t.kind == tokenName:
		return &name{at(t.column), t.text}, nil
	}
	p.back(t)
	return nil, p.unexpected(t)
}

func (p *parser) back(t token) {
	if t.kind != tokenEnd {
		p.next--
	}
}

// comprehension parses any(body for x in list).
func (p *parser) comprehension(t token) (node, error) {
	body, err := p.or()
	if err != nil {
		return nil, err
	}
	if err := p.expect("for"); err != nil {
		return nil, err
	}
	v := p.take()
	if v.kind != tokenName {
		return nil, fail(v.column, ErrSyntax, "want %s(… for x in xs)", t.text)
	}
	if err := p.expect("in"); err != nil {
		return nil, err
	}
	list, err := p.sum()
	if err != nil {
		return nil, err
	}
	return &quantifier{at(t.column), t.text == "all", body, v.text, list}, p.expect(")")
}

func (p *parser) call(t token) (node, error) {
	c := &call{at: at(t.column), name: t.text}
	for !p.accept(")") {
		if len(c.args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		arg, err := p.or()
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, arg)
	}
	return c, nil
}
