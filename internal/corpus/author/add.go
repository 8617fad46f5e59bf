package author

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/strictjson"
)

// Addition is what a draft becomes: with Findings nothing is to be written.
type Addition struct {
	Entries  []corpus.Attack // with their ids, in the draft's order
	Joins    []int           // for each entry, how many others its session holds
	Files    []File          // the attack files that change, whole
	Findings []Finding
}

// Add gives each entry of a draft the next id of its level, checks the entries
// against the corpus as Lint does, and appends them to their files in canonical
// form. An entry of a draft has no id, and may leave category to the classifier.
func Add(fixtures fs.FS, draft File, expectations []string) (Addition, error) {
	c, err := corpus.Load(fixtures, expectations)
	if err != nil {
		return Addition{}, fmt.Errorf("mend the corpus first: %w", err)
	}
	files, err := Read(fixtures)
	if err != nil {
		return Addition{}, err
	}
	next, err := nextIDs(fixtures, c)
	if err != nil {
		return Addition{}, err
	}
	var out Addition
	identified := File{Name: draft.Name}
	lines, findings := draft.lines()
	out.Findings = findings
	for _, line := range lines {
		raw, text := identify(line, next)
		if text != "" {
			out.Findings = append(out.Findings, Finding{File: line.File, Line: line.Number, Text: text})
		}
		identified.Data = append(append(identified.Data, raw...), '\n')
	}
	if len(out.Findings) > 0 {
		return out, nil
	}
	for i := range files {
		files[i].Quiet = true
	}
	if out.Findings, err = Lint(fixtures, append(files, identified), expectations); err != nil || len(out.Findings) > 0 {
		return out, err
	}
	out.take(identified, c, expectations)
	out.place(files)
	return out, out.mark(fixtures, next)
}

// nextIDs returns a counter per series: the highest number ever given, plus one.
func nextIDs(fixtures fs.FS, c corpus.Corpus) (map[string]int, error) {
	register, findings, err := readRetired(fixtures)
	if err != nil {
		return nil, err
	}
	if len(findings) > 0 {
		return nil, fmt.Errorf("mend the register first: %s", findings[0])
	}
	next := map[string]int{}
	raise := func(id corpus.AttackID) {
		name, n := series(id)
		next[name] = max(next[name], n)
	}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		raise(a.ID)
	}
	for _, r := range register.retired {
		raise(r.ID)
	}
	for name, n := range register.marks {
		next[name] = max(next[name], n)
	}
	return next, nil
}

// identify puts the next id, and the category if there is none, into a line. It
// adds members and leaves the rest as it stands, so that what is wrong with it
// shows when the line is decoded. The text says why a line can't have an id.
func identify(line strictjson.Line, next map[string]int) (raw []byte, text string) {
	var members struct {
		ID       json.RawMessage
		Level    string
		Category json.RawMessage
		Messages []string
	}
	body, isObject := bytes.CutPrefix(bytes.TrimSpace(line.Raw), []byte("{"))
	if err := json.Unmarshal(line.Raw, &members); err != nil || !isObject || len(body) < 2 {
		return line.Raw, "no JSON object of an entry: write one a line"
	}
	if members.ID != nil {
		return line.Raw, "has an id: leave it out, ids are given here"
	}
	if !slices.Contains(corpus.Levels(), corpus.Level(members.Level)) {
		return line.Raw, fmt.Sprintf("level is %q: write one of %v", members.Level, corpus.Levels())
	}
	name := members.Level
	if isTwin(line) {
		name = "b" + members.Level[1:]
	}
	next[name]++
	head := fmt.Sprintf(`{"id": %q, `, newID(name, next[name]))
	if members.Category == nil {
		head += fmt.Sprintf(`"category": %q, `, corpus.Classify(members.Messages))
	}
	return append([]byte(head), body...), ""
}

// take reads the entries of a draft that is without findings.
func (out *Addition) take(draft File, c corpus.Corpus, expectations []string) {
	held := map[corpus.SessionID]int{}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		held[a.Session]++
	}
	lines, _ := draft.lines()
	for _, line := range lines {
		a, _ := decode(line, expectations)
		out.Entries = append(out.Entries, a)
		out.Joins = append(out.Joins, held[a.Session])
		held[a.Session]++
	}
}

// place appends the entries to their files.
func (out *Addition) place(files []File) {
	for _, a := range out.Entries {
		name := home(a)
		at := slices.IndexFunc(out.Files, func(f File) bool { return f.Name == name })
		if at < 0 {
			f := File{Name: name}
			if old := slices.IndexFunc(files, func(f File) bool { return f.Name == name }); old >= 0 {
				f.Data = slices.Clone(files[old].Data)
			}
			if len(f.Data) > 0 && !bytes.HasSuffix(f.Data, []byte("\n")) {
				f.Data = append(f.Data, '\n')
			}
			out.Files, at = append(out.Files, f), len(out.Files)
		}
		out.Files[at].Data = append(out.Files[at].Data, Line(a)...)
	}
}

// mark raises the register's marks, if it has any.
func (out *Addition) mark(fixtures fs.FS, next map[string]int) error {
	register, _, err := readRetired(fixtures)
	if err != nil || register.marks == nil {
		return err
	}
	text, err := fs.ReadFile(fixtures, retiredFile)
	if err != nil {
		return err
	}
	out.Files = append(out.Files, File{Name: prefix + retiredFile, Data: []byte(raised(string(text), next))})
	return nil
}
