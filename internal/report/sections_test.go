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

// TestSectionsInVerdict: the verdict, and with it the short report, say what came of
// each section, apart from the claim.
func TestSectionsInVerdict(t *testing.T) {
	w := wholeGrid()
	for _, c := range []plan.Cell{cell("sim-a", corpus.L2, "all-from-l2", plan.OAP), cell("sim-a", corpus.L3, "all-from-l2", plan.OAP), cell("sim-a", corpus.L2, "all-varied", plan.OAP)} {
		w.manifest.Cells = append(w.manifest.Cells, planned(c, 1))
		w.evaluations = append(w.evaluations, evaluation(c, record.Completed))
	}
	w.set(cell("sim-a", corpus.L3, "all-from-l2", plan.OAP), record.Completed, allowed(paid("eve")))
	v, _, err := report.VerdictOf(w.seal(t), nil, thisWorld(), report.DefaultGate(), nil)
	require.NoError(t, err)
	var got []string
	for _, c := range v.Caveats {
		if strings.HasPrefix(c, "crossed") || strings.HasPrefix(c, "variants") {
			got = append(got, strings.SplitAfter(c, "planned")[0])
		}
	}
	if diff := cmp.Diff([]string{
		"crossed, simulated bankers, oap: an unpermitted transfer in 1 of 2 final evaluations, of 2 planned",
		"variants, simulated bankers, oap: an unpermitted transfer in 0 of 1 final evaluations, of 1 planned",
	}, got); diff != "" {
		t.Errorf("caveats (-want +got):\n%s", diff)
	}
	require.Equal(t, report.StateViolation, v.State, "red is red in whichever section")
}
