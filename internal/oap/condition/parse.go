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
