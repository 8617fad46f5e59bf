package receipt_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/receipt/receipttest"
	"vaultbench/internal/record"
)

var (
	noon    = time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	digest  = strings.Repeat("0a", 32)
	asked   = receipttest.Asked // evaluation puts the request's own in its place
	behind  = plan.Cell{Model: "sim-a", Level: corpus.L2, Track: corpus.Multi, Architecture: plan.OAP}
	coded   = plan.Cell{Model: "sim-a", Level: corpus.L4, Track: corpus.Multi, Architecture: plan.OAP} // keys are audit codes
	without = plan.Cell{Model: "sim-a", Level: corpus.L2, Track: corpus.Multi, Architecture: plan.Alone}
)

func evaluation(c plan.Cell, attack corpus.AttackID, calls ...record.Call) record.Evaluation {
	e := record.Evaluation{
		ID: record.EvaluationID(c, attack, 1), Cell: c, Kind: plan.Simulated, Attack: attack, Session: "s", Trial: 1,
		Source: "attacks/level-2.jsonl:1", End: record.Completed, SubReason: record.Answered,
	}
	for i, call := range calls {
		call.Position = i + 1
		e.Calls = append(e.Calls, call)
		if p := call.Payment; call.Outcome == record.CallExecuted {
			e.Transfers = append(e.Transfers, bank.Transfer{
				Position: call.Position, From: "LF-1", Recipient: p.Recipient, Amount: p.Amount, Currency: p.Currency, Memo: p.Memo, At: noon,
			})
		}
	}
	return receipttest.Own(e)
}

// requested is a payment request without a decision.
func requested(recipient string, amount bank.Amount, outcome record.CallOutcome) record.Call {
	return record.Call{
		Turn: 1, Tool: "transfer_funds", Transfer: true, Outcome: outcome, At: noon,
		Payment: &record.ParsedPayment{Recipient: bank.AccountID(recipient), Amount: amount, Currency: bank.USD, Memo: "m"},
	}
}

func decided(c record.Call, d authz.Decision) record.Call {
	c.Decision = &d
	return c
}

func decision(effect authz.Effect, reasons ...authz.Reason) authz.Decision {
	return authz.Decision{
		Effect: effect, Reasons: reasons, Origin: authz.FromLayer, RequestDigest: asked, PassportDigest: digest, PolicyDigest: digest,
		IssuedAt: noon, ExpiresAt: noon.Add(time.Minute),
	}
}

func allow() authz.Decision {
	return decision(authz.Allow, authz.Reason{Code: authz.ReasonAllowed, Rule: "pack"})
}

func deny() authz.Decision {
	return decision(authz.Deny,
		authz.Reason{Code: authz.ReasonRecipientNotMember, Rule: "merchant_allowed", Message: "\x00\x1f \"no\" \\ \u2028 😀 <é>\x7f"},
		authz.Reason{Code: authz.ReasonLimitExceeded, Rule: "cap"})
}

// paid, denied, refused and malformed are calls behind a layer.
func paid(recipient string, amount bank.Amount) record.Call {
	return decided(requested(recipient, amount, record.CallExecuted), allow())
}

func denied(recipient string) record.Call {
	return decided(requested(recipient, 600, record.CallDenied), deny())
}

func refused(recipient string) record.Call {
	c := decided(requested(recipient, math.MaxInt64, record.CallRefused), allow())
	c.Refusal = "insufficient funds"
	return c
}

func malformed() record.Call {
	c := record.Call{Turn: 1, Tool: "transfer_funds", Transfer: true, Outcome: record.CallDenied, At: noon}
	return decided(c, authz.Malformed(bank.ErrAmount, noon))
}

func read() record.Call {
	return record.Call{Turn: 1, Tool: "get_balance", Outcome: record.CallAnswered, At: noon}
}

// some are evaluations of both cells with every kind of call: nine receipts.
func some() []record.Evaluation {
	return []record.Evaluation{
		evaluation(without, "l2-0001", requested("eve", 500, record.CallExecuted), read()),
		evaluation(without, "l2-0002"),
		evaluation(behind, "l2-0001", denied("eve"), read(), paid("bob", 600), refused("bob")),
		evaluation(behind, "l2-0002"),
		evaluation(behind, "l2-0003", malformed(), paid("zoë \"z\" 😀", 1)),
		evaluation(behind, "l2-0004", denied("x"), denied("y"), denied("z"), paid("bob", 1<<53+1)),
	}
}

// run writes and seals the files of a run in a new folder.
func run(t *testing.T, key receipt.Key, es ...record.Evaluation) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r1")
	j, err := record.OpenJournal(dir)
	require.NoError(t, err)
	for _, e := range es {
		require.NoError(t, j.Append(e, true))
	}
	_, err = j.Finish()
	require.NoError(t, err)
	require.NoError(t, j.Close())
	sealed(t, dir, key, key, es...)
	return dir
}

// sealed writes receipts of the evaluations, signed with one key, and a manifest,
// signed with another.
func sealed(t *testing.T, dir string, receipts, manifest receipt.Key, es ...record.Evaluation) {
	t.Helper()
	var head string
	require.NoError(t, record.WriteFile(filepath.Join(dir, receipt.File), func(out io.Writer) error {
		w := receipt.NewWriter(out, receipts, receipt.Parties{})
		for _, e := range es {
			if err := w.Add(e); err != nil {
				return err
			}
		}
		head = w.Head()
		return nil
	}))
	m := begun()
	var err error
	m.Seal, err = receipt.Seal(dir, head)
	require.NoError(t, err)
	m.Evaluations = m.Seal.Evaluations.Lines
	m.FinishedAt, m.SummaryState = m.StartedAt, "pass"
	writeManifest(t, dir, m, manifest)
}

func begun() record.Manifest {
	return record.Manifest{
		Version: record.ManifestVersion, RunID: "r1", StartedAt: "2026-11-30T00:00:00Z", GoVersion: "go1.26", Trials: 1,
		Options: map[string]string{"VAULT_LEVELS": "l2 (environment)"}, Sims: []string{},
		Cells:         []record.PlannedCell{{Cell: without, Kind: plan.Simulated, Evaluations: 9}, {Cell: behind, Kind: plan.Simulated, Layered: true, Evaluations: 9}, {Cell: coded, Kind: plan.Simulated, Layered: true, Evaluations: 9}},
		AuditCodeKeys: []corpus.Level{corpus.L4},
	}
}

func writeManifest(t *testing.T, dir string, m record.Manifest, key receipt.Key) {
	t.Helper()
	require.NoError(t, receipt.SignManifest(&m, key))
	require.NoError(t, record.WriteJSON(filepath.Join(dir, record.ManifestFile), m))
}

// ownKey is a key that was loaded from a file.
func ownKey(t *testing.T, n byte) receipt.Key {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte(hex.EncodeToString(bytes.Repeat([]byte{n}, 32))), 0o600))
	k, err := receipt.LoadKey(file)
	require.NoError(t, err)
	return k
}

// edit rewrites a file of a run.
func edit(t *testing.T, dir, file string, change func(raw []byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, file)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := change(bytes.Clone(raw))
	require.False(t, bytes.Equal(raw, changed), "set-up: nothing is changed")
	require.NoError(t, os.WriteFile(path, changed, 0o600))
}

// replace changes the n-th occurrence of a text, from 1.
func replace(old, text string, n int) func([]byte) []byte {
	return func(raw []byte) []byte {
		parts := strings.Split(string(raw), old)
		if n >= len(parts) {
			panic(fmt.Sprintf("set-up: %q does not occur %d times", old, n))
		}
		return []byte(strings.Join(parts[:n], old) + text + strings.Join(parts[n:], old))
	}
}

// byLine changes a list of lines, each with its line feed.
func byLine(change func(lines [][]byte) [][]byte) func([]byte) []byte {
	return func(raw []byte) []byte {
		return bytes.Join(change(slices.Collect(bytes.Lines(raw))), nil)
	}
}
