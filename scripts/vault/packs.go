package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"vaultbench/internal/escape"
	"vaultbench/internal/oap"
)

// packsCommand says what the engine makes of a folder of packs.
type packsCommand struct {
	Dir string `arg:"" help:"A folder with packs as *.json or */policy.json."`
}

// Run prints one line a rule. A rule that is prose, or that calls a function
// which nobody registered, is refused by its nature; any other refusal, and a
// file that is no pack, is an error.
func (c *packsCommand) Run(stdout io.Writer) error {
	files, err := oap.ReadPacks(os.DirFS(c.Dir))
	if err != nil {
		return fmt.Errorf("%w in %s", err, c.Dir)
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	lines := []string{"pack\trule\tcompiled\tlimits"}
	var count packCount
	for _, f := range files {
		if f.Err != nil {
			count.none = append(count.none, escape.Line("no pack: "+f.Err.Error()))
			continue
		}
		lines = append(lines, count.take(f)...)
	}
	if _, err := fmt.Fprintln(w, strings.Join(lines, "\n")); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, line := range append(count.none, fmt.Sprintf("%d packs: %d rules compiled, %d refused", count.packs, count.compiled, count.refused)) {
		if _, err := fmt.Fprintln(stdout, line); err != nil {
			return err
		}
	}
	return count.err()
}

type packCount struct {
	packs, compiled, refused int
	wrong                    int      // refused, and not by their nature
	none                     []string // what is wrong with files that are no pack
}

// take returns the lines of one pack.
func (c *packCount) take(f oap.PackFile) []string {
	c.packs++
	var lines []string
	for _, r := range f.Pack.Rules {
		state := "compiled"
		if why := f.Refusal(r.Name); why != nil {
			state = "refused: " + why.String()
			c.refused++
			if !why.Foreseen() {
				c.wrong++
			}
		} else {
			c.compiled++
		}
		var limits []string
		for _, read := range f.Pack.Reads(r) {
			limits = append(limits, read.Name())
		}
		if len(limits) == 0 {
			limits = []string{"-"}
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s", escape.Line(string(f.Pack.ID)), escape.Line(r.Name), escape.Line(state), escape.Line(strings.Join(limits, ", "))))
	}
	return lines
}

func (c *packCount) err() error {
	var problems []string
	if c.wrong > 0 {
		problems = append(problems, fmt.Sprintf("%d rules are wrong", c.wrong))
	}
	if n := len(c.none); n > 0 {
		problems = append(problems, fmt.Sprintf("%d files are no pack", n))
	}
	if len(problems) == 0 {
		return nil
	}
	return errors.New("packs: " + strings.Join(problems, ", "))
}
