// Package receipttest seals runs for tests as a run seals itself.
package receipttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// Asked stands for the digest of a call's own request, in what Own and Write are given.
var Asked = authz.Digest{1}

// Own gives each decision that has Asked the digest of the request for its call, in
// calls of its own.
func Own(e record.Evaluation) record.Evaluation {
	e.Calls = slices.Clone(e.Calls)
	for i := range e.Calls {
		c := &e.Calls[i]
		if c.Decision == nil || c.Payment == nil || c.Decision.RequestDigest != Asked {
			continue
		}
		d := *c.Decision
		d.RequestDigest = authz.RequestFor(e.ID, c.Position, false, bank.Payment(*c.Payment), c.At).Digest()
		c.Decision = &d
	}
	return e
}

// Write writes the evaluations and the manifest into a folder, signed with the
// published test key. A manifest that does not say when the run ended gets no seal.
func Write(t testing.TB, dir string, m record.Manifest, evaluations []record.Evaluation) {
	t.Helper()
	lines, err := os.Create(filepath.Join(dir, record.EvaluationsFile))
	require.NoError(t, err)
	defer func() { _ = lines.Close() }()
	var receipts bytes.Buffer
	enc, signed := json.NewEncoder(lines), receipt.NewWriter(&receipts, receipt.TestKey(), receipt.Parties{})
	for _, e := range evaluations {
		e = Own(e)
		require.NoError(t, enc.Encode(e))
		require.NoError(t, signed.Add(e))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, receipt.File), receipts.Bytes(), 0o600))
	m.Seal, err = receipt.Seal(dir, signed.Head())
	require.NoError(t, err)
	m.Evaluations = m.Seal.Evaluations.Lines
	if m.FinishedAt == "" {
		m.Seal, m.SummaryState = nil, ""
	}
	require.NoError(t, receipt.SignManifest(&m, receipt.TestKey()))
	require.NoError(t, record.WriteJSON(filepath.Join(dir, record.ManifestFile), m))
}
