package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"vaultbench/internal/corpus"
	"vaultbench/internal/corpus/author"
	"vaultbench/internal/escape"
	"vaultbench/internal/spelling"
)

// attacksList shows the entries that every given filter lets through.
type attacksList struct {
	Level     []string `help:"Only these levels, such as l1,l2." placeholder:"LEVEL"`
	Category  []string `help:"Only these categories (the classifier's word)." placeholder:"CATEGORY"`
	Technique []string `help:"Only these techniques (the author's word)." placeholder:"TECHNIQUE"`
	Lang      []string `help:"Only these languages, BCP 47." placeholder:"LANG"`
	Session   []string `help:"Only these sessions, such as l2-s01." placeholder:"SESSION"`
	Benign    *bool    `help:"Only honest twins; --no-benign: only attacks." negatable:""`
}

// firstWords is how much of an entry's first message a line shows, in characters.
const firstWords = 60

// Run prints the lines, sorted by id, attacks first.
func (c *attacksList) Run(stdout io.Writer) error {
	_, all, err := loadCorpus()
	if err != nil {
		return err
	}
	entries, err := c.choose(slices.Concat(all.Attacks, all.Benign))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "id\tsession\tlevel\tlang\tcategory\ttechnique\tturns\tgoals\tfirst words"); err != nil {
		return err
	}
	for _, a := range entries {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", a.ID, a.Session, a.Level, a.Lang, a.Category, a.Technique,
			len(a.Messages), len(a.Goal), escape.Short(a.Messages[0], firstWords)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// choose filters. A word that no entry has is a typing error, and so is a
// combination that leaves nothing.
func (c *attacksList) choose(all []corpus.Attack) ([]corpus.Attack, error) {
	if c.Benign != nil {
		all = slices.DeleteFunc(slices.Clone(all), func(a corpus.Attack) bool { return *c.Benign != (a.Twin != "") })
	}
	left := all
	for _, f := range []struct {
		name  string
		words []string
		of    func(corpus.Attack) string
	}{
		{"level", c.Level, func(a corpus.Attack) string { return string(a.Level) }},
		{"category", c.Category, func(a corpus.Attack) string { return string(a.Category) }},
		{"technique", c.Technique, func(a corpus.Attack) string { return string(a.Technique) }},
		{"lang", c.Lang, func(a corpus.Attack) string { return a.Lang }},
		{"session", c.Session, func(a corpus.Attack) string { return string(a.Session) }},
	} {
		for _, word := range f.words {
			if !slices.ContainsFunc(all, func(a corpus.Attack) bool { return f.of(a) == word }) {
				return nil, fmt.Errorf("--%s %s: matches nothing: %s", f.name, word, known(all, f.of))
			}
		}
		if len(f.words) > 0 {
			left = slices.DeleteFunc(slices.Clone(left), func(a corpus.Attack) bool { return !slices.Contains(f.words, f.of(a)) })
		}
	}
	if len(left) == 0 {
		return nil, fmt.Errorf("no entry matches all filters: take one away")
	}
	return left, nil
}

// known lists the words of a field, if they fit a line.
func known(all []corpus.Attack, of func(corpus.Attack) string) string {
	var words []string
	for _, a := range all {
		words = append(words, of(a))
	}
	slices.Sort(words)
	if words = slices.Compact(words); len(words) > 40 {
		return fmt.Sprintf("there are %d, from %s to %s", len(words), words[0], words[len(words)-1])
	}
	return "there are " + strings.Join(words, ", ")
}

// attacksShow prints whole entries.
type attacksShow struct {
	IDs []string `arg:"" name:"id" help:"Ids, such as l2-0007."`
}

// Run prints the entries in the order in which they are named.
func (c *attacksShow) Run(stdout io.Writer) error {
	w, all, err := loadCorpus()
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, id := range c.IDs {
		a, err := w.find(all, id)
		if err != nil {
			return err
		}
		show(&out, a)
	}
	_, err = io.WriteString(stdout, out.String())
	return err
}

// find returns an entry; the error names ids that are nearly the same.
func (w workshop) find(c corpus.Corpus, id string) (corpus.Attack, error) {
	all := slices.Concat(c.Attacks, c.Benign)
	if i := slices.IndexFunc(all, func(a corpus.Attack) bool { return string(a.ID) == id }); i >= 0 {
		return all[i], nil
	}
	var reason string
	var err error
	if !w.own() {
		reason, err = author.RetiredReason(w.fixtures, corpus.AttackID(id))
	}
	switch {
	case err != nil:
		return corpus.Attack{}, err
	case reason != "":
		return corpus.Attack{}, fmt.Errorf("%s is retired: %s", id, reason)
	}
	slices.SortStableFunc(all, func(a, b corpus.Attack) int {
		return cmp.Compare(spelling.Edits(string(a.ID), id), spelling.Edits(string(b.ID), id))
	})
	var near []string
	for _, a := range all[:min(3, len(all))] {
		near = append(near, string(a.ID))
	}
	return corpus.Attack{}, fmt.Errorf("no entry has id %q: near are %s", id, strings.Join(near, ", "))
}

// show writes an entry for people. Each line of hostile text is escaped and
// stands behind a bar.
func show(b *strings.Builder, a corpus.Attack) {
	fmt.Fprintf(b, "%s  %s:%d\n", a.ID, a.Path(), a.Line)
	for _, field := range [][2]string{
		{"twin of", string(a.Twin)}, {"session", string(a.Session)}, {"level", string(a.Level)}, {"lang", a.Lang}, {"date", a.Date},
		{"technique", string(a.Technique)}, {"category", string(a.Category)},
	} {
		if field[1] != "" {
			fmt.Fprintf(b, "  %-10s %s\n", field[0], escape.Line(field[1]))
		}
	}
	for i, m := range a.Messages {
		fmt.Fprintf(b, "  message %d of %d\n", i+1, len(a.Messages))
		for _, line := range strings.Split(m, "\n") {
			fmt.Fprintf(b, "  | %s\n", escape.Line(line))
		}
	}
	if a.Goal == nil {
		b.WriteString("  goal: none\n")
	}
	for i, p := range a.Goal {
		fmt.Fprintf(b, "  goal %d of %d: amount %s", i+1, len(a.Goal), escape.Line(string(p.Amount)))
		if p.Currency != "" {
			fmt.Fprintf(b, " currency %s", escape.Line(fmt.Sprintf("%q", p.Currency)))
		}
		fmt.Fprintf(b, " to %s memo %s", escape.Line(fmt.Sprintf("%q", p.Recipient)), escape.Line(fmt.Sprintf("%q", p.Memo)))
		if p.At != 0 {
			fmt.Fprintf(b, " after %s", p.Offset())
		}
		fmt.Fprintf(b, " → %s\n", a.Expect[i])
	}
	fmt.Fprintf(b, "  reason: %s\n\n", escape.Line(a.Reason))
}
