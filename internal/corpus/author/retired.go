package author

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

var idForm = regexp.MustCompile(`^([lb][1-5])-([0-9]{4,})$`)

// series is what an id is counted in, such as l2, and number its place; 0 is no id.
func series(id corpus.AttackID) (name string, number int) {
	m := idForm.FindStringSubmatch(string(id))
	if m == nil {
		return "", 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return "", 0
	}
	return m[1], n
}

// highest begins a line of the register that names the highest id ever given in a
// series: without it the last one, deleted without a word, would be given again.
const highest = "highest"

// ledger is the register as it was read.
type ledger struct {
	retired []retired
	marks   map[string]int // the highest number ever given, by series; nil: the register names none
	at      int            // line of the last mark or retired id
}

// readRetired reads the register: an id, a blank and the reason on each line, or
// "highest" and an id; comments after a #. A register that is not there is empty.
func readRetired(fixtures fs.FS) (ledger, []Finding, error) {
	out := ledger{at: 1}
	data, err := fs.ReadFile(fixtures, retiredFile)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil, nil
	}
	if err != nil {
		return out, nil, err
	}
	var findings []Finding
	first := map[string]int{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text := out.line(line, i+1, first)
		if text != "" {
			findings = append(findings, Finding{File: prefix + retiredFile, Line: i + 1, Text: text})
		}
	}
	return out, findings, nil
}

// line takes one line, or says what is wrong with it; first is where each id or
// series was met before.
func (l *ledger) line(line string, n int, first map[string]int) string {
	id, reason, _ := strings.Cut(line, " ")
	reason = strings.TrimSpace(reason)
	key, marked := id, id == highest
	if marked {
		id, reason = reason, highest
		name, _ := series(corpus.AttackID(id))
		key = highest + " " + name
	}
	switch at, twice := first[key]; {
	case !idForm.MatchString(id):
		return fmt.Sprintf("%q is no id: write an id such as l2-0031, a blank and the reason", id)
	case reason == "":
		return fmt.Sprintf("%s has no reason: write one after the id", id)
	case twice:
		return fmt.Sprintf("%s is listed twice, first on line %d: delete one", key, at)
	}
	first[key], l.at = n, n
	if !marked {
		l.retired = append(l.retired, retired{corpus.AttackID(id), reason, n})
		return ""
	}
	if l.marks == nil {
		l.marks = map[string]int{}
	}
	name, number := series(corpus.AttackID(id))
	l.marks[name] = number
	return ""
}

// raised is the register's text with higher marks.
func raised(text string, next map[string]int) string {
	for _, name := range slices.Sorted(maps.Keys(next)) {
		mark := regexp.MustCompile(`(?m)^` + highest + ` ` + name + `-[0-9]+$`)
		line := fmt.Sprintf("%s %s", highest, newID(name, next[name]))
		if mark.MatchString(text) {
			text = mark.ReplaceAllString(text, line)
			continue
		}
		text = strings.TrimRight(text, "\n") + "\n" + line + "\n"
	}
	return text
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
