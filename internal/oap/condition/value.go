// Package condition is OAP's condition language: a parser for the dialects that
// policy packs mix, and a compiler to typed closures. A condition is bound to the
// names that it may read when a pack is loaded, so whatever it can't mean is an
// error then; evaluation has no loops but over lists that are there, no recursion
// but over the condition's own depth, and always ends.
package condition

import (
	"slices"
	"strconv"
)

// Kind is the type of a value.
type Kind uint8

// The kinds. KindAbsent is the zero value: an optional field that is not there.
const (
	KindAbsent Kind = iota
	KindBool
	KindInt    // 64-bit; there are no floats
	KindString //
	KindList
	KindMap    // values by key; written in a passport
	KindRecord // an object of the context, its members known from the schema
	KindSet    // keys that were used: membership alone
	KindTotals // sums by key; a key that is not there is 0
	KindAny    // of a type: not known before a passport is bound
	KindMixed  // of a type: known, and of more kinds than one
)

var kindNames = [...]string{"absent", "boolean", "integer", "string", "list", "map", "object", "key set", "totals", "unknown", "mixed"}

// String names the kind for messages.
func (k Kind) String() string { return kindNames[k] }

// Type is what is known of a name before any value is there.
type Type struct {
	Kind    Kind
	Elem    *Type    // of a list's elements and a map's values; nil: unknown
	Names   []string // of a record's members, in the order of Value.List
	Members []Type   // likewise
}

// Any is the type of which nothing is known.
var Any = Type{Kind: KindAny}

// Member returns the place and type of a record's member.
func (t Type) Member(name string) (int, Type, bool) {
	i := slices.Index(t.Names, name)
	if i < 0 {
		return 0, Type{}, false
	}
	return i, t.Members[i], true
}

// Value is a value of the language. Only the field of its kind is set.
type Value struct {
	Kind   Kind
	Bool   bool
	Int    int64
	Str    string
	List   []Value           // of a list, and a record's members in the order of its type
	Map    map[string]*Value // of a map
	Set    map[string]bool
	Totals map[string]int64
}

// Bool makes a boolean.
func Bool(b bool) Value { return Value{Kind: KindBool, Bool: b} }

// Int makes an integer; of an amount, in minor units.
func Int(i int64) Value { return Value{Kind: KindInt, Int: i} }

// String makes a string.
func String(s string) Value { return Value{Kind: KindString, Str: s} }

// List makes a list.
func List(vs ...Value) Value { return Value{Kind: KindList, List: vs} }

// size is how many things a value holds; ok is false for a value that holds none
// by its kind.
func (v *Value) size() (n int, ok bool) {
	switch v.Kind {
	case KindString:
		return len([]rune(v.Str)), true
	case KindList:
		return len(v.List), true
	case KindMap:
		return len(v.Map), true
	case KindSet:
		return len(v.Set), true
	}
	return 0, false
}

// equal compares two values of one kind; ok is false where they can't be.
func (v *Value) equal(w *Value) (same, ok bool) {
	if v.Kind != w.Kind {
		return false, false
	}
	switch v.Kind {
	case KindBool:
		return v.Bool == w.Bool, true
	case KindInt:
		return v.Int == w.Int, true
	case KindString:
		return v.Str == w.Str, true
	}
	return false, false
}

// Text writes a value for people.
func (v *Value) Text() string { return string(v.AppendText(nil)) }

// AppendText is Text, appended to b.
func (v *Value) AppendText(b []byte) []byte {
	switch v.Kind {
	case KindBool:
		return strconv.AppendBool(b, v.Bool)
	case KindInt:
		return strconv.AppendInt(b, v.Int, 10)
	case KindString:
		return appendQuoted(b, v.Str)
	}
	b = append(b, v.Kind.String()...)
	if n, ok := v.size(); ok {
		b = strconv.AppendInt(append(b, " of "...), int64(n), 10)
	}
	return b
}

// appendQuoted is strconv.AppendQuote, which looks at each character; most texts
// need no more than the quotes.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
