// Package author is the workshop of the corpus: it reads the attack files as
// they stand on disk, broken lines included, says everything that is wrong with
// them, gives ids, writes the canonical form, and counts. What the benchmark
// replays is loaded by package corpus alone.
package author

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/strictjson"
)

// prefix stands before the names of files of the fixtures folder.
const prefix = "fixtures/"

// attackSchema is the schema of a line.
const attackSchema = "attack.schema.json"

// File is an attack file, or a draft of one.
type File struct {
	Name   string // for messages, from the module root: fixtures/attacks/level-1.jsonl
	Folder string // attacks or benign; empty: a draft
	Data   []byte
	Quiet  bool  // compare with it, but report nothing about it
	Rows   []int // of a draft that was made of a table: which row each line was, from 1; nil: lines are counted
}

// number is what messages call the line at an index.
func (f File) number(i int) int {
	if f.Rows == nil {
		return i + 1
	}
	return f.Rows[i]
}

// Finding is one thing that is wrong, in words that say what to do.
type Finding struct {
	File    string
	Line    int
	ID      corpus.AttackID // empty: the line has none
	Text    string
	Warning bool // good to know, and nothing to mend

	other corpus.Attack // the entry that it is compared with; zero: none
}

// String is file:line: id: text, or file:line: id: warning: text.
func (f Finding) String() string {
	where := fmt.Sprintf("%s:%d: ", f.File, f.Line)
	if f.ID != "" {
		where += string(f.ID) + ": "
	}
	if f.Warning {
		where += "warning: "
	}
	return where + f.Text
}

// Read reads the attack files of the fixtures folder, attacks first.
func Read(fixtures fs.FS) ([]File, error) { return read(fixtures, prefix, false) }

// ReadOwn reads those of a folder that stands in for the shipped corpus; messages
// call it by name.
func ReadOwn(folder fs.FS, name string) ([]File, error) { return read(folder, name+"/", true) }

func read(fsys fs.FS, prefix string, own bool) ([]File, error) {
	var out []File
	for _, folder := range []string{"attacks", "benign"} {
		names, err := corpus.Files(fsys, folder, own)
		if err != nil {
			return nil, fmt.Errorf("no file matches %s%s/*.jsonl", prefix, folder)
		}
		for _, name := range names {
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			out = append(out, File{Name: prefix + name, Folder: folder, Data: data})
		}
	}
	return out, nil
}

// lines splits a file; blank lines are findings, not lines.
func (f File) lines() ([]strictjson.Line, []Finding) {
	var out []strictjson.Line
	var findings []Finding
	if len(bytes.TrimSpace(f.Data)) == 0 {
		return nil, []Finding{{File: f.Name, Line: 1, Text: "file is empty: write one JSON object a line or delete it"}}
	}
	for i, raw := range bytes.Split(bytes.TrimSuffix(f.Data, []byte("\n")), []byte("\n")) {
		raw = bytes.TrimSuffix(raw, []byte("\r"))
		if len(bytes.TrimSpace(raw)) == 0 {
			findings = append(findings, Finding{File: f.Name, Line: f.number(i), Text: "blank line: delete it"})
			continue
		}
		out = append(out, strictjson.Line{File: f.Name, Number: f.number(i), Raw: raw})
	}
	return out, findings
}

// isTwin reports whether a line is an honest twin: by its folder or, in a draft,
// by its member twin.
func isTwin(line strictjson.Line, folder string) bool {
	if folder != "" {
		return folder == "benign"
	}
	var members struct {
		Twin *json.RawMessage `json:"twin"`
	}
	return json.Unmarshal(line.Raw, &members) == nil && members.Twin != nil
}

// decode reads a line; an error becomes a finding.
func decode(line strictjson.Line, folder string, expectations []string) (corpus.Attack, *Finding) {
	a, err := corpus.Decode(line, isTwin(line, folder), expectations)
	if err == nil {
		return a, nil
	}
	text := strings.TrimPrefix(err.Error(), fmt.Sprintf("%s:%d: ", line.File, line.Number))
	text = strings.TrimSuffix(strings.TrimPrefix(text, string(a.ID)+": "), fmt.Sprintf(" (id %s)", a.ID))
	return a, &Finding{File: line.File, Line: line.Number, ID: a.ID, Text: spelledOut.Replace(text)}
}

// spelledOut says in words what the patterns of the schema ask for.
var spelledOut = strings.NewReplacer(
	"does not match pattern '^[lb][1-5]-([0-9]{4}|[1-9][0-9]{4,8})$'",
	"is no id: write l (b for a twin), the level, a hyphen and four digits, or more that do not begin with 0, such as l2-0031",
	"does not match pattern '^l[1-5]-([0-9]{4}|[1-9][0-9]{4,8})$'",
	"is no attack's id: write l, the level, a hyphen and four digits, or more that do not begin with 0, such as l2-0031",
	"does not match pattern '^[lb][1-5]-s([0-9]{2}|[1-9][0-9]{2,8})$'",
	"is no session: write l (b for a twin), the level, -s and two digits, or more that do not begin with 0, such as l2-s07",
	"does not match pattern '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'",
	"is no language: write a BCP 47 tag, such as de, pt-BR or zh-Hant",
)

// Entries are those of files that are not quiet, as far as they can be read.
func Entries(files []File, expectations []string) []corpus.Attack {
	var out []corpus.Attack
	for _, f := range files {
		if f.Quiet {
			continue
		}
		lines, _ := f.lines()
		for _, line := range lines {
			if a, bad := decode(line, f.Folder, expectations); bad == nil {
				out = append(out, a)
			}
		}
	}
	return out
}

func sortFindings(fs []Finding) {
	slices.SortFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
}

// paired reports whether one of two entries is the other's twin.
func paired(a, b corpus.Attack) bool {
	return a.Twin != "" && a.Twin == b.ID || b.Twin != "" && b.Twin == a.ID
}
