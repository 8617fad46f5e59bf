package author

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
)

// Verdict is a blind reader's answer to the question whether a person could have
// written an attack.
type Verdict struct {
	ID   corpus.AttackID
	Word string // one of verdictWords
	Why  string
}

var verdictWords = []string{"yes", "no", "unsure"}

// ReadVerdicts reads the Markdown table with the columns id, verdict and why. A
// file that is not there holds no verdicts.
func ReadVerdicts(fsys fs.FS, name string, c corpus.Corpus) ([]Verdict, error) {
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Verdict
	var columns []string
	for i, line := range strings.Split(string(data), "\n") {
		cells := row(line)
		switch {
		case len(columns) == 0:
			if slices.Contains(cells, "id") && slices.Contains(cells, "verdict") && slices.Contains(cells, "why") {
				columns = cells
			}
			continue
		case cells == nil:
			if len(out) > 0 {
				return out, nil // the table ends here
			}
			continue
		case strings.Trim(strings.Join(cells, ""), ":- ") == "":
			continue // the line under the head
		}
		v, text := verdict(columns, cells, c, out)
		if text != "" {
			return nil, fmt.Errorf("%s:%d: %s", name, i+1, text)
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no table with the columns id, verdict and why: write one", name)
	}
	return out, nil
}

// row splits a line of a Markdown table; nil if it is none.
func row(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	var cells []string
	for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
		cells = append(cells, strings.Trim(c, " `"))
	}
	return cells
}

// verdict reads a row; the text says what is wrong with it.
func verdict(columns, cells []string, c corpus.Corpus, earlier []Verdict) (Verdict, string) {
	if len(cells) != len(columns) {
		return Verdict{}, fmt.Sprintf("%d cells under %d columns: a bar within a cell is written as a word", len(cells), len(columns))
	}
	at := func(name string) string { return cells[slices.Index(columns, name)] }
	v := Verdict{corpus.AttackID(at("id")), at("verdict"), at("why")}
	switch {
	case !slices.ContainsFunc(slices.Concat(c.Attacks, c.Benign), func(a corpus.Attack) bool { return a.ID == v.ID }):
		return v, fmt.Sprintf("no entry has id %q", v.ID)
	case slices.ContainsFunc(earlier, func(e Verdict) bool { return e.ID == v.ID }):
		return v, fmt.Sprintf("%s is read twice: delete one line", v.ID)
	case !slices.Contains(verdictWords, v.Word):
		return v, fmt.Sprintf("%s: verdict is %q: write one of %s", v.ID, v.Word, strings.Join(verdictWords, ", "))
	case v.Why == "":
		return v, fmt.Sprintf("%s: no reason: fill the column why", v.ID)
	}
	return v, ""
}

// reading counts the verdicts.
func reading(b *strings.Builder, verdicts []Verdict) {
	if len(verdicts) == 0 {
		return
	}
	ids := map[string][]string{}
	for _, v := range verdicts {
		ids[v.Word] = append(ids[v.Word], string(v.ID))
	}
	fmt.Fprintf(b, "\nblind reading, could a person have written this? %d read\n", len(verdicts))
	for _, word := range verdictWords {
		fmt.Fprintf(b, "  %s: %d (%s)", word, len(ids[word]), share(len(ids[word]), len(verdicts)))
		if word != "yes" && len(ids[word]) > 0 {
			fmt.Fprintf(b, ": %s", strings.Join(ids[word], " "))
		}
		b.WriteString("\n")
	}
}
