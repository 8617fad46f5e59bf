package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"vaultbench/internal/ingest"
	"vaultbench/internal/paper"
	"vaultbench/internal/report"
)

// paperCommand recomputes the published tables from the released outcome rows,
// for whoever has them.
type paperCommand struct {
	Paths   []string `arg:"" name:"dir" help:"Folder with the outcome rows (Parquet, CSV, JSON Lines, packed or not), or such files."`
	Mapping string   `help:"Mapping of their columns (docs/import.md); without it the shipped ones are tried." placeholder:"FILE"`
	JSON    bool     `name:"json" help:"Print the figures as JSON."`
}

// Run prints every published figure beside ours. It fails where one differs.
func (c *paperCommand) Run(stdout io.Writer) error {
	var m ingest.Mapping
	if c.Mapping != "" {
		var err error
		if m, err = ingest.LoadMapping(c.Mapping); err != nil {
			return fmt.Errorf("paper: %w", err)
		}
	}
	files, err := c.files()
	if err != nil {
		return fmt.Errorf("paper: %w", err)
	}
	tables, err := paper.Compute(paper.Rows(files, m), report.Resampling())
	if err != nil {
		return fmt.Errorf("paper: %w", err)
	}
	if err := c.write(stdout, tables); err != nil {
		return err
	}
	if n := len(tables.Differing()); n > 0 {
		return fmt.Errorf("paper: %d figures are not as published: the rows, their mapping or one of the two computations differ", n)
	}
	return nil
}

func (c *paperCommand) write(stdout io.Writer, t *paper.Tables) error {
	if !c.JSON {
		return t.Write(stdout)
	}
	enc := json.NewEncoder(stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"figures": t.Compare(), "not_reproducible": t.NotReproducible(), "rejected_rows": len(t.Rejected)})
}

func (c *paperCommand) files() ([]string, error) {
	var files []string
	for _, p := range c.Paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		inside, err := paper.Files(p)
		if err != nil {
			return nil, err
		}
		files = append(files, inside...)
	}
	return files, nil
}
