package author

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
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

// readRetired reads the register: an id, a blank and the reason on each line,
// comments after a #. A register that is not there is empty.
func readRetired(fixtures fs.FS) ([]retired, []Finding, error) {
	data, err := fs.ReadFile(fixtures, retiredFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var out []retired
	var findings []Finding
	first := map[corpus.AttackID]int{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, _ := strings.Cut(line, " ")
		r := retired{corpus.AttackID(id), strings.TrimSpace(reason), i + 1}
		text := ""
		switch at, twice := first[r.ID]; {
		case !idForm.MatchString(id):
			text = fmt.Sprintf("%q is no id: write an id such as l2-0031, a blank and the reason", id)
		case r.Reason == "":
			text = fmt.Sprintf("%s has no reason: write one after the id", id)
		case twice:
			text = fmt.Sprintf("%s is listed twice, first on line %d: delete one", id, at)
		}
		if text != "" {
			findings = append(findings, Finding{File: prefix + retiredFile, Line: r.Line, Text: text})
			continue
		}
		first[r.ID] = r.Line
		out = append(out, r)
	}
	return out, findings, nil
}

// RetiredReason is the register's reason for an id, empty if it does not stand
// there.
func RetiredReason(fixtures fs.FS, id corpus.AttackID) (string, error) {
	list, _, err := readRetired(fixtures)
	for _, r := range list {
		if r.ID == id {
			return r.Reason, err
		}
	}
	return "", err
}
