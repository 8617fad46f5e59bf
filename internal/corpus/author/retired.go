package author

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"vaultbench/internal/corpus"
)

// retiredFile is the register of ids whose entries are gone. An id stays with
// the text that it once named, in old reports too, so it is never given again.
const retiredFile = "attacks/retired.txt"

// retired is one line of the register.
type retired struct {
	ID     corpus.AttackID
	Reason string
	Line   int
}

// highest begins a line of the register that names the highest id or session ever
// given in a series: without it the last one, deleted, would be given again.
const highest = "highest"

// mark is such a line.
type mark struct{ number, line int }

// ledger is the register as it was read.
type ledger struct {
	retired []retired
	marks   map[string]mark // by series; nil: the register names none
	at      int             // line of the last mark or retired id
	lines   []string        // as they stand, without the \n
}

// readRetired reads the register: an id, a blank and the reason on each line, or
// "highest" and an id or a session; comments after a #. A register that is not
// there is empty.
func readRetired(fixtures fs.FS) (ledger, []Finding, error) {
	out := ledger{at: 1}
	data, err := fs.ReadFile(fixtures, retiredFile)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil, nil
	}
	if err != nil {
		return out, nil, err
	}
	out.lines = strings.Split(string(data), "\n")
	var findings []Finding
	first := map[string]int{}
	for i, line := range out.lines {
		if text := out.line(strings.TrimSpace(line), i+1, first); text != "" {
			findings = append(findings, Finding{File: prefix + retiredFile, Line: i + 1, Text: text})
		}
	}
	return out, findings, nil
}

// line takes one line, or says what is wrong with it; first is where each id or
// series was met before.
func (l *ledger) line(line string, n int, first map[string]int) string {
	switch {
	case strings.Contains(line, "\r"):
		return "a carriage return within a line, which hides what follows: end lines with a line feed"
	case line == "" || strings.HasPrefix(line, "#"):
		return ""
	}
	word, rest := line, ""
	if i := strings.IndexFunc(line, unicode.IsSpace); i >= 0 {
		word, rest = line[:i], strings.TrimSpace(line[i:])
	}
	series, number := place(rest)
	key, marked := word, word == highest
	if marked {
		key = highest + " " + strings.TrimSuffix(series, idSeries)
	}
	switch at, twice := first[key]; {
	case marked && number == 0:
		return fmt.Sprintf("%q is no id and no session: write the last one ever given, such as highest l2-0031 or highest l2-s07", rest)
	case !marked && !isID(word):
		return fmt.Sprintf("%q is no id: write an id such as l2-0031, a blank and the reason", word)
	case rest == "":
		return fmt.Sprintf("%s has no reason: write one after the id", word)
	case twice:
		return fmt.Sprintf("%s is listed twice, first on line %d: delete one", key, at)
	}
	first[key], l.at = n, n
	if !marked {
		l.retired = append(l.retired, retired{corpus.AttackID(word), rest, n})
		return ""
	}
	if l.marks == nil {
		l.marks = map[string]mark{}
	}
	l.marks[series] = mark{number, n}
	return ""
}

func isID(word string) bool {
	_, n := corpus.AttackID(word).Split()
	return n > 0
}

// raised is the register's text with marks at these numbers; lines that need not
// change stay as they are, and line ends are the file's.
func (l ledger) raised(top map[string]int) string {
	lines, end := slices.Clone(l.lines), "\n"
	if strings.HasSuffix(lines[0], "\r") {
		end = "\r\n"
	}
	var added strings.Builder
	for _, series := range slices.Sorted(maps.Keys(top)) {
		text := highest + " " + numbered(series, top[series])
		switch m, marked := l.marks[series]; {
		case !marked:
			added.WriteString(text + end)
		case top[series] > m.number:
			old := lines[m.line-1]
			lines[m.line-1] = text + old[len(strings.TrimRight(old, "\r")):]
		}
	}
	out := strings.Join(lines, "\n")
	if added.Len() == 0 {
		return out
	}
	return strings.TrimRight(out, "\r\n") + end + added.String()
}

// RetiredReason is the register's reason for an id, empty if it does not stand
// there.
func RetiredReason(fixtures fs.FS, id corpus.AttackID) (string, error) {
	l, _, err := readRetired(fixtures)
	for _, r := range l.retired {
		if r.ID == id {
			return r.Reason, err
		}
	}
	return "", err
}

// LastSessions returns, by level, the highest number ever given to a session of
// attacks: the next one is new to every report. c is the corpus of fixtures.
func LastSessions(fixtures fs.FS, c corpus.Corpus) (map[corpus.Level]int, error) {
	register, err := soundRegister(fixtures)
	if err != nil {
		return nil, err
	}
	top, out := highestOf(register, c), map[corpus.Level]int{}
	for _, level := range corpus.Levels() {
		out[level] = top[string(level)+sessionSeries]
	}
	return out, nil
}

// soundRegister reads a register, or says why no number can be given after it.
func soundRegister(fixtures fs.FS) (ledger, error) {
	register, findings, err := readRetired(fixtures)
	if err == nil && len(findings) > 0 {
		err = fmt.Errorf("mend the register first: %s", findings[0])
	}
	return register, err
}
