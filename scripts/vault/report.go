package main

import (
	"fmt"
	"io"

	"vaultbench/internal/config"
	"vaultbench/internal/escape"
	"vaultbench/internal/publish"
	"vaultbench/scripts/settings"
)

// reportCommand writes a finished run's reports again.
type reportCommand struct {
	Folder string `arg:"" name:"run" help:"A run's folder, such as results/latest."`
	JWKS   string `name:"jwks" help:"Accept the keys of this file alone (as go tool vault jwks prints them)." placeholder:"FILE"`
}

// Run prints one line. What the run came to is no matter of the status: see go
// tool vault verdict.
func (c *reportCommand) Run(stdout io.Writer) error {
	trusted, err := loadTrusted(c.JWKS)
	if err != nil {
		return statusError{fmt.Errorf("report: %w", err), 2}
	}
	run, err := settings.Publish(c.Folder, trusted)
	if err != nil {
		return statusError{fmt.Errorf("report: %w", err), 2}
	}
	p, err := run.Write()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := config.AppendStepSummary(func(w io.Writer) error { return publish.Markdown(w, p) }); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d evaluations, %s: summary.json, junit.xml, ctrf.json, summary.md and report.html written, %d transcripts in the page\n",
		escape.Line(c.Folder), p.Shown.Evaluations, p.Verdict.State, len(p.Shown.Transcripts))
	return err
}
