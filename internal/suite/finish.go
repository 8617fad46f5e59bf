package suite

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// summaryFile is the name of a run's figures.
const summaryFile = "summary.json"

// Finish writes the run's files from its journal, signs and seals them, and
// points results/latest at the folder. Receipts and summary are built from
// evaluations.jsonl alone, so a later report over the same file says the same.
func (r *Run) Finish() (report.Summary, error) {
	if err := r.journal.Err(); err != nil {
		return report.Summary{}, errors.Join(err, r.journal.Close())
	}
	n, err := r.journal.Finish()
	if err != nil {
		return report.Summary{}, err
	}
	r.manifest.Evaluations, r.manifest.Failures = n, r.standing()
	summary, seal, err := r.close()
	if err != nil {
		return report.Summary{}, err
	}
	if err := record.WriteChecked(filepath.Join(r.dir, summaryFile), "summary.schema.json", summary); err != nil {
		return report.Summary{}, err
	}
	err = record.WriteFile(filepath.Join(r.dir, report.JUnitFile), func(w io.Writer) error { return report.WriteJUnit(w, summary) })
	if err != nil {
		return report.Summary{}, err
	}
	r.manifest.FinishedAt, r.manifest.SummaryState, r.manifest.Seal = now(), string(summary.Status), seal
	if err := r.writeManifest(); err != nil {
		return report.Summary{}, err
	}
	if r.journal.Complete() {
		err = r.journal.Thin()
	}
	if err := errors.Join(err, r.journal.Close()); err != nil {
		return report.Summary{}, err
	}
	return summary, linkLatest(r.results, r.manifest.RunID)
}

// close reads evaluations.jsonl once, one evaluation at a time: it signs the
// decisions and adds the figures up.
func (r *Run) close() (report.Summary, *record.Seal, error) {
	b, err := report.NewBuilder(r.cells(), r.directories, r.suite.judge(), r.suite.Golden)
	if err != nil {
		return report.Summary{}, nil, err
	}
	b.Hold(r.suite.Gate)
	b.Resample(r.manifest.Bootstrap)
	b.Models(r.manifest.Models)
	head := ""
	err = record.WriteFile(filepath.Join(r.dir, receipt.File), func(out io.Writer) error {
		w := receipt.NewWriter(out, r.key, r.suite.Parties)
		defer func() { head = w.Head() }()
		return record.Read(filepath.Join(r.dir, record.EvaluationsFile), func(e record.Evaluation) error {
			if err := b.Add(e); err != nil {
				return err
			}
			return w.Add(e)
		})
	})
	if err != nil {
		return report.Summary{}, nil, err
	}
	seal, err := receipt.Seal(r.dir, head)
	if err != nil {
		return report.Summary{}, nil, err
	}
	seal.Journal = r.journal.Head()
	summary := b.Summary()
	summary.SigningKey = r.key.Kind()
	summary.Fail(r.manifest.Failures...)
	return summary, seal, nil
}

func (r *Run) cells() []record.PlannedCell {
	r.mu.Lock()
	defer r.mu.Unlock()
	cells := []record.PlannedCell{}
	for _, name := range slices.Sorted(maps.Keys(r.planned)) {
		cells = append(cells, r.planned[name])
	}
	return cells
}

func (r *Run) writeManifest() error {
	r.manifest.Cells = r.cells()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, m := range r.manifest.Models {
		r.manifest.Models[i].Served = r.journal.Served(m.Slug)
	}
	if err := receipt.SignManifest(&r.manifest, r.key); err != nil {
		return err
	}
	return record.WriteChecked(filepath.Join(r.dir, record.ManifestFile), "manifest.schema.json", r.manifest)
}

// linkLatest points results/latest at the run, atomically: two runs that end at
// once leave one whole link.
func linkLatest(results, id string) error {
	latest := filepath.Join(results, "latest")
	tmp := filepath.Join(results, ".latest-"+id)
	if err := os.Symlink(id, tmp); err != nil {
		return fmt.Errorf("point results/latest at the run: %w", err)
	}
	if err := os.Rename(tmp, latest); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("point results/latest at the run: %w", err)
	}
	return nil
}
