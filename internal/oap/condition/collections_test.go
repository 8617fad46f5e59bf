package condition_test

import (
	"testing"

	"vaultbench/internal/oap/condition"
)

func TestMembership(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"string in list", "merchant in limits.merchants", nil, yes, "an element"},
		{"string not in list", "merchant not in limits.merchants", nil, no, "an element"},
		{"no element", "merchant in limits.blocked", nil, no, "none is equal"},
		{"not in, no element", "merchant not in limits.blocked", nil, yes, "none is equal"},
		{"part of an element", "'mär' in limits.merchants", nil, no, "elements compare whole"},
		{"element in another case", "'MÄRA' in limits.merchants", nil, no, "compared byte for byte"},
		{"empty list", "merchant in limits.nobody", nil, no, "nobody"},
		{"integer in list", "3 in counts", nil, yes, "an element"},
		{"sum in list", "qty + 1 in counts", nil, yes, "a value like another"},
		{"sum beyond 64 bits", "9223372036854775807 + qty in counts", nil, fault, "no value that a list holds; never wrapped"},
		{"key of a map", "currency in limits.caps", nil, yes, "keys are what a map holds"},
		{"no key of a map", "'GBP' in limits.caps", nil, no, "no such key"},
		{"value of a map", "2 not in counts or 'fish' in limits.by_land", nil, no, "values are not what in asks for"},
		{"key of an empty map", "currency in limits.no_table", nil, no, "no key"},
		{"one of many", "note in limits.dozen", vars{"note": condition.String("l")}, yes, "a long list is searched to its end"},
		{"first of many", "note in limits.dozen", vars{"note": condition.String("a")}, yes, "and from its start"},
		{"none of many", "note in limits.dozen", vars{"note": condition.String("m")}, no, "none is equal"},
		{"not in many", "note not in limits.dozen", vars{"note": condition.String("l")}, no, "one is equal"},
		{"one of many keys", "note in limits.rooms", vars{"note": condition.String("l")}, yes, "a long table is searched to its end"},
		{"none of many keys", "note in limits.rooms", vars{"note": condition.String("m")}, no, "no key"},
		{"entry of many", "limits.rooms[note].number == 12", vars{"note": condition.String("l")}, yes, "each key has its own"},
		{"no entry of many", "limits.rooms[note].number == 12", vars{"note": condition.String("m")}, missing, "nothing stands for it"},
		{"absent in a list that is known", "note in limits.dozen", nil, absent, "an optional field is skipped"},
		{"another kind in a list that is known", "note in limits.dozen", vars{"note": condition.Int(1)}, fault, "a string was promised"},
		{"used key", "'k1' in recent_keys", nil, yes, "used"},
		{"new key", "'k2' not in recent_keys", nil, yes, "not used"},
		{"key of totals", "'acme' in totals", nil, yes, "a sum is kept"},
		{"no key of totals", "'other' in totals", nil, no, "none is kept, though its sum is 0"},
		{"string in string", "'th-ea' in limits.label", nil, yes, "a part"},
		{"string not in string", "'south' not in limits.label", nil, yes, "no part"},
		{"empty string in string", "'' in limits.label", nil, yes, "part of every string, as in JavaScript"},
		{"includes, list", "limits.merchants.includes(merchant)", nil, yes, "JavaScript's in"},
		{"includes, string", "limits.label.includes('east')", nil, yes, "JavaScript's in"},
		{"includes, none", "!tags.includes('c')", nil, yes, "none"},
		{"unknown elements", "'a' in loose", vars{"loose": words("b", "a")}, yes, "a schema may leave the elements' type open"},
		{"unknown elements of another kind", "'a' in loose", vars{"loose": numbers(1)}, fault, "the values can't be compared"},
		{"unknown container", "'a' in meta", vars{"meta": words("a")}, yes, "known when it is there"},
		{"unknown container, an integer", "'a' in meta", vars{"meta": condition.Int(1)}, fault, "holds nothing"},
		{"integer in what turns out to be a string", "1 in meta", vars{"meta": condition.String("1")}, fault, "a string holds strings"},
	})
}

func TestEmptiness(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"list", "limits.nobody is empty", nil, yes, "no element"},
		{"list with elements", "limits.merchants is empty", nil, no, "two"},
		{"not empty", "limits.merchants is not empty", nil, yes, "two"},
		{"string", "limits.blank is empty", nil, yes, "no character"},
		{"blank string", "' ' is not empty", nil, yes, "a blank is a character"},
		{"map", "limits.no_table is empty", nil, yes, "no key"},
		{"map with keys", "limits.caps is empty", nil, no, "two"},
		{"key set", "recent_keys is empty", nil, no, "one key"},
		{"absent", "note is empty", nil, yes, "nothing was given: to skip the rule would answer that something was"},
		{"absent, not empty", "note is not empty", nil, no, "nothing was given"},
		{"absent list", "items is empty", vars{"items": {}}, yes, "nothing was given"},
		{"given", "note is not empty", vars{"note": condition.String("x")}, yes, "a character"},
		{"absent member", "home.zip is empty", nil, yes, "a member is a field like another"},
		{"member of what is absent", "home.zip is empty", vars{"home": {}}, yes, "nothing was given"},
		{"unknown that is an integer", "meta is empty", vars{"meta": condition.Int(0)}, fault, "an integer is never empty"},
	})
}

func TestStringsAndLength(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"prefix", "limits.label.startsWith('north')", nil, yes, "it does"},
		{"prefix of itself", "currency.startsWith(currency)", nil, yes, "a string starts with itself"},
		{"no prefix", "limits.label.startsWith('east')", nil, no, "it ends so"},
		{"prefix in another case", "limits.label.startsWith('North')", nil, no, "compared byte for byte"},
		{"empty prefix", "currency.startsWith('')", nil, yes, "as in JavaScript"},
		{"prefix of an unknown", "meta.startsWith('a')", vars{"meta": condition.Int(1)}, fault, "no string"},
		{"unknown prefix", "currency.startsWith(meta)", vars{"meta": condition.Bool(true)}, fault, "no string"},
		{"length of a list", "items.length == 2", nil, yes, "elements"},
		{"length of no elements", "limits.nobody.length == 0", nil, yes, "elements"},
		{"length of a string", "merchant.length == 4", nil, yes, "characters, not bytes"},
		{"length of a literal", "'héé'.length == 3", nil, yes, "a literal has members too"},
		{"length of a map", "limits.caps.length == 2", nil, yes, "keys"},
		{"length at its cap", "items.length <= limits.max_items", nil, yes, "2 of 3"},
		{"length above its cap", "items.length <= limits.max_items", vars{"items": condition.List(item("a", 1), item("b", 1), item("c", 1), item("d", 1))}, no, "4 of 3"},
		{"length of an unknown", "meta.length > 0", vars{"meta": condition.Int(1)}, fault, "an integer has none"},
	})
}

func TestUnknownKinds(t *testing.T) {
	evaluate(t, scope(), []evaluation{
		{"equal", "meta == 'a'", vars{"meta": condition.String("a")}, yes, "known when it is there"},
		{"never equal", "meta == 'a'", vars{"meta": condition.Int(1)}, fault, "neither equal nor unequal: a deny must not depend on the operator"},
		{"never unequal", "meta != 'a'", vars{"meta": condition.Int(1)}, fault, "likewise"},
		{"lists", "meta == loose[0]", vars{"meta": words("a"), "loose": condition.List(words("a"))}, fault, "lists have no equality"},
		{"ordered", "meta < 5", vars{"meta": condition.Int(1)}, yes, "an integer"},
		{"not ordered", "meta < 5", vars{"meta": condition.String("1")}, fault, "strings have no order, and are no numbers"},
		{"sum", "meta + 1 == 2", vars{"meta": condition.Int(1)}, yes, "an integer"},
		{"sum of a string", "meta + 1 == 2", vars{"meta": condition.String("1")}, fault, "nothing is turned into a number"},
		{"index of a list", "meta[1] == 'b'", vars{"meta": words("a", "b")}, yes, "by place"},
		{"index of a map", "meta['k'] == 1", vars{"meta": table(vars{"k": condition.Int(1)})}, yes, "by key"},
		{"index of a key set", "meta['k'] == 1", vars{"meta": {Kind: condition.KindSet}}, fault, "a key set has members, not entries"},
		{"index of another kind", "meta['k'] == 1", vars{"meta": words("a")}, fault, "a list has no keys"},
		{"member", "meta.k == 1", vars{"meta": table(vars{"k": condition.Int(1)})}, yes, "a map"},
		{"no member", "meta.j == 1", vars{"meta": table(vars{"k": condition.Int(1)})}, missing, "it may have been meant to be there"},
		{"member of another kind", "meta.k == 1", vars{"meta": words("a")}, fault, "a list has no members"},
		{"quantified", "any(x == 1 for x in meta)", vars{"meta": numbers(2, 1)}, yes, "a list"},
		{"quantified, no list", "any(x == 1 for x in meta)", vars{"meta": table(nil)}, fault, "a map is not walked"},
	})
}
