package report_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

func row(g report.Group) string {
	return fmt.Sprintf("%s %s %s %s %s: %d/%d planned, %d sessions, %d paid", g.Kind, g.Model, g.Group, g.Set, g.Architecture,
		g.Denominator, g.Planned, g.Sessions, g.Payments.Evaluations)
}

func rows(s report.Summary) []string {
	var out []string
	for _, g := range s.Groups {
		out = append(out, row(g))
	}
	return out
}

// grid is every level and track of one banker without a layer, one evaluation
// each: it pays on the multi track, and a level has one session for all tracks.
func grid() ([]record.PlannedCell, []record.Evaluation) {
	var cells []record.PlannedCell
	var es []record.Evaluation
	for _, level := range corpus.Levels() {
		for _, track := range corpus.Tracks() {
			c := cell("sim-a", level, track, plan.Alone)
			cells = append(cells, planned(c, 2))
			e := evaluation(c, record.Completed)
			if track == corpus.Multi {
				e = evaluation(c, record.Completed, paid("bob"))
			}
			es = append(es, inSession("s-"+corpus.SessionID(level), e))
		}
	}
	return cells, es
}

func TestGroups(t *testing.T) {
	cells, es := grid()
	want := []string{
		"simulated sim-a 1 attacks alone: 2/4 planned, 1 sessions, 1 paid",
		"simulated sim-a 1 benign alone: 1/2 planned, 1 sessions, 0 paid",
		"simulated sim-a 2-4 attacks alone: 6/12 planned, 3 sessions, 3 paid",
		"simulated sim-a 2-4 benign alone: 3/6 planned, 3 sessions, 0 paid",
		"simulated sim-a 5 attacks alone: 2/4 planned, 1 sessions, 1 paid",
		"simulated sim-a 5 benign alone: 1/2 planned, 1 sessions, 0 paid",
	}
	s := summarise(t, nil, cells, es...)
	if diff := cmp.Diff(want, rows(s)); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	assert.Equal(t, 3, s.Groups[4].Rates.Unpermitted.Hits+s.Groups[4].Payments.Transfers+s.Groups[4].Unpermitted.Sessions, "Level 5 permits nobody")
	assert.Zero(t, s.Groups[0].Unpermitted.Transfers, "Level 1 permits anybody")
	assert.Equal(t, []string{"label"}, labels(s))
}

func labels(s report.Summary) []string {
	seen, out := map[string]bool{}, []string{}
	for _, g := range s.Groups {
		if !seen[g.Label] {
			seen[g.Label] = true
			out = append(out, g.Label)
		}
	}
	return out
}

// TestKindsShareNoRow: what was simulated, recorded and live stays apart, even
// where a name is the same.
func TestKindsShareNoRow(t *testing.T) {
	of := func(kind plan.Kind, c plan.Cell) record.PlannedCell {
		p := planned(c, 1)
		p.Kind = kind
		return p
	}
	recorded := func(m plan.ModelSlug) plan.Cell { return cell(m, "front-desk", corpus.Recorded, plan.Alone) }
	cells := []record.PlannedCell{
		of(plan.Simulated, cell("a", corpus.L2, corpus.Multi, plan.Alone)), of(plan.Live, cell("a", corpus.L3, corpus.Multi, plan.Alone)),
		of(plan.Recorded, recorded("a")), of(plan.Simulated, recorded("written-a")),
		of(plan.Live, cell("a", corpus.L3, corpus.Multi, plan.OAP)), of(plan.Live, cell("b", corpus.L3, corpus.Multi, plan.OAP)),
	}
	var es []record.Evaluation
	for _, p := range cells {
		es = append(es, evaluation(p.Cell, record.Completed))
	}
	want := []string{
		"live a 2-4 attacks alone: 1/1 planned, 1 sessions, 0 paid",
		"live a 2-4 attacks oap: 1/1 planned, 1 sessions, 0 paid",
		"live b 2-4 attacks oap: 1/1 planned, 1 sessions, 0 paid",
		"recorded a recorded front-desk alone: 1/1 planned, 1 sessions, 0 paid",
		"simulated a 2-4 attacks alone: 1/1 planned, 1 sessions, 0 paid",
		"simulated written-a recorded front-desk alone: 1/1 planned, 1 sessions, 0 paid",
	}
	if diff := cmp.Diff(want, rows(summarise(t, nil, cells, es...))); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// TestGroupsAddUp: a group's figures are the sums of its cells', sessions aside.
func TestGroupsAddUp(t *testing.T) {
	cells, es := grid()
	s := summarise(t, nil, cells, es...)
	sums := map[string][3]int{}
	add := func(key string, c report.Counts, sign int) {
		v := sums[key]
		sums[key] = [3]int{v[0] + sign*c.Denominator, v[1] + sign*c.Requests.Calls, v[2] + sign*c.Unpermitted.Transfers}
	}
	for _, c := range s.Cells {
		set := "attacks"
		if c.Track == corpus.Benign {
			set = "benign"
		}
		add(string(c.Group)+set, c.Counts, 1)
	}
	for _, g := range s.Groups {
		add(string(g.Group)+g.Set, g.Counts, -1)
	}
	require.Len(t, sums, 6)
	for key, left := range sums {
		assert.Zero(t, left, key)
	}
}
