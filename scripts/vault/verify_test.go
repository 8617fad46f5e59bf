package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// signedRun is a finished run with one denial, reached through results/latest.
func signedRun(t *testing.T, key receipt.Key) string {
	t.Helper()
	now := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	denial := authz.Malformed(io.ErrUnexpectedEOF, now)
	return signedRunOf(t, key, record.NotRun, record.Call{Position: 1, Tool: "transfer_funds", Transfer: true, Outcome: record.CallDenied, Decision: &denial, At: now}, nil)
}

// signedRunOf is a finished run of one evaluation that ended so, with one call.
func signedRunOf(t *testing.T, key receipt.Key, end record.End, call record.Call, digests map[string]string) string {
	t.Helper()
	results := t.TempDir()
	dir := filepath.Join(results, "r1")
	c := plan.Cell{Model: "sim-a", Level: "l2", Track: "multi", Architecture: plan.OAP}
	e := record.Evaluation{ID: record.EvaluationID(c, "l2-0001", 1), Cell: c, Kind: plan.Simulated, Attack: "l2-0001", Session: "s", Trial: 1, Source: "a:1", End: end, Calls: []record.Call{call}}
	sealRun(t, dir, key, digests, e)
	require.NoError(t, os.Symlink("r1", filepath.Join(results, "latest")))
	return filepath.Join(results, "latest")
}

// sealRun writes a run of evaluations, in their order of completion.
func sealRun(t *testing.T, dir string, key receipt.Key, digests map[string]string, es ...record.Evaluation) {
	t.Helper()
	m := record.Manifest{
		Version: record.ManifestVersion, RunID: "r1", StartedAt: "2026-11-30T00:00:00Z", FinishedAt: "2026-11-30T00:00:01Z", GoVersion: "go1.26", Digests: digests,
		Trials: 1, Evaluations: len(es), SummaryState: "pass", Directories: map[corpus.Level]corpus.Directory{"l2": {OwnAccount: "own", Currency: "USD", OpeningBalance: 1 << 20, Permits: corpus.PermitsNone}},
	}
	j, err := record.OpenJournal(dir)
	require.NoError(t, err)
	var lines bytes.Buffer
	w := receipt.NewWriter(&lines, key, receipt.Parties{})
	for _, e := range es {
		require.NoError(t, j.Append(e, true))
		require.NoError(t, w.Add(e))
		if n := len(m.Cells) - 1; n < 0 || m.Cells[n].Cell != e.Cell {
			m.Cells = append(m.Cells, record.PlannedCell{Cell: e.Cell, Kind: e.Kind, Layered: e.Cell.Architecture != plan.Alone})
		}
		m.Cells[len(m.Cells)-1].Evaluations++
	}
	_, err = j.Finish()
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, receipt.File), lines.Bytes(), 0o600))
	m.Seal, err = receipt.Seal(dir, w.Head())
	require.NoError(t, err)
	m.Seal.Journal = j.Head()
	require.NoError(t, receipt.SignManifest(&m, key))
	require.NoError(t, record.WriteJSON(filepath.Join(dir, record.ManifestFile), m))
}

func vault(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, &out, &errs)
	return status, out.String(), errs.String()
}

// runs are three finished runs, and the keys of the second.
type runs struct {
	own                           receipt.Key
	seed, keys                    string
	published, mine, broken, none string
}

func newRuns(t *testing.T) runs {
	t.Helper()
	r := runs{seed: filepath.Join(t.TempDir(), "seed"), keys: filepath.Join(t.TempDir(), "keys.json"), none: t.TempDir()}
	require.NoError(t, os.WriteFile(r.seed, []byte(strings.Repeat("7e", 32)), 0o600))
	var err error
	r.own, err = receipt.LoadKey(r.seed)
	require.NoError(t, err)
	r.published, r.mine, r.broken = signedRun(t, receipt.TestKey()), signedRun(t, r.own), signedRun(t, r.own)
	_, printed, _ := vault("jwks", r.mine)
	assert.Contains(t, printed, `"kid": "`+r.own.ID()+`"`)
	require.NoError(t, os.WriteFile(r.keys, []byte(printed), 0o600))
	raw, err := os.ReadFile(filepath.Join(r.broken, receipt.File))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.broken, receipt.File), bytes.Replace(raw, []byte("oap"), []byte("\x1b[1"), 1), 0o600))
	return r
}

func TestVerifyCommand(t *testing.T) {
	r := newRuns(t)
	const uncovered = "; reports are computed from this record and not covered\n"
	const counts = "OK r1: 1 receipts, 1 evaluations, 0 transfers behind a layer as allowed; signed by "
	for _, tt := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string // whole, and a part of it
		reason         string
	}{
		{"test key", []string{"verify", r.published}, 0, counts + "the published test key " + receipt.TestKey().ID() + ": shows damage, not who signed" + uncovered, "", "one line, and what it is worth"},
		{"own key", []string{"verify", r.mine}, 0, counts + "own key " + r.own.ID() + "; --jwks checks whose it is" + uncovered, "", "nobody vouches for it"},
		{"own key, trusted", []string{"verify", r.mine, "--jwks", r.keys}, 0, counts + "own key " + r.own.ID() + ", one of the trusted" + uncovered, "", "the reader does"},
		{"key not trusted", []string{"verify", r.published, "--jwks", r.keys}, 1, "", "manifest.json: key " + receipt.TestKey().ID() + " signed it, which is not among the trusted ones", "anybody has the test key"},
		{"changed", []string{"verify", r.broken}, 1, "", `decisions.jsonl:1: `, "file and line are named"},
		{"no run", []string{"verify", r.none}, 1, "", "manifest.json: no such file or directory (give a run's folder, such as results/latest)", "what to do"},
		{"no key set", []string{"verify", r.mine, "--jwks", r.seed}, 1, "", r.seed + ":1: ", "a seed is no key set"},
		{"no argument", []string{"verify"}, 2, "", `expected "<run>"`, "wrong usage"},
		{"jwks of no run", []string{"jwks", r.none}, 1, "", "jwks: read manifest: ", "nothing to print"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, "%s: %s", tt.reason, stderr)
			if tt.status < 2 { // wrong usage prints the usage
				assert.Equal(t, tt.stdout, stdout, tt.reason)
			}
			assert.Contains(t, stderr, tt.stderr, tt.reason)
			assert.NotContains(t, stderr, "\x1b", "no terminal obeys it")
			assert.NotContains(t, stderr, "7e7e7e", "no key is quoted")
		})
	}
}
