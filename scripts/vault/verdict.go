package main

import (
	"bytes"
	"fmt"
	"io"

	"vaultbench/internal/diff"
	"vaultbench/internal/escape"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// verdictCommand says what a run's record comes to.
type verdictCommand struct {
	Folder string `arg:"" name:"run" help:"A run's folder, such as results/latest."`
	JWKS   string `name:"jwks" help:"Accept the keys of this file alone (as go tool vault jwks prints them)." placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Print one JSON object (fixtures/schema/verdict.schema.json)."`
}

// Run prints the verdict; its status is the verdict's.
func (c *verdictCommand) Run(stdout io.Writer) error {
	v, err := c.verdict()
	if err != nil {
		return statusError{fmt.Errorf("verdict: %w", err), 2}
	}
	if err := c.print(stdout, v); err != nil {
		return statusError{err, 2}
	}
	if v.ExitStatus == 0 {
		return nil
	}
	return statusError{fmt.Errorf("verdict: %s (status %d)", v.State, v.ExitStatus), v.ExitStatus}
}

func (c *verdictCommand) verdict() (report.Verdict, error) {
	trusted, err := loadTrusted(c.JWKS)
	if err != nil {
		return report.Verdict{}, err
	}
	w, gate, err := settings.World()
	if err != nil {
		return report.Verdict{}, err
	}
	v, _, err := report.VerdictOf(c.Folder, trusted, w, gate, diff.Rates)
	return v, err
}

// loadTrusted reads the keys that the reader knows; none: any key will do.
func loadTrusted(file string) (*receipt.JWKS, error) {
	if file == "" {
		return nil, nil
	}
	set, err := receipt.LoadKeySet(file)
	return &set, err
}

func (c *verdictCommand) print(stdout io.Writer, v report.Verdict) error {
	var b bytes.Buffer
	if c.JSON {
		if err := record.EncodeJSON(&b, v); err != nil {
			return err
		}
		_, err := stdout.Write(escape.JSON(b.Bytes()))
		return err
	}
	return report.WriteVerdict(stdout, v)
}
