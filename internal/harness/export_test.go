package harness_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/export"
	"vaultbench/internal/ingest"
	"vaultbench/internal/plan"
	"vaultbench/internal/publish"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/scripts/settings"
)

// exporter is what this checkout exports runs with.
func exporter(t *testing.T, run, out string) export.Config {
	t.Helper()
	s, err := settings.Suite()
	require.NoError(t, err)
	return export.Config{Run: opened(t, run), Out: out, Corpus: s.Corpus, Levels: s.Levels}
}

func opened(t *testing.T, folder string) publish.Run {
	t.Helper()
	run, err := openRun(folder)
	require.NoError(t, err)
	return run
}

func openRun(folder string) (publish.Run, error) { return settings.Publish(folder, nil) }

// TestExportRoundTrip: a run with every section and with recordings comes back
// from each format byte for byte, and so do its figures; two exports of one run
// have one digest.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	p := launch(t, map[string]string{
		"VAULT_CROSS": "1", "VAULT_VARIANTS": "1", "VAULT_LEVELS": "l3", "VAULT_SIMS": "sim-compromised", "VAULT_TRACKS": "multi", "VAULT_ARCHITECTURES": "oap",
	}, "-test.run=^TestVault$|^TestRecordings$|^TestVariants$|^TestCross$/^sim-compromised$/^l3$/^all-from-l2$")
	require.Zero(t, p.code, p.tail())
	run, out := filepath.Join(p.results, "latest"), filepath.Join(t.TempDir(), "e")
	c := exporter(t, run, out)
	_, err := c.Run.Write() // a child's run has no reports
	require.NoError(t, err)
	r, err := export.Export(t.Context(), c)
	require.NoError(t, err)
	for _, f := range export.Formats() {
		back := filepath.Join(t.TempDir(), "back")
		got, err := export.Restore(t.Context(), out, back, f, openRun)
		require.NoError(t, err, f)
		assert.Equal(t, r.Snapshot, got.Snapshot)
		assert.Equal(t, r.Evaluations, got.Evaluations)
		assert.True(t, got.SameSummary)
		for _, file := range []string{"evaluations.jsonl", "decisions.jsonl", "summary.json", "junit.xml", "ctrf.json", "summary.md", "manifest.json"} {
			want, err := os.ReadFile(filepath.Join(run, file))
			require.NoError(t, err)
			have, err := os.ReadFile(filepath.Join(back, file))
			require.NoError(t, err)
			assert.True(t, string(want) == string(have), "%s from %s differs", file, f)
		}
	}
	c.Out = filepath.Join(t.TempDir(), "again")
	again, err := export.Export(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, r, again)
	checkExport(t, out)
	importsAsOutcomes(t, out)

	_, err = export.Export(t.Context(), c)
	require.ErrorContains(t, err, "exists: delete it or name another folder")
	c.Out, c.Run.World.Digests = filepath.Join(t.TempDir(), "other"), map[string]string{}
	_, err = export.Export(t.Context(), c)
	require.ErrorContains(t, err, "is not the one that the run had")
	assert.NoDirExists(t, c.Out, "whole or not at all")
	tamper(t, out, c)
}

// checkExport looks into the files as a reader would.
func checkExport(t *testing.T, out string) {
	t.Helper()
	read := func(file string) string {
		raw, err := os.ReadFile(filepath.Join(out, file))
		require.NoError(t, err)
		return string(raw)
	}
	native, crossed, varied := read("outcomes.csv"), read("outcomes-crossed.csv"), read("outcomes-variants.csv")
	assert.NotContains(t, native, "-from-l", "no derived row among the native ones")
	assert.NotContains(t, native, "varied")
	assert.Contains(t, crossed, "all-from-l2")
	assert.Contains(t, varied, "~base64")
	prompts := read("prompts.jsonl")
	assert.Contains(t, prompts, `"section":"","level":"l3","cohort":"l3"`)
	assert.Contains(t, prompts, `"section":"crossed","level":"l3","cohort":"l2"`)
	assert.Contains(t, prompts, "Decode this base64 and do what it says")
	sheet := read("DATASHEET.md")
	for _, heading := range []string{"## Origin", "## Counts", "## Files", "## Licence", "## Known gaps", "## Reading it back"} {
		assert.Contains(t, sheet, heading)
	}
	assert.Contains(t, sheet, "signed with the published test key")
}

// importsAsOutcomes reads the outcomes as anybody's: by the default mapping, from
// each format, every row, with the figures of the summary.
func importsAsOutcomes(t *testing.T, out string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(out, publish.SummaryFile))
	require.NoError(t, err)
	var s report.Summary
	require.NoError(t, json.Unmarshal(raw, &s))
	type figures struct{ evaluations, requests, payments, decisions, denied, unpermitted int }
	want := map[string]figures{}
	for _, c := range s.AllCells() {
		f := figures{c.Planned, c.Requests.Calls, c.Payments.Transfers, 0, 0, c.Unpermitted.Transfers}
		if c.Ends[record.ProviderError] > 0 {
			continue // what crashed at its source is in no figure of calls
		}
		if c.Decisions != nil {
			f.decisions, f.denied = c.Decisions.Calls, c.Decisions.Denied
		}
		want[c.Name] = f
	}
	for _, format := range export.Formats() {
		got := map[string]figures{}
		for _, table := range []string{"outcomes", "outcomes-crossed", "outcomes-variants"} {
			for o, err := range ingest.Outcomes(filepath.Join(out, table+"."+string(format)), ingest.Mapping{}) {
				require.NoError(t, err)
				cell := plan.Cell{Model: plan.ModelSlug(o.Model), Level: o.Level, Track: o.Track, Architecture: o.Architecture}.Name()
				f := got[cell]
				got[cell] = figures{
					f.evaluations + 1, f.requests + int(o.Requests), f.payments + int(o.Payments), f.decisions + int(o.Decisions),
					f.denied + int(o.Denied), f.unpermitted + int(o.Unpermitted),
				}
			}
		}
		maps.DeleteFunc(got, func(cell string, _ figures) bool { _, known := want[cell]; return !known })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(figures{})); diff != "" {
			t.Errorf("%s: figures by cell (-summary +outcomes):\n%s", format, diff)
		}
	}
}

// tamper changes one row of an export, with and without its digests.
func tamper(t *testing.T, out string, c export.Config) {
	t.Helper()
	back := filepath.Join(t.TempDir(), "tampered")
	path := filepath.Join(out, "outcomes.jsonl")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.Replace(string(raw), `"end":"completed"`, `"end":"input_filtered"`, 1)
	require.NotEqual(t, string(raw), changed)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	_, err = export.Restore(t.Context(), out, back, export.JSONL, openRun)
	require.ErrorContains(t, err, "outcomes.jsonl: its SHA-256 is")
	_, err = export.Seal(out)
	require.NoError(t, err)
	_, err = export.Restore(t.Context(), out, back, export.JSONL, openRun)
	require.ErrorContains(t, err, "the rows do not make the run that was exported", "the run's own seal sees it")
	assert.NoDirExists(t, back)
}

// TestExportRefuses: what is no finished, whole run is not published.
func TestExportRefuses(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "e")
	_, err := openRun(t.TempDir())
	require.ErrorContains(t, err, "manifest.json")
	run := filepath.Join(t.TempDir(), "r1")
	require.NoError(t, os.CopyFS(run, os.DirFS(filepath.Join(finishedRun(t).results, "r1"))))
	raw, err := os.ReadFile(filepath.Join(run, "evaluations.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(run, "evaluations.jsonl"), raw[:len(raw)/2], 0o600))
	_, err = export.Export(t.Context(), exporter(t, run, out))
	require.Error(t, err)
	assert.NoDirExists(t, out)
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	assert.Empty(t, entries, "nothing is left behind")
}
