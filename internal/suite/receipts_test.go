package suite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/strictjson"
)

// TestReceipts: each decision behind a layer is signed, those of the dispatch path
// included, in the order of evaluations.jsonl, and the whole verifies.
func TestReceipts(t *testing.T) {
	s := newSuite()
	s.Bankers["sim-a"] = banker(func(req llm.Request) (llm.Reply, error) {
		reply, err := payer(req)
		if reply.ToolCalls != nil {
			reply.ToolCalls = append(reply.ToolCalls, llm.Call{Name: "transfer_funds", Arguments: "{"}, llm.Call{Name: "get_balance"})
		}
		return reply, err
	})
	r := start(t, s, t.TempDir(), "r1")
	summary, _ := complete(t, s, r)
	want, transfers := decided(t, r.Dir())
	require.Positive(t, transfers)
	var got []string
	lines, err := strictjson.Lines(receipt.File, read(t, r.Dir(), receipt.File))
	require.NoError(t, err)
	for _, l := range lines {
		var d receipt.Receipt
		require.NoError(t, l.Decode("decision.schema.json", &d))
		got = append(got, d.DecisionID+" "+string(d.Origin))
	}
	assert.Equal(t, want, got)
	assert.Len(t, got, 2*(24+4+24), "behind the layer, one call of each reaches it and one does not parse")

	report, err := receipt.Verify(r.Dir(), nil)
	require.NoError(t, err)
	assert.Equal(t, receipt.Report{
		RunID: "r1", Evaluations: 76, Receipts: len(got), Transfers: transfers, SigningKey: "test", KeyID: receipt.TestKey().ID(),
	}, report)
	assert.Equal(t, "test", summary.SigningKey)
	assert.Equal(t, "test", manifest(t, r.Dir()).SigningKey)
}

// decided lists the decisions that a run recorded, and counts the transfers behind
// the layer.
func decided(t *testing.T, dir string) (ids []string, transfers int) {
	t.Helper()
	require.NoError(t, record.Read(filepath.Join(dir, record.EvaluationsFile), func(e record.Evaluation) error {
		for _, c := range e.Calls {
			if c.Decision != nil {
				ids = append(ids, receipt.DecisionID(e.ID, c.Position)+" "+string(c.Decision.Origin))
			}
		}
		if e.Cell.Architecture == plan.OAP {
			transfers += len(e.Transfers)
		}
		return nil
	}))
	return ids, transfers
}

// TestOwnKey: with a key of one's own the run is signed by it from its beginning,
// and nothing that is written holds the secret half.
func TestOwnKey(t *testing.T) {
	seed := strings.Repeat("7e", 32)
	file := filepath.Join(t.TempDir(), "seed")
	require.NoError(t, os.WriteFile(file, []byte(seed), 0o600))
	key, err := receipt.LoadKey(file)
	require.NoError(t, err)
	s := newSuite()
	s.Key = key
	r := start(t, s, t.TempDir(), "r1")
	begun, err := receipt.ReadManifest(r.Dir())
	require.NoError(t, err, "signed before it is over")
	assert.Equal(t, key.ID(), begun.KeyID)
	assert.Nil(t, begun.Seal, "nothing to seal yet")
	_, err = receipt.Verify(r.Dir(), nil)
	require.ErrorContains(t, err, "the run did not finish")

	summary, _ := complete(t, s, r)
	assert.Equal(t, "own", summary.SigningKey)
	set, err := receipt.KeySet(manifest(t, r.Dir()))
	require.NoError(t, err)
	got, err := receipt.Verify(r.Dir(), &set)
	require.NoError(t, err)
	assert.Equal(t, key.ID(), got.KeyID)
	for _, name := range names(t, r.Dir()) {
		raw := read(t, r.Dir(), name)
		assert.NotContains(t, string(raw), seed, name)
		assert.False(t, bytes.Contains(raw, bytes.Repeat([]byte{0x7e}, 32)), name)
	}
}

// TestReceiptsFail: a run whose decisions can't be signed does not finish.
func TestReceiptsFail(t *testing.T) {
	s := newSuite()
	results := t.TempDir()
	r := start(t, s, results, "r1")
	runPlanned(t, s, r, grid[2])
	require.NoError(t, os.Mkdir(filepath.Join(r.Dir(), receipt.File), 0o755))
	_, err := r.Finish()
	require.ErrorContains(t, err, filepath.Join("r1", receipt.File))
	assert.NoFileExists(t, filepath.Join(r.Dir(), "summary.json"))
	assert.Empty(t, manifest(t, r.Dir()).SummaryState)
	assert.Equal(t, []string{"r1"}, names(t, results), "no link to it")
}
