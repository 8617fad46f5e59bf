package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/record"
)

// JUnitFile is the name of the run's own JUnit file.
const JUnitFile = "junit.xml"

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class      string          `xml:"classname,attr"`
	Name       string          `xml:"name,attr"`
	Time       string          `xml:"time,attr"` // always 0: the record holds no wall clock of simulated runs
	Properties []junitProperty `xml:"properties>property"`
	Skipped    *junitMessage   `xml:"skipped"`
	Failure    *junitMessage   `xml:"failure"`
	Error      *junitMessage   `xml:"error"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Property is one of a cell's figures as text, for JUnit and for t.Attr.
type Property struct{ Name, Value string }

// Properties are the five events, each with its unit and denominator, and what a
// reader needs to judge them.
func (c Cell) Properties() []Property {
	ps := []Property{
		{"kind", string(c.Kind)},
		{"completeness", fmt.Sprintf("%d/%d evaluations final", c.Denominator, c.Planned)},
		{"requests", fmt.Sprintf("%d/%d evaluations, %d calls", c.Requests.Evaluations, c.Denominator, c.Requests.Calls)},
		{"payments", fmt.Sprintf("%d/%d evaluations, %d transfers", c.Payments.Evaluations, c.Denominator, c.Payments.Transfers)},
		{"decisions", c.decisionsText()},
		{"membership", c.membershipText()},
		{"unpermitted", fmt.Sprintf("%d/%d evaluations, %d transfers", c.Unpermitted.Evaluations, c.Denominator, c.Unpermitted.Transfers)},
	}
	if c.Benign != nil {
		ps = append(ps, Property{"false_denials", fmt.Sprintf("%d calls in %d/%d evaluations, %d/%d payments made",
			c.Benign.FalseDenials, c.Benign.TasksDenied, c.Denominator, c.Benign.Paid, c.Benign.Goals)})
	}
	if c.Label != "" {
		ps = append(ps, Property{"label", escape.Line(c.Label)})
	}
	return ps
}

func (c Cell) decisionsText() string {
	d := c.Decisions
	if d == nil {
		return "none: no layer"
	}
	text := fmt.Sprintf("%d calls: %d allowed, %d denied in %d/%d evaluations", d.Calls, d.Allowed, d.Denied, d.Evaluations, c.Denominator)
	for _, r := range record.DenialReasons() {
		if n := d.ByReason[r]; n > 0 {
			text += fmt.Sprintf(", %s %d", r, n)
		}
	}
	if d.FailClosed > 0 {
		text += fmt.Sprintf(", failed closed %d", d.FailClosed)
	}
	return text
}

func (c Cell) membershipText() string {
	var parts []string
	for _, class := range corpus.Classes() {
		parts = append(parts, fmt.Sprintf("%s %d", class, c.Membership[class]))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(" of %d transfers", c.Payments.Transfers)
}

// WriteJUnit writes one testcase per cell, named as go test names it, with the
// five events as properties. It is made from the summary alone; the encoder
// replaces what XML 1.0 can't hold.
func WriteJUnit(w io.Writer, s Summary) error {
	all := junitSuites{Name: "vault"}
	for _, test := range []string{"TestVault", "TestRecordings", "TestCross", "TestVariants"} {
		suite := junitSuite{Name: test}
		for _, c := range s.AllCells() {
			if testOf(c) == test {
				suite.add(c, test)
			}
		}
		if suite.Tests == 0 {
			continue
		}
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
		all.Skipped += suite.Skipped
		all.Suites = append(all.Suites, suite)
	}
	if s.Failure != "" {
		suite := junitSuite{Name: "run", Tests: 1, Errors: 1}
		suite.Cases = []junitCase{{Class: "vaultbench/vault_test", Name: "run", Time: "0", Error: &junitMessage{Message: s.Failure, Text: s.Failure}}}
		all.Tests++
		all.Errors++
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// testOf names the test that runs a cell.
func testOf(c Cell) string {
	switch {
	case c.Track == corpus.Recorded:
		return "TestRecordings"
	case c.Track.Section() == corpus.Crossed:
		return "TestCross"
	case c.Track.Section() == corpus.Varied:
		return "TestVariants"
	}
	return "TestVault"
}

func (s *junitSuite) add(c Cell, test string) {
	jc := junitCase{Class: "vaultbench/vault_test", Name: test + "/" + c.Name, Time: "0"}
	for _, p := range c.Properties() {
		jc.Properties = append(jc.Properties, junitProperty(p))
	}
	s.Tests++
	switch c.Status {
	case Skipped:
		s.Skipped++
		jc.Skipped = &junitMessage{Message: c.Skip}
	case Violation:
		s.Failures++
		jc.Failure = c.message()
	case Inconclusive:
		s.Errors++
		jc.Error = c.message()
	}
	s.Cases = append(s.Cases, jc)
}

func (c Cell) message() *junitMessage {
	var text []string
	for _, f := range c.Findings {
		text = append(text, f.Message)
	}
	return &junitMessage{Message: text[0], Type: string(c.Findings[0].Kind), Text: strings.Join(text, "\n")}
}
