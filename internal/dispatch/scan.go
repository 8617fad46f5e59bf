package dispatch

import (
	"encoding/json"
	"slices"
	"strings"
)

// scanner reads the members of one JSON object (RFC 8259), as json.Decoder does
// and as strictly: a test and a fuzz target hold it equal, byte for byte and
// error for error. Every call goes through it, and the decoder takes longer than
// all of a decision.
type scanner struct {
	text string
	at   int
}

func (s *scanner) end() bool { return s.at >= len(s.text) }

func (s *scanner) space() {
	for !s.end() {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) accept(c byte) bool {
	if s.end() || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// more reports whether anything stands before the object's end.
func (s *scanner) more() bool {
	s.space()
	return !s.end() && s.text[s.at] != '}' && s.text[s.at] != ']'
}

// member reads a name, and before it a comma but for the first one.
func (s *scanner) member(first bool) (name string, ok bool) {
	if !first && !s.accept(',') {
		return "", false
	}
	s.space()
	from := s.at
	plain, ok := s.str()
	switch {
	case !ok:
		return "", false
	case plain:
		return s.text[from+1 : s.at-1], true
	}
	return decodeName(s.text[from:s.at])
}

func decodeName(raw string) (string, bool) {
	var name string
	err := json.Unmarshal([]byte(raw), &name)
	return name, err == nil
}

// colonValue reads a colon and the value behind it.
func (s *scanner) colonValue() (raw string, ok bool) {
	s.space()
	if !s.accept(':') {
		return "", false
	}
	s.space()
	if s.end() {
		return "", false
	}
	from := s.at
	switch c := s.text[s.at]; {
	case c == '"':
		_, ok = s.str()
	case c == '{' || c == '[':
		ok = s.nested()
	case c == '-' || c >= '0' && c <= '9':
		ok = s.number()
	default:
		ok = s.word("true") || s.word("false") || s.word("null")
	}
	return s.text[from:s.at], ok
}

// plainBytes are ASCII but for quotes, backslashes and control characters: what
// stands in a string without further ado.
var plainBytes = func() (table [256]bool) {
	for c := ' '; c < 0x80; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// str reads a string with its quotes. A plain one is ASCII without escapes: what
// stands between its quotes is its value.
func (s *scanner) str() (plain, ok bool) {
	if !s.accept('"') {
		return false, false
	}
	plain = true
	for !s.end() {
		c := s.text[s.at]
		s.at++
		if plainBytes[c] {
			continue
		}
		switch {
		case c == '"':
			return plain, true
		case c < ' ':
			return false, false
		case c >= 0x80:
			plain = false
		case c == '\\':
			plain = false
			if !s.escape() {
				return false, false
			}
		}
	}
	return false, false
}

// escape reads what follows a backslash.
func (s *scanner) escape() bool {
	if s.end() {
		return false
	}
	c := s.text[s.at]
	s.at++
	switch c {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return true
	case 'u':
		for range 4 {
			if s.end() || !isHex(s.text[s.at]) {
				return false
			}
			s.at++
		}
		return true
	}
	return false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) word(w string) bool {
	if !strings.HasPrefix(s.text[s.at:], w) {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) number() bool {
	s.accept('-')
	if !s.accept('0') && !s.digits() {
		return false
	}
	if s.accept('.') && !s.digits() {
		return false
	}
	if s.accept('e') || s.accept('E') {
		if !s.accept('+') {
			s.accept('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for !s.end() && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// nested reads an object or a list. No argument of a transfer is one, so it need
// not be fast: its end is looked for, and the library says whether it is JSON.
func (s *scanner) nested() bool {
	from, depth := s.at, 0
	for !s.end() {
		switch s.text[s.at] {
		case '"':
			if _, ok := s.str(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.at++
		if depth == 0 {
			return json.Valid([]byte(s.text[from:s.at]))
		}
	}
	return false
}

// nameSet is a set that is fast while it is small.
type nameSet struct {
	few  [8]string
	n    int
	many map[string]bool
}

// add is false for a name that is there already.
func (s *nameSet) add(name string) bool {
	if slices.Contains(s.few[:s.n], name) || s.many[name] {
		return false
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[name] = true
	return true
}
