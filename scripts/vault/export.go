package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"vaultbench/internal/config"
	"vaultbench/internal/escape"
	"vaultbench/internal/export"
	"vaultbench/internal/publish"
	"vaultbench/scripts/settings"
	"vaultbench/scripts/shipped"
)

// exportCommand writes a run's tables.
type exportCommand struct {
	Folder string `arg:"" name:"run" help:"A finished run's folder, such as results/latest."`
	Out    string `help:"Folder to write to; it must not exist. Default: export, in the run's folder." placeholder:"DIR"`
}

// Run prints what the export holds and its one digest.
func (c *exportCommand) Run(stdout io.Writer) error {
	ctx, stop := config.Interruptible()
	defer stop()
	return c.export(ctx, stdout)
}

func (c *exportCommand) export(ctx context.Context, stdout io.Writer) error {
	run, err := settings.Publish(c.Folder, nil)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	attacks, err := settings.Corpus()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	levels, err := shipped.Levels()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if c.Out == "" {
		c.Out = filepath.Join(c.Folder, "export")
	}
	r, err := export.Export(ctx, export.Config{Run: run, Out: c.Out, Corpus: attacks, Levels: levels})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d evaluations, %d prompts, %d transcript entries; snapshot %s\n",
		escape.Line(c.Out), r.Evaluations, r.Prompts, r.Entries, r.Snapshot)
	return err
}

// importRun makes a run's folder from an export.
type importRun struct {
	Folder string `arg:"" name:"export" help:"A folder that go tool vault export wrote."`
	Out    string `required:"" help:"Folder to write to, such as results/NAME; it must not exist." placeholder:"DIR"`
	Format string `enum:"parquet,jsonl,csv" default:"parquet" help:"Which of the tables to read: parquet, jsonl or csv."`
}

// Run prints what came back; another summary than the one exported is the error.
func (c *importRun) Run(stdout io.Writer) error {
	ctx, stop := config.Interruptible()
	defer stop()
	return c.restore(ctx, stdout)
}

func (c *importRun) restore(ctx context.Context, stdout io.Writer) error {
	open := func(folder string) (publish.Run, error) { return settings.Publish(folder, nil) }
	r, err := export.Restore(ctx, c.Folder, c.Out, export.Format(c.Format), open)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d evaluations and %d receipts, as sealed; status %s; snapshot %s\n",
		escape.Line(c.Out), r.Evaluations, r.Receipts, r.Summary.Status, r.Snapshot)
	if err == nil && !r.SameSummary {
		err = fmt.Errorf("import: the figures differ from the exported %s: they were made under another gate, golden or version", publish.SummaryFile)
	}
	return err
}
