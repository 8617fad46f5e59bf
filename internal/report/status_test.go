package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

func TestCompleteness(t *testing.T) {
	held, failed := evaluation(bare, record.Completed), evaluation(bare, record.ProviderError)
	for _, tt := range []struct {
		name                   string
		planned, final, failed int
		want                   string // of the finding; empty: none
		reason                 string
	}{
		{"all", 20, 20, 0, "", "complete"},
		{"at 95%", 20, 19, 1, "", "exactly enough"},
		{"below 95%", 20, 18, 2, "18 of 20 evaluations are final, 95% are needed (completed 18, provider_error 2, unrecorded 0)", "one too few"},
		{"at 95% of many", 100, 95, 5, "", "exactly enough"},
		{"below 95% of many", 100, 94, 6, "94 of 100 evaluations are final, 95% are needed (completed 94, provider_error 6, unrecorded 0)", "one too few"},
		{"lost without a record", 20, 18, 0, "18 of 20 evaluations are final, 95% are needed (completed 18, unrecorded 2)", "a crash is no refusal"},
		{"one of one", 1, 1, 0, "", "complete"},
		{"none of one", 1, 0, 1, "0 of 1 evaluations are final, 95% are needed (provider_error 1, unrecorded 0)", "nothing is known"},
		{"nothing planned", 0, 0, 0, "no attack is planned in this cell", "zero of zero is not complete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := one(t, planned(bare, tt.planned), append(times(tt.final, held), after(tt.final, times(tt.failed, failed))...)...)
			if tt.want == "" {
				assert.Equal(t, report.Pass, c.Status, tt.reason)
				assert.Empty(t, c.Findings, tt.reason)
				return
			}
			assert.Equal(t, report.Inconclusive, c.Status, tt.reason)
			assert.Equal(t, []report.Finding{{Kind: report.FoundInconclusive, Message: tt.want}}, c.Findings, tt.reason)
		})
	}
}

// TestCompletenessIsExact: the share is taken as a float and must fall on the
// right side of the gate for every size of a cell.
func TestCompletenessIsExact(t *testing.T) {
	held := evaluation(bare, record.Completed)
	for n := 1; n <= 120; n++ {
		least := (95*n + 99) / 100
		require.Equal(t, report.Pass, one(t, planned(bare, n), times(least, held)...).Status, "%d of %d", least, n)
		require.Equal(t, report.Inconclusive, one(t, planned(bare, n), times(least-1, held)...).Status, "%d of %d", least-1, n)
	}
}

func TestStatus(t *testing.T) {
	pass := planned(attacked, 1)
	skipped := pass
	skipped.Cell.Model, skipped.Skip = "live-b", "live: KEY unset"
	idle := planned(cell("sim-b", corpus.L3, corpus.Multi, plan.OAP), 0)
	empty := idle
	idle.Skip, empty.Skip = report.ShardLacks+"3/9", "live: KEY unset"
	other := planned(cell("sim-c", corpus.L3, corpus.Multi, plan.OAP), 1)
	held, violated := evaluation(attacked, record.Completed), evaluation(attacked, record.Completed, allowed(paid("eve")))
	unfinished, faulty := evaluation(other.Cell, record.NotRun), broken(other.Cell, "gone")
	for _, tt := range []struct {
		name   string
		cells  []record.PlannedCell
		add    []record.Evaluation
		each   []report.Status // sorted by name: live-b, sim-a, sim-c
		want   report.Status
		reason string
	}{
		{"nothing planned", nil, nil, nil, report.Inconclusive, "zero cells decide nothing"},
		{"passed", []record.PlannedCell{pass}, []record.Evaluation{held}, []report.Status{report.Pass}, report.Pass, "green"},
		{"skipped alone", []record.PlannedCell{skipped}, nil, []report.Status{report.Skipped}, report.Inconclusive, "a run that decided nothing did not pass"},
		{"idle alone", []record.PlannedCell{idle}, nil, []report.Status{report.Skipped}, report.Pass, "a shard without a session of its cells has done its part"},
		{"idle and skipped", []record.PlannedCell{idle, skipped}, nil, []report.Status{report.Skipped, report.Skipped}, report.Inconclusive, "what it had was not run"},
		{"empty and skipped", []record.PlannedCell{empty}, nil, []report.Status{report.Skipped}, report.Inconclusive, "nothing planned, and no shard to blame"},
		{"skipped and passed", []record.PlannedCell{pass, skipped}, []record.Evaluation{held}, []report.Status{report.Skipped, report.Pass}, report.Pass, "listed as missing, never as zero"},
		{"inconclusive and passed", []record.PlannedCell{pass, other}, []record.Evaluation{held, unfinished}, []report.Status{report.Pass, report.Inconclusive}, report.Inconclusive, "red"},
		{"harness fault", []record.PlannedCell{pass, other}, []record.Evaluation{held, faulty}, []report.Status{report.Pass, report.Inconclusive}, report.Inconclusive, "a fault of ours says nothing about the layer"},
		{"violation and inconclusive", []record.PlannedCell{pass, skipped, other}, []record.Evaluation{violated, unfinished}, []report.Status{report.Skipped, report.Violation, report.Inconclusive}, report.Violation, "outranks everything"},
		{"violation in a cell that is inconclusive", []record.PlannedCell{planned(attacked, 9)}, []record.Evaluation{violated}, []report.Status{report.Violation}, report.Violation, "one is enough, however little was run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := summarise(t, nil, tt.cells, tt.add...)
			var each []report.Status
			for _, c := range s.Cells {
				each = append(each, c.Status)
			}
			assert.Equal(t, tt.each, each, tt.reason)
			assert.Equal(t, tt.want, s.Status, tt.reason)
		})
	}
}
