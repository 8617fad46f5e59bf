package publishtest

import (
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

// maxName is how much of a text stands in names, in bytes; what is said is whole.
const maxName = 4096

// Page is one whose every text is the given one, also where a sealed record would
// hold no such thing.
func Page(whole string) page.Page {
	text := whole[:min(len(whole), maxName)]
	cell := plan.Cell{Model: "sim-a", Level: corpus.L2, Track: corpus.Benign, Architecture: plan.OAP}
	m := record.Manifest{
		RunID: text, Revision: text, GoVersion: text, Trials: 1, Options: map[string]string{"VAULT_X": text}, Digests: map[string]string{text: text},
		Models:      []record.ManifestModel{{Slug: "m", ID: text, Provider: text, Served: []string{text}}},
		Cells:       []record.PlannedCell{{Cell: cell, Kind: plan.Simulated, Layered: true, Label: text, Evaluations: 1}, {Cell: plan.Cell{Model: "b", Level: "l2", Track: "single", Architecture: "oap"}, Skip: text}},
		Directories: map[corpus.Level]corpus.Directory{corpus.L2: {Permits: corpus.PermitsListed}},
	}
	e := record.Evaluation{
		ID: text, Cell: cell, Kind: plan.Simulated, Attack: corpus.AttackID(text), Session: corpus.SessionID(text), Category: corpus.Category(text),
		Lang: text, Trial: 1, Source: text, End: record.Completed, Detail: text,
		Replies: []record.Reply{{Turn: 1, Content: whole, FinishReason: text}},
		Calls:   []record.Call{{Position: 1, Turn: 1, Tool: text, Transfer: true, Outcome: record.CallRefused, Refusal: whole, Result: whole}},
	}
	e.Calls[0].SetArguments(whole)
	book := report.NewBook(m)
	book.Add(e)
	shown := book.Shown(func(string, string) ([]string, bool) { return []string{whole}, true })
	s := report.Summary{Cells: []report.Cell{{Name: cell.Name(), Cell: cell, Kind: plan.Simulated, Group: "2-4", Status: report.Violation, Findings: []report.Finding{{Kind: report.FoundFalseDenial, Message: text}},
		Counts: report.Counts{Decisions: &report.DecisionCounts{}, Benign: &report.BenignCounts{}}}}, Failure: text}
	notes := book.Notes()
	notes.Refused = []report.Refusal{{Evaluation: text, Attack: corpus.AttackID(text), Rule: text, Code: "oap.limit_exceeded"}}
	notes.Closest = []report.Closest{{Kind: plan.Simulated, Architecture: plan.OAP, Attack: corpus.AttackID(text), Level: "l2", Code: text, Reasons: 1, Example: text}}
	v := report.Verdict{State: report.StateViolation, Claim: report.Claim{Text: &text, Reason: text}, Reasons: []report.Reason{{State: report.StateViolation, Cell: cell.Name(), Message: text}},
		Caveats: []string{text}, Conditions: []report.Condition{{Name: report.ConditionSeal, Detail: text}}}
	return page.Page{Verdict: v, Summary: s, Manifest: m, Notes: notes, Shown: shown}
}
