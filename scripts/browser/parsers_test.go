package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/joshdk/go-junit"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/report"
)

// folder holds the reports to look at: those of REPORT_RUN, or the golden ones.
func folder(t *testing.T, name string) []byte {
	t.Helper()
	dir := filepath.Join("..", "..", "golden", "reports")
	if run := os.Getenv("REPORT_RUN"); run != "" {
		dir = run
	}
	raw, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return raw
}

// ctrfSchema is the published schema of the Common Test Report Format.
func ctrfSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(modules(t, "ctrf/dist/ctrf-schema-0.0.json")))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("ctrf.json", doc))
	s, err := c.Compile("ctrf.json")
	require.NoError(t, err)
	return s
}

func validCTRF(t *testing.T, raw []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	assert.NoError(t, ctrfSchema(t).Validate(doc))
}

func TestCTRF(t *testing.T) {
	raw := folder(t, report.CTRFFile)
	validCTRF(t, raw)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.Replace(raw, []byte(`"passed"`), []byte(`"fine"`), 1)))
	require.NoError(t, err)
	assert.Error(t, ctrfSchema(t).Validate(doc), "the schema does refuse")
}

// TestJUnit reads JUnit as a third party does.
func TestJUnit(t *testing.T) {
	suites, err := junit.Ingest(folder(t, report.JUnitFile))
	require.NoError(t, err)
	require.NotEmpty(t, suites)
	for _, s := range suites {
		assert.Len(t, s.Tests, s.Totals.Tests)
		for _, c := range s.Tests {
			assert.Contains(t, c.Name, "/", "named as go test names it")
		}
	}
}
