package condition

import "slices"

// Slot is where a name's value stands in an Env.
type Slot struct {
	Index    int
	Type     Type
	Required bool // a field that every context has
}

// Func is a Go function that a condition may call by its registered name.
type Func struct {
	Params   []Kind
	Result   Kind
	Ordered  bool // the result is a word of Scope.Order
	AbsentOK bool // it is called with nil for an absent argument; otherwise the rule is skipped
	Call     func(args []*Value) (Value, error)
}

// Scope is what a condition may name. A nil Limits or Passport means that only a
// pack is looked at: their types are unknown and evaluation would find them
// missing.
type Scope struct {
	Context    map[string]Slot // fields of the context, bare or behind "context."
	State      map[string]Slot // bare names that the engine keeps
	Capability []string        // of the limits, in parts: limits.payments.charge.x is limits.x
	Limits     map[string]*Value
	Passport   map[string]*Value // what stands behind "passport.", limits aside
	Functions  map[string]Func
	Order      []string // words that compare by their place, such as assurance levels
	Ordered    []string // fields of Passport that hold such a word
}

// rank is a word's place in the order.
func (s *Scope) rank(word string) (int, bool) {
	i := slices.Index(s.Order, word)
	return i, i >= 0
}

// Root reports whether a path begins with the name, which nothing else may have.
func Root(name string) bool { return name == "passport" || name == "limits" || name == "context" }

// Env is what a condition is evaluated on. It is reused between evaluations and
// not safe for concurrent use.
type Env struct {
	Slots []Value
	vars  [maxDepth]*Value
}

// Result is what a condition comes to.
type Result uint8

// The results. Only True holds.
const (
	False   Result = iota
	True           // holds; inside evaluation also: there is a value
	Absent         // an optional field of the context is not there: the rule is skipped
	Missing        // something that must be there is not: a key of a limit's map
	Fault          // the values can't be used as the condition says
)

func resultOf(b bool) Result {
	if b {
		return True
	}
	return False
}
