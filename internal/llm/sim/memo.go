package sim

import (
	"strings"
	"unicode/utf8"
)

// memoLimit is how much of a message a memo may hold, in runes.
const memoLimit = 80

// memo returns the memo that the clause states between two places of the
// message, "" where it states none: what stands behind a word such as "memo" or
// "reference", or else behind a "for" that follows the payment.
func (c clause) memo(text string, from, payment, to int) string {
	if memo := c.memoBehind(opensMemo, text, from, to); memo != "" {
		return memo
	}
	return c.memoBehind(opensPurpose, text, payment, to)
}

func (c clause) memoBehind(opens func(t, next token) bool, text string, from, to int) string {
	for i, t := range c.tokens[:max(0, len(c.tokens)-1)] {
		if t.start < from || t.start >= to || t.kind != kindWord || !opens(t, c.tokens[i+1]) {
			continue
		}
		if memo := memoText(text, t.end, min(to, c.memoEnd(i))); memo != "" {
			return memo
		}
	}
	return ""
}

func opensMemo(t, _ token) bool {
	return memoKeys[t.text] || containsScript(t.text, memoScripts)
}

func opensPurpose(t, next token) bool {
	switch t.text {
	case "for", "für", "por", "pour":
		return next.kind == kindWord || next.kind == kindCode
	}
	return false
}

// memoEnd is where the memo that begins behind token i ends at the latest: at
// the next recipient or amount, or with the clause.
func (c clause) memoEnd(i int) int {
	for _, t := range c.tokens[i+1:] {
		if t.kind == kindRecipient || t.kind == kindNumber {
			return t.start
		}
	}
	return c.tokens[len(c.tokens)-1].end
}

// quotes are opening marks with what closes them; in JSON inside JSON the mark
// has a backslash before it.
var quotes = []struct{ open, closing string }{
	{`"`, `"\\`}, {"“", "”"}, {"„", "“”"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"‘", "’"}, {"'", "'"},
}

// memoText takes what stands between the quotes that open within a few words,
// or up to a comma.
func memoText(text string, start, end int) string {
	if start >= end {
		return ""
	}
	if memo, ok := quoted(text[start:], end-start); ok {
		return memo
	}
	rest := strings.TrimLeft(text[start:end], ": =\t*\\")
	for {
		first, after, found := strings.Cut(rest, " ")
		if !found || !memoFillers[strings.ToLower(strings.TrimRight(first, ":"))] {
			break
		}
		rest = after
	}
	if i := strings.IndexAny(rest, `",;|)}\，。、`+"\t"); i >= 0 {
		rest = rest[:i]
	}
	return shorten(strings.Trim(rest, " .'*$€£:"), memoLimit)
}

// quoted returns the text in the quotes that open within a few words and before
// limit; where they close may lie behind it.
func quoted(text string, limit int) (string, bool) {
	key := strings.TrimLeft(text, `\`)
	if strings.HasPrefix(key, `"`) { // closes the key of "memo":"…"
		limit -= len(text) - len(key) + 1
		text = key[1:]
	}
	for i, r := range text {
		if i >= min(limit, 24) || r == ',' || r == '\n' {
			return "", false
		}
		for _, q := range quotes {
			if !strings.HasPrefix(text[i:], q.open) || q.open == "'" && i > 0 && text[i-1] != ' ' {
				continue
			}
			inside := text[i+utf8.RuneLen(r):]
			if j := strings.IndexAny(inside, q.closing); j >= 0 {
				return shorten(strings.TrimSpace(inside[:j]), memoLimit), true
			}
		}
	}
	return "", false
}
