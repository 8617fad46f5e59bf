package condition_test

import "fmt"

// tree is an expression of the generator. What it prints is parsed by the
// package; what it means is told by the naive interpreter, which never sees the
// package's own tree.
type tree struct {
	op    string
	kids  []*tree
	text  string // name, member, variable or what a literal prints
	value any    // of a literal
	style int    // which of the dialects, and whether in parentheses
}

// source turns bytes into choices; where they end each choice is the first.
type source struct{ data []byte }

func (s *source) pick(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

// binding is a loop variable in scope and what its elements are.
type binding struct{ name, kind string }

// generator makes well-typed trees over the tests' scope.
type generator struct {
	*source
	bound []binding
}

func (g *generator) node(op, text string, kids ...*tree) *tree {
	return &tree{op: op, text: text, kids: kids, style: g.pick(16)}
}

func (g *generator) one(words ...string) string { return words[g.pick(len(words))] }

// field is a name of the context; a limit or passport field has ops of its own.
func (g *generator) field(names ...string) *tree { return g.node("field", g.one(names...)) }
func (g *generator) limit(names ...string) *tree { return g.node("limit", g.one(names...)) }

func (g *generator) literal(v any) *tree {
	t := g.node("literal", fmt.Sprint(v))
	if s, ok := v.(string); ok {
		t.text = []string{"'" + s + "'", `"` + s + `"`}[g.pick(2)]
	}
	t.value = v
	return t
}

// variable is a bound variable of the kind, or nil.
func (g *generator) variable(kind string) *tree {
	var names []string
	for _, b := range g.bound {
		if b.kind == kind {
			names = append(names, b.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return g.node("variable", g.one(names...))
}

func (g *generator) boolean(depth int) *tree {
	makers := []func(int) *tree{
		g.flag, g.logic, g.compare, g.logic, g.negation, g.compare, g.equality, g.ranking, g.membership, g.emptiness, g.prefix, g.quantifier, g.predicate,
		g.quantifier,
	}
	if depth <= 0 {
		makers = makers[:1]
	}
	return makers[g.pick(len(makers))](depth - 1)
}

func (g *generator) flag(int) *tree {
	switch g.pick(4) {
	case 0:
		return g.field("in_stock", "urgent")
	case 1:
		return g.limit("on", "off")
	}
	return g.literal(g.pick(2) == 0)
}

func (g *generator) logic(depth int) *tree {
	return g.node(g.one("and", "or"), "", g.boolean(depth), g.boolean(depth))
}

// negation is one of a condition, or of one behind the guard that its text is given.
func (g *generator) negation(depth int) *tree {
	if g.pick(3) > 0 {
		return g.node("not", "", g.boolean(depth))
	}
	text := g.field("order_currency", "note", "currency")
	reads := g.node(g.one("!=", "=="), "", g.field(text.text), g.str(depth))
	if g.pick(2) == 0 {
		reads = g.node(g.one("and", "or"), "", g.boolean(depth), reads)
	}
	return g.node("not", "", g.node("guarded", "", text, reads))
}

func (g *generator) compare(depth int) *tree {
	return g.node(g.one("<=", "<", ">", ">=", "==", "!="), "", g.integer(depth), g.integer(depth))
}

func (g *generator) equality(depth int) *tree {
	op := g.one("==", "!=")
	if g.pick(2) == 0 {
		return g.node(op, "", g.boolean(depth), g.boolean(depth))
	}
	return g.node(op, "", g.str(depth), g.str(depth))
}

// ranking compares levels; the field note may hold a word that is none.
func (g *generator) ranking(depth int) *tree {
	level := g.node("passport", "assurance_level")
	other := []func() *tree{
		func() *tree { return g.literal(g.one("L0", "L1", "L2", "L3", "L4KYC", "L4FIN")) },
		func() *tree { return g.limit("level") },
		func() *tree { return g.field("note") },
		func() *tree { return g.node("call", "level_for", g.integer(depth)) },
	}[g.pick(4)]()
	if g.pick(2) == 0 {
		level, other = other, level
	}
	return g.node("rank "+g.one("<=", "<", ">", ">="), "", level, other)
}

func (g *generator) membership(depth int) *tree {
	op := g.one("in", "not in")
	if g.pick(3) == 0 {
		return g.node(op, "", g.integer(depth), g.list("int"))
	}
	in := []func() *tree{
		func() *tree { return g.list("string") },
		func() *tree { return g.limit("caps", "rates", "no_table") },
		func() *tree { return g.field("recent_keys", "totals") },
		func() *tree { return g.str(depth) },
	}[g.pick(4)]()
	return g.node(op, "", g.str(depth), in)
}

func (g *generator) emptiness(depth int) *tree {
	of := []func() *tree{
		func() *tree { return g.str(depth) },
		func() *tree { return g.list(g.one("string", "int", "item", "part")) },
		func() *tree { return g.limit("caps", "no_table") },
		func() *tree { return g.field("recent_keys") },
	}[g.pick(4)]()
	return g.node(g.one("empty", "not empty"), "", of)
}

func (g *generator) prefix(depth int) *tree {
	return g.node("prefix", "", g.str(depth), g.str(depth))
}

func (g *generator) predicate(depth int) *tree {
	if g.pick(8) == 7 {
		return g.node("call", "broken")
	}
	return g.node("call", "given", g.str(depth))
}

func (g *generator) quantifier(depth int) *tree {
	kind := g.one("string", "int", "item", "part")
	list := g.list(kind)
	v := fmt.Sprintf("v%d", len(g.bound))
	g.bound = append(g.bound, binding{v, kind})
	body := g.boolean(depth)
	g.bound = g.bound[:len(g.bound)-1]
	return g.node(g.one("any", "all"), v, body, list)
}

// list is a list whose elements are of the kind.
func (g *generator) list(kind string) *tree {
	item := g.variable("item")
	switch kind {
	case "int":
		return g.field("counts")
	case "item":
		return g.field("items")
	case "part":
		if item == nil {
			item = g.node("at", "", g.field("items"), g.literal(int64(g.pick(3))))
		}
		return g.node("member", "parts", item)
	}
	if item != nil && g.pick(2) == 0 {
		return g.node("member", "tags", item)
	}
	if g.pick(2) == 0 {
		return g.field("tags")
	}
	return g.limit("merchants", "nobody", "blocked")
}

func (g *generator) integer(depth int) *tree {
	makers := []func(int) *tree{g.number, g.number, g.place, g.sum, g.sum, g.size, g.table, g.doubled}
	if depth <= 0 {
		makers = makers[:3]
	}
	return makers[g.pick(len(makers))](depth - 1)
}

func (g *generator) number(int) *tree {
	switch g.pick(3) {
	case 0:
		return g.field("amount", "qty", "price", "daily_total")
	case 1:
		return g.limit("max_per_tx", "max_items", "zero")
	}
	return g.literal([]int64{0, 1, 2, 3, 100, -1, -5, 1<<63 - 1, -1<<63 + 1, 1 << 62}[g.pick(10)])
}

// place is an integer out of something else.
func (g *generator) place(depth int) *tree {
	if v := g.variable("int"); v != nil && g.pick(2) == 0 {
		return v
	}
	if v := g.variable("part"); v != nil && g.pick(2) == 0 {
		return g.node("member", "weight", v)
	}
	if v := g.variable("item"); v != nil {
		return g.node("member", "price", v)
	}
	return g.node("at", "", g.field("counts"), g.integer(min(depth, 1)))
}

func (g *generator) sum(depth int) *tree {
	return g.node(g.one("+", "-", "*"), "", g.integer(depth), g.integer(depth))
}

func (g *generator) size(depth int) *tree {
	if g.pick(2) == 0 {
		return g.node("length", "", g.str(depth))
	}
	return g.node("length", "", g.list(g.one("string", "int", "item", "part")))
}

// table reads a table at a key that no load can know.
func (g *generator) table(depth int) *tree {
	switch g.pick(3) {
	case 0:
		return g.node("total", "", g.str(depth))
	case 1:
		return g.node("rate", "", g.field("currency", "note", "merchant"))
	}
	return g.node("cap", g.one("max", "daily"), g.field("currency", "note", "merchant"))
}

func (g *generator) doubled(depth int) *tree {
	return g.node("call", "double", g.integer(depth))
}

func (g *generator) str(depth int) *tree {
	if v := g.variable("string"); v != nil && g.pick(2) == 0 {
		return v
	}
	if v := g.variable("part"); v != nil && g.pick(2) == 0 {
		return g.node("member", "code", v)
	}
	if v := g.variable("item"); v != nil && g.pick(2) == 0 {
		return g.node("member", g.one("category", "sku"), v)
	}
	switch g.pick(5) {
	case 0:
		return g.field("currency", "merchant", "note", "country")
	case 1:
		return g.literal(g.one("USD", "a", "", "mära", "L2", "k1"))
	case 2:
		return g.limit("label", "blank")
	case 3:
		return g.node("member", g.one("country", "zip"), g.field("home"))
	}
	if depth <= 0 {
		return g.field("currency")
	}
	return g.node("at", "", g.field("tags"), g.integer(0))
}
