package condition_test

import (
	"strconv"
	"strings"
)

// The levels of precedence, the loosest first.
const (
	orLevel = iota + 1
	andLevel
	notLevel
	compareLevel
	sumLevel
	productLevel
	signLevel
	postfixLevel
)

// print writes the tree so that it stands where the level is wanted, with no more
// parentheses than that needs but for those that the style adds.
func (t *tree) print(level int) string {
	text, own := t.written()
	if own < level || t.style == 9 {
		return "(" + text + ")"
	}
	return text
}

// written is the tree without parentheses and its level.
func (t *tree) written() (string, int) {
	switch t.op {
	case "literal":
		if strings.HasPrefix(t.text, "-") {
			return t.text, signLevel
		}
		if b, ok := t.value.(bool); ok {
			return t.keyword(strconv.FormatBool(b)), postfixLevel
		}
		return t.text, postfixLevel
	case "and", "guarded", "or", "not":
		return t.logical()
	case "+", "-":
		return t.kids[0].print(sumLevel) + " " + t.op + " " + t.kids[1].print(productLevel), sumLevel
	case "*":
		return t.kids[0].print(productLevel) + "*" + t.kids[1].print(signLevel), productLevel
	case "in", "not in", "empty", "not empty", "any", "all":
		return t.dialects()
	case "field", "variable", "limit", "passport", "member", "at", "total", "rate", "cap":
		return t.path(), postfixLevel
	case "length":
		return t.kids[0].print(postfixLevel) + ".length", postfixLevel
	case "prefix":
		return t.kids[0].print(postfixLevel) + ".startsWith(" + t.kids[1].print(orLevel) + ")", postfixLevel
	case "call":
		var args []string
		for _, k := range t.kids {
			args = append(args, k.print(orLevel))
		}
		return t.text + "(" + strings.Join(args, ", ") + ")", postfixLevel
	}
	op := strings.TrimPrefix(t.op, "rank ")
	return t.kids[0].print(sumLevel) + " " + op + " " + t.kids[1].print(sumLevel), compareLevel
}

func (t *tree) logical() (string, int) {
	signs := t.style&2 != 0
	switch t.op {
	case "not":
		if signs {
			return "!" + t.kids[0].print(signLevel), signLevel
		}
		return t.keyword("not") + " " + t.kids[0].print(notLevel), notLevel
	case "and", "guarded":
		op := t.keyword("and")
		if signs {
			op = "&&"
		}
		return t.kids[0].print(andLevel) + " " + op + " " + t.kids[1].print(notLevel), andLevel
	}
	op := t.keyword("or")
	if signs {
		op = "||"
	}
	return t.kids[0].print(orLevel) + " " + op + " " + t.kids[1].print(andLevel), orLevel
}

// dialects writes what the two dialects write in different order.
func (t *tree) dialects() (string, int) {
	javaScript := t.style&2 != 0
	switch t.op {
	case "in", "not in":
		if javaScript && t.op == "in" {
			return t.kids[1].print(postfixLevel) + ".includes(" + t.kids[0].print(orLevel) + ")", postfixLevel
		}
		return t.kids[0].print(sumLevel) + " " + t.keyword(t.op) + " " + t.kids[1].print(sumLevel), compareLevel
	case "empty", "not empty":
		return t.kids[0].print(sumLevel) + " " + t.keyword("is "+t.op), compareLevel
	}
	if javaScript {
		method := map[string]string{"any": ".some(", "all": ".every("}[t.op]
		return t.kids[1].print(postfixLevel) + method + t.text + " => " + t.kids[0].print(orLevel) + ")", postfixLevel
	}
	return t.op + "(" + t.kids[0].print(orLevel) + t.keyword(" for ") + t.text + t.keyword(" in ") + t.kids[1].print(sumLevel) + ")", postfixLevel
}

func (t *tree) path() string {
	switch t.op {
	case "field":
		if _, state := kept[t.text]; !state && t.style&2 != 0 {
			return "context." + t.text
		}
		return t.text
	case "limit":
		return t.limitRoot() + t.text
	case "passport":
		return "passport." + t.text
	case "member":
		return t.kids[0].print(postfixLevel) + "." + t.text
	case "at":
		return t.kids[0].print(postfixLevel) + "[" + t.kids[1].print(orLevel) + "]"
	case "total":
		return "totals[" + t.kids[0].print(orLevel) + "]"
	case "rate":
		return t.limitRoot() + "rates[" + t.kids[0].print(orLevel) + "]"
	case "cap":
		if t.style&1 != 0 {
			return t.limitRoot() + "caps[" + t.kids[0].print(orLevel) + "]['" + t.text + "']"
		}
		return t.limitRoot() + "caps[" + t.kids[0].print(orLevel) + "]." + t.text
	}
	return t.text
}

// limitRoots are the dialects that a limit's path is written in.
var limitRoots = []string{"limits.", "limits.payments.charge.", "passport.limits.", "passport.limits.payments.charge."}

func (t *tree) limitRoot() string { return limitRoots[t.style>>1%4] }

func (t *tree) keyword(lower string) string {
	if t.style&4 != 0 {
		return strings.ToUpper(lower)
	}
	return lower
}
