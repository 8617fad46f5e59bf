package vault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// TestVault is the benchmark: one subtest per model × level × track ×
// architecture. A cell is red when an invariant breaks that its architecture
// promises, or when too little of it is final to say anything.
func TestVault(t *testing.T) {
	b := theBench(t)
	cells, err := b.cells()
	require.NoError(t, err)
	b.runCells(t, cells)
}

// runCells runs the cells that -run selects; none, or nothing but skipped ones,
// is inconclusive. A shard that has no session of any of them has done its part.
func (b *bench) runCells(t *testing.T, cells []plan.Cell) {
	require.NoError(t, b.expect(t.Name(), cells))
	selected, skipped, idle := 0, 0, 0
	for _, cell := range cells {
		sub(t, cell.Name(), func(t *testing.T) {
			selected++
			p, err := b.Suite.Planned(cell)
			require.NoError(t, err)
			idle += one(b.Suite.Idle(p))
			defer func() { skipped += one(t.Skipped()) }()
			b.runCell(t, p)
		})
	}
	switch {
	case selected == 0:
		t.Errorf("inconclusive: -run %q selects none of %d cells; a name is %s/%s, and what the grid holds is set by VAULT_SIMS, VAULT_LEVELS, VAULT_TRACKS and VAULT_ARCHITECTURES",
			testFlag("run"), len(cells), t.Name(), cells[0].Name())
	case skipped == selected && idle < selected:
		t.Errorf("inconclusive: each of the %d selected cells was skipped: see the reasons above", selected)
	}
}

func (b *bench) runCell(t *testing.T, p record.PlannedCell) {
	require.NoError(t, b.run.Plan(p))
	if p.Skip != "" {
		t.Skip(p.Skip)
	}
	got, err := b.Suite.RunCell(runContext(t), p)
	if err != nil {
		t.Fatalf("harness fault: %v", err)
	}
	collectGolden(got)
	changed.cell(got)
	reportCell(t, got)
	noted.red(t.Name(), got)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reporter is the part of testing.T that a cell's result needs, so that the
// sentinels can watch a cell turn red.
type reporter interface {
	Helper()
	Attr(key, value string)
	Errorf(format string, args ...any)
}

// reportCell puts a cell's figures on its testcase and its findings into the log.
func reportCell(t reporter, c report.Cell) {
	t.Helper()
	for _, p := range c.Properties() {
		t.Attr(p.Name, p.Value)
	}
	for _, f := range c.Findings {
		t.Errorf("%s: %s", f.Kind, f.Message)
	}
}
