package main

import (
	"fmt"
	"io"

	"vaultbench/internal/config"
	"vaultbench/internal/escape"
	"vaultbench/internal/publish"
	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// firstReasons is how many reasons the command line shows; verdict lists them.
const firstReasons = 3

// reportCommand writes a finished run's reports again.
type reportCommand struct {
	Folder string `arg:"" name:"run" help:"A run's folder, such as results/latest."`
	JWKS   string `name:"jwks" help:"Accept the keys of this file alone (as go tool vault jwks prints them)." placeholder:"FILE"`
}

// Run prints one line, and what keeps the run from passing to standard error: under
// another checkout's golden or gate a run may not be what it was. What it came to is
// no matter of the status: see go tool vault verdict.
func (c *reportCommand) Run(stdout io.Writer, stderr errorWriter) error {
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
	if err := report.WriteReasons(stderr, p.Verdict, firstReasons); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d evaluations, %s: summary.json, junit.xml, ctrf.json, summary.md and report.html written, %d transcripts in the page\n",
		escape.Line(c.Folder), p.Shown.Evaluations, p.Verdict.State, len(p.Shown.Transcripts))
	return err
}
