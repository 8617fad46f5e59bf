package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/oap"
	"vaultbench/internal/oracle"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
	"vaultbench/scripts/shipped"
)

// lintCommand looks for traps in passports.
type lintCommand struct {
	Files []string  `arg:"" name:"file" help:"Passports."`
	Packs string    `help:"A folder of packs that decide under them. Default: the shipped packs." placeholder:"DIR"`
	At    time.Time `format:"2006-01-02T15:04:05Z07:00" help:"Expiry counts from here, RFC 3339. Default: now." placeholder:"TIME"`
}

// Run prints one line a finding. Errors fail; warnings alone do not.
func (c *lintCommand) Run(stdout io.Writer) error {
	options := oap.LintOptions{At: c.At}
	if c.At.IsZero() {
		options.At = time.Now()
	}
	var err error
	if options.Packs, err = c.packs(); err != nil {
		return fmt.Errorf("lint: %w", err)
	}
	accounts, err := accountsByPassport()
	if err != nil {
		return fmt.Errorf("lint: %w", err)
	}
	count := map[oap.Severity]int{}
	for _, file := range c.Files {
		account := accounts[strings.TrimSuffix(filepath.Base(file), ".json")]
		options.Opening, options.Payees = account.opening, account.payees
		for _, f := range lintFile(file, options) {
			count[f.Severity]++
			if _, err := fmt.Fprintln(stdout, escape.Line(f.String())); err != nil {
				return err
			}
		}
	}
	total := fmt.Sprintf("%d errors, %d warnings in %d passports", count[oap.LintError], count[oap.LintWarning], len(c.Files))
	if count[oap.LintError] > 0 {
		return fmt.Errorf("lint: %s", total)
	}
	_, err = fmt.Fprintln(stdout, total)
	return err
}

// lintFile makes a file that can't be read a finding, so that the others are
// looked at all the same.
func lintFile(file string, o oap.LintOptions) []oap.Finding {
	name := filepath.ToSlash(file)
	raw, err := os.ReadFile(file)
	if err != nil {
		return []oap.Finding{{File: name, Severity: oap.LintError, Message: fmt.Sprintf("can't be read: %v", err)}}
	}
	return oap.Lint(name, raw, o)
}

func (c *lintCommand) packs() ([]oap.PackFile, error) {
	var folder fs.FS
	if c.Packs != "" {
		folder = os.DirFS(c.Packs)
	} else {
		err := pinned.OnlyPack(passports.FS, "passports")
		if err != nil {
			return nil, err
		}
		if folder, err = fs.Sub(passports.FS, "packs"); err != nil {
			return nil, err
		}
	}
	packs, err := oap.ReadPacks(folder)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if p.Err != nil {
			return nil, p.Err
		}
		if len(p.Refused) > 0 { // nothing is decided by such a pack, and what its rule would read looks unread
			return nil, fmt.Errorf("%s: rule %s: %w: mend the pack first", p.File, p.Refused[0].Rule, p.Refused[0].Err)
		}
	}
	return packs, nil
}

// account is what a passport's payments are made from.
type account struct {
	opening map[string]int64 // as in oap.LintOptions
	payees  map[string]bool  // likewise
}

// accountsByPassport are those of the levels and tool maps, by their passport's name.
func accountsByPassport() (map[string]account, error) {
	levels, maps, err := loadDirectories()
	if err != nil {
		return nil, err
	}
	accounts := map[string]account{}
	add := func(passport string, d corpus.Directory) {
		a := account{opening: map[string]int64{d.Currency: d.OpeningBalance}, payees: map[string]bool{}}
		for _, r := range d.Recipients {
			a.payees[r.ID] = !oracle.Forbids(r.ID, d)
		}
		accounts[passport] = a
	}
	for level, spec := range levels {
		add(suite.PassportOf(level), spec.Directory)
	}
	for _, m := range maps {
		add(m.Passport, m.Directory)
	}
	return accounts, nil
}

func loadDirectories() (map[corpus.Level]corpus.LevelSpec, map[string]corpus.ToolMap, error) {
	levels, err := shipped.Levels()
	if err != nil {
		return nil, nil, err
	}
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	return levels, maps, err
}
