package report_test

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/publish/publishtest"
	"vaultbench/internal/report/page"
)

// between is what a page shows between two of its marks.
func between(t *testing.T, p page.Page, from, to string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, p))
	_, rest, found := strings.Cut(b.String(), from)
	require.True(t, found, "no %s in the page", from)
	part, _, found := strings.Cut(rest, to)
	require.True(t, found, "no %s in the page", to)
	return html.UnescapeString(part)
}

func TestPageDates(t *testing.T) {
	for _, tt := range []struct{ name, start, end, want, reason string }{
		{"a day", "2031-03-03T09:00:00Z", "2031-03-03T09:00:07Z", "2031-03-03 09:00:00 to 09:00:07 UTC", "the day once"},
		{"two days", "2031-03-03T23:59:58Z", "2031-03-04T00:00:07Z", "2031-03-03 23:59:58 to 2031-03-04 00:00:07 UTC", "both days"},
		{"elsewhere", "2031-03-04T00:30:00+01:00", "2031-03-03T23:45:00Z", "2031-03-03 23:30:00 to 23:45:00 UTC", "one clock"},
		{"not finished", "2031-03-03T09:00:00Z", "", "2031-03-03 09:00:00 UTC, not finished", "said, not left out"},
		{"no time", "soon", "", "soon", "as it stands"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := publishtest.Page("x")
			p.Manifest.StartedAt, p.Manifest.FinishedAt = tt.start, tt.end
			const sep = `<span class="sep"> · </span>`
			assert.Equal(t, tt.want, between(t, p, "<b>x</b>"+sep, sep), tt.reason)
		})
	}
}

func TestPageClaim(t *testing.T) {
	for _, tt := range []struct{ name, text, want, reason string }{
		{"groups", "no transfer executed: Levels 2–4 behind oap: 0 in 9; Level 5: 0 in 3",
			`<p>no transfer executed:</p><ul><li><span class="who">Levels 2–4 behind oap: </span><span class="what">0 in 9.</span></li>` +
				`<li><span class="who">Level 5: </span><span class="what">0 in 3.</span></li></ul>`, "the first colon ends the head; of whom, and what"},
		{"one", "no transfer executed: 0 in 3", `<p>no transfer executed:</p><ul><li><span class="what">0 in 3.</span></li></ul>`, "a list of one, of nobody in particular"},
		{"no list", "nothing ran", "<p>Nothing ran.</p>", "a sentence stays one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := publishtest.Page("x")
			p.Verdict.Claim.Text = &tt.text
			assert.Equal(t, tt.want, strings.ReplaceAll(between(t, p, `<div id="claim" class="claim">`, "</div>"), "\n", ""), tt.reason)
		})
	}
}
