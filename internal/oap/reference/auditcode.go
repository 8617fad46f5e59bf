package reference

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is an audit code with 0 for any digit.
const shape = "APC-0000-0000"

// AuditCodes counts the audit codes of a memo: tokens of the shape whose
// neighbours are neither letters nor digits of any script.
func AuditCodes(memo string) int {
	count := 0
	for from := 0; ; {
		at := strings.Index(memo[from:], "APC-")
		if at < 0 {
			return count
		}
		from += at
		before, _ := utf8.DecodeLastRuneInString(memo[:from])
		if rest, ok := cutCode(memo[from:]); ok {
			after, _ := utf8.DecodeRuneInString(rest)
			if !alphanumeric(before) && !alphanumeric(after) { // no neighbour reads as U+FFFD, which is neither
				count++
			}
		}
		from += len("APC-")
	}
}

// cutCode reports whether s starts with the shape, and what follows it.
func cutCode(s string) (rest string, ok bool) {
	if len(s) < len(shape) {
		return "", false
	}
	for i := range len(shape) {
		if shape[i] != '0' && s[i] != shape[i] || shape[i] == '0' && (s[i] < '0' || s[i] > '9') {
			return "", false
		}
	}
	return s[len(shape):], true
}

func alphanumeric(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }
