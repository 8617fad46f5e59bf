package condition

// Operands: literals, names, calls, and what may follow them.

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
