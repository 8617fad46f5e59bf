package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// gateFile writes a gate and names it in the environment.
func gateFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	t.Setenv("VAULT_GATE", path)
	return path
}

func TestVerdictCommand(t *testing.T) {
	run, broken, none := signedRun(t, receipt.TestKey()), signedRun(t, receipt.TestKey()), t.TempDir()
	require.NoError(t, os.Truncate(filepath.Join(broken, "evaluations.jsonl"), 10))
	keys := filepath.Join(t.TempDir(), "keys.json")
	_, printed, _ := vault("jwks", run)
	require.NoError(t, os.WriteFile(keys, []byte(printed), 0o600))
	killed := signedRun(t, receipt.TestKey())
	m, err := receipt.ReadManifest(killed)
	require.NoError(t, err)
	m.Seal, m.FinishedAt, m.SummaryState = nil, "", ""
	require.NoError(t, receipt.SignManifest(&m, receipt.TestKey()))
	require.NoError(t, record.WriteJSON(filepath.Join(killed, record.ManifestFile), m))
	for _, tt := range []struct {
		name           string
		gate           string // empty: none
		args           []string
		status         int
		stdout, stderr string
		reason         string
	}{
		{"nothing final", "", []string{"verdict", run}, 3, "inconclusive: sim-a/l2/multi/oap: inconclusive: 0 of 1 evaluations are final", "vault: verdict: inconclusive (status 3)", "its status is the verdict's"},
		{"no claim", "", []string{"verdict", run}, 3, "no claim: condition verdict fails", "", "and why"},
		{"broken", "", []string{"verdict", broken}, 3, "the record does not verify: ", "inconclusive", "no verdict on it"},
		{"broken, whose name is read", "", []string{"verdict", broken}, 3, "\nverdict r1: inconclusive\n", "", "which run it is about"},
		{"killed", "", []string{"verdict", killed}, 3, "manifest.json: the run did not finish, so there is nothing sealed to report: the same command with VAULT_RUN_ID=r1 goes on with it\n", "", "what to do"},
		{"report of a killed one", "", []string{"report", killed}, 1, "", "the same command with VAULT_RUN_ID=r1 goes on with it", "as the verdict says"},
		{"report", "", []string{"report", run}, 0, "1 evaluations, inconclusive: summary.json, ", "inconclusive: sim-a/l2/multi/oap: inconclusive: 0 of 1 evaluations are final", "why it is no pass"},
		{"trusted", "", []string{"verdict", run, "--jwks", keys}, 3, "claim needs seal: holds: 1 evaluations, 1 receipts", "", "its key is known"},
		{"stricter gate", `{"schema_version":1,"completeness":1}`, []string{"verdict", run}, 3, "100% are needed", "", "VAULT_GATE is read"},
		{"gate with a typing error", `{"schema_version":1,"false_denial":1}`, []string{"verdict", run}, 2, "", "gate.json:1: ", "a threshold that nobody reads gates nothing"},
		{"baseline that is not there", `{"schema_version":1,"request_rate":{"baseline":"results/none","max_change":0.1}}`, []string{"verdict", run}, 3, "request rates can't be compared with ", "", "no comparison is no pass"},
		{"no run", "", []string{"verdict", none}, 2, "", "manifest.json: no run: give a run's folder, such as results/latest", "wrong usage"},
		{"no key set", "", []string{"verdict", run, "--jwks", filepath.Join(none, "keys")}, 2, "", "no such file", "wrong usage"},
		{"no argument", "", []string{"verdict"}, 2, "", `expected "<run>"`, "wrong usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.gate != "" {
				gateFile(t, tt.gate)
			}
			status, stdout, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, "%s: %s", tt.reason, stderr)
			assert.Contains(t, stdout, tt.stdout, tt.reason)
			assert.Contains(t, stderr, tt.stderr, tt.reason)
		})
	}
}

func TestVerdictJSON(t *testing.T) {
	status, stdout, _ := vault("verdict", "--json", signedRun(t, receipt.TestKey()))
	assert.Equal(t, 3, status)
	require.NoError(t, strictjson.Validate("verdict.schema.json", []byte(stdout)))
	assert.Contains(t, stdout, `"state": "inconclusive"`)
}
