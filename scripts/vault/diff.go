package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/diff"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/pinned"
)

// diffCommand compares two runs or two folders of goldens.
type diffCommand struct {
	A      string                            `arg:"" help:"The earlier run's folder, such as results/last; or a folder shaped like golden/."`
	B      string                            `arg:"" help:"The later one."`
	Model  map[plan.ModelSlug]plan.ModelSlug `help:"Compare a banker of A with one of another name in B." placeholder:"A=B"`
	Format string                            `enum:"text,json,markdown" default:"text" help:"text, json (fixtures/schema/diff.schema.json) or markdown."`
	JWKS   string                            `name:"jwks" help:"Accept runs signed by the keys of this file alone." placeholder:"FILE"`
}

// Run prints the comparison. Any difference is an error, and so is what keeps it
// from being told, with another status.
func (c *diffCommand) Run(stdout io.Writer) error {
	r, err := c.compare()
	if err != nil {
		return statusError{fmt.Errorf("diff: %w", err), 2}
	}
	if err := c.print(stdout, r); err != nil {
		return statusError{err, 2}
	}
	if !r.Same {
		return fmt.Errorf("diff: %s and %s differ", c.A, c.B)
	}
	return nil
}

func (c *diffCommand) compare() (*diff.Report, error) {
	goldenA, goldenB := isGolden(c.A), isGolden(c.B)
	switch {
	case goldenA != goldenB:
		return nil, fmt.Errorf("%s and %s: one is a run, the other a folder of goldens", c.A, c.B)
	case goldenA && (len(c.Model) > 0 || c.JWKS != ""):
		return nil, errors.New("--model and --jwks are about runs, and these are goldens")
	case goldenA:
		a, err := readGoldens(c.A)
		if err != nil {
			return nil, err
		}
		b, err := readGoldens(c.B)
		if err != nil {
			return nil, err
		}
		return diff.CompareGoldens(a, b)
	}
	trusted, err := loadTrusted(c.JWKS)
	if err != nil {
		return nil, err
	}
	a, err := diff.Open(c.A, trusted, c.Model)
	if err != nil {
		return nil, err
	}
	b, err := diff.Open(c.B, trusted, nil)
	if err != nil {
		return nil, err
	}
	return diff.Compare(a, b)
}

func isGolden(dir string) bool {
	_, err := fs.Stat(os.DirFS(dir), report.EventsFile)
	return err == nil
}

// readGoldens reads what a golden folder pins.
func readGoldens(dir string) (diff.Goldens, error) {
	folder := os.DirFS(dir)
	g := diff.Goldens{Folder: dir, Decisions: map[string]map[string]string{}}
	var err error
	if g.Events, err = report.LoadGolden(folder); err != nil {
		return g, fmt.Errorf("%s: %w", dir, err)
	}
	for _, level := range corpus.Levels() {
		pins, err := pinned.ReadFrom(folder, level)
		if err != nil {
			return g, fmt.Errorf("%s: %w", dir, err)
		}
		file := map[string]string{}
		for _, d := range pins.Decisions {
			file[d.ID] = string(d.Code) + " by " + d.Rule
		}
		g.Decisions[pinned.File(level)] = file
	}
	crossed, err := pinned.ReadCrossedFrom(folder)
	if errors.Is(err, fs.ErrNotExist) { // older goldens have none
		return g, nil
	}
	if err != nil {
		return g, fmt.Errorf("%s: %w", dir, err)
	}
	file := map[string]string{}
	for _, c := range crossed {
		for _, level := range corpus.Levels() {
			file[c.ID+" at "+string(level)] = strings.Replace(c.At(level), "/", " by ", 1)
		}
	}
	g.Decisions[pinned.CrossedFile] = file
	return g, nil
}

func (c *diffCommand) print(stdout io.Writer, r *diff.Report) error {
	switch c.Format {
	case "json":
		var b bytes.Buffer
		if err := record.EncodeJSON(&b, r); err != nil {
			return err
		}
		_, err := stdout.Write(escape.JSON(b.Bytes()))
		return err
	case "markdown":
		return diff.WriteMarkdown(stdout, r)
	}
	return diff.WriteText(stdout, r)
}
