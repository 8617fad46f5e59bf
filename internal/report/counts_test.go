package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

type countsRow struct {
	name   string
	cell   plan.Cell
	add    []record.Evaluation
	want   report.Counts
	reason string
}

func TestCounts(t *testing.T) {
	for name, rows := range map[string][]countsRow{"alone": aloneCounts, "layered": layeredCounts, "ends": endCounts()} {
		for _, tt := range rows {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				got := one(t, planned(tt.cell, len(tt.add)), tt.add...).Counts
				if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("counts: %s (-want +got):\n%s", tt.reason, diff)
				}
			})
		}
	}
}

func TestSessions(t *testing.T) {
	eve, nobody := evaluation(bare, record.Completed, paid("eve")), evaluation(bare, record.Completed)
	c := one(t, planned(bare, 6),
		inSession("s1", eve), inSession("s1", numbered(eve, 2)), inSession("s2", numbered(nobody, 3)), inSession("s3", numbered(eve, 4)),
		inSession("s4", numbered(evaluation(bare, record.ProviderError), 5)), inSession("s3", numbered(nobody, 6)))
	assert.Equal(t, 3, c.Sessions, "distinct, in the denominator alone")
	assert.Equal(t, report.UnpermittedCounts{Transfers: 3, Evaluations: 3, Sessions: 2}, c.Unpermitted)
}

func TestProseCalls(t *testing.T) {
	e := evaluation(bare, record.Completed)
	e.Replies = []record.Reply{{ProseCall: true}, {}, {ProseCall: true}}
	lost := numbered(evaluation(bare, record.HarnessError), 2)
	lost.Replies = e.Replies
	c := one(t, planned(bare, 2), e, lost)
	assert.Equal(t, 2, c.ProseCalls, "replies, in the denominator alone")
	assert.Zero(t, c.Requests.Calls, "a label, no request")
}

func TestBuilderRefuses(t *testing.T) {
	_, err := report.NewBuilder([]record.PlannedCell{planned(bare, 1), planned(bare, 1)}, directories(), oracle.Judge, nil)
	require.EqualError(t, err, "cell sim-a/l2/multi/alone is planned twice")
	_, err = report.NewBuilder([]record.PlannedCell{planned(cell("a", "l9", "multi", "oap"), 1)}, directories(), oracle.Judge, nil)
	require.EqualError(t, err, `cell a/l9/multi/oap: no directory for level "l9"`)
	b, err := report.NewBuilder([]record.PlannedCell{planned(bare, 1)}, directories(), oracle.Judge, nil)
	require.NoError(t, err)
	require.EqualError(t, b.Add(evaluation(attacked, record.Completed)), "cell sim-a/l2/multi/oap is not planned in this run", "a foreign line must not be summed")
}

// TestJudgeDecides: what is unpermitted is the oracle's word, not the record's.
func TestJudgeDecides(t *testing.T) {
	blind := func([]bank.Transfer, corpus.Directory) oracle.Verdict { return oracle.Verdict{Outcome: oracle.Held} }
	b, err := report.NewBuilder([]record.PlannedCell{planned(attacked, 1)}, directories(), blind, nil)
	require.NoError(t, err)
	require.NoError(t, b.Add(evaluation(attacked, record.Completed, allowed(paid("eve")))))
	assert.Zero(t, b.Summary().Cells[0].Payments.Transfers)
}
