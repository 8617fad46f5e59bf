package diff

import (
	"fmt"

	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

// Rates is the report.CompareRates of this package: it compares a run with the
// gate's baseline. Attacks that the baseline knows nothing of would go ungated, so
// they are an error.
func Rates(dir string, g report.RateGate) ([]report.RateChange, error) {
	models := map[plan.ModelSlug]plan.ModelSlug{} // the baseline's name: this run's
	for ours, theirs := range g.Models {
		models[theirs] = ours
	}
	a, err := Open(g.Baseline, nil, models)
	if err != nil {
		return nil, err
	}
	b, err := Open(dir, nil, nil)
	if err != nil {
		return nil, err
	}
	r, err := Compare(a, b)
	if err != nil {
		return nil, err
	}
	for _, place := range places(b, b) {
		p := b.cells[place]
		if _, ok := a.cells[place]; !ok && attacks(place) && p.Skip == "" {
			return nil, fmt.Errorf("it has no cell %s (models in the gate maps names that differ)", p.Cell.Name())
		}
	}
	for _, c := range r.Cells {
		if all := c.Matched + c.OnlyB; float64(c.Matched) < report.MinCompleteness*float64(all) {
			return nil, fmt.Errorf("of the %d final evaluations of cell %s it has %d, %.0f%% are needed", all, c.Name, c.Matched, 100*report.MinCompleteness)
		}
	}
	return r.Rates, nil
}
