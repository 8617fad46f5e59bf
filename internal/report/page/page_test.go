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

	"vaultbench/internal/publish/publishtest"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

var tags = regexp.MustCompile(`<script|<img|<i>|<iframe|href="javascript:`)

// TestHostile: whatever is written in a record, each report parses, and nothing in
// it is markup, steers a terminal or turns text round. The browser test holds that
// nothing executes.
func TestHostile(t *testing.T) {
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
