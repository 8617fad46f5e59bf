package condition

import (
	"strconv"
	"strings"
)

// option is one of the values that a path may come to, where all of them are known
// since load: an entry of a table or a list of the passport, or a part of one.
type option struct {
	where string // in the limits, for messages
	key   string // of the table that it is of
	value *Value
}

// entries are what an index or a loop variable may come to; nil where that is not
// known since load. name is that of a constant.
func (c compiled) entries(name string) []option {
	of := c.options
	if c.constant != nil {
		of = []option{{where: name, value: c.constant}}
	}
	if of == nil {
		return nil
	}
	out := []option{}
	for _, o := range of {
		for _, k := range sortedKeys(o.value.Map) {
			out = append(out, option{o.where + "." + k, k, o.value.Map[k]})
		}
		for i := range o.value.List {
			out = append(out, option{o.where + "." + strconv.Itoa(i), "", &o.value.List[i]})
		}
	}
	return out
}

// memberOfEach resolves a member of a path that is one of some values. Each must have
// it, so that a cap which one currency lacks is found at load and not at a payment.
func memberOfEach(of compiled, n *member) (compiled, error) {
	if kind := of.typ.Kind; kind != KindMap && kind != KindMixed {
		return compiled{}, fail(n.column(), ErrType, "%s has no members", kind)
	}
	return partOfEach(of, n.column(), new(String(n.name)))
}

// partOfEach resolves what stands at one place in each of some values.
func partOfEach(of compiled, column int, at *Value) (compiled, error) {
	out, lacking := of, []string(nil)
	out.options = nil
	name := at.Str
	if at.Kind == KindInt {
		name = at.Text()
	}
	for _, o := range of.options {
		part := option{o.where + "." + name, o.key, nil}
		if v, r := entry(o.value, at); r == True {
			part.value = v
		} else {
			lacking = append(lacking, part.where)
			continue
		}
		if len(out.options) == 0 {
			out.typ = typeOf(part.value)
		} else {
			out.typ = join(out.typ, typeOf(part.value))
		}
		out.options = append(out.options, part)
	}
	if len(lacking) > 0 {
		return compiled{}, fail(column, ErrMissingLimit, "%s", strings.Join(lacking, ", "))
	}
	if err := oneKind(column, out.options); err != nil {
		return compiled{}, err
	}
	out.get = func(e *Env) (*Value, Result) {
		v, r := of.get(e)
		if r != True {
			return nil, r
		}
		return entry(v, at)
	}
	if of.key != nil {
		out.get = byKey(of.key, out.options)
	}
	return out, nil
}

// byKey finds the part of a table's entry without a look at the entry.
func byKey(key getter, parts []option) getter {
	values := map[string]*Value{}
	for _, p := range parts {
		values[p.key] = p.value
	}
	known := tableOf(values)
	return func(e *Env) (*Value, Result) {
		k, r := key(e)
		switch {
		case r != True:
			return nil, r
		case k.Kind != KindString:
			return nil, Fault
		}
		if v := known.find(k.Str); v != nil {
			return v, True
		}
		return nil, Missing
	}
}

// oneKind refuses values of which one is another kind than the first.
func oneKind(column int, options []option) error {
	for _, o := range options {
		if first := options[0]; o.value.Kind != first.value.Kind {
			return fail(column, ErrType, "%s is %s, %s is %s", first.where, first.value.Kind, o.where, o.value.Kind)
		}
	}
	return nil
}
