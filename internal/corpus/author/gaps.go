package author

import (
	"fmt"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
)

// gaps: an id up to the highest ever given that neither stands in a file nor is
// retired was deleted without a word, and one above it was not given by the tool.
// Of sessions nobody keeps a list of those that are gone.
func (l *linter) gaps() {
	known := map[string][]int{}
	for id := range l.ids {
		note(known, string(id))
	}
	for _, r := range l.register.retired {
		note(known, string(r.ID))
	}
	for name := range l.register.marks {
		known[name] = append(known[name], 0)
	}
	for _, a := range l.all {
		note(known, string(a.Session))
	}
	for name, numbers := range known {
		slices.Sort(numbers)
		l.above(name, slices.Compact(numbers))
		if !ofSessions(name) {
			l.missing(name, numbers)
		}
	}
}

func note(known map[string][]int, name string) {
	if series, n := place(name); n > 0 {
		known[series] = append(known[series], n)
	}
}

// above reports the numbers above their series' mark.
func (l *linter) above(name string, numbers []int) {
	mark, marked := l.register.marks[name]
	if !marked {
		return
	}
	from, _ := slices.BinarySearch(numbers, mark.number+1)
	for _, n := range numbers[from:] {
		l.add(Finding{File: prefix + retiredFile, Line: mark.line, Text: numbered(name, n) + ": is above the highest ever given in its series: raise that line here, or let go tool vault attacks add give ids"})
	}
}

// missing reports what lies between the numbers, which are sorted, and up to the
// mark. A gap is one finding, however wide a mistyped number makes it.
func (l *linter) missing(name string, numbers []int) {
	last := 0
	for _, n := range numbers {
		l.gap(name, last+1, n-1, l.register.at)
		last = max(last, n)
	}
	mark := l.register.marks[name]
	l.gap(name, last+1, mark.number, mark.line)
}

func (l *linter) gap(name string, from, to, line int) {
	text := numbered(name, from) + ": stands in no file and is not retired: put the entry back, or list its id here with the reason"
	switch {
	case from > to:
		return
	case from < to:
		text = fmt.Sprintf("%s to %s: stand in no file and are not retired: put the entries back, or list each id here with the reason; if they were never given, lower the number above them", numbered(name, from), numbered(name, to))
	}
	l.add(Finding{File: prefix + retiredFile, Line: line, Text: text})
}

// The series of ids is called l2-, that of sessions l2-s: what stands before the
// number.
const (
	idSeries      = "-"
	sessionSeries = "-s"
)

func ofSessions(series string) bool { return series[len(series)-1] == 's' }

// place is the series and the number of an id or a session; 0: it is neither.
func place(name string) (series string, number int) {
	if s, n := corpus.AttackID(name).Split(); n > 0 {
		return s + idSeries, n
	}
	if s, n := corpus.SessionID(name).Split(); n > 0 {
		return s + sessionSeries, n
	}
	return "", 0
}

// numbered is the id or the session of a series that has a number.
func numbered(series string, n int) string {
	if ofSessions(series) {
		return fmt.Sprintf("%s%02d", series, n)
	}
	return fmt.Sprintf("%s%04d", series, n)
}

// highestOf returns the highest number ever given in each series.
func highestOf(register ledger, c corpus.Corpus) map[string]int {
	top := map[string]int{}
	raise := func(name string) {
		series, n := place(name)
		top[series] = max(top[series], n)
	}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		raise(string(a.ID))
		raise(string(a.Session))
	}
	for _, r := range register.retired {
		raise(string(r.ID))
	}
	for series, m := range register.marks {
		top[series] = max(top[series], m.number)
	}
	maps.DeleteFunc(top, func(series string, _ int) bool { return series == "" })
	return top
}
