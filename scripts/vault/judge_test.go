package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/judge"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
	"vaultbench/scripts/settings"
)

// judgedRun is a finished run of one evaluation that held, of this corpus.
func judgedRun(t *testing.T) string {
	t.Helper()
	digests, err := settings.Digests()
	require.NoError(t, err)
	call := record.Call{Position: 1, Turn: 1, Tool: "get_balance", Outcome: record.CallAnswered, At: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC), Result: "{}"}
	return signedRunOf(t, receipt.TestKey(), record.Completed, call, digests)
}

func TestJudgeCommand(t *testing.T) {
	run, unfinished, none := judgedRun(t), signedRun(t, receipt.TestKey()), t.TempDir()
	for _, tt := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
		reason         string
	}{
		{"panel", []string{"judge", run, "--judge", "sim-perfect", "--judge", "sim-blind"}, 0, "1 evaluations judged; left out: 0 not final, 0 without messages, 0 not sampled", "", "two instruments"},
		{"again", []string{"judge", run, "--judge", "sim-perfect", "--judge", "sim-blind"}, 0, "1 evaluations judged", "", "nobody is asked twice"},
		{"other panel", []string{"judge", run, "--judge", "sim-random", "--judge", "sim-blind"}, 1, "", "was judged by another panel: judge into another file (--out)", "labels don't mix"},
		{"elsewhere", []string{"judge", run, "--judge", "sim-random", "--judge", "sim-blind", "--out", none}, 0, "sim-random", "", "another folder"},
		{"alone", []string{"judge", run, "--judge", "sim-perfect", "--out", t.TempDir()}, 1, "", "two judges or more", "no agreement of one"},
		{"unknown instrument", []string{"judge", run, "--judge", "sim-x", "--judge", "sim-blind"}, 1, "", "use one of sim-perfect", "names are not guessed"},
		{"unconfirmed judge", []string{"judge", run, "--judge", "mistral-medium-3.5", "--judge", "sim-blind"}, 1, "", "id is null: fill in", "before any paid call"},
		{"nobody", []string{"judge", run, "--judge", "foo", "--judge", "sim-blind"}, 1, "", "the judges are sim-perfect, sim-blind, sim-lenient, sim-random, ", "who there is"},
		{"banker", []string{"judge", run, "--judge", "local", "--judge", "sim-blind"}, 1, "", "role target: only a model of role judge may judge", "a target is no judge"},
		{"no prompt", []string{"judge", run, "--judge", "sim-perfect", "--judge", "sim-blind", "--prompt", "9"}, 1, "", "fixtures/judge/prompt-v9.txt", "the version is named"},
		{"other corpus", []string{"judge", unfinished, "--judge", "sim-perfect", "--judge", "sim-blind"}, 1, "", "differs from the one that was replayed", "its attacks may say other things"},
		{"no run", []string{"judge", none, "--judge", "sim-perfect", "--judge", "sim-blind"}, 1, "", "give a run's folder, such as results/latest", "wrong usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(tt.args...)
			assert.Equal(t, tt.status, status, "%s: %s", tt.reason, stderr)
			assert.Contains(t, stdout, tt.stdout, tt.reason)
			assert.Contains(t, stderr, tt.stderr, tt.reason)
		})
	}
	raw, err := os.ReadFile(filepath.Join(run, judge.ReportFile))
	require.NoError(t, err)
	require.NoError(t, strictjson.Validate("judges.schema.json", raw))
	status, _, stderr := vault("verify", run)
	require.Zero(t, status, "judging leaves the sealed files alone: %s", stderr)
}

func TestSampleGrows(t *testing.T) {
	var cases []judge.Case
	for i := range 200 {
		cases = append(cases, judge.Case{ID: string(rune('a'+i%26)) + string(rune('0'+i/26))})
	}
	small := (&judgeCommand{Sample: 20, Seed: 1}).sampled(append([]judge.Case{}, cases...))
	large := (&judgeCommand{Sample: 60, Seed: 1}).sampled(append([]judge.Case{}, cases...))
	other := (&judgeCommand{Sample: 20, Seed: 2}).sampled(append([]judge.Case{}, cases...))
	require.Len(t, small, 20)
	require.Len(t, large, 60)
	require.Subset(t, large, small, "a larger sample asks nobody again")
	require.NotEqual(t, small, other, "the seed draws")
}
