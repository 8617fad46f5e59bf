package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/golden"
	"vaultbench/internal/receipt"
	"vaultbench/internal/report"
	"vaultbench/internal/strictjson"
)

// goldenFolder is a copy of the head of the committed goldens with one text
// changed.
func goldenFolder(t *testing.T, file, old, text string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := fs.Glob(golden.FS, "*.jsonl")
	require.NoError(t, err)
	for _, name := range files { // the first lines are enough
		raw, err := fs.ReadFile(golden.FS, name)
		require.NoError(t, err)
		lines := bytes.SplitAfterN(raw, []byte("\n"), 41)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), bytes.Join(lines[:min(40, len(lines))], nil), 0o600))
	}
	if file != "" {
		raw, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Contains(t, string(raw), old)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), bytes.Replace(raw, []byte(old), []byte(text), 1), 0o600))
	}
	return dir
}

func TestDiffCommand(t *testing.T) {
	run, broken := signedRun(t, receipt.TestKey()), signedRun(t, receipt.TestKey())
	require.NoError(t, os.Truncate(filepath.Join(broken, "evaluations.jsonl"), 10))
	pinned := goldenFolder(t, "", "", "")
	reason := goldenFolder(t, "decisions-l2.jsonl", `"rule":"merchant_allowed"`, `"rule":"country_allowed"`)
	crossed := goldenFolder(t, "decisions-crossed.jsonl", `"l5":"oap.capability_missing/capability"`, `"l5":"oap.allowed"`)
	for _, tt := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
		reason         string
	}{
		{"same run", []string{"diff", run, run}, 0, "no difference: ", "", "status 0"},
		{"same goldens", []string{"diff", pinned, pinned}, 0, "no difference: ", "", "status 0"},
		{"changed reason", []string{"diff", pinned, reason}, 1, "changed_reason: decisions-l2.jsonl l2-0001#1: oap.merchant_forbidden by merchant_allowed → oap.merchant_forbidden by country_allowed\n", " differ\n", "status 1"},
		{"crossed", []string{"diff", pinned, crossed}, 1, "newly_allowed: decisions-crossed.jsonl l1-0001#1 at l5: oap.capability_missing by capability → oap.allowed\n", " differ\n", "every golden"},
		{"markdown", []string{"diff", pinned, reason, "--format", "markdown"}, 1, "| changed_reason | decisions-l2.jsonl | l2-0001&#35;1 |", "", "for a pull request"},
		{"broken", []string{"diff", run, broken}, 2, "", "does not verify: ", "it can't be told"},
		{"run and goldens", []string{"diff", run, pinned}, 2, "", "one is a run, the other a folder of goldens", "it can't be told"},
		{"no run", []string{"diff", run, t.TempDir()}, 2, "", "manifest.json", "wrong usage"},
		{"goldens renamed", []string{"diff", pinned, pinned, "--model", "a=b"}, 2, "", "these are goldens", "wrong usage"},
		{"nobody renamed", []string{"diff", run, run, "--model", "sim-x=sim-y"}, 2, "", `no banker is named "sim-x"`, "a typing error"},
		{"unknown format", []string{"diff", run, run, "--format", "xml"}, 2, "", "--format", "wrong usage"},
		{"one side", []string{"diff", run}, 2, "", `expected "<b>"`, "wrong usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, "%s: %s", tt.reason, stderr)
			assert.Contains(t, stdout, tt.stdout, tt.reason)
			assert.Contains(t, stderr, tt.stderr, tt.reason)
			if tt.stderr == " differ\n" {
				assert.Regexp(t, `(?m)^1 (changed reason|newly allowed); 0 cells differ, `, stdout, "what differs, in one line")
				assert.Equal(t, 1, strings.Count(stdout+stderr, " cells differ, "), "and once")
			}
		})
	}
	for _, b := range []string{pinned, reason} {
		_, stdout, _ := vault("diff", pinned, b, "--format", "json")
		require.NoError(t, strictjson.Validate("diff.schema.json", []byte(stdout)))
	}
	require.NoError(t, os.Remove(filepath.Join(crossed, report.EventsFile)))
	status, _, _ := vault("diff", pinned, crossed)
	assert.Equal(t, 2, status, "no golden without its counts")
}
