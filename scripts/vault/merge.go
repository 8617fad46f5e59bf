package main

import (
	"fmt"
	"io"

	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// mergeCommand joins the runs of all shards of a grid.
type mergeCommand struct {
	Folders []string `arg:"" name:"run" help:"The finished runs of all shards (VAULT_SHARD), in any order."`
	ID      string   `name:"id" help:"Name of the merged run; default made from the time." placeholder:"NAME"`
}

// Run writes the merged run into the folder of VAULT_RESULTS, with the reports that
// every finished run has, and prints its table.
func (c *mergeCommand) Run(stdout io.Writer) error {
	_, options, err := settings.Load()
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	summary, dir, err := settings.Merge(options, c.Folders, c.ID)
	if err != nil {
		return err
	}
	if err := report.WriteTable(stdout, summary); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "run: %s\n", dir)
	return err
}
