package sim

import (
	"strings"
	"unicode/utf8"
)

// number emits what may be an amount, or a word where the digits are part of
// something else: a date, a time, a percentage, an ordinal, an exponent, a
// number with a sign.
func (l *lexer) number() {
	start := l.pos
	end := l.digits(start)
	suffix := l.letters(end)
	thousand := suffix == "k"
	_, currency := currencyOf(suffix)
	switch {
	case l.foreignBefore(start), l.foreignBehind(end), suffix != "" && !thousand && !currency:
		l.glued(end)
		return
	case thousand:
		l.emit(kindNumber, l.text[start:end], end+1)
		l.tokens[len(l.tokens)-1].thousand = true
		return
	}
	end = l.spaced(start, end)
	l.emit(kindNumber, l.text[start:end], end)
	l.tokens[len(l.tokens)-1].signed = l.afterSign(start)
}

// digits returns the end of the digits from start, with the separators between.
func (l *lexer) digits(start int) int {
	end := start
	for end < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[end:])
		switch {
		case isDigit(r):
		case strings.ContainsRune(".,'’\u00a0\u202f\u2009", r) && isDigit(l.runeAt(end+size)):
		default:
			return end
		}
		end += size
	}
	return end
}

// spaced adds groups of three digits behind a blank (1 234,56), which only
// counts before a currency or a closing quote: two numbers side by side are two.
func (l *lexer) spaced(start, end int) int {
	if end-start > 3 {
		return end
	}
	wide := end
	for wide-end < 20 && wide+4 <= len(l.text) && l.text[wide] == ' ' && l.digits(wide+1) >= wide+4 {
		next := l.digits(wide + 1)
		if tail := l.text[wide+4 : next]; tail != "" && tail[0] != ',' && tail[0] != '.' {
			return end
		}
		wide = next
	}
	rest := strings.TrimLeft(l.text[wide:], " \u00a0\u202f")
	if r := l.runeAt(len(l.text) - len(rest)); isSign(r) || r == '"' && rest == l.text[wide:] {
		return wide
	}
	if _, ok := currencyOf(l.letters(len(l.text) - len(rest))); ok {
		return wide
	}
	return end
}

// letters returns the lower-case letters of one script at pos. A script without
// blanks is no suffix of a number.
func (l *lexer) letters(pos int) string {
	for i, r := range l.text[pos:] {
		if !isWordRune(r) || isDigit(r) || isUnspaced(r) {
			return strings.ToLower(l.text[pos : pos+i])
		}
	}
	return strings.ToLower(l.text[pos:])
}

// foreignBefore reports digits that go on from something before them.
func (l *lexer) foreignBefore(start int) bool {
	before, _ := utf8.DecodeLastRuneInString(l.text[:start])
	switch before {
	case '#', '/', '_', '%', '.', '^':
		return true
	case ':':
		beyond, _ := utf8.DecodeLastRuneInString(l.text[:start-1])
		return isDigit(beyond)
	}
	return false
}

// foreignBehind reports digits that go on into something else.
func (l *lexer) foreignBehind(end int) bool {
	behind, size := utf8.DecodeRuneInString(l.text[end:])
	switch behind {
	case '%', '_', '/', '^':
		return true
	case '-', ':':
		next := l.runeAt(end + size)
		return isDigit(next) || behind == '-' && isWordRune(next)
	}
	return false
}

// afterSign reports a '-' or '+' directly before pos: nobody pays a negative
// amount, and what was meant by it must be asked.
func (l *lexer) afterSign(pos int) bool {
	before, _ := utf8.DecodeLastRuneInString(l.text[:max(pos, 0)])
	return before == '-' || before == '+' || before == '−'
}

// glued emits everything up to the next blank or bracket as one word.
func (l *lexer) glued(end int) {
	for i, r := range l.text[end:] {
		if !isWordRune(r) && !strings.ContainsRune("-/:.%_^+", r) || isUnspaced(r) {
			l.emitWord(end + i)
			return
		}
	}
	l.emitWord(len(l.text))
}

func (l *lexer) runeAt(pos int) rune {
	r, _ := utf8.DecodeRuneInString(l.text[pos:])
	return r
}
