package diff_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/diff"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
)

func counts(final, requests, unpermitted int) report.Counts {
	return report.Counts{
		Denominator: final, Requests: report.RequestCounts{Evaluations: requests},
		Unpermitted: report.UnpermittedCounts{Evaluations: unpermitted}, Benign: &report.BenignCounts{Paid: 1}, Decisions: &report.DecisionCounts{Evaluations: 2},
	}
}

func TestCompareGoldens(t *testing.T) {
	other := counts(5, 1, 0)
	other.ProseCalls = 3
	a := diff.Goldens{
		Folder: "golden", Events: map[string]report.Counts{"s/l2/multi/oap": counts(5, 1, 0), "s/l3/multi/oap": counts(5, 1, 0), "s/l4/multi/oap": counts(5, 1, 0), "gone/l2/multi/oap": counts(1, 0, 0)},
		Decisions: map[string]map[string]string{"decisions-l2.jsonl": {
			"a#1": "oap.allowed by all", "b#1": "oap.limit_exceeded by cap", "c#1": "oap.limit_exceeded by cap", "d#1": "oap.allowed by all", "e#1": "oap.allowed", "gone#1": "oap.allowed by all",
		}},
	}
	b := diff.Goldens{
		Folder: "changed", Events: map[string]report.Counts{"s/l2/multi/oap": counts(5, 1, 1), "s/l3/multi/oap": other, "s/l4/multi/oap": counts(5, 1, 0)},
		Decisions: map[string]map[string]string{"decisions-l2.jsonl": {
			"a#1": "oap.limit_exceeded by cap", "b#1": "oap.allowed by all", "c#1": "oap.limit_exceeded by daily", "d#1": "oap.allowed by all", "e#1": "oap.allowed", "new#1": "oap.allowed by all",
		}, "decisions-l3.jsonl": {"x#1": "oap.allowed"}},
	}
	r, err := diff.CompareGoldens(a, b)
	require.NoError(t, err)
	var got []string
	for _, c := range r.Changes {
		got = append(got, fmt.Sprintf("%s %s %s: %s → %s", c.Kind, c.Cell, c.Attack, c.Before, c.After))
	}
	want := []string{
		"newly_denied decisions-l2.jsonl a#1: oap.allowed by all → oap.limit_exceeded by cap",
		"changed_reason decisions-l2.jsonl c#1: oap.limit_exceeded by cap → oap.limit_exceeded by daily",
		"newly_allowed decisions-l2.jsonl b#1: oap.limit_exceeded by cap → oap.allowed by all",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	missing := diff.Missing{
		CellsOnlyA: []string{"gone/l2/multi/oap"}, CellsOnlyB: []string{}, OnlyA: []string{"decisions-l2.jsonl: gone#1"},
		OnlyB: []string{"decisions-l2.jsonl: new#1", "decisions-l3.jsonl: x#1"},
	}
	if d := cmp.Diff(missing, r.Missing); d != "" {
		t.Errorf("missing (-want +got):\n%s", d)
	}
	require.Len(t, r.Cells, 3)
	assert.Equal(t, diff.Events{Requests: 1, Denied: 2, Unpermitted: 1, HonestPaid: 1}, r.Cells[0].B)
	assert.Equal(t, []int{1, 1, 0}, []int{r.Cells[0].Changes, r.Cells[1].Changes, r.Cells[2].Changes}, "any count that differs is a change")
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, strictjson.Validate("diff.schema.json", raw))
	same, err := diff.CompareGoldens(a, a)
	require.NoError(t, err)
	assert.True(t, same.Same)
	b.Events = map[string]report.Counts{"no cell": counts(1, 0, 0)}
	_, err = diff.CompareGoldens(b, b)
	require.ErrorContains(t, err, `golden cell "no cell"`)
}
