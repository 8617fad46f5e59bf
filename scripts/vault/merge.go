package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/passports"
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
	_, dir, err := c.merge()
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	run, err := settings.Publish(dir, nil)
	if err != nil {
		return fmt.Errorf("merge: %s: %w", dir, err)
	}
	p, err := run.Write()
	if err != nil {
		return fmt.Errorf("merge: %s is merged and not reported: %w", dir, err)
	}
	if err := report.WriteTable(stdout, p.Summary); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "run: %s\n", dir)
	return err
}

func (c *mergeCommand) merge() (report.Summary, string, error) {
	if strings.ContainsAny(c.ID, `/\`) || strings.HasPrefix(c.ID, ".") || c.ID == "latest" {
		return report.Summary{}, "", fmt.Errorf("--id %q: a name of one folder, not starting with a dot, not \"latest\"", c.ID)
	}
	_, options, err := settings.Load()
	if err != nil {
		return report.Summary{}, "", err
	}
	m, err := receipt.ReadManifest(c.Folders[0])
	if err != nil {
		return report.Summary{}, "", err
	}
	w, gate, err := settings.World()
	if err != nil {
		return report.Summary{}, "", err
	}
	held, err := heldAgainst(w, m)
	if err != nil {
		return report.Summary{}, "", fmt.Errorf("%s: %w", c.Folders[0], err)
	}
	s := &suite.Suite{Trials: m.Trials, Gate: gate}
	if len(held) > 0 {
		s.Golden = w.Golden
	}
	if s.Key, err = receipt.LoadKey(options.SigningKey); err != nil {
		return report.Summary{}, "", err
	}
	if s.Parties, err = receipt.LoadParties(passports.FS); err != nil {
		return report.Summary{}, "", err
	}
	return suite.Merge(s, held, c.Folders, options.Results, c.ID)
}

// heldAgainst is the digest of the golden that the whole run would have been held
// against, had it not been divided: that of this checkout. The runs
// must be of this checkout, since receipts name its passports.
func heldAgainst(w report.World, m record.Manifest) (map[string]string, error) {
	const counts = report.GoldenPrefix + report.EventsFile
	for _, name := range slices.Sorted(maps.Keys(w.Digests)) {
		if name != counts && m.Digests[name] != w.Digests[name] {
			return nil, fmt.Errorf("%s is not that of this checkout: merge in the checkout of revision %s", name, m.Revision)
		}
	}
	return map[string]string{counts: w.Digests[counts]}, nil
}
