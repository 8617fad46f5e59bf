package condition

import (
	"slices"
	"strconv"
	"strings"
)

// Read is a limit that a condition reads.
type Read struct {
	Path  []string // below the capability; AnyKey stands for an index known at run time alone
	Empty bool     // the condition asks whether it is empty
}

// AnyKey is the part of a path that any key of a table may take, and any place in
// a list. No text of a condition can hold both quotes, so that it is never a key's
// name: '*' is one as any other.
const AnyKey = `'"`

// Name writes the path with dots, and * for any key.
func (r Read) Name() string { return strings.ReplaceAll(strings.Join(r.Path, "."), AnyKey, "*") }

// Limits lists the limits that the condition reads, in any of the three path
// dialects, in the order in which they first stand. capability is that of the
// limits, in parts. What is read of a loop variable is read of its list.
func (e *Expr) Limits(capability []string) []Read {
	w := &reader{capability: capability, loops: map[string][]string{}}
	w.walk(e.root)
	return w.reads
}

type reader struct {
	capability []string
	loops      map[string][]string // the path that a variable stands for
	reads      []Read
}

func (w *reader) walk(n node) {
	if path, ok := w.limitPath(n); ok {
		w.note(path, false)
		w.indexes(n)
		return
	}
	if n, ok := n.(*emptiness); ok {
		if path, ok := w.limitPath(n.of); ok {
			w.note(path, true)
			w.indexes(n.of)
			return
		}
	}
	if loop, ok := n.(*quantifier); ok {
		w.loop(loop)
		return
	}
	for _, c := range children(n) {
		w.walk(c)
	}
}

func (w *reader) loop(n *quantifier) {
	w.walk(n.list)
	if path, ok := w.limitPath(n.list); ok {
		w.loops[n.v] = path
	}
	w.walk(n.body)
	delete(w.loops, n.v) // a loop beside this one may have the name
}

// indexes walks what a path is indexed by, which may read limits of its own.
func (w *reader) indexes(n node) {
	for {
		switch x := n.(type) {
		case *member:
			n = x.of
		case *index:
			w.walk(x.by)
			n = x.of
		default:
			return
		}
	}
}

func (w *reader) note(path []string, empty bool) {
	if n := len(w.capability); len(path) > n && slices.Equal(path[:n], w.capability) {
		path = path[n:]
	}
	if len(path) == 0 {
		return
	}
	i := slices.IndexFunc(w.reads, func(r Read) bool { return slices.Equal(r.Path, path) })
	if i < 0 {
		w.reads = append(w.reads, Read{path, empty})
		return
	}
	w.reads[i].Empty = w.reads[i].Empty || empty
}

// limitPath is what stands behind "limits" or "passport.limits", or behind a
// variable over that.
func (w *reader) limitPath(n node) (path []string, ok bool) {
	switch n := n.(type) {
	case *name:
		if list, ok := w.loops[n.text]; ok {
			return append(slices.Clone(list), AnyKey), true
		}
		return nil, n.text == "limits"
	case *member:
		if root, isName := n.of.(*name); isName && root.text == "passport" {
			return nil, n.name == "limits"
		}
		path, ok = w.limitPath(n.of)
		return append(path, n.name), ok
	case *index:
		path, ok = w.limitPath(n.of)
		if by, isLiteral := n.by.(*literal); isLiteral && by.value.Kind == KindString {
			return append(path, by.value.Str), ok
		} else if isLiteral && by.value.Kind == KindInt {
			return append(path, by.value.Text()), ok
		}
		return append(path, AnyKey), ok
	}
	return nil, false
}

func children(n node) []node {
	switch n := n.(type) {
	case *member:
		return []node{n.of}
	case *index:
		return []node{n.of, n.by}
	case *unary:
		return []node{n.of}
	case *binary:
		return []node{n.left, n.right}
	case *membership:
		return []node{n.left, n.right}
	case *emptiness:
		return []node{n.of}
	case *prefix:
		return []node{n.of, n.with}
	case *length:
		return []node{n.of}
	case *quantifier:
		return []node{n.list, n.body}
	case *call:
		return n.args
	}
	return nil
}

// shownEntries is how many entries of a list or map Shown writes out.
const shownEntries = 10

// Shown lists what the condition reads in env as Seen does, with lists, maps and
// objects written out.
func (p *Program) Shown(env *Env) []Seen {
	out := p.Seen(env)
	for i, l := range p.leaves {
		if v, r := l.get(env); r == True {
			out[i].Value = v.shown(l.typ)
		}
	}
	return out
}

func (v *Value) shown(t Type) string {
	var parts []string
	brackets := "{}"
	switch v.Kind {
	case KindList:
		brackets = "[]"
		for i := range v.List {
			parts = append(parts, v.List[i].shown(elem(t)))
		}
	case KindMap:
		for _, k := range sortedKeys(v.Map) {
			parts = append(parts, strconv.Quote(k)+": "+v.Map[k].shown(elem(t)))
		}
	case KindRecord:
		for i := range min(len(v.List), len(t.Names)) {
			if m := &v.List[i]; m.Kind != KindAbsent {
				parts = append(parts, strconv.Quote(t.Names[i])+": "+m.shown(t.Members[i]))
			}
		}
	case KindSet:
		brackets = "[]"
		for _, k := range sortedKeys(v.Set) {
			parts = append(parts, strconv.Quote(k))
		}
	default:
		return v.Text()
	}
	if more := len(parts) - shownEntries; more > 0 {
		parts = append(parts[:shownEntries], "… "+strconv.Itoa(more)+" more")
	}
	return brackets[:1] + strings.Join(parts, ", ") + brackets[1:]
}
