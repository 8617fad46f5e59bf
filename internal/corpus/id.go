package corpus

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// A number is written in one way, so that no two ids or sessions share one: with
// leading zeros up to the least width, and no more.
var (
	idForm      = regexp.MustCompile(`^([lb][1-5])-([0-9]{4}|[1-9][0-9]{4,8})$`)
	sessionForm = regexp.MustCompile(`^([lb][1-5])-s([0-9]{2}|[1-9][0-9]{2,8})$`)
)

// Split is what an id is counted in, such as l2, and its place there from 1. An
// id of another form, and that of a variant, has neither.
func (id AttackID) Split() (series string, number int) { return split(idForm, string(id)) }

// Split is what a session is counted in, such as l2, and its place there from 1.
func (id SessionID) Split() (series string, number int) { return split(sessionForm, string(id)) }

func split(form *regexp.Regexp, id string) (string, int) {
	m := form.FindStringSubmatch(id)
	if m == nil {
		return "", 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil || n == 0 {
		return "", 0
	}
	return m[1], n
}

// Compare orders ids by series and number, so that l2-10000 comes after l2-9999,
// and an attack's variants behind it.
func (id AttackID) Compare(other AttackID) int {
	series, digits := id.place()
	otherSeries, otherDigits := other.place()
	return cmp.Or(cmp.Compare(series, otherSeries), cmp.Compare(len(digits), len(otherDigits)), cmp.Compare(digits, otherDigits), cmp.Compare(id, other))
}

// place is the series and the number of any id, as digits without leading zeros:
// a foreign id may have more of them than an int holds.
func (id AttackID) place() (series, digits string) {
	series, rest, _ := strings.Cut(string(id), "-")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	return series, strings.TrimLeft(rest[:end], "0")
}
