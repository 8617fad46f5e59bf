package page_test

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

	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

// hostile are texts that attackers and models may write.
var hostile = map[string]string{
	"script":     `</script><script>window.pwned = 1</script><img src=x onerror="window.pwned=1">`,
	"comment":    `<!-- <script> --!> ]]> <![CDATA[`,
	"command":    "\n::error::owned\n##[error]owned ##vso[task.complete]",
	"escape":     "\x1b[31m\x1b]0;t\a\x9b",
	"direction":  "\u202egpj.exe\u2066\u200b",
	"surrogate":  "\xed\xa0\x80\xff",
	"number":     `{"amount": NaN, "b": Infinity}`,
	"a megabyte": strings.Repeat("<i>", 1<<20/3),
	"separators": "a\u2028b\u2029c",
	"markdown":   "| a | [x](javascript:alert(1)) @all `code` ![i](http://evil.example/x.png)",
}

func hostilePage(whole string) page.Page {
	text := whole[:min(len(whole), 4096)] // of names; what is said is whole
	cell := plan.Cell{Model: "sim-a", Level: corpus.L2, Track: corpus.Benign, Architecture: plan.OAP}
	m := record.Manifest{
		RunID: text, Revision: text, GoVersion: text, Trials: 1, Options: map[string]string{"VAULT_X": text}, Digests: map[string]string{text: text},
		Models:      []record.ManifestModel{{Slug: "m", ID: text, Provider: text, Served: []string{text}}},
		Cells:       []record.PlannedCell{{Cell: cell, Kind: plan.Simulated, Layered: true, Label: text, Evaluations: 1}, {Cell: plan.Cell{Model: "b", Level: "l2", Track: "single", Architecture: "oap"}, Skip: text}},
		Directories: map[corpus.Level]corpus.Directory{corpus.L2: {Permits: corpus.PermitsListed}},
	}
	e := record.Evaluation{
		ID: text, Cell: cell, Kind: plan.Simulated, Attack: corpus.AttackID(text), Session: corpus.SessionID(text), Category: corpus.Category(text),
		Lang: text, Trial: 1, Source: text, End: record.Completed, Detail: text,
		Replies: []record.Reply{{Turn: 1, Content: whole, FinishReason: text}},
		Calls:   []record.Call{{Position: 1, Turn: 1, Tool: text, Transfer: true, Outcome: record.CallRefused, Refusal: whole, Result: whole}},
	}
	e.Calls[0].SetArguments(whole)
	book := report.NewBook(m)
	book.Add(e)
	shown := book.Shown(func(string, string) ([]string, bool) { return []string{whole}, true })
	claim := text
	s := report.Summary{Cells: []report.Cell{{Name: cell.Name(), Cell: cell, Kind: plan.Simulated, Group: "2-4", Status: report.Violation, Findings: []report.Finding{{Kind: report.FoundFalseDenial, Message: text}},
		Counts: report.Counts{Decisions: &report.DecisionCounts{}, Benign: &report.BenignCounts{}}}}, Failure: text}
	notes := book.Notes()
	notes.Refused = []report.Refusal{{Evaluation: text, Attack: corpus.AttackID(text), Rule: text, Code: "oap.limit_exceeded"}}
	notes.Closest = []report.Closest{{Kind: plan.Simulated, Architecture: plan.OAP, Attack: corpus.AttackID(text), Level: "l2", Code: text, Reasons: 1, Example: text}}
	v := report.Verdict{State: report.StateViolation, Claim: report.Claim{Text: &claim, Reason: text}, Reasons: []report.Reason{{State: report.StateViolation, Cell: cell.Name(), Message: text}},
		Caveats: []string{text}, Conditions: []report.Condition{{Name: report.ConditionSeal, Detail: text}}}
	return page.Page{Verdict: v, Summary: s, Manifest: m, Notes: notes, Shown: shown}
}

var tags = regexp.MustCompile(`<script|<img|<i>|<iframe|href="javascript:`)

// TestHostile: whatever is written in a record, each report parses, and nothing in
// it is markup, steers a terminal or turns text round. The browser test holds that
// nothing executes.
func TestHostile(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			p := hostilePage(text)
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

// visible holds that a report has no character that is invisible or steers.
func visible(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%U in a report", r)
		}
	}
}

// TestPolicy: the page names its style and script, and nothing else may run.
func TestPolicy(t *testing.T) {
	for _, served := range []bool{false, true} {
		policy := page.Policy(served)
		assert.Contains(t, policy, "default-src 'none'")
		assert.NotContains(t, policy, "unsafe")
		assert.Equal(t, served, strings.Contains(policy, "connect-src 'self'"))
	}
}
