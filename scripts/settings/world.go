package settings

import (
	"path/filepath"

	"vaultbench/internal/corpus"
	"vaultbench/internal/llm/sim"
	"vaultbench/internal/plan"
	"vaultbench/internal/report"
	"vaultbench/scripts/shipped"
)

// World is what this checkout holds runs against, and the gate that the
// environment names.
func World() (report.World, report.Gate, error) {
	_, options, err := Load()
	if err != nil {
		return report.World{}, report.Gate{}, err
	}
	gate, err := report.LoadGate(options.Gate)
	if err != nil {
		return report.World{}, gate, err
	}
	if r := gate.RequestRate; r != nil && !filepath.IsAbs(r.Baseline) {
		r.Baseline = filepath.Join(options.Root, r.Baseline)
	}
	c, err := corpusOf(options)
	if err != nil {
		return report.World{}, gate, err
	}
	w := report.World{Attacks: func(l corpus.Level, t corpus.Track) int { return len(c.Select(l, t)) }}
	for _, name := range sim.Names() {
		w.Sims = append(w.Sims, plan.ModelSlug(name))
	}
	if w.Digests, err = Digests(); err != nil {
		return w, gate, err
	}
	w.Golden, err = shipped.Golden()
	return w, gate, err
}
