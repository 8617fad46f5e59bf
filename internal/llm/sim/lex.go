package sim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a piece of a message looks like.
type kind uint8

const (
	kindWord      kind = iota // lower-cased
	kindSign                  // currency sign
	kindNumber                // digits with separators that may be an amount
	kindRecipient             // a token with '@', bytes as they stand
	kindCode                  // APC-NNNN-NNNN
	kindStop                  // end of a sentence or line
)

// token is one piece with its place in the message.
type token struct {
	kind       kind
	text       string
	start, end int
	signed     bool // a sign or number with '-' or '+' before it
	thousand   bool // a number with a k behind it
	loose      bool // an amount only because it stands by itself
	money      money
}

// lexer splits a message by hand and not by regular expressions: bankers read
// every message again at each request.
type lexer struct {
	text   string
	pos    int
	plain  int // up to here there is no address
	tokens []token
}

func lex(text string) []token {
	l := lexer{text: text, tokens: make([]token, 0, 8+len(text)/5)}
	for l.pos < len(text) {
		l.next()
	}
	return l.tokens
}

func (l *lexer) next() {
	r, size := utf8.DecodeRuneInString(l.text[l.pos:])
	switch {
	case l.stops(r, size):
		l.emit(kindStop, l.text[l.pos:l.pos+size], l.pos+size)
	case isSign(r):
		l.emit(kindSign, l.text[l.pos:l.pos+size], l.pos+size)
		l.tokens[len(l.tokens)-1].signed = l.afterSign(l.pos - size)
	case l.address(r):
	case isDigit(r):
		l.number()
	case isCode(l.text[l.pos:]):
		l.emit(kindCode, l.text[l.pos:l.pos+codeLength], l.pos+codeLength)
	case isWordRune(r):
		l.word()
	default:
		l.pos += size
	}
}

// emit adds a token from the present position to end and goes on there.
func (l *lexer) emit(k kind, text string, end int) {
	l.tokens = append(l.tokens, token{kind: k, text: text, start: l.pos, end: end})
	l.pos = end
}

// stops reports the end of a clause. A full stop needs a blank behind it, or
// else it is part of a number, an address or a file name.
func (l *lexer) stops(r rune, size int) bool {
	switch r {
	case '\n', ';', '!', '?', '。', '！', '？', '؟', '।':
		return true
	case '.':
		rest := l.text[l.pos+size:]
		return rest == "" || strings.IndexByte(" \n\r\t\"')", rest[0]) >= 0
	}
	return false
}

// address emits a recipient if the run of address runes here holds an '@' with
// something on both sides. Zero-width characters and letters of any alphabet
// belong to it, since another byte is another recipient; scripts that are
// written without blanks do not, or the sentence around it would.
func (l *lexer) address(first rune) bool {
	if l.pos < l.plain || first == '@' || !isAddressRune(first) {
		return false
	}
	end, at := l.pos, -1
	for i, r := range l.text[l.pos:] {
		if !isAddressRune(r) || i > addressLimit {
			break
		}
		if r == '@' && at < 0 {
			at = i
		}
		end = l.pos + i + utf8.RuneLen(r)
	}
	if at < 0 {
		l.plain = end
		return false
	}
	whole := l.text[l.pos:end]
	text := strings.TrimRight(whole, addressEdge)
	if at > len(text)-2 || strings.Trim(whole[:at], addressEdge) == "" {
		return false
	}
	text = strings.TrimLeft(text, addressEdge)
	l.pos += strings.Index(whole, text)
	l.emit(kindRecipient, text, l.pos+len(text))
	return true
}

// addressEdge is punctuation that may stand inside an address and not around it.
const addressEdge = ".-_%+~^#"

// addressLimit, in bytes, is far beyond any address; what is longer is cut and
// so is nobody's recipient.
const addressLimit = 1024

func isAddressRune(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return isASCIIWord(r) || strings.ContainsRune(".@%+-~#^", r)
	case isUnspaced(r), r == utf8.RuneError:
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Cf)
}

// word emits a word, which may hold digits and hyphens behind its first letter
// (BW-2207, v2.1) so that those are no amounts. A currency ends before a digit:
// USD500.
func (l *lexer) word() {
	start := l.pos
	first, size := utf8.DecodeRuneInString(l.text[start:])
	end := start + size
	unspaced := isUnspaced(first)
	for i, r := range l.text[end:] {
		at := end + i
		if isUnspaced(r) != unspaced || !isWordRune(r) && !l.joins(r, at) {
			l.emitWord(at)
			return
		}
		if (isDigit(r) || r == '$') && at-start < 16 {
			if _, ok := currencyOf(strings.ToLower(l.text[start:at])); ok {
				l.emitWord(at)
				return
			}
		}
	}
	l.emitWord(len(l.text))
}

func (l *lexer) emitWord(end int) {
	l.emit(kindWord, strings.ToLower(l.text[l.pos:end]), end)
}

// joins reports punctuation inside a word: it needs a letter or digit behind it.
func (l *lexer) joins(r rune, at int) bool {
	switch r {
	case '-', '.', '\'', '’':
		next, _ := utf8.DecodeRuneInString(l.text[at+utf8.RuneLen(r):])
		return isWordRune(next) && !isUnspaced(next)
	}
	return false
}

func isASCIIWord(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isSign(r rune) bool { return r == '$' || r == '€' || r == '£' || r == '¥' }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWord(r)
	}
	return r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// isUnspaced reports the scripts whose words are not parted by blanks.
func isUnspaced(r rune) bool {
	if r < 0x0e00 { // all of them lie above
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) || r == 'ー'
}

const codeLength = len("APC-0000-0000")

// isCode reports an audit code at the start of the text that touches no other
// letter or digit behind it; before it stands none, since words are read whole.
func isCode(text string) bool {
	if len(text) < codeLength || !strings.HasPrefix(text, "APC-") || text[8] != '-' {
		return false
	}
	for _, i := range [...]int{4, 5, 6, 7, 9, 10, 11, 12} {
		if !isDigit(rune(text[i])) {
			return false
		}
	}
	next, _ := utf8.DecodeRuneInString(text[codeLength:])
	return !isWordRune(next)
}
