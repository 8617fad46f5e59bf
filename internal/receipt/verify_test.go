package receipt_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// TestVerifyFindsAnyByte changes one byte at a time, in each of the three files: the
// first, the last, and others at random. A fifth of those unless VAULT_LONG=1.
func TestVerifyFindsAnyByte(t *testing.T) {
	const seed = 20261130
	dir := run(t, receipt.TestKey(), some()...)
	for file, changes := range map[string]int{receipt.File: 400, record.EvaluationsFile: 100, record.ManifestFile: 200} {
		if os.Getenv("VAULT_LONG") != "1" {
			changes /= 5
		}
		rng := rand.New(rand.NewPCG(seed, uint64(changes)))
		path := filepath.Join(dir, file)
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := range changes {
			changed := bytes.Clone(raw)
			at := rng.IntN(len(raw))
			switch i {
			case 0:
				at = 0
			case 1:
				at = len(raw) - 1
			}
			changed[at] ^= byte(1 + rng.IntN(255))
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			_, err := receipt.Verify(dir, nil)
			require.ErrorContains(t, err, path, "byte %d: %#x to %#x (seed %d)", at, raw[at], changed[at], seed)
			_, err = receipt.ReadSealed(dir, nil, nobody)
			require.ErrorContains(t, err, path, "byte %d: %#x to %#x, by the seal alone (seed %d)", at, raw[at], changed[at], seed)
		}
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		t.Logf("%s: %d of %d changes found, seed %d", file, changes, changes, seed)
	}
	_, err := receipt.Verify(dir, nil)
	require.NoError(t, err, "the files are as they were")
}

// nobody reads the evaluations.
func nobody(record.Manifest) (func(record.Evaluation) error, error) {
	return func(record.Evaluation) error { return nil }, nil
}

// TestReadSealed: what the seal alone lets pass is a receipt that was signed
// wrongly before it was sealed, and nothing else.
func TestReadSealed(t *testing.T) {
	dir := run(t, receipt.TestKey(), some()...)
	want, err := receipt.Verify(dir, nil)
	require.NoError(t, err)
	got, err := receipt.ReadSealed(dir, nil, nobody)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	var last []byte
	edit(t, dir, receipt.File, byLine(func(l [][]byte) [][]byte {
		at := bytes.Index(l[8], []byte(`"signature":"ed25519:`)) + len(`"signature":"ed25519:`)
		l[8][at] = map[bool]byte{true: 'B', false: 'A'}[l[8][at] == 'A']
		last = bytes.TrimSuffix(l[8], []byte("\n"))
		return l
	}))
	m := begun()
	m.Seal, err = receipt.Seal(dir, fmt.Sprintf("%x", sha256.Sum256(last)))
	require.NoError(t, err)
	m.Evaluations, m.FinishedAt, m.SummaryState = m.Seal.Evaluations.Lines, m.StartedAt, "pass"
	writeManifest(t, dir, m, receipt.TestKey())
	_, err = receipt.ReadSealed(dir, nil, nobody)
	require.NoError(t, err)
	_, err = receipt.Verify(dir, nil)
	require.ErrorContains(t, err, "decisions.jsonl:9: signature does not verify")
}

// TestVerifySeal: of what a manifest seals, each figure is checked by itself, though
// the others be right.
func TestVerifySeal(t *testing.T) {
	const other = "00000000000000000000000000000000000000000000000000000000000000ff"
	for _, tt := range []struct {
		name   string
		change func(s *record.Seal)
		want   string
		reason string
	}{
		{"as it was sealed", func(*record.Seal) {}, "", "the control"},
		{"head", func(s *record.Seal) { s.Head = other }, "decisions.jsonl:9: the last line's digest is ", "the chain's end"},
		{"digest of the receipts", func(s *record.Seal) { s.Decisions.SHA256 = other }, "decisions.jsonl:9: SHA-256 of the file is ", "every byte of them"},
		{"fewer receipts", func(s *record.Seal) { s.Decisions.Lines = 8 }, "decisions.jsonl:9: file ends after 9 lines, the manifest says 8", "how many they are"},
		{"more receipts", func(s *record.Seal) { s.Decisions.Lines = 10 }, "decisions.jsonl:9: file ends after 9 lines, the manifest says 10", "how many they are"},
		{"digest of the evaluations", func(s *record.Seal) { s.Evaluations.SHA256 = other }, "evaluations.jsonl: SHA-256 is ", "every byte of them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, receipt.TestKey(), some()...)
			m, err := receipt.ReadManifest(dir)
			require.NoError(t, err)
			tt.change(m.Seal)
			writeManifest(t, dir, m, receipt.TestKey())
			_, err = receipt.Verify(dir, nil)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestVerifyHandsOut: a reader is told the manifest and every evaluation in order,
// and what it refuses ends the reading.
func TestVerifyHandsOut(t *testing.T) {
	dir := run(t, receipt.TestKey(), some()...)
	var ids []string
	_, err := receipt.VerifyEach(dir, nil, func(m record.Manifest) (func(record.Evaluation) error, error) {
		assert.Equal(t, "r1", m.RunID)
		return func(e record.Evaluation) error { ids = append(ids, e.ID); return nil }, nil
	})
	require.NoError(t, err)
	assert.Len(t, ids, 6)
	assert.True(t, slices.IsSorted(ids))
	refused := errors.New("no")
	_, err = receipt.VerifyEach(dir, nil, func(record.Manifest) (func(record.Evaluation) error, error) { return nil, refused })
	require.ErrorIs(t, err, refused)
	_, err = receipt.VerifyEach(dir, nil, func(record.Manifest) (func(record.Evaluation) error, error) {
		return func(record.Evaluation) error { return refused }, nil
	})
	require.ErrorIs(t, err, refused)
	require.ErrorContains(t, err, "evaluations.jsonl:1: ")
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
