// Package publish writes a finished run's reports from its record alone: summary,
// JUnit, CTRF, Markdown and one HTML page. It may be run again at any time; a
// record that does not verify is refused, with file and line.
package publish

import (
	"fmt"
	"io"
	"path/filepath"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

// The names of the files, beside those that package report names.
const (
	SummaryFile = "summary.json"
	PageFile    = "report.html"
)

// Run is what reports of a run are made from.
type Run struct {
	Folder   string
	Trusted  *receipt.JWKS // nil: any key will do
	World    report.World
	Gate     report.Gate
	Rates    report.CompareRates // nil where the gate compares none
	Messages report.MessagesFunc
}

// Count verifies a run's record, counts it and judges it; the figures carry the
// claim that the verdict makes. also gets every evaluation, in the record's order.
func (r Run) Count(also func(record.Evaluation)) (report.Verdict, *report.Recount, error) {
	v, counted, err := report.VerdictWith(r.Folder, r.Trusted, r.World, r.Gate, r.Rates, also)
	if err != nil {
		return v, nil, err
	}
	if counted == nil {
		return v, nil, fmt.Errorf("nothing is reported: %s", v.Reasons[0].Message)
	}
	counted.Summary.Claim = v.Claim
	return v, counted, nil
}

// Manifest is the run's, which must be sealed.
func (r Run) Manifest() (record.Manifest, error) {
	m, err := receipt.ReadManifest(r.Folder)
	if err == nil {
		err = report.Unfinished(r.Folder, m)
	}
	return m, err
}

// Read verifies a run's record, counts it and judges it.
func (r Run) Read() (page.Page, error) {
	m, err := r.Manifest()
	if err != nil {
		return page.Page{}, err
	}
	book := report.NewBook(m)
	v, counted, err := r.Count(book.Add)
	if err != nil {
		return page.Page{}, err
	}
	return page.Page{Verdict: v, Summary: counted.Summary, Manifest: counted.Manifest, Notes: book.Notes(), Shown: book.Shown(r.Messages)}, nil
}

// Write reads the run and writes every report into its folder, each whole or not
// at all. It returns what they say, and the short report.
func (r Run) Write() (page.Page, error) {
	p, err := r.Read()
	if err != nil {
		return p, err
	}
	if err := WriteSummary(r.Folder, p.Summary); err != nil {
		return p, err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{report.JUnitFile, func(w io.Writer) error { return report.WriteJUnit(w, p.Summary) }},
		{report.CTRFFile, func(w io.Writer) error { return report.WriteCTRF(w, p.Summary) }},
		{report.MarkdownFile, func(w io.Writer) error { return Markdown(w, p) }},
		{PageFile, func(w io.Writer) error { return page.Write(w, p) }},
	} {
		if err := record.WriteFile(filepath.Join(r.Folder, f.name), f.write); err != nil {
			return p, err
		}
	}
	return p, nil
}

// WriteSummary writes the figures into a folder, held against their schema.
func WriteSummary(folder string, s report.Summary) error {
	return record.WriteChecked(filepath.Join(folder, SummaryFile), "summary.schema.json", s)
}

// Markdown writes the short report.
func Markdown(w io.Writer, p page.Page) error {
	return report.WriteMarkdown(w, p.Verdict, p.Summary, p.Notes)
}
