package report_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt/receipttest"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

var clockStart = time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)

func directories() map[corpus.Level]corpus.Directory {
	d := corpus.Directory{OwnAccount: "LF-1", Currency: "USD", OpeningBalance: 1000, Permits: corpus.PermitsListed, Recipients: []corpus.Recipient{
		{ID: "bob", Class: corpus.ClassPermitted}, {ID: "desk", Class: corpus.ClassBank}, {ID: "eve", Class: corpus.ClassAttacker},
	}}
	any, none := d, d
	any.Permits, none.Permits = corpus.PermitsAny, corpus.PermitsNone
	return map[corpus.Level]corpus.Directory{"l1": any, "l2": d, "l3": d, "l4": d, "l5": none, "front-desk": d}
}

func cell(model plan.ModelSlug, level corpus.Level, track corpus.Track, arch plan.Architecture) plan.Cell {
	return plan.Cell{Model: model, Level: level, Track: track, Architecture: arch}
}

var (
	attacked = cell("sim-a", corpus.L2, corpus.Multi, plan.OAP)
	bare     = cell("sim-a", corpus.L2, corpus.Multi, plan.Alone)
	honest   = cell("sim-a", corpus.L2, corpus.Benign, plan.OAP)
)

func planned(c plan.Cell, n int) record.PlannedCell {
	return record.PlannedCell{Cell: c, Kind: plan.Simulated, Layered: c.Architecture != plan.Alone, Label: "label", Evaluations: n}
}

// evaluation is one of the cell that ended as given; what its calls executed is
// in the ledger.
func evaluation(c plan.Cell, end record.End, calls ...record.Call) record.Evaluation {
	e := record.Evaluation{Cell: c, Kind: plan.Simulated, Attack: "a1", Session: "s1", Trial: 1, Source: "a.jsonl:1", End: end}
	if end == record.Completed {
		e.SubReason = record.Answered
	}
	for i, call := range calls {
		call.Position, call.Turn, call.At = i+1, 1, clockStart
		e.Calls = append(e.Calls, call)
		if p := call.Payment; call.Outcome == record.CallExecuted {
			e.Transfers = append(e.Transfers, bank.Transfer{
				Position: i + 1, From: "LF-1", Recipient: p.Recipient, Amount: p.Amount, Currency: p.Currency, Memo: p.Memo, At: clockStart,
			})
		}
	}
	return numbered(e, 1)
}

// numbered is the n-th attack of the cell.
func numbered(e record.Evaluation, n int) record.Evaluation {
	e.Attack = corpus.AttackID(fmt.Sprintf("a%03d", n))
	e.ID, e.Source = record.EvaluationID(e.Cell, e.Attack, e.Trial), fmt.Sprintf("a.jsonl:%d", n)
	return e
}

func inSession(s corpus.SessionID, e record.Evaluation) record.Evaluation {
	e.Session = s
	return e
}

// session names the n-th source session.
func session(n int) corpus.SessionID { return corpus.SessionID(fmt.Sprintf("s%03d", n)) }

// times repeats an evaluation under ids of its own.
func times(n int, e record.Evaluation) []record.Evaluation {
	var out []record.Evaluation
	for i := range n {
		out = append(out, numbered(e, i+1))
	}
	return out
}

// after numbers evaluations on from n, so that no attack stands twice.
func after(n int, es []record.Evaluation) []record.Evaluation {
	for i := range es {
		es[i] = numbered(es[i], n+i+1)
	}
	return es
}

func transfer(outcome record.CallOutcome, recipient bank.AccountID) record.Call {
	return record.Call{
		Tool: "transfer_funds", Transfer: true, Outcome: outcome,
		Payment: &record.ParsedPayment{Recipient: recipient, Amount: 100, Currency: bank.USD, Memo: "m"},
	}
}

func paid(recipient bank.AccountID) record.Call { return transfer(record.CallExecuted, recipient) }

func decided(c record.Call, effect authz.Effect, origin authz.Origin, code authz.DenialReason) record.Call {
	c.Decision = &authz.Decision{
		Effect: effect, Origin: origin, Reasons: []authz.Reason{{Code: code, Rule: "rule"}}, IssuedAt: clockStart, ExpiresAt: clockStart.Add(time.Minute),
	}
	if c.Payment != nil {
		c.Decision.RequestDigest = receipttest.Asked
	}
	return c
}

func allowed(c record.Call) record.Call {
	return decided(c, authz.Allow, authz.FromLayer, authz.ReasonAllowed)
}

func denied(recipient bank.AccountID) record.Call {
	return decided(transfer(record.CallDenied, recipient), authz.Deny, authz.FromLayer, authz.ReasonRecipientNotMember)
}

func failedClosed(recipient bank.AccountID) record.Call {
	return decided(transfer(record.CallDenied, recipient), authz.Deny, authz.FromDispatch, authz.ReasonPolicyError)
}

// malformed is a call that did not parse: the bank refuses it, or dispatch
// denies it behind a layer.
func malformed(behindLayer bool) record.Call {
	c := record.Call{Tool: "transfer_funds", Transfer: true, Outcome: record.CallRefused, Arguments: "{", Refusal: "invalid"}
	if behindLayer {
		c.Outcome, c.Refusal = record.CallDenied, ""
		return decided(c, authz.Deny, authz.FromDispatch, authz.ReasonInvalidContext)
	}
	return c
}

// summarise adds evaluations up in the given plan.
func summarise(t *testing.T, golden map[string]report.Counts, cells []record.PlannedCell, es ...record.Evaluation) report.Summary {
	t.Helper()
	b, err := report.NewBuilder(cells, directories(), oracle.Judge, golden)
	require.NoError(t, err)
	for _, e := range es {
		require.NoError(t, b.Add(e))
	}
	s := b.Summary()
	s.SigningKey = "test" // set by who signs
	return s
}

// one is the figures of a single planned cell.
func one(t *testing.T, p record.PlannedCell, es ...record.Evaluation) report.Cell {
	t.Helper()
	s := summarise(t, nil, []record.PlannedCell{p}, es...)
	require.Len(t, s.Cells, 1)
	return s.Cells[0]
}

func kinds(fs []report.Finding) []report.FindingKind {
	var ks []report.FindingKind
	for _, f := range fs {
		ks = append(ks, f.Kind)
	}
	return slices.Compact(ks)
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

func builder(t *testing.T, cells ...record.PlannedCell) *report.Builder {
	t.Helper()
	b, err := report.NewBuilder(cells, directories(), oracle.Judge, nil)
	require.NoError(t, err)
	return b
}
