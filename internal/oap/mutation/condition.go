package mutation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// edit is a condition with one change.
type edit struct {
	operator, place, text string
}

// word is one of the parts of a condition that are changed, longer ones first.
var word = regexp.MustCompile(`<=|>=|==|!=|<|>|&&|\|\||\+|-|\*|!|'[^']*'|"[^"]*"|[A-Za-z_][A-Za-z0-9_]*`)

var (
	comparators = []string{"==", "!=", "<", "<=", ">", ">="}
	ordering    = []string{"<", "<=", ">", ">="}
	arithmetic  = []string{"+", "-", "*"}
	swapped     = map[string]string{"and": "or", "or": "and", "AND": "OR", "OR": "AND", "&&": "||", "||": "&&"}
	forgotten   = map[string]string{"daily_total": "0", "daily_payout_count": "0", "recent_keys": "''"}
	// negations, where they are dropped; "is not empty" and "not in" too.
	negations = []string{"not", "NOT", "!"}
)

// edits makes every single change of a condition: each comparator to each other,
// and/or swapped, a negation dropped or put before the whole, in and is negated,
// state forgotten, arithmetic exchanged, the right side of an order off by one.
// What no longer parses is for the loader to refuse.
func edits(condition string) []edit {
	var out []edit
	counts := map[string]int{}
	spans := word.FindAllStringIndex(condition, -1)
	for i, span := range spans {
		w := condition[span[0]:span[1]]
		counts[w]++
		place := w
		if counts[w] > 1 {
			place = fmt.Sprintf("%s#%d", w, counts[w])
		}
		replace := func(operator, with string) {
			out = append(out, edit{operator, place + " to " + with, condition[:span[0]] + with + condition[span[1]:]})
		}
		switch {
		case slices.Contains(comparators, w):
			for _, c := range others(comparators, w) {
				replace("flip", c)
			}
		case slices.Contains(arithmetic, w):
			for _, a := range others(arithmetic, w) {
				replace("arithmetic", a)
			}
		case swapped[w] != "":
			replace("and-or", swapped[w])
		case forgotten[w] != "":
			replace("forget-state", forgotten[w])
		case slices.Contains(negations, w):
			out = append(out, edit{"drop-not", place, strings.TrimSpace(condition[:span[0]] + strings.TrimLeft(condition[span[1]:], " "))})
		case negatable(condition, spans, i):
			replace("negate", map[string]string{"in": "not in", "is": "is not"}[strings.ToLower(w)])
		}
	}
	return append(out, offByOne(condition)...)
}

// negatable is an in or is that no not belongs to; the in of a for is none.
func negatable(condition string, spans [][]int, i int) bool {
	at := func(j int) string {
		if j < 0 || j >= len(spans) {
			return ""
		}
		return strings.ToLower(condition[spans[j][0]:spans[j][1]])
	}
	switch at(i) {
	case "in":
		return at(i-1) != "not" && at(i-2) != "for"
	case "is":
		return at(i+1) != "not"
	}
	return false
}

// offByOne moves the bound of a condition that is one comparison by one.
func offByOne(condition string) []edit {
	found := 0
	for _, w := range word.FindAllString(condition, -1) {
		if swapped[w] != "" {
			return nil
		}
		if slices.Contains(ordering, w) {
			found++
		}
	}
	if found != 1 {
		return nil
	}
	return []edit{{"off-by-one", "more", condition + " + 1"}, {"off-by-one", "less", condition + " - 1"}}
}
