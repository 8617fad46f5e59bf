package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/stats"
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
		{"window", `{"schema_version":1,"window":{"from":"2026-03-06","to":"2026-03-12"}}`, report.Gate{Version: 1, Window: &report.Window{From: "2026-03-06", To: "2026-03-12"}}, "", "days to leave out"},
		{"window of no day", `{"schema_version":1,"window":{"from":"2026-03-12","to":"2026-03-06"}}`, report.Gate{}, "2026-03-12 is after 2026-03-06", "it would leave nothing out"},
		{"window without an end", `{"schema_version":1,"window":{"from":"2026-03-12"}}`, report.Gate{}, "'to'", "until when?"},
		{"window of no date", `{"schema_version":1,"window":{"from":"2026-02-30","to":"2026-03-06"}}`, report.Gate{}, "/window/from", "no such day"},
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

// TestGateWindow: the gate's days are left out of each pooled rate, in the figures
// and in the short report, and nothing is judged by it.
func TestGateWindow(t *testing.T) {
	b := builder(t, planned(bare, 5))
	b.Hold(report.Gate{Version: report.GateVersion, Window: &report.Window{From: "2026-03-06", To: "2026-03-12"}})
	for i, date := range []string{"2026-03-05", "2026-03-06", "2026-03-12", "2026-03-13", ""} {
		e := numbered(evaluation(bare, record.Completed, paid("eve")), i)
		if date == "2026-03-13" {
			e = numbered(evaluation(bare, record.Completed), i)
		}
		e.Date = date
		require.NoError(t, b.Add(e))
	}
	s := b.Summary()
	w := s.Analyses[0].Sensitivity[0].Window
	require.NotNil(t, w)
	assert.Equal(t, report.WindowRate{Window: report.Window{From: "2026-03-06", To: "2026-03-12"}, Rate: stats.Rate{Hits: 2, N: 2}, Without: stats.Rate{Hits: 2, N: 3}}, *w)
	var md strings.Builder
	require.NoError(t, report.WriteMarkdown(&md, report.Verdict{}, s, report.Notes{}))
	assert.Contains(t, md.String(), "- without 2026-03-06 to 2026-03-12: Levels 2–4, simulated, alone, requests: 4/5 (80.0%) of all, 2/3 (66.7%) without, 2/2 (100.0%) of these days alone\n")
	assert.Equal(t, report.Pass, s.Status)
}
