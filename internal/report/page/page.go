// Package page draws a run's reports for people: one HTML file without any
// outside request, in which nothing that an attacker or a model wrote is obeyed.
// It computes no figure: every number comes from package report.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"vaultbench/internal/escape"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Page is everything that a page shows.
type Page struct {
	Verdict  report.Verdict
	Summary  report.Summary
	Manifest record.Manifest
	Notes    report.Notes
	Shown    report.Shown
	Served   bool // transcripts are asked of the server that serves the page
}

var (
	//go:embed page.tmpl
	layout string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Policy is the content security policy of a page: its own style and script,
// known by their digests, and nothing else.
func Policy(served bool) string {
	connect := "'none'"
	if served {
		connect = "'self'"
	}
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; connect-src %s; base-uri 'none'; form-action 'none'", digest(style), digest(script), connect)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write draws the page.
func Write(w io.Writer, p Page) error {
	data, err := p.data()
	if err != nil {
		return fmt.Errorf("draw page: %w", err)
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"n": number, "percent": percent,
	}).Parse(layout)
	if err != nil {
		return fmt.Errorf("draw page: %w", err)
	}
	v := p.view()
	v.Policy = Policy(p.Served)
	v.Style = template.HTML("<style>" + style + "</style>")                                           // our own file
	v.Script = template.HTML("<script>" + script + "</script>")                                       // our own file
	v.Data = template.HTML(`<script type="application/json" id="data">` + string(data) + "</script>") // <, > and & are escaped in it
	var b strings.Builder
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("draw page: %w", err)
	}
	// Whatever a field forgot is written out here: nothing invisible leaves.
	_, err = io.WriteString(w, escape.Block(b.String()))
	return err
}

// data is what the script reads. encoding/json writes <, > and & as escapes, so
// that no text ends the element.
func (p Page) data() ([]byte, error) {
	d := struct {
		Served      bool                `json:"served"`
		Run         string              `json:"run"`
		Evaluations int                 `json:"evaluations"`
		Total       map[report.Flag]int `json:"total"`
		Transcripts []json.RawMessage   `json:"transcripts"`
		Messages    map[string][]string `json:"messages"`
	}{p.Served, p.Manifest.RunID, p.Shown.Evaluations, p.Shown.Total, p.Shown.Transcripts, p.Shown.Messages}
	if p.Served {
		d.Transcripts, d.Messages = nil, nil
	}
	return json.Marshal(d)
}
