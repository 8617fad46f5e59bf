package escape_test

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/escape"
)

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, text, want, reason string }{
		{"plain", "l2-0001 paid, twice", "l2-0001 paid, twice", "text stays text"},
		{"pipe", "a|b", "a&#124;b", "the end of a table's cell"},
		{"script", "<script>x</script>", "&#60;script&#62;x&#60;/script&#62;", "HTML"},
		{"image", "![x](http://h/x.png)", "&#33;&#91;x&#93;(http&#58;//h/x.png)", "a request that leaves"},
		{"address", "see https://h.example and WWW.h.example", "see https&#58;//h.example and WWW&#46;h.example", "a link without markup"},
		{"mention", "@team #12", "&#64;team &#35;12", "somebody is called"},
		{"code and emphasis", "`a` *b* _c_ ~d~", "&#96;a&#96; &#42;b&#42; &#95;c&#95; &#126;d&#126;", "markup"},
		{"reference", "&lt;b&gt;", "&#38;lt;b&#38;gt;", "already escaped is text, too"},
		{"formula", "$x^2$", "&#36;x&#94;2&#36;", "GitHub sets formulas"},
		{"sentence", "claim: at most 6.67% per session (3/S, S = 45)", "claim: at most 6.67% per session (3/S, S = 45)", "a reader of the file reads it, too"},
		{"plus", " +1 moved by +50.00", " &#43;1 moved by +50.00", "an item of a list, and a figure"},
		{"emoji", ":smile: :b:c", "&#58;smile: &#58;b&#58;c", "no picture without its first colon"},
		{"lines", "a\n# b\r\n", `a&#92;u000a&#35; b&#92;u000d&#92;u000a`, "no line of its own"},
		{"command", "::error::x", "&#92;&#58;&#58;error&#58;&#58;x", "a job's summary may be printed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := escape.Markdown(tt.text)
			assert.Equal(t, tt.want, got, tt.reason)
			assert.Equal(t, escape.Line(tt.text), html.UnescapeString(got), "a reader sees what Line shows")
			assert.False(t, strings.ContainsAny(got, "|<>`*_[]@"), got)
		})
	}
}
