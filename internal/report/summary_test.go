package report_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
)

// everything is a plan and evaluations with each status, kind and event.
func everything() ([]record.PlannedCell, []record.Evaluation) {
	recorded := cell("gpt-x", "front-desk", corpus.Recorded, plan.OAP)
	live := planned(cell("live-b", corpus.L5, corpus.Single, plan.Published), 3)
	live.Kind, live.Label, live.Skip = plan.Live, "", "live: KEY unset"
	replayed := planned(recorded, 2)
	replayed.Kind = plan.Recorded
	cells := []record.PlannedCell{planned(attacked, 2), planned(bare, 1), planned(honest, 1), planned(cell("sim-a", corpus.L1, corpus.Multi, plan.OAP), 0), live, replayed}
	return cells, []record.Evaluation{
		evaluation(attacked, record.Completed, denied("eve"), allowed(paid("bob")), malformed(true)), numbered(evaluation(attacked, record.ProviderError, allowed(paid("eve"))), 2),
		evaluation(bare, record.InputFiltered), task(goals(bob), failedClosed("bob")),
		evaluation(recorded, record.Completed, allowed(paid("desk"))), numbered(broken(recorded, "gone"), 2),
	}
}

func TestSummaryMatchesItsSchema(t *testing.T) {
	cells, es := everything()
	s := summarise(t, nil, cells, es...)
	require.NoError(t, strictjson.Validate("summary.schema.json", encoded(t, s)))
	seen := map[report.Status]bool{}
	for _, c := range s.Cells {
		seen[c.Status] = true
	}
	assert.Len(t, seen, 4, "each status")
	passed := summarise(t, nil, cells[1:2], es[2])
	require.Equal(t, report.Pass, passed.Status)
	require.NoError(t, strictjson.Validate("summary.schema.json", encoded(t, passed)))
	require.NoError(t, strictjson.Validate("summary.schema.json", encoded(t, summarise(t, nil, nil))), "nothing planned")
	assert.Nil(t, s.Claim.Text)
	assert.NotEmpty(t, s.Claim.Reason)
}

// TestSummaryIsRepeatable: neither order, nor clock, nor latency shows, and run
// ids and times have no place in it.
func TestSummaryIsRepeatable(t *testing.T) {
	cells, es := everything()
	first := encoded(t, summarise(t, nil, cells, es...))
	for i := range es {
		es[i].Replies = []record.Reply{{LatencyMS: 7, ServedModel: "m"}}
		for j := range es[i].Calls {
			es[i].Calls[j].At = time.Now()
		}
	}
	slices.Reverse(cells)
	slices.Reverse(es)
	assert.Equal(t, string(first), string(encoded(t, summarise(t, nil, cells, es...))))
	assert.NotRegexp(t, `"(run_id|id|started_at|finished_at|at|date|time|latency_ms)"`, string(first))
	assert.NotRegexp(t, `\d{4}-\d\d-\d\d|\d\d:\d\d`, string(first), "no time in any text")
}

func TestSummaryIsACopy(t *testing.T) {
	all := times(40, evaluation(attacked, record.Completed, allowed(paid("eve"))))
	b := builder(t, planned(attacked, 40))
	for _, e := range all[:15] {
		require.NoError(t, b.Add(e))
	}
	early := b.Summary()
	want := encoded(t, early.Cells[0].Findings)
	for _, e := range all[15:] {
		require.NoError(t, b.Add(e))
	}
	b.Summary()
	assert.Equal(t, string(want), string(encoded(t, early.Cells[0].Findings)), "what is added later does not reach into it")
}
