package publishtest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/publish"
	"vaultbench/internal/receipt/receipttest"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

var start = time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)

// The cells of Run: without a layer everything executes, behind one nothing.
var (
	alone  = plan.Cell{Model: "m", Level: corpus.L2, Track: corpus.Single, Architecture: plan.Alone}
	denied = plan.Cell{Model: "m", Level: corpus.L2, Track: corpus.Single, Architecture: plan.OAP}
)

// Run is a sealed run that verifies, with an attack for each hostile text: it is
// the attack's name and message, the session, what the model said and asked for,
// who was to be paid with which memo, and what the layer answered.
func Run(t testing.TB) publish.Run {
	t.Helper()
	texts := Hostile()
	names := slices.Sorted(maps.Keys(texts))
	m := record.Manifest{
		Version: record.ManifestVersion, RunID: "hostile", StartedAt: "2026-11-30T00:00:00Z", FinishedAt: "2026-11-30T00:00:01Z", GoVersion: "go", Trials: 1,
		SummaryState: string(report.Inconclusive), Digests: map[string]string{}, Options: map[string]string{"VAULT_GATE": texts["script"]},
		Directories: map[corpus.Level]corpus.Directory{corpus.L2: {
			OwnAccount: "own", Currency: "USD", OpeningBalance: 1 << 20, Permits: corpus.PermitsListed,
			Recipients: []corpus.Recipient{{ID: "rent", Class: corpus.ClassPermitted, Name: texts["image"]}},
		}},
		Failures: []record.Failure{{Kind: record.FailedTest, Message: texts["script"] + texts["command"]}},
	}
	model, messages := record.ManifestModel{Slug: "m"}, map[string][]string{}
	var evaluations []record.Evaluation
	for _, c := range []plan.Cell{alone, denied} {
		m.Cells = append(m.Cells, record.PlannedCell{Cell: c, Kind: plan.Live, Layered: c == denied, Label: texts["attribute"], Evaluations: len(texts)})
		for _, name := range names {
			e := evaluation(c, texts[name])
			evaluations = append(evaluations, e)
			messages[string(e.Attack)] = []string{texts[name]}
		}
	}
	m.Cells = append(m.Cells, record.PlannedCell{Cell: plan.Cell{Model: "n", Level: corpus.L2, Track: corpus.Single, Architecture: plan.OAP}, Kind: plan.Live, Layered: true, Skip: texts["elements"]})
	for _, name := range names {
		model.ID, model.Provider = model.ID+valid(texts[name], 64), model.Provider+valid(texts[name], 64)
		model.Served = append(model.Served, valid(texts[name], 512))
	}
	m.Models = []record.ManifestModel{model}
	slices.SortStableFunc(evaluations, func(a, b record.Evaluation) int {
		return cmp.Or(cmp.Compare(a.Cell.Name(), b.Cell.Name()), cmp.Compare(a.Attack, b.Attack))
	})
	dir := t.TempDir()
	receipttest.Write(t, dir, m, evaluations)
	return publish.Run{
		Folder: dir, Gate: report.DefaultGate(), World: report.World{Attacks: func(corpus.Level, corpus.Track) int { return len(texts) }},
		Messages: func(attack, _ string) ([]string, bool) { said, ok := messages[attack]; return said, ok },
	}
}

// Name is the attack of a hostile text in Run.
func Name(text string) corpus.AttackID { return corpus.AttackID(valid(text, 512)) }

// ID names the evaluation of a hostile text behind the layer.
func ID(text string) string { return record.EvaluationID(denied, Name(text), 1) }

// valid is the start of a text as JSON keeps it.
func valid(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\ufffd")
}

// payee is as much of a text as the bank takes for a recipient: no control character.
func payee(text string) bank.AccountID {
	return bank.AccountID(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}

func evaluation(c plan.Cell, whole string) record.Evaluation {
	text, said := valid(whole, 512), strings.ToValidUTF8(whole, "\ufffd")
	payment := &record.ParsedPayment{Recipient: payee(text), Amount: 100, Currency: bank.USD, Memo: said}
	asked := record.Call{Position: 1, Turn: 1, Tool: "transfer_funds", ToolID: text, Transfer: true, At: start, Payment: payment, Result: said, Outcome: record.CallExecuted}
	asked.SetArguments(whole)
	e := record.Evaluation{
		Cell: c, Kind: plan.Live, Attack: Name(whole), Session: corpus.SessionID(text), Category: "direct_transfer", Technique: "direct_transfer", Lang: text, Trial: 1,
		Source: text + ":1", End: record.Completed, SubReason: record.Answered, Detail: text,
		Replies: []record.Reply{{Turn: 1, FinishReason: "tool_calls"}, {Turn: 1, Content: said, FinishReason: text, ServedModel: text}},
	}
	e.ID = record.EvaluationID(c, e.Attack, 1)
	if c == denied {
		asked.Outcome = record.CallDenied
		asked.Decision = &authz.Decision{
			Effect: authz.Deny, Origin: authz.FromLayer, RequestDigest: receipttest.Asked, IssuedAt: start, ExpiresAt: start.Add(time.Minute),
			Reasons: []authz.Reason{{Code: authz.ReasonRecipientNotMember, Rule: text, Message: said}},
		}
	} else {
		e.Transfers = []bank.Transfer{{Position: 1, From: "own", Recipient: payment.Recipient, Amount: 100, Currency: bank.USD, Memo: said, At: start}}
	}
	unknown := record.Call{Position: 2, Turn: 1, Tool: text, Outcome: record.CallUnknownTool, At: start, Result: said}
	unknown.SetArguments(whole)
	e.Calls = []record.Call{asked, unknown}
	return e
}
