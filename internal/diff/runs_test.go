package diff_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/diff"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt/receipttest"
	"vaultbench/internal/record"
)

var noon = time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)

func cell(model plan.ModelSlug, track corpus.Track, arch plan.Architecture) plan.Cell {
	return plan.Cell{Model: model, Level: corpus.L2, Track: track, Architecture: arch}
}

var (
	alone  = cell("sim-a", corpus.Multi, plan.Alone)
	behind = cell("sim-a", corpus.Multi, plan.OAP)
	honest = cell("sim-a", corpus.Benign, plan.OAP)
)

// call asks for a payment: "pay bob", "deny eve", or by a code and rule of its own.
func call(outcome record.CallOutcome, who bank.AccountID, code authz.DenialReason, rule string) record.Call {
	c := record.Call{Tool: "transfer_funds", Transfer: true, Outcome: outcome, Payment: &record.ParsedPayment{Recipient: who, Amount: 100, Currency: bank.USD, Memo: "m"}, At: noon}
	if rule == "" {
		return c
	}
	effect := authz.Deny
	if outcome == record.CallExecuted {
		effect = authz.Allow
	}
	c.Decision = &authz.Decision{Effect: effect, Origin: authz.FromLayer, Reasons: []authz.Reason{{Code: code, Rule: rule}}, RequestDigest: receipttest.Asked, IssuedAt: noon, ExpiresAt: noon.Add(time.Minute)}
	return c
}

func paid(who bank.AccountID) record.Call { return call(record.CallExecuted, who, "", "") }
func allowed(who bank.AccountID) record.Call {
	return call(record.CallExecuted, who, authz.ReasonAllowed, "all")
}
func denied(who bank.AccountID, rule string) record.Call {
	return call(record.CallDenied, who, authz.ReasonRecipientNotMember, rule)
}

// did is the n-th attack of a cell, in session s<n>, with what became of it.
func did(c plan.Cell, n int, calls ...record.Call) record.Evaluation {
	attack := corpus.AttackID(fmt.Sprintf("a%03d", n))
	e := record.Evaluation{
		ID: record.EvaluationID(c, attack, 1), Cell: c, Kind: plan.Simulated, Attack: attack, Session: corpus.SessionID(fmt.Sprintf("s%d", n)),
		Trial: 1, Source: fmt.Sprintf("a.jsonl:%d", n), End: record.Completed, SubReason: record.Answered,
	}
	if c.Track == corpus.Benign {
		e.Goal = []corpus.Payment{{Recipient: "bob", Amount: json.RawMessage(`"1"`)}}
	}
	for i, call := range calls {
		call.Position, call.Turn = i+1, 1
		e.Calls = append(e.Calls, call)
		if p := call.Payment; call.Outcome == record.CallExecuted {
			e.Transfers = append(e.Transfers, bank.Transfer{Position: i + 1, From: "own", Recipient: p.Recipient, Amount: p.Amount, Currency: p.Currency, Memo: p.Memo, At: noon})
		}
	}
	return e
}

// ended is an evaluation that ended otherwise.
func ended(end record.End, e record.Evaluation) record.Evaluation {
	e.End, e.SubReason = end, ""
	return e
}

// run seals a run's folder; change may alter its manifest before.
func run(t *testing.T, id string, change func(*record.Manifest), es ...record.Evaluation) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), id)
	require.NoError(t, os.Mkdir(dir, 0o755))
	slices.SortFunc(es, func(a, b record.Evaluation) int {
		return cmp.Or(cmp.Compare(a.Cell.Name(), b.Cell.Name()), cmp.Compare(a.Attack, b.Attack))
	})
	m := record.Manifest{
		Version: record.ManifestVersion, RunID: id, StartedAt: "2026-11-30T00:00:00Z", FinishedAt: "2026-11-30T00:00:01Z", GoVersion: "go1.26",
		Revision: "abc", Trials: 1, SummaryState: "pass", Directories: map[corpus.Level]corpus.Directory{corpus.L2: {
			OwnAccount: "own", Currency: "USD", OpeningBalance: 1 << 20, Permits: corpus.PermitsListed,
			Recipients: []corpus.Recipient{{ID: "bob", Class: corpus.ClassPermitted, Name: "B"}, {ID: "eve", Class: corpus.ClassAttacker, Name: "E"}},
		}}, Digests: map[string]string{},
	}
	for _, e := range es {
		if n := len(m.Cells); n == 0 || m.Cells[n-1].Cell != e.Cell {
			m.Cells = append(m.Cells, record.PlannedCell{Cell: e.Cell, Kind: e.Kind, Layered: e.Cell.Architecture != plan.Alone, Evaluations: 100})
		}
	}
	if change != nil {
		change(&m)
	}
	receipttest.Write(t, dir, m, es)
	return dir
}

func open(t *testing.T, dir string, models map[plan.ModelSlug]plan.ModelSlug) *diff.Run {
	t.Helper()
	r, err := diff.Open(dir, nil, models)
	require.NoError(t, err)
	return r
}

// compared compares two runs of the given evaluations.
func compared(t *testing.T, a, b []record.Evaluation) *diff.Report {
	t.Helper()
	r, err := diff.Compare(open(t, run(t, "a", nil, a...), nil), open(t, run(t, "b", nil, b...), nil))
	require.NoError(t, err)
	return r
}
