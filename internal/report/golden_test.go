package report_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// known is what the cell counts when the layer denies one call to eve.
func known(t *testing.T) map[string]report.Counts {
	t.Helper()
	c := one(t, planned(attacked, 1), evaluation(attacked, record.Completed, denied("eve")))
	return map[string]report.Counts{attacked.Name(): c.Counts}
}

func TestAgainstGolden(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*record.PlannedCell)
		add    []record.Call
		golden map[string]report.Counts
		want   []string // in the message; nil: no finding
		reason string
	}{
		{"same", nil, []record.Call{denied("eve")}, known(t), nil, "nothing changed"},
		{"nothing compared", nil, nil, nil, nil, "no golden is loaded: a shard, or -update"},
		{"missing line", nil, []record.Call{denied("eve")}, map[string]report.Counts{}, []string{"golden/events.jsonl has no line for cell sim-a/l2/multi/oap: run go test ./vault_test -update"}, "the message says what to do"},
		{"changed", nil, []record.Call{denied("eve"), denied("eve")}, known(t), []string{"golden/events.jsonl: cell sim-a/l2/multi/oap counts differ (golden → now): decisions.by_reason.oap.merchant_forbidden 1 → 2, decisions.calls 1 → 2, decisions.denied 1 → 2, requests.calls 1 → 2, requests.to_others 1 → 2"}, "the message shows which count moved"},
		{"changed reason", nil, []record.Call{failedClosed("eve")}, known(t), []string{"decisions.by_reason.oap.merchant_forbidden 1 → 0", "decisions.fail_closed 0 → 1"}, "the right denial for the wrong reason"},
		{"live", func(p *record.PlannedCell) { p.Kind = plan.Live }, nil, map[string]report.Counts{}, nil, "real models' figures are results"},
		{"published", func(p *record.PlannedCell) { p.Cell.Architecture = plan.Published }, nil, map[string]report.Counts{}, nil, "off by default"},
		{"written recording", func(p *record.PlannedCell) { p.Cell.Level, p.Cell.Track = "front-desk", corpus.Recorded }, nil, map[string]report.Counts{}, nil, "not of the grid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planned(attacked, 1)
			if tt.change != nil {
				tt.change(&p)
			}
			c := summarise(t, tt.golden, []record.PlannedCell{p}, evaluation(p.Cell, record.Completed, tt.add...)).Cells[0]
			if tt.want == nil {
				assert.Empty(t, c.Findings, tt.reason)
				assert.Equal(t, report.Pass, c.Status)
				return
			}
			c.Findings = slices.DeleteFunc(c.Findings, func(f report.Finding) bool { return f.Kind == report.FoundInconclusive }) // a layer that failed
			require.Equal(t, []report.FindingKind{report.FoundGolden}, kinds(c.Findings), tt.reason)
			assert.Equal(t, report.Violation, c.Status)
			for _, want := range tt.want {
				assert.Contains(t, strings.ReplaceAll(c.Findings[0].Message, "\t", "    "), want, tt.reason)
			}
			assert.NotContains(t, c.Findings[0].Message, "\u00a0", "the same in every process")
		})
	}
}

// TestNothingRecordedIsNoGolden: a cell that could not begin has decided nothing
// otherwise. It is inconclusive, and never a pass.
func TestNothingRecordedIsNoGolden(t *testing.T) {
	c := summarise(t, known(t), []record.PlannedCell{planned(attacked, 1)}).Cells[0]
	assert.Equal(t, []report.FindingKind{report.FoundInconclusive}, kinds(c.Findings))
	assert.Equal(t, report.Inconclusive, c.Status)
}

func TestGoldenRoundTrip(t *testing.T) {
	want := known(t)
	bareCell := cell("sim-a", corpus.L2, corpus.Benign, plan.Alone)
	e := evaluation(bareCell, record.Completed, paid("bob"))
	e.Goal = goals(bob)
	want[bareCell.Name()] = one(t, planned(bareCell, 2), e).Counts
	raw, err := report.EncodeGolden(want)
	require.NoError(t, err)
	lines := strings.Split(string(raw), "\n")
	require.Len(t, lines, 3)
	assert.True(t, strings.HasPrefix(lines[0], `{"cell":"sim-a/l2/benign/alone"`), "sorted by cell")
	got, err := report.LoadGolden(fstest.MapFS{report.EventsFile: {Data: raw}})
	require.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("golden (-want +got):\n%s", diff)
	}
	c := summarise(t, got, []record.PlannedCell{planned(attacked, 1)}, evaluation(attacked, record.Completed, denied("eve"))).Cells[0]
	assert.Empty(t, c.Findings, "what was written is what is compared")
}

func TestLoadGoldenErrors(t *testing.T) {
	raw, err := report.EncodeGolden(known(t))
	require.NoError(t, err)
	good := string(raw)
	for _, tt := range []struct {
		name, text, want, reason string
	}{
		{"empty", "", "load golden: events.jsonl:1: file is empty", "zero cells prove nothing"},
		{"twice", good + good, "load golden: events.jsonl:2: cell sim-a/l2/multi/oap stands twice", "which of the two?"},
		{"moved", good + strings.Replace(good, "/multi/oap", "/benign/oap", 1), "load golden: events.jsonl:2: cell sim-a/l2/benign/oap stands after sim-a/l2/multi/oap: the lines are sorted by cell, move it", "the next -update would move it in another's change"},
		{"unknown member", good + strings.Replace(good, `"cell"`, `"note":"","cell"`, 1), "load golden: events.jsonl:2: does not match schema", "nothing is dropped in silence"},
		{"broken", good[:20] + "\n", "load golden: events.jsonl:1: ", "cut"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := report.LoadGolden(fstest.MapFS{report.EventsFile: {Data: []byte(tt.text)}})
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
	got, err := report.LoadGolden(fstest.MapFS{})
	require.NoError(t, err)
	assert.NotNil(t, got, "no file holds nothing: every cell lacks its line")
	assert.Empty(t, got)
	_, err = report.LoadGolden(fstest.MapFS{report.EventsFile + "/x": {}})
	require.ErrorContains(t, err, "load golden: ", "a folder is no file")
}

// TestEachTrialAgainstGolden: a simulated banker does the same in every trial, so
// each is held against what one counts; what was not run is not compared.
func TestEachTrialAgainstGolden(t *testing.T) {
	trial := func(n int, end record.End, calls ...record.Call) record.Evaluation {
		e := evaluation(attacked, end, calls...)
		e.Trial = n
		e.ID = record.EvaluationID(e.Cell, e.Attack, n)
		return e
	}
	same := func(n int) record.Evaluation { return trial(n, record.Completed, denied("eve")) }
	for _, tt := range []struct {
		name   string
		all    []record.Evaluation
		want   string // "": no golden finding
		reason string
	}{
		{"all alike", []record.Evaluation{same(1), same(2), same(3)}, "", "as in one trial"},
		{"the second differs", []record.Evaluation{same(1), trial(2, record.Completed, denied("eve"), denied("eve")), same(3)}, "cell sim-a/l2/multi/oap, trial 2, counts differ", "no banker of this kind changes its mind"},
		{"added up they would agree", []record.Evaluation{trial(1, record.Completed, denied("eve"), denied("eve")), trial(2, record.Completed), same(3)}, "trial 1, counts differ", "two wrongs are two"},
		{"one is missing", []record.Evaluation{same(1), same(2)}, "trial 3, counts differ", "a trial that left no line"},
		{"stopped", []record.Evaluation{same(1), trial(2, record.NotRun), trial(3, record.NotRun)}, "", "too little to compare, and inconclusive anyhow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := summarise(t, known(t), []record.PlannedCell{planned(attacked, 3)}, tt.all...).Cells[0]
			golden := slices.DeleteFunc(c.Findings, func(f report.Finding) bool { return f.Kind != report.FoundGolden })
			if tt.want == "" {
				assert.Empty(t, golden, tt.reason)
				return
			}
			require.Len(t, golden, 1, tt.reason)
			assert.Contains(t, golden[0].Message, tt.want, tt.reason)
		})
	}
}
