package receipt_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

func TestVerify(t *testing.T) {
	for _, tt := range []struct {
		name   string
		key    receipt.Key
		es     []record.Evaluation
		want   receipt.Report
		reason string
	}{
		{"test key", receipt.TestKey(), some(), receipt.Report{RunID: "r1", Evaluations: 6, Receipts: 9, Transfers: 3, SigningKey: "test", KeyID: receipt.TestKey().ID()}, "a whole run"},
		{"own key", ownKey(t, 7), some(), receipt.Report{RunID: "r1", Evaluations: 6, Receipts: 9, Transfers: 3, SigningKey: "own", KeyID: ownKey(t, 7).ID()}, "whatever the key"},
		{"no receipt", receipt.TestKey(), some()[:2], receipt.Report{RunID: "r1", Evaluations: 2, SigningKey: "test", KeyID: receipt.TestKey().ID()}, "no layer stands"},
		{"no evaluation", receipt.TestKey(), nil, receipt.Report{RunID: "r1", SigningKey: "test", KeyID: receipt.TestKey().ID()}, "nothing ran"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, tt.key, tt.es...)
			got, err := receipt.Verify(dir, nil)
			require.NoError(t, err, tt.reason)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Verify: %s (-want +got):\n%s", tt.reason, diff)
			}
			raw, err := os.ReadFile(filepath.Join(dir, receipt.File))
			require.NoError(t, err)
			for _, line := range bytes.SplitAfter(raw, []byte("\n")) {
				if len(line) > 0 {
					require.NoError(t, strictjson.Validate("decision.schema.json", line), string(line))
				}
			}
		})
	}
}

// TestVerifyFinds is acceptance: whatever is done to a line is found, and named.
func TestVerifyFinds(t *testing.T) {
	for _, tt := range tampering {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, receipt.TestKey(), some()...)
			tt.tamper(t, dir)
			_, err := receipt.Verify(dir, nil)
			require.ErrorContains(t, err, dir+string(filepath.Separator), "the file is named")
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestVerifyFindsAnyByte changes one byte at a time, in each of the three files.
func TestVerifyFindsAnyByte(t *testing.T) {
	const seed = 20261130
	dir := run(t, receipt.TestKey(), some()...)
	for file, changes := range map[string]int{receipt.File: 400, record.EvaluationsFile: 100, record.ManifestFile: 200} {
		rng := rand.New(rand.NewPCG(seed, uint64(changes)))
		path := filepath.Join(dir, file)
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for range changes {
			changed := bytes.Clone(raw)
			at := rng.IntN(len(raw))
			changed[at] ^= byte(1 + rng.IntN(255))
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			_, err := receipt.Verify(dir, nil)
			require.ErrorContains(t, err, path, "byte %d: %#x to %#x (seed %d)", at, raw[at], changed[at], seed)
		}
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		t.Logf("%s: %d of %d changes found, seed %d", file, changes, changes, seed)
	}
	_, err := receipt.Verify(dir, nil)
	require.NoError(t, err, "the files are as they were")
}

// TestVerifyNamesTheChangedLine: a changed byte in a line is a fault of that line
// or, where a receipt is joined to its neighbour, of that one.
func TestVerifyNamesTheChangedLine(t *testing.T) {
	dir := run(t, receipt.TestKey(), some()...)
	for n := range 9 {
		edit(t, dir, receipt.File, byLine(func(l [][]byte) [][]byte {
			l[n] = bytes.Replace(l[n], []byte(`"allow":`), []byte(`"allov":`), 1)
			return l
		}))
		_, err := receipt.Verify(dir, nil)
		assert.ErrorContains(t, err, fmt.Sprintf("decisions.jsonl:%d: ", n+1))
		edit(t, dir, receipt.File, func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte("allov"), []byte("allow")) })
	}
}
