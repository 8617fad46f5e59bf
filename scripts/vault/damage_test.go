package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// fourRun is a finished run of four attacks, each denied once; said is what the
// model said to each of them.
func fourRun(t *testing.T, c plan.Cell, said string, attacks ...corpus.AttackID) string {
	t.Helper()
	now := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	var es []record.Evaluation
	for _, a := range attacks {
		denial := authz.Malformed(bank.ErrAmount, now)
		es = append(es, record.Evaluation{
			ID: record.EvaluationID(c, a, 1), Cell: c, Kind: plan.Simulated, Attack: a, Session: "s", Trial: 1, Source: "a:1", End: record.Completed, SubReason: record.Answered,
			Replies: []record.Reply{{Turn: 1, Content: said}},
			Calls:   []record.Call{{Position: 1, Turn: 1, Tool: "transfer_funds", Transfer: true, Outcome: record.CallDenied, Decision: &denial, At: now}},
		})
	}
	dir := filepath.Join(t.TempDir(), "r1")
	sealRun(t, dir, receipt.TestKey(), nil, es...)
	return dir
}

func linesOf(t *testing.T, dir, file string) [][]byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	return slices.DeleteFunc(bytes.SplitAfter(raw, []byte("\n")), func(l []byte) bool { return len(l) == 0 })
}

// TestDamage is acceptance: a line that was lost, moved, repeated, changed or taken
// from elsewhere is named by each command that reads a run, with the file and its
// number, and nothing is summed.
func TestDamage(t *testing.T) {
	c := plan.Cell{Model: "sim-a", Level: "l2", Track: "multi", Architecture: plan.OAP}
	elsewhere := c
	elsewhere.Level = "l3"
	attacks := []corpus.AttackID{"l2-0001", "l2-0002", "l2-0003", "l2-0004"}
	whole, same := fourRun(t, c, "no", attacks...), fourRun(t, c, "never", attacks...)
	other, foreign := fourRun(t, c, "no", "l2-0009"), fourRun(t, elsewhere, "no", "l2-0001")
	const evaluations, decisions, journal = record.EvaluationsFile, receipt.File, record.JournalFile
	lines := map[string][][]byte{}
	for _, file := range []string{evaluations, decisions, journal} {
		lines[file] = linesOf(t, whole, file)
		require.Len(t, lines[file], 4)
	}
	// of is the run's lines by their numbers; a number below zero is the first line of
	// another run: -1 of the same attacks, -2 of an attack that was not planned, -3 of a
	// cell that was not.
	of := func(file string, numbers ...int) []byte {
		var out []byte
		for _, n := range numbers {
			if n > 0 {
				out = append(out, lines[file][n-1]...)
				continue
			}
			out = append(out, linesOf(t, []string{same, other, foreign}[-n-1], file)[0]...)
		}
		return out
	}
	trial := bytes.ReplaceAll(bytes.Replace(of(evaluations, 2), []byte(`"trial":1`), []byte(`"trial":2`), 1), []byte(`0002/1"`), []byte(`0002/2"`))
	id := func(n string) string { return `"sim-a/l2/multi/oap/l2-000` + n + `/1"` }
	for _, tt := range []struct {
		name, file string
		text       []byte
		want       string
	}{
		{"cut", evaluations, lines[evaluations][0][:90], ":1: line is cut"},
		{"end dropped", evaluations, of(evaluations, 1, 2, 3), ":4: file has 3 lines, the manifest says 4"},
		{"line dropped", evaluations, of(evaluations, 1, 3, 4), `:2: ` + id("3") + ` stands here, and before it ` + id("2") + ` is missing`},
		{"reordered", evaluations, of(evaluations, 1, 3, 2, 4), `:3: ` + id("2") + `: stands after ` + id("3")},
		{"twice", evaluations, of(evaluations, 1, 2, 2, 3, 4), ":3: " + id("2") + ": stands twice"},
		{"twice, for another", evaluations, of(evaluations, 1, 2, 2, 4), ":3: " + id("2") + ": stands twice"},
		{"of another run", evaluations, of(evaluations, -1, 2, 3, 4), ":1: " + id("1") + ": checksum of the line is "},
		{"of an attack not planned", evaluations, of(evaluations, 1, 2, 3, -2), ":4: " + id("9") + ": journal.jsonl holds no such evaluation: it was not planned, or the line is another run's"},
		{"of a cell not planned", evaluations, of(evaluations, 1, 2, 3, 4, -3), `:5: "sim-a/l3/multi/oap/l2-0001/1": cell sim-a/l3/multi/oap is not in the manifest`},
		{"of a trial not planned", evaluations, slices.Concat(of(evaluations, 1, 2), trial, of(evaluations, 4)), `:3: "sim-a/l2/multi/oap/l2-0002/2": trial 2 of 1 that were planned`},
		{"empty", evaluations, nil, ":1: file has 0 lines, the manifest says 4"},

		{"cut", decisions, lines[decisions][0][:90], ":1: line is cut"},
		{"end dropped", decisions, of(decisions, 1, 2, 3), ":4: file ends here, the manifest says 4 lines"},
		{"line dropped", decisions, of(decisions, 1, 3, 4), ":2: sequence is 3, want 2"},
		{"reordered", decisions, of(decisions, 1, 3, 2, 4), ":2: sequence is 3, want 2"},
		{"twice", decisions, of(decisions, 1, 2, 2, 3, 4), ":3: sequence is 2, want 3"},
		{"twice, at the end", decisions, of(decisions, 1, 2, 3, 4, 4), ":5: sequence is 4, want 5"},
		{"of an attack not planned", decisions, of(decisions, -2, 2, 3, 4), ":1: evaluation_id is not that of call 1 in " + id("1")},
		{"of a cell not planned", decisions, of(decisions, -3, 2, 3, 4), ":1: evaluation_id is not that of call 1 in " + id("1")},
		{"of another run", decisions, slices.Concat(of(decisions, 1), linesOf(t, fourRun(t, c, "no", "l2-0000", "l2-0002"), decisions)[1], of(decisions, 3, 4)), ":2: prev is not the digest of the line before"},
		{"empty", decisions, nil, ":1: file ends here, the manifest says 4 lines"},

		{"cut", journal, lines[journal][0][:90], ":1: line is cut"},
		{"end dropped", journal, of(journal, 1, 2, 3), ":3: file ends here, and not with the run's last line"},
		{"line dropped", journal, of(journal, 1, 3, 4), ":2: " + id("3") + " does not follow line 1"},
		{"reordered", journal, of(journal, 1, 3, 2, 4), ":2: " + id("3") + " is out of order: it follows line 3"},
		{"twice", journal, of(journal, 1, 2, 2, 3, 4), ":3: " + id("2") + " stands twice: it is line 2 again"},
		{"twice, at the end", journal, of(journal, 1, 2, 3, 4, 4), ":5: " + id("4") + " stands twice: it is line 4 again"},
		{"of another run", journal, slices.Concat(of(journal, 1), linesOf(t, same, journal)[1], of(journal, 3, 4)), ":2: " + id("2") + " does not follow line 1"},
		{"of an attack not planned", journal, of(journal, 1, 2, -2, 3, 4), ":3: " + id("9") + " is not of run r1 or was not written here: line 4 is what follows line 2"},
		{"of a cell not planned", journal, of(journal, 1, -3, 2, 3, 4), `:2: "sim-a/l3/multi/oap/l2-0001/1" is not of run r1`},
		{"empty", journal, nil, ":1: file ends here, and not with the run's last line"},
	} {
		t.Run(tt.file+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			path := filepath.Join(dir, tt.file)
			require.NoError(t, os.WriteFile(path, tt.text, 0o600))
			for _, command := range []string{"verify", "report", "export"} {
				status, stdout, stderr := vault(command, dir)
				assert.Equal(t, 1, status, command)
				assert.Contains(t, stderr, path+tt.want, command)
				assert.Empty(t, stdout, "%s sums nothing", command)
			}
			status, stdout, _ := vault("verdict", dir)
			assert.Equal(t, 3, status)
			assert.Contains(t, stdout, "inconclusive: the record does not verify: "+path+tt.want)
			assert.NoFileExists(t, filepath.Join(dir, "summary.json"))
		})
	}
	for _, command := range []string{"verify", "report", "export"} {
		status, _, stderr := vault(command, same)
		assert.Zero(t, status, "%s of the run as it was: %s", command, stderr)
	}
}
