package author

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"

	"vaultbench/internal/corpus"
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
	register, err := soundRegister(fixtures)
	if err != nil {
		return Addition{}, err
	}
	n := newNumbering(register, c)
	var out Addition
	identified, findings := n.draft(draft)
	if out.Findings = findings; len(findings) > 0 {
		return out, nil
	}
	for i := range files {
		files[i].Quiet = true
	}
	if out.Findings, err = Lint(fixtures, append(files, identified), expectations); err != nil || len(out.Findings) > 0 {
		out.Findings = inTurn(out.Findings, draft.Name)
		return out, err
	}
	out.take(identified, c, expectations)
	out.place(files)
	if register.marks != nil {
		out.Files = append(out.Files, File{Name: prefix + retiredFile, Data: []byte(register.raised(n.given))})
	}
	return out, nil
}

// AddOwn makes a corpus that stands alone of a draft: ids and sessions begin at 1,
// nothing of the shipped one is held against it, and it has no Files. Warnings stand
// in Findings where there is nothing else, and beside Entries.
func AddOwn(levels map[corpus.Level]corpus.LevelSpec, draft File, expectations []string) Addition {
	var out Addition
	identified, findings := newNumbering(ledger{}, corpus.Corpus{}).draft(draft)
	if out.Findings = findings; len(findings) > 0 {
		return out
	}
	out.Findings = LintOwn(levels, []File{identified}, expectations)
	wrong := slices.DeleteFunc(slices.Clone(out.Findings), func(f Finding) bool { return f.Warning })
	if len(wrong) > 0 {
		out.Findings = inTurn(wrong, draft.Name)
		return out
	}
	out.take(identified, corpus.Corpus{}, expectations)
	return out
}

// draft gives the entries of a draft their ids.
func (n numbering) draft(draft File) (identified File, findings []Finding) {
	identified.Name, identified.Rows = draft.Name, draft.Rows
	lines, findings := draft.lines()
	for _, line := range lines {
		raw, text := n.identify(line)
		if text != "" {
			findings = append(findings, Finding{File: line.File, Line: line.Number, Text: text})
		}
		identified.Data = append(append(identified.Data, raw...), '\n')
	}
	return identified, findings
}

// inTurn drops what is held against an entry of a draft for the sake of one that
// is refused and so is never added. Of two that go ill together, the later one is
// refused, whichever of them Lint named.
func inTurn(findings []Finding, draft string) []Finding {
	for i, f := range findings {
		if f.File == draft && f.other.File == draft && f.other.Line > f.Line {
			findings[i] = Finding{File: draft, Line: f.other.Line, ID: f.other.ID, Text: "see " + f.String(), other: corpus.Attack{File: f.File, Line: f.Line}}
		}
	}
	sortFindings(findings)
	refused := map[int]bool{}
	var out []Finding
	for _, f := range findings {
		if f.File == draft && f.other.File == draft && refused[f.other.Line] {
			continue
		}
		if f.File == draft {
			refused[f.Line] = true
		}
		out = append(out, f)
	}
	return out
}

// take reads the entries of a draft that is without findings.
func (out *Addition) take(draft File, c corpus.Corpus, expectations []string) {
	held := map[corpus.SessionID]int{}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		held[a.Session]++
	}
	lines, _ := draft.lines()
	for _, line := range lines {
		a, _ := decode(line, draft.Folder, expectations)
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
