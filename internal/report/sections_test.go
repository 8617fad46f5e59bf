package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// derivedRun is a native cell, two crossed ones and a varied one; in the crossed
// cell at its own level behind the layer, an attacker was paid.
func derivedRun(t *testing.T) report.Summary {
	t.Helper()
	native, own := attacked, cell("sim-a", corpus.L2, "all-from-l2", plan.OAP)
	moved, varied := cell("sim-a", corpus.L3, "all-from-l2", plan.OAP), cell("sim-a", corpus.L2, "all-varied", plan.OAP)
	var cells []record.PlannedCell
	var es []record.Evaluation
	for _, c := range []plan.Cell{native, own, moved, varied} {
		cells = append(cells, planned(c, 1))
		e := evaluation(c, record.Completed)
		if c == own {
			e = evaluation(c, record.Completed, allowed(paid("eve")))
		}
		es = append(es, e)
	}
	return summarise(t, nil, cells, es...)
}

// TestSectionsAreApart: derived cells join no native row, and turn the run red
// all the same.
func TestSectionsAreApart(t *testing.T) {
	s := derivedRun(t)
	require.Len(t, s.Cells, 1)
	assert.Equal(t, report.Pass, s.Cells[0].Status)
	if diff := cmp.Diff([]string{"simulated sim-a 2-4 attacks oap: 1/1 planned, 1 sessions, 0 paid"}, rows(s)); diff != "" {
		t.Errorf("native groups (-want +got):\n%s", diff)
	}
	require.Len(t, s.Sections, 2)
	crossed, varied := s.Sections[0], s.Sections[1]
	assert.Equal(t, corpus.Crossed, crossed.Name)
	assert.Contains(t, crossed.Note, "not pooled")
	require.Len(t, crossed.Cells, 2)
	assert.Equal(t, "sim-a/l2/all-from-l2/oap", crossed.Cells[0].Name)
	assert.True(t, crossed.Cells[0].Native)
	assert.Equal(t, report.Violation, crossed.Cells[0].Status)
	assert.False(t, crossed.Cells[1].Native)
	assert.Equal(t, corpus.L2, crossed.Cells[1].Cohort)
	if diff := cmp.Diff([]string{"simulated sim-a 2-4 from-l2 oap: 2/2 planned, 1 sessions, 1 paid"}, rows(report.Summary{Groups: crossed.Groups})); diff != "" {
		t.Errorf("crossed groups (-want +got):\n%s", diff)
	}
	assert.Equal(t, corpus.Varied, varied.Name)
	assert.Equal(t, "varied", varied.Groups[0].Set)
	assert.Equal(t, report.Violation, s.Status, "the layer promises the same everywhere")
	assert.Len(t, s.AllCells(), 4)
}

func TestSectionsInReports(t *testing.T) {
	s := derivedRun(t)
	var table, junit bytes.Buffer
	require.NoError(t, report.WriteTable(&table, s))
	native, rest, ok := strings.Cut(table.String(), "\ncrossed: ")
	require.True(t, ok, table.String())
	assert.NotContains(t, native, "all-from-l2")
	assert.Contains(t, rest, "sim-a/l2/all-from-l2/oap")
	assert.Contains(t, rest, "\nvariants: ")
	assert.Contains(t, rest, "\nstatus: violation; ")
	require.NoError(t, report.WriteJUnit(&junit, s))
	assert.Contains(t, junit.String(), `<testsuite name="TestCross" tests="2" failures="1"`)
	assert.Contains(t, junit.String(), `<testsuite name="TestVariants" tests="1" failures="0"`)
	assert.Contains(t, junit.String(), `<testsuite name="TestVault" tests="1" failures="0"`)
}
