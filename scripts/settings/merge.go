package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaultbench/internal/config"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
	"vaultbench/passports"
)

// Merge joins the finished runs of all shards of a grid, in any order, into the run
// id below the options' folder of results, with the reports that every finished run
// has. An empty id is made from the time. It returns the run's folder and its
// summary; the folder also where only the reports failed.
func Merge(options config.Options, folders []string, id string) (report.Summary, string, error) {
	s, dir, err := mergeRuns(options, folders, id)
	if err != nil {
		return s, "", fmt.Errorf("merge: %w", err)
	}
	run, err := Publish(dir, nil)
	if err != nil {
		return s, dir, fmt.Errorf("merge: %s: %w", dir, err)
	}
	p, err := run.Write()
	if err != nil {
		return s, dir, fmt.Errorf("merge: %s is merged and not reported: %w", dir, err)
	}
	return p.Summary, dir, nil
}

func mergeRuns(options config.Options, folders []string, id string) (report.Summary, string, error) {
	if strings.ContainsAny(id, `/\`) || strings.HasPrefix(id, ".") || id == "latest" {
		return report.Summary{}, "", fmt.Errorf("--id %q: a name of one folder, not starting with a dot, not \"latest\"", id)
	}
	m, err := receipt.ReadManifest(folders[0])
	if err != nil {
		return report.Summary{}, "", err
	}
	w, gate, err := World()
	if err != nil {
		return report.Summary{}, "", err
	}
	held, err := heldAgainst(w, m)
	if err != nil {
		return report.Summary{}, "", fmt.Errorf("%s: %w", folders[0], err)
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
	return suite.Merge(s, held, folders, options.Results, id)
}

// heldAgainst is the digest of the golden that the whole run would have been held
// against, had it not been divided: that of this checkout. The runs
// must be of this checkout, since receipts name its passports.
func heldAgainst(w report.World, m record.Manifest) (map[string]string, error) {
	const counts = report.GoldenPrefix + report.EventsFile
	if other := report.OtherCorpus(m.Digests, w.Digests); other != "" {
		return nil, errors.New(other)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Digests)) {
		if name != counts && m.Digests[name] != w.Digests[name] {
			return nil, fmt.Errorf("%s is not that of this checkout: merge in the checkout of revision %s", name, m.Revision)
		}
	}
	if report.OwnCorpus(m.Digests) {
		return nil, nil // no golden counts it
	}
	return map[string]string{counts: w.Digests[counts]}, nil
}
