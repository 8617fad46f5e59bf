package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/escape"
	"vaultbench/internal/report"
)

// document is JUnit as CI systems read it.
type document struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name       string `xml:"name,attr"`
			Class      string `xml:"classname,attr"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
			Failure *message `xml:"failure"`
			Error   *message `xml:"error"`
			Skipped *message `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type message struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// written is the JUnit file of a summary, held to XML 1.0: it parses strictly,
// and every character, references resolved, is one that XML 1.0 can hold.
func written(t *testing.T, s report.Summary) (document, string) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.WriteJUnit(&b, s))
	requireLegal(t, b.String())
	dec := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	dec.Strict = true
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.CharData:
			requireLegal(t, string(token))
		case xml.StartElement:
			for _, a := range token.Attr {
				requireLegal(t, a.Value)
			}
		}
	}
	var d document
	require.NoError(t, xml.Unmarshal(b.Bytes(), &d))
	return d, b.String()
}

// requireLegal: https://www.w3.org/TR/xml/#NT-Char
func requireLegal(t *testing.T, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	for _, r := range text {
		legal := r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= 0x10ffff
		require.True(t, legal, "XML 1.0 can't hold %U", r)
	}
}

// red is a summary of one cell that turned red with the message.
func red(message string) report.Summary {
	return report.Summary{Cells: []report.Cell{{
		Name: attacked.Name(), Cell: attacked, Status: report.Violation, Label: message,
		Findings: []report.Finding{{Kind: report.FoundUnpermitted, Message: message}, {Kind: report.FoundGolden, Message: "second"}},
	}}}
}

func TestJUnitHoldsAnyText(t *testing.T) {
	for _, tt := range []struct {
		name, text, want, reason string
	}{
		{"plain", "a b", "a b", "as it is"},
		{"markup", `<script>&amp;"'</failure>`, `<script>&amp;"'</failure>`, "escaped"},
		{"end of CDATA", "a]]>b<![CDATA[c", "a]]>b<![CDATA[c", "escaped"},
		{"line ends", "a\nb\tc", "a\nb\tc", "kept, in attributes too"},
		{"carriage return", "a\rb", "a\rb", "kept by its reference"},
		{"ESC", "\x1b[31mred", "\ufffd[31mred", "no character of XML 1.0"},
		{"NUL and bell", "\x00\a\x7f", "\ufffd\ufffd\x7f", "DEL alone is legal"},
		{"C1", "\u009b31m", "\u009b31m", "legal"},
		{"noncharacters", "\ufffe\uffff", "\ufffd\ufffd", "no characters of XML 1.0"},
		{"invalid UTF-8", "a\xff\xc3b", "a\ufffd\ufffdb", "replaced byte by byte"},
		{"half a surrogate pair", "\xed\xa0\x80", "\ufffd\ufffd\ufffd", "no UTF-8"},
		{"beyond the first plane", "💰\U0010ffff", "💰\U0010ffff", "legal"},
		{"line separators", "\u2028\u202e", "\u2028\u202e", "legal"},
		{"entity", "&#x1b;&lt;", "&#x1b;&lt;", "text, not a reference"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := written(t, red(tt.text))
			require.Len(t, d.Suites, 1)
			c := d.Suites[0].Cases[0]
			require.NotNil(t, c.Failure)
			assert.Equal(t, tt.want, c.Failure.Message, tt.reason)
			assert.Equal(t, tt.want+"\nsecond", c.Failure.Text, tt.reason)
			assert.Equal(t, escape.Line(tt.text), c.Properties[len(c.Properties)-1].Value, "the label becomes a line: go test takes no other attribute")
		})
	}
}

func FuzzJUnit(f *testing.F) {
	for _, seed := range []string{"", "]]>", "\x1b\ufffe\xff\"'", "\r\n", "&#0;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := red(text)
		s.Cells[0].Name, s.Cells[0].Skip = text, text
		written(t, s)
		s.Cells[0].Status = report.Skipped
		written(t, s)
	})
}

func TestJUnitStatuses(t *testing.T) {
	cells, es := everything()
	d, text := written(t, summarise(t, nil, cells, es...))
	got := map[string]string{}
	for _, s := range d.Suites {
		failures, faults, skipped := 0, 0, 0
		for _, c := range s.Cases {
			assert.Equal(t, "vaultbench/vault_test", c.Class)
			state := "pass"
			if c.Failure != nil {
				failures++
				state = "failure " + c.Failure.Type
			}
			if c.Error != nil {
				faults++
				state = "error " + c.Error.Type
			}
			if c.Skipped != nil {
				skipped++
				state = "skipped " + c.Skipped.Message
			}
			got[c.Name] = state
		}
		assert.Equal(t, []int{len(s.Cases), failures, faults, skipped}, []int{s.Tests, s.Failures, s.Errors, s.Skipped}, s.Name)
	}
	want := map[string]string{
		"TestVault/live-b/l5/single/published":         "skipped live: KEY unset",
		"TestVault/sim-a/l1/multi/oap":                 "error inconclusive",
		"TestVault/sim-a/l2/benign/oap":                "failure false_denial",
		"TestVault/sim-a/l2/multi/alone":               "pass",
		"TestVault/sim-a/l2/multi/oap":                 "failure unpermitted_transfer",
		"TestRecordings/gpt-x/front-desk/recorded/oap": "failure unpermitted_transfer",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("testcases, named as go test names them (-want +got):\n%s", diff)
	}
	assert.Equal(t, []int{6, 3, 1, 1}, []int{d.Tests, d.Failures, d.Errors, d.Skipped})
	assert.True(t, strings.HasPrefix(text, `<?xml version="1.0" encoding="UTF-8"?>`))
	assert.Equal(t, 6, strings.Count(text, ` time="0"`), "no wall clock")
}

func TestJUnitOfNothing(t *testing.T) {
	d, _ := written(t, summarise(t, nil, nil))
	assert.Zero(t, d.Tests)
	assert.Empty(t, d.Suites)
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestJUnitReportsWriteErrors(t *testing.T) {
	s := red(strings.Repeat("x", 1<<16)) // more than any buffer
	require.ErrorContains(t, report.WriteJUnit(&failing{0}, s), "disk full")
	require.ErrorContains(t, report.WriteJUnit(&failing{1}, s), "disk full")
}
