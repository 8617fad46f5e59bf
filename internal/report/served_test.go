package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
)

// TestServed: a model that another one, or more than one, answered for says so.
func TestServed(t *testing.T) {
	e := func(n int, kind plan.Kind, ids ...string) record.Evaluation {
		e := numbered(evaluation(bare, record.Completed), n)
		e.Kind = kind
		for _, id := range ids {
			e.Replies = append(e.Replies, record.Reply{Turn: 1, ServedModel: id})
		}
		return e
	}
	id := func(name string, replies, evaluations int) report.ServedID {
		return report.ServedID{ID: name, Replies: replies, Evaluations: evaluations, Cells: []string{bare.Name()}}
	}
	row := func(note string, unnamed int, ids ...report.ServedID) []report.Served {
		return []report.Served{{Model: "sim-a", Kind: plan.Live, Requested: "m-1", IDs: ids, Unnamed: unnamed, Note: note}}
	}
	for _, tt := range []struct {
		name      string
		requested string
		es        []record.Evaluation
		want      []report.Served
		reason    string
	}{
		{"as asked", "m-1", []record.Evaluation{e(1, plan.Live, "m-1", "m-1"), e(2, plan.Live, "m-1")}, row("", 0, id("m-1", 3, 2)), "nothing to say"},
		{"another", "m-1", []record.Evaluation{e(1, plan.Live, "m-1-mini")}, row("sim-a was asked for as m-1 and served by m-1-mini (1 reply): its figures are of the latter", 0, id("m-1-mini", 1, 1)), "not what was asked for"},
		{"two", "m-1", []record.Evaluation{e(1, plan.Live, "m-2", "m-1"), e(2, plan.Live, "m-1")}, row("sim-a was served by more than one model: m-1 (2 replies), m-2 (1 reply): its figures pool them", 0, id("m-1", 2, 2), id("m-2", 1, 1)), "one conversation even has both"},
		{"some unnamed", "m-1", []record.Evaluation{e(1, plan.Live, "m-1", "")}, row("sim-a was served by more than one model: m-1 (1 reply), an unnamed model (1 reply): its figures pool them", 1, id("m-1", 1, 1)), "nobody knows who it was"},
		{"none named", "m-1", []record.Evaluation{e(1, plan.Live, "")}, nil, "the claim says so"},
		{"hostile", "m-1", []record.Evaluation{e(1, plan.Live, "\x1b[31m")}, row(`sim-a was asked for as m-1 and served by \u001b[31m (1 reply): its figures are of the latter`, 0, id("\x1b[31m", 1, 1)), "no terminal obeys it"},
		{"simulated", "m-1", []record.Evaluation{e(1, plan.Simulated, "x")}, nil, "an instrument is what it is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planned(bare, len(tt.es))
			p.Kind = tt.es[0].Kind
			b := builder(t, p)
			b.Models([]record.ManifestModel{{Slug: "sim-a", ID: tt.requested}})
			for _, e := range tt.es {
				require.NoError(t, b.Add(e))
			}
			got := b.Summary()
			if diff := cmp.Diff(tt.want, got.Served); diff != "" {
				t.Errorf("served: %s (-want +got):\n%s", tt.reason, diff)
			}
			got.SigningKey = "test"
			require.NoError(t, strictjson.Validate("summary.schema.json", encoded(t, got)))
			var md strings.Builder
			require.NoError(t, report.WriteMarkdown(&md, report.Verdict{}, got, report.Notes{}))
			assert.Equal(t, len(tt.want) > 0, strings.Contains(md.String(), "| Model | Bankers | Asked for as | Served by |"), tt.reason)
			assert.NotContains(t, md.String(), "\x1b", tt.reason)
		})
	}
}
