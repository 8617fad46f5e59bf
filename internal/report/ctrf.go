package report

import (
	"io"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/record"
)

// CTRFFile is the name of a run's file in the Common Test Report Format.
const CTRFFile = "ctrf.json"

// The format's members, as far as they are written. Source: ctrf.io, schema 0.0.
type ctrfReport struct {
	Format  string      `json:"reportFormat"`
	Spec    string      `json:"specVersion"`
	By      string      `json:"generatedBy"`
	Results ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool    ctrfTool    `json:"tool"`
	Summary ctrfSummary `json:"summary"`
	Tests   []ctrfTest  `json:"tests"`
}

type ctrfTool struct {
	Name string `json:"name"`
}

type ctrfSummary struct {
	Tests   int   `json:"tests"`
	Passed  int   `json:"passed"`
	Failed  int   `json:"failed"`
	Skipped int   `json:"skipped"`
	Pending int   `json:"pending"`
	Other   int   `json:"other"`
	Suites  int   `json:"suites"`
	Start   int64 `json:"start"` // always 0, as stop: the summary holds no wall clock
	Stop    int64 `json:"stop"`
}

type ctrfTest struct {
	Name     string            `json:"name"`
	Status   string            `json:"status"`
	Duration int64             `json:"duration"`
	Suite    []string          `json:"suite"`
	Message  string            `json:"message,omitempty"`
	Trace    string            `json:"trace,omitempty"`
	Raw      string            `json:"rawStatus"`
	Type     string            `json:"type"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// ctrfStatus: an inconclusive cell neither passed nor failed.
var ctrfStatus = map[Status]string{Pass: "passed", Violation: "failed", Inconclusive: "other", Skipped: "skipped"}

// WriteCTRF writes one test per cell, named as go test names it, with the five
// events as labels. It is made from the summary alone.
func WriteCTRF(w io.Writer, s Summary) error {
	r := ctrfReport{Format: "CTRF", Spec: "0.0.0", By: "vault", Results: ctrfResults{Tool: ctrfTool{"vault"}, Tests: []ctrfTest{}}}
	suites := map[string]bool{}
	for _, c := range s.AllCells() {
		t := ctrfCell(c)
		suites[t.Suite[0]] = true
		r.Results.add(t)
	}
	if s.Failure != "" {
		suites["run"] = true
		r.Results.add(ctrfTest{Name: "run", Status: "failed", Suite: []string{"run"}, Message: escape.Line(s.Failure), Raw: string(s.Status), Type: "benchmark"})
	}
	r.Results.Summary.Suites = len(suites)
	return record.EncodeJSON(w, r)
}

func (r *ctrfResults) add(t ctrfTest) {
	r.Tests = append(r.Tests, t)
	r.Summary.Tests++
	switch t.Status {
	case "passed":
		r.Summary.Passed++
	case "failed":
		r.Summary.Failed++
	case "skipped":
		r.Summary.Skipped++
	default:
		r.Summary.Other++
	}
}

func ctrfCell(c Cell) ctrfTest {
	test := "TestVault"
	if c.Track == corpus.Recorded {
		test = "TestRecordings"
	}
	t := ctrfTest{Name: test + "/" + c.Name, Status: ctrfStatus[c.Status], Suite: []string{test}, Raw: string(c.Status), Type: "benchmark", Labels: map[string]string{}}
	for _, p := range c.Properties() {
		t.Labels[p.Name] = p.Value
	}
	if c.Skip != "" {
		t.Message = escape.Line(c.Skip)
	}
	var all []string
	for _, f := range c.Findings {
		all = append(all, string(f.Kind)+": "+escape.Line(f.Message))
	}
	if len(all) > 0 {
		t.Message, t.Trace = all[0], strings.Join(all, "\n")
	}
	return t
}
