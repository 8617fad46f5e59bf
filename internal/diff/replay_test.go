package diff_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/diff"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// TestReplay: a live run and what its cassette replays are one grid, and where the
// replies come from is said.
func TestReplay(t *testing.T) {
	with := func(kind plan.Kind, c plan.Cell, calls ...record.Call) []record.Evaluation {
		e, other := did(c, 1, calls...), did(cell(c.Model, c.Track, plan.OAP), 1)
		e.Kind, other.Kind = kind, kind
		return []record.Evaluation{e, other}
	}
	const note = "gpt-x is live in %s and replayed from a cassette in %s: its replies there are recorded ones, so a difference is of the layer, the code or what the cassette lacks, not of the model"
	gpt := cell("gpt-x", corpus.Multi, plan.Alone)
	for _, tt := range []struct {
		name      string
		a, b      plan.Kind
		track     corpus.Track
		calls     []record.Call // in B
		notes     []string
		ofA       plan.Kind
		same      bool
		wantError string
		reason    string
	}{
		{"live, then its cassette", plan.Live, plan.Recorded, corpus.Multi, nil, []string{fmt.Sprintf(note, "A", "B")}, plan.Live, true, "", "said once for two cells"},
		{"a cassette, then live", plan.Recorded, plan.Live, corpus.Multi, nil, []string{fmt.Sprintf(note, "B", "A")}, plan.Recorded, true, "", "the other way round"},
		{"otherwise", plan.Live, plan.Recorded, corpus.Multi, []record.Call{paid("eve")}, []string{fmt.Sprintf(note, "A", "B")}, plan.Live, false, "", "a difference is one"},
		{"both live", plan.Live, plan.Live, corpus.Multi, nil, []string{}, "", true, "", "nothing to say"},
		{"a recorded conversation", plan.Live, plan.Recorded, corpus.Recorded, nil, nil, "", false, "these are never compared", "the loop is open: no model was asked this"},
		{"live and simulated", plan.Live, plan.Simulated, corpus.Multi, nil, nil, "", false, "these are never compared", "an instrument is no model"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			place := gpt
			place.Track = tt.track
			r, err := diff.Compare(open(t, run(t, "a", nil, with(tt.a, place)...), nil), open(t, run(t, "b", nil, with(tt.b, place, tt.calls...)...), nil))
			if tt.wantError != "" {
				require.ErrorContains(t, err, tt.wantError, tt.reason)
				return
			}
			require.NoError(t, err)
			if d := cmp.Diff(tt.notes, r.Notes); d != "" {
				t.Errorf("notes: %s (-want +got):\n%s", tt.reason, d)
			}
			assert.Equal(t, tt.same, r.Same, tt.reason)
			assert.Equal(t, []plan.Kind{tt.ofA, tt.b}, []plan.Kind{r.Cells[0].KindOfA, r.Cells[0].Kind}, tt.reason)
			assert.Equal(t, tt.b, r.Rates[0].Kind)
			raw, err := json.Marshal(r)
			require.NoError(t, err)
			require.NoError(t, strictjson.Validate("diff.schema.json", raw))
		})
	}
}
