package report_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// told is an evaluation of which the provider counted tokens, reply by reply.
func told(model plan.ModelSlug, kind plan.Kind, replies ...record.Reply) record.Evaluation {
	e := evaluation(cell(model, corpus.L2, corpus.Multi, plan.Alone), record.Completed)
	e.Kind, e.Replies = kind, replies
	return e
}

func TestCost(t *testing.T) {
	half := 0.5
	reply := record.Reply{Turn: 1, InputTokens: 1_000_000, OutputTokens: 100_000}
	cached := record.Reply{Turn: 1, InputTokens: 1_000_000, CachedTokens: 400_000, OutputTokens: 100_000}
	confirmed := func(slug string) record.ManifestModel {
		return record.ManifestModel{Slug: slug, Price: &price.Price{Input: 2, Output: 10, CacheRead: &half}}
	}
	again := told("a", plan.Live, reply)
	again.Earlier = &record.Earlier{Attempts: 1, Usage: record.Usage{Replies: 1, InputTokens: 500_000}}
	for _, tt := range []struct {
		name   string
		models []record.ManifestModel
		es     []record.Evaluation
		usd    map[plan.ModelSlug]string // or why there is none
		text   string
		reason string
	}{
		{"simulated", nil, []record.Evaluation{evaluation(bare, record.Completed)}, nil, "", "instruments cost nothing and are no row"},
		{"confirmed", []record.ManifestModel{confirmed("a")}, []record.Evaluation{told("a", plan.Live, reply)}, map[plan.ModelSlug]string{"a": "$3.0000"}, "all live models together cost $3.0000", "input and output"},
		{"cached", []record.ManifestModel{confirmed("a")}, []record.Evaluation{told("a", plan.Live, cached)}, map[plan.ModelSlug]string{"a": "$2.4000"}, "all live models together cost $2.4000", "cached input has a price of its own"},
		{"earlier attempts", []record.ManifestModel{confirmed("a")}, []record.Evaluation{again}, map[plan.ModelSlug]string{"a": "$4.0000"}, "all live models together cost $4.0000", "they were paid for"},
		{"two models", []record.ManifestModel{confirmed("a"), confirmed("b")}, []record.Evaluation{told("b", plan.Live, reply), told("a", plan.Live, cached)},
			map[plan.ModelSlug]string{"a": "$2.4000", "b": "$3.0000"}, "all live models together cost $5.4000", "added up"},
		{"unconfirmed", []record.ManifestModel{confirmed("a"), {Slug: "b"}}, []record.Evaluation{told("a", plan.Live, reply), told("b", plan.Live, reply)},
			map[plan.ModelSlug]string{"a": "$3.0000", "b": "price"}, "no total in US dollars: the price of b was not confirmed in fixtures/models.json", "one missing price leaves no total"},
		{"not in the manifest", nil, []record.Evaluation{told("a", plan.Live, reply)}, map[plan.ModelSlug]string{"a": "price"}, "no total in US dollars: the price of a was not confirmed in fixtures/models.json", "a run of an earlier version"},
		{"cached, unconfirmed", []record.ManifestModel{{Slug: "a", Price: &price.Price{Input: 2, Output: 10}}}, []record.Evaluation{told("a", plan.Live, cached)},
			map[plan.ModelSlug]string{"a": "cached_price"}, "no total in US dollars: the price of a for cached input was not confirmed in fixtures/models.json", "no dollar is made up"},
		{"nothing cached", []record.ManifestModel{{Slug: "a", Price: &price.Price{Input: 2, Output: 10}}}, []record.Evaluation{told("a", plan.Live, reply)},
			map[plan.ModelSlug]string{"a": "$3.0000"}, "all live models together cost $3.0000", "then its price does not matter"},
		{"untold", []record.ManifestModel{confirmed("a")}, []record.Evaluation{told("a", plan.Live, reply, record.Reply{Turn: 2})},
			map[plan.ModelSlug]string{"a": "untold_replies"}, "no total in US dollars: the provider of a did not count the tokens of 1 of 2 replies", "it was not free"},
		{"replayed", []record.ManifestModel{confirmed("a")}, []record.Evaluation{told("a", plan.Recorded, reply)}, map[plan.ModelSlug]string{"a": "replay"}, "no live model was asked, so the run cost nothing", "it was paid for when it was recorded"},
		{"replayed beside live", []record.ManifestModel{confirmed("a"), confirmed("b")}, []record.Evaluation{told("a", plan.Recorded, reply), told("b", plan.Live, reply)},
			map[plan.ModelSlug]string{"a": "replay", "b": "$3.0000"}, "all live models together cost $3.0000", "the total is of live models"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := costed(t, tt.models, tt.es...)
			var md bytes.Buffer
			require.NoError(t, report.WriteMarkdown(&md, report.Verdict{}, s, report.Notes{}))
			if tt.usd == nil {
				require.Nil(t, s.Cost, tt.reason)
				assert.NotContains(t, md.String(), "cost")
				return
			}
			got := map[plan.ModelSlug]string{}
			for _, m := range s.Cost.Models {
				if got[m.Model] = string(m.NoUSD); m.USD != nil {
					got[m.Model] = price.Dollars(*m.USD).String()
				}
			}
			assert.Empty(t, cmp.Diff(tt.usd, got), tt.reason)
			assert.Equal(t, tt.text, s.Cost.Text(), tt.reason)
			assert.Contains(t, md.String(), "- cost, ", "the short report says so, too")
		})
	}
}

// costed is the summary of evaluations, each in a cell of its own.
func costed(t *testing.T, models []record.ManifestModel, es ...record.Evaluation) report.Summary {
	t.Helper()
	var cells []record.PlannedCell
	for _, e := range es {
		p := planned(e.Cell, 1)
		p.Kind = e.Kind
		cells = append(cells, p)
	}
	b := builder(t, cells...)
	b.Models(models)
	for _, e := range es {
		require.NoError(t, b.Add(e))
	}
	return b.Summary()
}
