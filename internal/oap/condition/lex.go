package condition

import (
	"strconv"
	"strings"
	"unicode"
)

// tokenKind tells tokens apart. Operators and keywords are their own text.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenInt
	tokenString
	tokenOp // text is the operator or, in lower case, the keyword
)

type token struct {
	kind   tokenKind
	text   string // of a name as written, of an operator or keyword normalised
	number int64
	column int // in characters, from 1
}

// maxLength bounds a condition, in characters.
const maxLength = 1000

// keywords are written in either case; JavaScript's signs mean the same.
var keywords = map[string]bool{"and": true, "or": true, "not": true, "in": true, "is": true, "empty": true, "for": true, "true": true, "false": true}

// operators, the longer ones first.
var operators = []string{"==", "!=", "<=", ">=", "&&", "||", "=>", "<", ">", "+", "-", "*", "(", ")", "[", "]", ".", ",", "!"}

// lex splits a condition into tokens, the last of which is tokenEnd. With an
// error come the tokens before it.
func lex(text string) ([]token, error) {
	runes := []rune(text)
	if len(runes) > maxLength {
		return []token{{column: maxLength + 1}}, fail(maxLength+1, ErrTooLong, "%d characters, at most %d", len(runes), maxLength)
	}
	var tokens []token
	for i := 0; i < len(runes); {
		if unicode.IsSpace(runes[i]) {
			i++
			continue
		}
		t, next, err := lexOne(runes, i)
		if err != nil {
			return append(tokens, token{kind: tokenEnd, column: i + 1}), err
		}
		tokens = append(tokens, t)
		i = next
	}
	return append(tokens, token{kind: tokenEnd, column: len(runes) + 1}), nil
}

func lexOne(runes []rune, i int) (token, int, error) {
	switch r := runes[i]; {
	case r == '\'' || r == '"':
		return lexString(runes, i)
	case r >= '0' && r <= '9':
		return lexNumber(runes, i)
	case isNameStart(r):
		return lexName(runes, i)
	}
	rest := string(runes[i:min(i+2, len(runes))])
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return token{kind: tokenOp, text: canonical(op), column: i + 1}, i + len(op), nil
		}
	}
	return token{}, 0, fail(i+1, ErrSyntax, "unexpected character %q", runes[i])
}

// canonical folds the two dialects' signs into one.
func canonical(op string) string {
	switch op {
	case "&&":
		return "and"
	case "||":
		return "or"
	}
	return op
}

func lexString(runes []rune, i int) (token, int, error) {
	for j := i + 1; j < len(runes); j++ {
		switch runes[j] {
		case '\\':
			return token{}, 0, fail(j+1, ErrSyntax, "escapes are not part of the language")
		case runes[i]:
			return token{kind: tokenString, text: string(runes[i+1 : j]), column: i + 1}, j + 1, nil
		}
	}
	return token{}, 0, fail(i+1, ErrSyntax, "string is not closed")
}

// lexNumber reads an integer; there are no floats in a policy.
func lexNumber(runes []rune, i int) (token, int, error) {
	j := i
	for j < len(runes) && (isNamePart(runes[j]) || runes[j] == '.' && j+1 < len(runes) && runes[j+1] >= '0' && runes[j+1] <= '9') {
		j++
	}
	text := string(runes[i:j])
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return token{}, 0, fail(i+1, ErrSyntax, "%q is no 64-bit integer", text)
	}
	return token{kind: tokenInt, number: n, text: text, column: i + 1}, j, nil
}

func lexName(runes []rune, i int) (token, int, error) {
	j := i
	for j < len(runes) && isNamePart(runes[j]) {
		j++
	}
	text := string(runes[i:j])
	if lower := strings.ToLower(text); !isMember(runes[:i]) && keywords[lower] && (text == lower || text == strings.ToUpper(text)) {
		return token{kind: tokenOp, text: lower, column: i + 1}, j, nil
	}
	return token{kind: tokenName, text: text, column: i + 1}, j, nil
}

// isMember says whether a dot stands before: what follows is a name as written,
// such as the countries IN and IS.
func isMember(before []rune) bool {
	for i := len(before) - 1; i >= 0; i-- {
		if !unicode.IsSpace(before[i]) {
			return before[i] == '.'
		}
	}
	return false
}

func isNameStart(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func isNamePart(r rune) bool { return isNameStart(r) || r >= '0' && r <= '9' }
