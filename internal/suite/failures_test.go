package suite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/suite"
)

// attempt is one process of a run.
type attempt struct {
	tests  string   // what it is asked for; empty: all
	failed []string // messages; one that begins with "golden" is of that kind
	killed bool
}

// do begins or goes on with a run and ends it; only the last comes to the end of its
// cells, since a run that is through is not gone on with.
func (a attempt) do(t *testing.T, results string, last bool) report.Summary {
	t.Helper()
	s := newSuite()
	r, err := suite.Start(s, t.TempDir(), results, "r1", record.Manifest{Sims: []string{"sim-a"}, Tests: a.tests})
	require.NoError(t, err)
	p, err := s.Planned(grid[0])
	require.NoError(t, err)
	require.NoError(t, r.Plan(p))
	if a.killed {
		require.NoError(t, r.Close())
		return report.Summary{}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if !last {
		cancel(&record.Stop{Reason: record.Budget, Detail: "used up"})
	}
	_, err = s.RunCell(ctx, p)
	require.NoError(t, err)
	for _, message := range a.failed {
		kind := record.FailedTest
		switch message {
		case "golden":
			kind = record.FailedGolden
		case "paid":
			kind = record.FailedUnpermitted
		}
		r.Fail(kind, message)
	}
	summary, err := r.Finish()
	require.NoError(t, err)
	return summary
}

// TestFailuresStay: what failed in one process of a run is not forgotten by the next,
// unless what ran then has run again and nothing failed.
func TestFailuresStay(t *testing.T) {
	const vault, both = `-run "TestVault"`, `-run "TestVault|TestGoldens"`
	failed := func(kind record.FailureKind, message, tests string) record.Failure {
		return record.Failure{Kind: kind, Message: message, Tests: tests}
	}
	ended := func(tests string) record.Failure {
		return failed(record.FailedTest, "a process of the run did not come to its end, so nobody knows how its tests did", tests)
	}
	for _, tt := range []struct {
		name     string
		attempts []attempt
		want     []record.Failure
		status   report.Status
		reason   string
	}{
		{"nothing", []attempt{{}}, nil, report.Pass, "the control"},
		{"a part is run again", []attempt{{tests: both, failed: []string{"golden"}}, {tests: vault}}, []record.Failure{failed(record.FailedGolden, "golden", both)}, report.Violation, "the goldens were not asked again"},
		{"the same is run again", []attempt{{tests: both, failed: []string{"golden"}}, {tests: both}}, nil, report.Pass, "they were, and held"},
		{"all is run again", []attempt{{tests: both, failed: []string{"golden"}}, {}}, nil, report.Pass, "they were among all"},
		{"after all, a part", []attempt{{failed: []string{"test"}}, {tests: both}}, []record.Failure{failed(record.FailedTest, "test", "")}, report.Inconclusive, "nobody knows which test it was"},
		{"again, and stopped", []attempt{{tests: both, failed: []string{"golden"}}, {tests: both, failed: []string{"stopped"}}}, []record.Failure{failed(record.FailedGolden, "golden", both), failed(record.FailedTest, "stopped", both)}, report.Violation, "it did not come to the goldens"},
		{"twice the same", []attempt{{failed: []string{"stopped"}}, {failed: []string{"stopped"}}}, []record.Failure{failed(record.FailedTest, "stopped", "")}, report.Inconclusive, "once is enough"},
		{"paid outranks a golden", []attempt{{tests: both, failed: []string{"golden"}}, {tests: vault, failed: []string{"paid"}}}, []record.Failure{failed(record.FailedUnpermitted, "paid", vault), failed(record.FailedGolden, "golden", both)}, report.Violation, "money that moved is named first"},
		{"stopped after a changed golden", []attempt{{failed: []string{"stopped", "golden"}}}, []record.Failure{failed(record.FailedGolden, "golden", ""), failed(record.FailedTest, "stopped", "")}, report.Violation, "the worst first"},
		{"a part does not clear for good", []attempt{{tests: both, failed: []string{"golden"}}, {tests: vault}, {tests: vault}}, []record.Failure{failed(record.FailedGolden, "golden", both)}, report.Violation, "however often"},
		{"killed", []attempt{{tests: both, killed: true}, {tests: vault}}, []record.Failure{ended(both)}, report.Inconclusive, "the goldens may have changed"},
		{"killed, and the same again", []attempt{{tests: both, killed: true}, {tests: both}}, nil, report.Pass, "nothing is open"},
		{"killed after a failure", []attempt{{tests: both, failed: []string{"golden"}}, {tests: vault, killed: true}, {tests: vault}}, []record.Failure{failed(record.FailedGolden, "golden", both)}, report.Violation, "the process that was killed kept it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			results := t.TempDir()
			var summary report.Summary
			for i, a := range tt.attempts {
				summary = a.do(t, results, i == len(tt.attempts)-1)
			}
			require.Equal(t, tt.status, summary.Status, tt.reason)
			m, err := receipt.ReadManifest(filepath.Join(results, "r1"))
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, m.Failures); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}
