package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"vaultbench/golden"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/mutation"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
)

// equivalentsFile is the list of mutants that decide as their file does.
const equivalentsFile = "equivalent-mutants.txt"

// mutateCommand measures whether a wrong edit of a policy file would be noticed.
type mutateCommand struct {
	JSON bool   `name:"json" help:"Print the report as JSON, with every mutant and what noticed it."`
	Only string `name:"only" help:"Break this file alone, such as level-2.json." placeholder:"FILE"`
}

// Run prints the report; a mutant that survives unlisted, or a listed one that is
// noticed, is the error.
func (c *mutateCommand) Run(stdout io.Writer) error {
	report, err := mutateShipped(c.Only)
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	if c.JSON {
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(report)
	} else {
		err = report.WriteText(stdout)
	}
	if err != nil {
		return err
	}
	if n := len(report.Faults); n > 0 {
		return fmt.Errorf("mutate: %d faults: add an attack, a twin or a probe that notices the mutant, or list it in golden/%s with the reason", n, equivalentsFile)
	}
	return nil
}

// mutateShipped examines every mutant of the shipped passports and pack, or of
// one of these files.
func mutateShipped(only string) (mutation.Report, error) {
	if err := pinned.OnlyPack(passports.FS, "passports"); err != nil {
		return mutation.Report{}, err
	}
	text, err := fs.ReadFile(golden.FS, equivalentsFile)
	if err != nil {
		return mutation.Report{}, err
	}
	equivalents, err := mutation.ParseEquivalents("golden/"+equivalentsFile, string(text))
	if err != nil {
		return mutation.Report{}, err
	}
	examiner, err := pinned.NewExaminer()
	if err != nil {
		return mutation.Report{}, err
	}
	mutants, err := examiner.Mutants()
	if err != nil {
		return mutation.Report{}, err
	}
	if only != "" {
		mutants = slices.DeleteFunc(mutants, func(m mutation.Mutant) bool { return m.File != only })
		equivalents = slices.DeleteFunc(equivalents, func(e mutation.Equivalent) bool { return !strings.HasPrefix(e.ID, only+" ") })
	}
	if len(mutants) == 0 {
		return mutation.Report{}, fmt.Errorf("--only %s: no such file: use level-1.json to level-5.json, or packs/%s.json", only, oap.ChargePack)
	}
	results, err := mutation.Run(mutants, examiner.Examine)
	if err != nil {
		return mutation.Report{}, err
	}
	return mutation.NewReport(results, equivalents), nil
}
