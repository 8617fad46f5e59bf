package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/corpus/derived"
	"vaultbench/internal/escape"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/shipped"
)

// attacksAdd appends new entries.
type attacksAdd struct {
	File   string `help:"JSONL of entries without id, and with category or without. Default: standard input." placeholder:"FILE"`
	DryRun bool   `help:"Check the entries and write nothing: no id is given."`
}

// Run adds all entries or none, and says which ids they got, where they stand and
// what to do next.
func (c *attacksAdd) Run(stdout io.Writer) error {
	w, err := openWorkshop()
	if err != nil {
		return err
	}
	if err := w.shippedOnly("give the entries ids, put them into that folder and run go tool vault attacks lint"); err != nil {
		return err
	}
	draft, err := c.draft()
	if err != nil {
		return err
	}
	var added author.Addition
	if err := w.alone(func() error {
		if added, err = author.Add(w.fixtures, draft, shipped.Expectations()); err != nil {
			return err
		}
		if len(added.Findings) == 0 {
			if added.Findings, err = contradicted(w.fixtures, added.Entries); err != nil {
				return err
			}
		}
		if err := problemsFound(stdout, added.Findings); err != nil {
			return fmt.Errorf("%w: nothing was added", err)
		}
		if c.DryRun {
			return nil
		}
		return w.write(added.Files)
	}); err != nil {
		return err
	}
	for i, a := range added.Entries {
		joins := "a new one"
		if n := added.Joins[i]; n > 0 {
			joins = fmt.Sprintf("joins %d others", n)
		}
		if _, err := fmt.Fprintf(stdout, "%s (%s) session %s, %s\n", a.ID, a.Category, a.Session, joins); err != nil {
			return err
		}
	}
	return c.next(stdout, added.Files)
}

func (c *attacksAdd) next(stdout io.Writer, files []author.File) error {
	var names []string
	for _, f := range files {
		names = append(names, escape.Line(f.Name))
	}
	text := "written: " + strings.Join(names, ", ") + "\nnext: go test ./vault_test -update, and read the diff of golden/\n"
	if c.DryRun {
		text = "nothing was written, and the ids are free: without --dry-run " + strings.Join(names, ", ") + " would change\n"
	}
	_, err := io.WriteString(stdout, text)
	return err
}

// contradicted holds what entries expect against what the layer decides.
func contradicted(fixtures fs.FS, entries []corpus.Attack) ([]author.Finding, error) {
	levels, err := corpus.LoadLevels(fixtures)
	if err != nil {
		return nil, err
	}
	var drafted corpus.Corpus
	for _, a := range entries {
		if a.Twin == "" {
			drafted.Attacks = append(drafted.Attacks, a)
		} else {
			drafted.Benign = append(drafted.Benign, a)
		}
	}
	cases := pinned.New(drafted, levels)
	var out []author.Finding
	for _, level := range corpus.Levels() {
		layer, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		if err != nil {
			return nil, err
		}
		for _, s := range cases.Surprises(level, func() authz.Authorizer { return layer.Open() }) {
			text := fmt.Sprintf("goal %d: the layer decides %s (rule %s), and expect says %s: mend expect and reason, or the goal",
				s.Goal, s.Got.Reason(), s.Got.Rule(), s.Attack.Expect[s.Goal-1])
			out = append(out, author.Finding{File: s.Attack.File, Line: s.Attack.Line, ID: s.Attack.ID, Text: text})
		}
	}
	return out, nil
}

func (c *attacksAdd) draft() (author.File, error) {
	if c.File == "" || c.File == "-" {
		data, err := io.ReadAll(os.Stdin)
		return author.File{Name: "standard input", Data: data}, err
	}
	data, err := os.ReadFile(c.File)
	return author.File{Name: c.File, Data: data}, err
}

// readingFile holds a blind reader's verdicts, if anybody has read.
const readingFile = "docs/corpus-reading.md"

// attacksStats counts.
type attacksStats struct{}

// Run prints the counts.
func (c *attacksStats) Run(stdout io.Writer) error {
	w, all, err := loadCorpus()
	if err != nil {
		return err
	}
	var verdicts []author.Verdict
	if !w.own() { // nobody has read another one
		if verdicts, err = author.ReadVerdicts(os.DirFS(w.root), readingFile, all); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, author.Stats(all, verdicts))
	return err
}

// attacksMutate prints variants.
type attacksMutate struct {
	ID       string `arg:"" help:"Id of an attack, such as l2-0007."`
	Operator string `required:"" help:"Name of an operator, or all." placeholder:"NAME"`
}

// Help lists the operators.
func (c *attacksMutate) Help() string {
	return "Operators, in their order: " + strings.Join(derived.Operators(), ", ") + "."
}

// Run prints the variants as JSONL, with everything that does not print escaped.
func (c *attacksMutate) Run(stdout io.Writer) error {
	w, all, err := loadCorpus()
	if err != nil {
		return err
	}
	a, err := w.find(all, c.ID)
	if err != nil {
		return err
	}
	if a.Twin != "" {
		return fmt.Errorf("%s is an honest twin: name an attack, such as %s", a.ID, a.Twin)
	}
	variants := derived.Variants(a, len(derived.Operators()))
	if c.Operator != "all" {
		v, ok, err := derived.Variant(a, c.Operator)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("operator %s can do nothing to %s", c.Operator, a.ID)
		}
		variants = []corpus.Attack{v}
	}
	for _, v := range variants {
		if _, err := io.WriteString(stdout, author.Printable(author.Line(v))); err != nil {
			return err
		}
	}
	return nil
}
