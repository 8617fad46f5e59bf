package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/price"
	"vaultbench/internal/publish/publishtest"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

var tags = regexp.MustCompile(`<script|<img|<i>|<iframe|href="javascript:`)

// TestPageHostile: whatever is written in a record, each report parses, and nothing in
// it is markup, steers a terminal or turns text round. The browser test holds that
// nothing executes.
func TestPageHostile(t *testing.T) {
	for name, text := range publishtest.Hostile() {
		t.Run(name, func(t *testing.T) {
			p := publishtest.Page(text)
			var html bytes.Buffer
			require.NoError(t, page.Write(&html, p))
			visible(t, html.String())
			assert.Equal(t, 2, strings.Count(html.String(), "<script"), "the data and our own script, nothing else")
			assert.Equal(t, 2, strings.Count(html.String(), "</script"))
			body, _, _ := strings.Cut(html.String(), `<script type="application/json"`)
			_, body, _ = strings.Cut(body, "</style>")
			assert.Empty(t, tags.FindAllString(body, -1), "no markup of theirs")
			assert.NotRegexp(t, `(src|href)="?https?:`, html.String(), "no request")
			_, data, _ := strings.Cut(html.String(), `id="data">`)
			data, _, _ = strings.Cut(data, "</script>")
			var parsed struct{ Transcripts []report.Transcript }
			require.NoError(t, json.Unmarshal([]byte(data), &parsed))
			require.Len(t, parsed.Transcripts, 1)
			assert.Less(t, html.Len(), 1<<20, "a long text is cut")
			var junit, ctrf, md bytes.Buffer
			require.NoError(t, report.WriteJUnit(&junit, p.Summary))
			d := xml.NewDecoder(&junit)
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else {
					require.NoError(t, err)
				}
			}
			require.NoError(t, report.WriteCTRF(&ctrf, p.Summary))
			visible(t, ctrf.String())
			assert.True(t, json.Valid(ctrf.Bytes()))
			require.NoError(t, report.WriteMarkdown(&md, p.Verdict, p.Summary, p.Notes))
			visible(t, md.String())
			assert.Empty(t, tags.FindAllString(md.String(), -1))
			assert.NotRegexp(t, `(?m)^\s*::|##\w*\[|\]\(|!\[|@all`, md.String(), "no command, no link, nobody is mentioned")
		})
	}
}

// TestPageHostileRun: the hostile run is one that the suite could have recorded, and
// can be reported.
func TestPageHostileRun(t *testing.T) {
	run := publishtest.Run(t)
	_, err := run.Write()
	require.NoError(t, err)
}

// visible holds that a report has no character that is invisible or steers.
func visible(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U in a report", r)
		}
	}
}

// TestPagePolicy: the page names its style and script, and nothing else may run.
func TestPagePolicy(t *testing.T) {
	for _, served := range []bool{false, true} {
		policy := page.Policy(served)
		assert.Contains(t, policy, "default-src 'none'")
		assert.NotContains(t, policy, "unsafe")
		assert.Equal(t, served, strings.Contains(policy, "connect-src 'self'"))
	}
}

// TestPageCost: dollars where they are known, else which price is missing.
func TestPageCost(t *testing.T) {
	usd, cached := 2.4, 0.5
	live := report.ModelCost{Model: "a", Kind: plan.Live, Evaluations: 1, Usage: record.Usage{Replies: 1, InputTokens: 1_000_000, CachedTokens: 400_000, OutputTokens: 100_000}, USD: &usd}
	unknown := live
	unknown.Model, unknown.USD, unknown.NoUSD = "b", nil, report.NoPrice
	replayed := live
	replayed.Kind, replayed.USD, replayed.NoUSD = plan.Recorded, nil, report.Replayed
	for _, tt := range []struct {
		name      string
		cost      *report.Cost
		want, not []string
		reason    string
	}{
		{"none", nil, []string{"No reply told of tokens"}, []string{"US dollars"}, "simulated bankers cost nothing"},
		{"confirmed", &report.Cost{Models: []report.ModelCost{live}, USD: &usd}, []string{`id="cost-total">$2.4000<`, "a: input $2, cached input $0.5, output $10, read on 2031-03-03.", "1.5 s"}, []string{"cost-missing"}, "a total and what it rests on"},
		{"unconfirmed", &report.Cost{Models: []report.ModelCost{live, unknown}}, []string{"$2.4000", `id="cost-missing">No total in US dollars: the price of b was not confirmed`}, []string{"cost-total"}, "no total of a part"},
		{"replayed", &report.Cost{Models: []report.ModelCost{replayed}}, []string{`id="cost-missing">No live model was asked`}, []string{"cost-total"}, "a replay costs nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := publishtest.Page("x")
			p.Summary.Cost, p.Notes.Pace = tt.cost, []report.Pace{{Kind: plan.Live, Model: "a", MedianMS: 1500, P95MS: 2500}}
			p.Manifest.Models = []record.ManifestModel{{Slug: "a", Price: &price.Price{Input: 2, Output: 10, CacheRead: &cached, Date: "2031-03-03"}}}
			var b bytes.Buffer
			require.NoError(t, page.Write(&b, p))
			_, html, _ := strings.Cut(b.String(), `<section id="cost"`)
			html, _, _ = strings.Cut(html, "</section>")
			for _, want := range tt.want {
				assert.Contains(t, html, want, tt.reason)
			}
			for _, not := range tt.not {
				assert.NotContains(t, html, not, tt.reason)
			}
		})
	}
}

// TestPageServed: who answered stands beside who was asked, marked where it differs.
func TestPageServed(t *testing.T) {
	ids := []report.ServedID{{ID: "m-2<b>", Replies: 1200, Evaluations: 7, Cells: []string{"x", "y"}}}
	for _, tt := range []struct {
		name   string
		served []report.Served
		want   string // "": no table
		marked bool
		reason string
	}{
		{"nobody named", nil, "", false, "simulated bankers have no id"},
		{"as asked", []report.Served{{Model: "a", Kind: plan.Live, Requested: "m-2", IDs: ids}}, "m-2&lt;b&gt;", false, "nothing to mark"},
		{"another", []report.Served{{Model: "a", Kind: plan.Live, Requested: "m-1", IDs: ids, Note: "note"}}, "m-2&lt;b&gt;", true, "nobody pools them unseen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := publishtest.Page("x")
			p.Summary.Served = tt.served
			var b bytes.Buffer
			require.NoError(t, page.Write(&b, p))
			_, html, found := strings.Cut(b.String(), `id="served"`)
			html, _, _ = strings.Cut(html, "</section>")
			require.Equal(t, tt.want != "", found, tt.reason)
			assert.Contains(t, html, tt.want, tt.reason)
			assert.Equal(t, tt.marked, strings.Contains(html, "not as asked, or not alone"), tt.reason)
		})
	}
}
