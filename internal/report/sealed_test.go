package report_test

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt/receipttest"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// unsealed is a run before it is sealed, to be changed by tests.
type unsealed struct {
	manifest    record.Manifest
	evaluations []record.Evaluation
	sorted      bool // put into the order of a run
}

// wholeGrid is the whole grid of one banker: an attack or task a cell, nothing paid.
func wholeGrid() *unsealed {
	w := &unsealed{sorted: true, manifest: record.Manifest{
		Version: record.ManifestVersion, RunID: "r1", StartedAt: "2026-11-30T00:00:00Z", FinishedAt: "2026-11-30T00:00:01Z",
		GoVersion: "go1.26", Revision: "abc", Trials: 1, SummaryState: "pass", Directories: directoriesOfLevels(), Sims: []string{"sim-a"},
		Digests: maps.Clone(thisWorld().Digests), Sentinels: map[string]bool{}, Goldens: map[string]bool{},
	}}
	delete(w.manifest.Digests, report.GoldenPrefix+report.EventsFile)
	for _, name := range report.SentinelTests() {
		w.manifest.Sentinels[name] = true
	}
	for _, name := range report.GoldenTests() {
		w.manifest.Goldens[name] = true
	}
	for _, arch := range []plan.Architecture{plan.Alone, plan.OAP} {
		for _, l := range corpus.Levels() {
			for _, track := range corpus.Tracks() {
				c := cell("sim-a", l, track, arch)
				w.manifest.Cells = append(w.manifest.Cells, planned(c, 1))
				w.evaluations = append(w.evaluations, inSession(corpus.SessionID("s-"+string(l)), evaluation(c, record.Completed)))
			}
		}
	}
	return w
}

func directoriesOfLevels() map[corpus.Level]corpus.Directory {
	ds := directories()
	for l, d := range ds {
		for i := range d.Recipients {
			d.Recipients[i].Name = "Name"
		}
		ds[l] = d
	}
	return ds
}

// thisWorld is a checkout with one attack for each level and track.
func thisWorld() report.World {
	digest := func(c string) string { return string(bytes.Repeat([]byte(c), 64)) }
	return report.World{
		Digests: map[string]string{
			"fixtures/attacks/level-2.jsonl": digest("a"), "fixtures/models.json": digest("b"), "passports/level-2.json": digest("c"),
			report.GoldenPrefix + report.EventsFile: digest("d"),
		},
		Sims:    []plan.ModelSlug{"sim-a"},
		Attacks: func(corpus.Level, corpus.Track) int { return 1 },
	}
}

// set replaces the evaluation of a cell.
func (w *unsealed) set(c plan.Cell, end record.End, calls ...record.Call) {
	for i, e := range w.evaluations {
		if e.Cell == c {
			w.evaluations[i] = inSession(e.Session, evaluation(c, end, calls...))
		}
	}
}

// notRun makes a cell's evaluation one that was not run, or not to its end.
func (w *unsealed) notRun(c plan.Cell, why record.SubReason, calls ...record.Call) {
	w.set(c, record.NotRun, calls...)
	for i, e := range w.evaluations {
		if e.Cell == c {
			w.evaluations[i].SubReason = why
		}
	}
}

// planned returns the planned cell, to be changed.
func (w *unsealed) planned(c plan.Cell) *record.PlannedCell {
	i := slices.IndexFunc(w.manifest.Cells, func(p record.PlannedCell) bool { return p.Cell == c })
	return &w.manifest.Cells[i]
}

// drop takes a cell's evaluations out.
func (w *unsealed) drop(c plan.Cell) {
	w.evaluations = slices.DeleteFunc(w.evaluations, func(e record.Evaluation) bool { return e.Cell == c })
}

// seal writes the run's folder as a run does.
func (w *unsealed) seal(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r1")
	require.NoError(t, os.Mkdir(dir, 0o755))
	if w.sorted {
		slices.SortStableFunc(w.evaluations, func(a, b record.Evaluation) int {
			return cmp.Or(cmp.Compare(a.Cell.Name(), b.Cell.Name()), cmp.Compare(a.Attack, b.Attack), cmp.Compare(a.Trial, b.Trial))
		})
	}
	receipttest.Write(t, dir, w.manifest, w.evaluations)
	return dir
}
