package author

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
)

// Lint says everything that is wrong with the attack files: what stops
// corpus.Load, ids that are used twice or again, order, categories that the
// classifier does not find, wording that two entries share, near-duplicates, and
// data that may be a person's. expectations is the closed vocabulary of the field
// expect. files are those of Read, and drafts.
func Lint(fixtures fs.FS, files []File, expectations []string) ([]Finding, error) {
	levels, err := corpus.LoadLevels(fixtures)
	if err != nil {
		return nil, err
	}
	register, findings, err := readRetired(fixtures)
	if err != nil {
		return nil, err
	}
	l := newLinter(levels)
	l.register, l.findings = &register, findings
	return l.lint(files, expectations), nil
}

// LintOwn is Lint for a corpus that stands in for the shipped one. It has no register
// of ids, so they may begin and leave gaps where they like, and files of any name. That
// two entries are alike is a warning: a published corpus has such.
func LintOwn(levels map[corpus.Level]corpus.LevelSpec, files []File, expectations []string) []Finding {
	return newLinter(levels).lint(files, expectations)
}

func newLinter(levels map[corpus.Level]corpus.LevelSpec) *linter {
	l := &linter{levels: levels, quiet: map[string]bool{}, ids: map[corpus.AttackID]bool{}}
	for _, level := range corpus.Levels() {
		l.prompts = append(l.prompts, levels[level].SystemPrompt)
	}
	return l
}

func (l *linter) lint(files []File, expectations []string) []Finding {
	// What is quiet comes first, so that the later one of a pair is reported.
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int { return rank(a) - rank(b) })
	for _, f := range files {
		l.read(f, expectations)
	}
	l.each()
	l.together()
	if l.register != nil {
		l.gaps()
	}
	return l.reported()
}

func rank(f File) int {
	if f.Quiet {
		return 0
	}
	return 1
}

type linter struct {
	levels   map[corpus.Level]corpus.LevelSpec
	register *ledger // of the shipped corpus; nil: of none
	prompts  []string
	quiet    map[string]bool // files
	ids      map[corpus.AttackID]bool
	all      []corpus.Attack
	findings []Finding
}

func (l *linter) add(fs ...Finding) { l.findings = append(l.findings, fs...) }

// read takes in a file's lines and checks their order.
func (l *linter) read(f File, expectations []string) {
	l.quiet[f.Name] = f.Quiet
	lines, findings := f.lines()
	l.add(findings...)
	var last corpus.AttackID
	for _, line := range lines {
		a, bad := decode(line, f.Folder, expectations)
		l.ids[a.ID] = true
		if bad != nil {
			l.add(*bad)
			continue
		}
		if a.ID.Compare(last) < 0 && f.Folder != "" {
			l.add(finding(a, fmt.Sprintf("stands after %s: run go tool vault attacks fmt", last)))
		}
		if a.ID.Compare(last) > 0 {
			last = a.ID
		}
		l.all = append(l.all, a)
	}
}

// each checks what an entry shows by itself.
func (l *linter) each() {
	gone := map[corpus.AttackID]retired{}
	if l.register != nil {
		for _, r := range l.register.retired {
			gone[r.ID] = r
		}
	}
	for _, a := range l.all {
		if l.quiet[a.File] {
			continue // whatever it shows, nobody asked
		}
		if r, used := gone[a.ID]; used {
			l.add(finding(a, fmt.Sprintf("this id is retired (%s%s:%d: %s): let go tool vault attacks add give another", prefix, retiredFile, r.Line, r.Reason)))
		}
		for _, text := range slices.Concat(l.misplaced(a), l.implausible(a)) {
			l.add(finding(a, text))
		}
		if l.register != nil && strings.HasPrefix(a.File, prefix) && a.File != home(a) {
			l.add(finding(a, fmt.Sprintf("stands in the wrong file: move it to %s", home(a))))
		}
		if got := corpus.Classify(a.Messages); got != a.Category {
			l.add(finding(a, fmt.Sprintf("category is %s, the classifier says %s: store that", a.Category, got)))
		}
		if text := a.Unfit(l.levels[a.Level]); text != "" {
			l.add(finding(a, text))
		}
		l.add(PersonalData(a)...)
	}
}

// home is the file that an entry belongs to.
func home(a corpus.Attack) string {
	folder := "attacks"
	if a.Twin != "" {
		folder = "benign"
	}
	return fmt.Sprintf("%s%s/level-%s.jsonl", prefix, folder, strings.TrimPrefix(string(a.Level), "l"))
}

// misplaced: the id and the session name the kind and the level.
func (l *linter) misplaced(a corpus.Attack) []string {
	kind := "l"
	if a.Twin != "" {
		kind = "b"
	}
	digit := strings.TrimPrefix(string(a.Level), "l")
	var out []string
	if series, _ := a.ID.Split(); series != kind+digit {
		remedy := "let go tool vault attacks add give one"
		if l.register == nil { // that adds to the shipped corpus alone
			remedy = "give it the number behind the highest there"
		}
		out = append(out, fmt.Sprintf("the id is none from %s%s-0001 on: %s", kind, digit, remedy))
	}
	if series, _ := a.Session.Split(); series != kind+digit {
		out = append(out, fmt.Sprintf("session %s: write one from %s%s-s01 on", a.Session, kind, digit))
	}
	return out
}

// together checks what the entries show side by side.
func (l *linter) together() {
	c := corpus.Corpus{Own: l.register == nil}
	for _, a := range l.all {
		if a.Twin == "" {
			c.Attacks = append(c.Attacks, a)
		} else {
			c.Benign = append(c.Benign, a)
		}
	}
	for _, p := range c.Problems() {
		if l.quiet[p.Attack.File] && p.Other.ID != "" {
			l.add(finding(p.Other, "see "+p.Error()))
			continue
		}
		l.add(beside(p.Attack, p.Other, p.Text))
	}
	refused := l.refused()
	l.alike(SharedWording(l.all, l.prompts, refused), ": say it in other words")
	l.alike(NearDuplicates(l.all, refused), ": write another one")
}

// refused are the entries that something else is wrong with, by index in all: what is
// like one of them may be right as soon as that is gone.
func (l *linter) refused() map[int]bool {
	at := map[string]bool{}
	where := func(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }
	for _, f := range l.findings {
		at[where(f.File, f.Line)] = true
	}
	out := map[int]bool{}
	for i, a := range l.all {
		if at[where(a.File, a.Line)] {
			out[i] = true
		}
	}
	return out
}

// alike adds entries that are too much like each other. Whoever writes the shipped
// corpus is to write another one; in somebody else's it is what strangers wrote.
func (l *linter) alike(findings []Finding, remedy string) {
	for _, f := range findings {
		if f.Warning = l.register == nil; !f.Warning {
			f.Text += remedy
		}
		l.add(f)
	}
}

// reported drops what stands in quiet files, and the register's findings where
// any file is quiet, since then nobody asked about it.
func (l *linter) reported() []Finding {
	if slices.Contains(slices.Collect(maps.Values(l.quiet)), true) {
		l.quiet[prefix+retiredFile] = true
	}
	out := slices.DeleteFunc(l.findings, func(f Finding) bool { return l.quiet[f.File] })
	sortFindings(out)
	return out
}
