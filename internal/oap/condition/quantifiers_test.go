package condition_test

import (
	"testing"

	"vaultbench/internal/oap/condition"
)

// parts is an item made of parts, code and weight in turn.
func parts(category string, tags condition.Value, pairs ...any) condition.Value {
	list := condition.List()
	for i := 0; i < len(pairs); i += 2 {
		list.List = append(list.List, object(condition.String(pairs[i].(string)), condition.Int(int64(pairs[i+1].(int)))))
	}
	return object(condition.String(category), condition.Value{}, condition.Int(1), tags, list)
}

// bare is an item of which nothing but the price is given.
func bare(price int64) condition.Value {
	return object(condition.Value{}, condition.Value{}, condition.Int(price), condition.Value{}, condition.Value{})
}

func TestQuantifiers(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"any, one matches", "any(x.category == 'toy' for x in items)", nil, yes, "the second"},
		{"any, none matches", "any(x.category == 'arms' for x in items)", nil, no, "none"},
		{"all match", "all(x.price > 2 for x in items)", nil, yes, "3 and 5"},
		{"all, one does not", "all(x.price > 3 for x in items)", nil, no, "the first"},
		{"some", "items.some(x => x.category == 'toy')", nil, yes, "JavaScript's any"},
		{"some, none matches", "items.some(x => x.price == 4)", nil, no, "none"},
		{"every", "items.every(x => x.price > 2)", nil, yes, "JavaScript's all"},
		{"every, one does not", "items.every(i => i.price > 3)", nil, no, "the first"},
		{"any of none", "any(x.price > 0 for x in items)", vars{"items": condition.List()}, no, "there is none"},
		{"all of none", "all(x.price > 9 for x in items)", vars{"items": condition.List()}, yes, "there is none that does not"},
		{"not any", "NOT any(x.category in limits.blocked for x in items)", nil, yes, "the published rule"},
		{"not any, one is", "NOT any(x.category in limits.blocked for x in items)", vars{"items": condition.List(item("toy", 1), item("arms", 1))}, no, "the second"},
		{"of strings", "all(t in tags for t in tags)", nil, yes, "elements may be plain"},
		{"of a limit", "any(m == merchant for m in limits.merchants)", nil, yes, "a limit is a list like another"},
		{"over what only binds", "any(m.startsWith('mä') for m in limits.merchants)", nil, yes, "a member of the variable"},
		{"members of what is no object", "any(x.price > 0 for x in items)", vars{"items": numbers(1)}, fault, "a gate's rule may read a context that no schema has passed"},
		{"member of a shorter object", "any(x.price > 0 for x in items)", vars{"items": condition.List(object(condition.String("toy")))}, fault, "likewise"},
		{"member of what is no object", "home.zip == 'a'", vars{"home": condition.String("a")}, fault, "likewise"},
		{"two in a row", "any(x == 'a' for x in tags) and any(x == 3 for x in counts)", nil, yes, "a name is free again behind its quantifier"},
		{"in the list of another", "any(x == 1 for x in counts) == all(y > 0 for y in counts)", nil, yes, "a boolean like another"},
		{"a place of the list", "any(counts[x] == 3 for x in counts)", nil, yes, "counts[2]"},
	})
}

func TestNestedQuantifiers(t *testing.T) {
	one := vars{"items": condition.List(parts("toy", words("a"), "p", 1, "q", 9), parts("book", words("b"), "r", 2))}
	evaluate(t, scope(), []evaluation{
		{"any of any", "any(any(p.weight == 9 for p in x.parts) for x in items)", one, yes, "the first item's second part"},
		{"any of any, none", "any(any(p.weight == 8 for p in x.parts) for x in items)", one, no, "none"},
		{"all of any", "all(any(p.weight < 3 for p in x.parts) for x in items)", one, yes, "1 and 2"},
		{"all of all", "all(all(p.weight < 3 for p in x.parts) for x in items)", one, no, "9 is not"},
		{"some of every", "items.some(x => x.parts.every(p => p.weight == 2))", one, yes, "the second item"},
		{"outer variable inside", "any(any(p.weight > x.price for p in x.parts) for x in items)", one, yes, "9 is above 1"},
		{"three deep", "any(any(any(p.code == 'r' and t == 'b' and x.category == 'book' for t in x.tags) for p in x.parts) for x in items)", one, yes, "all three are seen"},
		{"inner walk leaves the outer element", "any(any(p.weight == 2 for p in x.parts) and x.category == 'book' for x in items)", one, yes, "the outer place is its own"},
		{"inner of the same name as a sibling", "any(any(p.weight == 9 for p in x.parts) and all(p.weight > 0 for p in x.parts) for x in items)", one, yes, "siblings do not shadow"},
		{"mixed dialects", "any(x.parts.some(p => p.code == 'q') for x in items)", one, yes, "each in its own"},
		{"in an argument", "any(same(any(t == 'b' for t in x.tags), true) for x in items)", one, yes, "a function's argument sees the variables"},
	})
}

// TestElementsWithoutTheField: a field that one element lacks makes that element
// not match. It never skips the rule.
func TestElementsWithoutTheField(t *testing.T) {
	some := vars{"items": condition.List(bare(1), item("toy", 5))}
	none := vars{"items": condition.List(bare(1), bare(2))}
	evaluate(t, scope(), []evaluation{
		{"any, another matches", "any(x.category == 'toy' for x in items)", some, yes, "the second"},
		{"any, the only one lacks it", "any(x.category == 'toy' for x in items)", none, no, "no match, and no skip"},
		{"all, one lacks it", "all(x.category == 'toy' for x in items)", some, no, "the first does not match"},
		{"not any", "NOT any(x.category in limits.blocked for x in items)", none, yes, "no match: the rule holds"},
		{"negated inside", "any(not x.category == 'toy' for x in items)", none, no, "what is not there is not unequal either"},
		{"unequal", "any(x.category != 'toy' for x in items)", none, no, "likewise"},
		{"or, the other side holds", "any(x.price == 1 or x.category == 'toy' for x in items)", none, no, "the body reads the category"},
		{"or, the absent side first", "any(x.category == 'toy' or x.price == 1 for x in items)", none, no, "likewise: no order matters"},
		{"all, the other side is false", "not all(x.price > 9 and x.category == 'toy' for x in items)", none, yes, "no match"},
		{"all, the absent side first", "not all(x.category == 'toy' and x.price > 9 for x in items)", none, yes, "likewise"},
		{"is empty", "all(x.category is empty for x in items)", none, yes, "absent is empty here too"},
		{"an inner list", "any(any(p.code == 'q' for p in x.parts) for x in items)", none, no, "the outer element does not match"},
		{"all of an inner list", "all(all(p.code == 'q' for p in x.parts) for x in items)", none, no, "the outer elements do not match"},
		{"a field of the context", "any(x == note for x in tags)", nil, no, "inside a quantifier nothing skips the rule"},
		{"the list itself", "any(x.category == 'toy' for x in items)", vars{"items": {}}, absent, "outside: the rule is skipped"},
		{"an absent element", "any(x == 'a' for x in tags)", vars{"tags": condition.List(condition.Value{}, condition.String("a"))}, yes, "an element that is not there does not match"},
		{"missing inside", "any(limits.caps[t].max > 0 for t in tags)", nil, missing, "what must be there is not excused"},
		{"a fault inside", "any(meta < x for x in counts)", vars{"meta": condition.String("1")}, fault, "nor is what can't be read"},
		{"a fault behind the match", "any(x > 0 or meta < x for x in counts)", vars{"meta": condition.String("1")}, yes, "not asked any more"},
	})
}
