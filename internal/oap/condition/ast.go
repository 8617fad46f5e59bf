package condition

// node is an expression. Each has the column where it starts.
type node interface{ column() int }

type at int

func (a at) column() int { return int(a) }

type (
	literal struct {
		at
		value Value
	}
	name struct {
		at
		text string
	}
	member struct {
		at
		of   node
		name string
	}
	index struct {
		at
		of, by node
	}
	unary struct { // not
		at
		of node
	}
	binary struct { // and or == != < <= > >= + - *
		at
		op          string
		left, right node
	}
	membership struct { // left in right
		at
		left, right node
		negated     bool
	}
	emptiness struct {
		at
		of      node
		negated bool
	}
	prefix struct { // of.startsWith(with)
		at
		of, with node
	}
	length struct {
		at
		of node
	}
	quantifier struct { // any / all
		at
		all  bool
		body node
		v    string
		list node
	}
	call struct {
		at
		name string
		args []node
	}
)
