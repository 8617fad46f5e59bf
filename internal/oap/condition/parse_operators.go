package condition

// Operators, from the loosest to the tightest.

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
