package record_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

func charge(model string, in, out, cached int64) record.Charge {
	return record.Charge{Model: model, InputTokens: in, OutputTokens: out, CachedTokens: cached}
}

// took is the charge of a request that ended.
func took(request int64, basis record.Basis, c record.Charge) record.Charge {
	c.Request, c.Basis = request, basis
	return c
}

// TestCharges: what a process that was killed had charged is charged still, of the
// requests that it had sent and not settled what they may have taken.
func TestCharges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r1")
	j := open(t, dir)
	require.True(t, j.Empty())
	for want, c := range []record.Charge{charge("a", 100, 50, 0), charge("a", 100, 50, 0), charge("b", 10, 5, 0), charge("a", 100, 50, 0), charge("a", 100, 50, 0)} {
		request, err := j.Reserve(c)
		require.NoError(t, err)
		require.Equal(t, int64(want+1), request)
	}
	require.NoError(t, j.Append(evaluation("l1", "a1", 1), true), "charges stand between evaluations")
	require.NoError(t, j.Settle(took(1, record.Reported, charge("a", 90, 7, 30))))
	require.NoError(t, j.Settle(took(3, record.Failed, charge("b", 0, 0, 0))))
	require.NoError(t, j.Settle(took(2, record.Unreported, charge("a", 100, 50, 0))))
	require.NoError(t, j.Settle(took(5, record.Failed, charge("a", 0, 0, 0))))
	want := map[string]record.Usage{
		"a": {InputTokens: 90 + 100 + 100, OutputTokens: 7 + 50 + 50, CachedTokens: 30}, // of request 4 nobody knows the end
		"b": {},
	}
	require.Empty(t, gocmp.Diff(want, j.Charged()))
	require.NoError(t, j.Close())

	again := open(t, dir)
	require.False(t, again.Empty())
	require.Empty(t, gocmp.Diff(want, again.Charged()))
	request, err := again.Reserve(charge("b", 1, 1, 0))
	require.NoError(t, err)
	require.Equal(t, int64(6), request, "numbers go on over processes")
	require.ErrorContains(t, again.Settle(took(1, record.Failed, charge("a", 0, 0, 0))), "the charge of request 1", "it was settled")
	require.NoError(t, again.Close())
	want["b"] = record.Usage{InputTokens: 1, OutputTokens: 1}
	last := open(t, dir)
	require.Empty(t, gocmp.Diff(want, last.Charged()), "what was refused left no line")
	require.Zero(t, last.Cut())
}

// TestDamagedCharges: no charge is lost, repeated or changed unseen; one that a kill
// cut off was not sent.
func TestDamagedCharges(t *testing.T) {
	j := create(t)
	for range 2 {
		_, err := j.Reserve(charge("a", 100, 50, 0))
		require.NoError(t, err)
	}
	require.NoError(t, j.Settle(took(1, record.Failed, charge("a", 0, 0, 0))))
	require.NoError(t, j.Close())
	whole, err := os.ReadFile(filepath.Join(j.Dir(), record.JournalFile))
	require.NoError(t, err)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for _, tt := range []struct {
		name   string
		text   []byte
		want   int64  // input tokens
		fault  string // "": it opens
		reason string
	}{
		{"whole", whole, 100, "", "one is not settled"},
		{"cut in what settles", whole[:len(whole)-9], 200, "", "what was reserved is charged"},
		{"cut in what reserves", slices.Concat(lines[0], lines[1][:30]), 100, "", "what was not noted was not sent"},
		{"dropped", slices.Concat(lines[0], lines[2]), 0, "the charge of request 1 (failed) does not follow line 1", "it may have been paid for"},
		{"twice", slices.Concat(lines[0], lines[0], lines[1]), 0, "the charge of request 1 (reserved) stands twice", "it would be charged twice"},
		{"changed", bytes.Replace(whole, []byte(`"input_tokens":100`), []byte(`"input_tokens":10`), 1), 0, "the charge of request 2 (reserved) does not follow line 1: that one was changed", "it is summed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r1")
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, record.JournalFile), tt.text, 0o600))
			j, err := record.OpenJournal(dir)
			if tt.fault != "" {
				require.ErrorContains(t, err, tt.fault, tt.reason)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, j.Charged()["a"].InputTokens, tt.reason)
			require.NoError(t, j.Close())
			require.NoError(t, record.CheckJournal(dir, record.Manifest{RunID: "r1"}))
		})
	}
	for _, line := range lines[:3] {
		require.NoError(t, strictjson.Validate("journal.schema.json", line))
	}
}
