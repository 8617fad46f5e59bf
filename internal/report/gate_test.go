package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/report"
)

func TestLoadGate(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       report.Gate
		err        string
		reason     string
	}{
		{"least", `{"schema_version":1}`, report.Gate{Version: 1}, "", "everything else has a default"},
		{"whole", `{"schema_version":1,"completeness":0.99,"false_denials":2,"request_rate":{"baseline":"results/last","max_change":0.02,"models":{"new":"old"}}}`,
			report.Gate{Version: 1, Completeness: 0.99, FalseDenials: 2, RequestRate: &report.RateGate{Baseline: "results/last", MaxChange: 0.02, Models: map[plan.ModelSlug]plan.ModelSlug{"new": "old"}}}, "", "each member"},
		{"unpermitted", `{"schema_version":1,"unpermitted":1}`, report.Gate{}, "unknown member", "no unpermitted transfer is ever let pass"},
		{"completeness lowered", `{"schema_version":1,"completeness":0.9}`, report.Gate{}, "/completeness: minimum: got 0.9, want 0.95", "it can be raised alone"},
		{"completeness above one", `{"schema_version":1,"completeness":95}`, report.Gate{}, "/completeness: maximum", "a share"},
		{"negative", `{"schema_version":1,"false_denials":-1}`, report.Gate{}, "/false_denials: minimum", "a number of calls"},
		{"no baseline", `{"schema_version":1,"request_rate":{"max_change":0.1}}`, report.Gate{}, "baseline", "against what?"},
		{"no version", `{}`, report.Gate{}, "schema_version", "its schema may change"},
		{"later version", `{"schema_version":2}`, report.Gate{}, "/schema_version", "what it means is not known"},
		{"twice", `{"schema_version":1,"false_denials":0,"false_denials":9}`, report.Gate{}, "duplicate", "which of the two?"},
		{"cut", `{"schema_version":1,`, report.Gate{}, "gate.json:1: ", "a broken file is no default"},
		{"empty", ``, report.Gate{}, "file is empty", "a broken file is no default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "gate.json")
			require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600))
			got, err := report.LoadGate(path)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err, tt.reason)
				require.ErrorContains(t, err, path, "the file is named")
				return
			}
			require.NoError(t, err, tt.reason)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("LoadGate: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
	g, err := report.LoadGate("")
	require.NoError(t, err)
	assert.Equal(t, report.DefaultGate(), g, "no file, the default")
	_, err = report.LoadGate(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorContains(t, err, "VAULT_GATE names the file")
}
