package export

import (
	"fmt"

	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Outcome is a row of outcomes: one evaluation with its five events. Counts are
// of calls or transfers within this one evaluation.
type Outcome struct {
	Evaluation   string `parquet:"evaluation" json:"evaluation"`
	Model        string `parquet:"model,dict" json:"model"`
	Kind         string `parquet:"kind,dict" json:"kind"`
	Level        string `parquet:"level,dict" json:"level"`
	Track        string `parquet:"track,dict" json:"track"`
	Architecture string `parquet:"architecture,dict" json:"architecture"`
	Attack       string `parquet:"attack,dict" json:"attack"`
	Session      string `parquet:"session,dict" json:"session"`
	Trial        int64  `parquet:"trial" json:"trial"` // from 1
	Category     string `parquet:"category,dict" json:"category"`
	Technique    string `parquet:"technique,dict" json:"technique"`
	Lang         string `parquet:"lang,dict" json:"lang"`
	Date         string `parquet:"date,dict" json:"date"`
	Twin         string `parquet:"twin,dict" json:"twin"`
	End          string `parquet:"end,dict" json:"end"`
	SubReason    string `parquet:"sub_reason,dict" json:"sub_reason"`
	Detail       string `parquet:"detail,dict" json:"detail"`
	Counted      bool   `parquet:"counted" json:"counted"` // in the denominators

	Requests    int64    `parquet:"requests" json:"requests"`               // 1: transfer calls
	Malformed   int64    `parquet:"malformed" json:"malformed"`             // of these, calls whose arguments fail the strict parse
	Payments    int64    `parquet:"payments" json:"payments"`               // 2: transfers that the ledger posted
	Refused     int64    `parquet:"refused_by_bank" json:"refused_by_bank"` // calls
	Decisions   *int64   `parquet:"decisions,optional" json:"decisions"`    // 3: calls decided; null where nobody decides
	Denied      *int64   `parquet:"denied,optional" json:"denied"`          // 3: of these
	FailClosed  *int64   `parquet:"fail_closed,optional" json:"fail_closed"`
	Reasons     []string `parquet:"reasons,list" json:"reasons"`       // 3: the code of each denied call, in order
	Recipients  []string `parquet:"recipients,list" json:"recipients"` // 4: who was paid, in order
	Classes     []string `parquet:"classes,list" json:"classes"`       // 4: whose they are
	Unpermitted int64    `parquet:"unpermitted" json:"unpermitted"`    // 5: transfers that the level does not permit

	GoalsPaid    int64 `parquet:"goals_paid" json:"goals_paid"`       // honest tasks: payments asked for and made
	FalseDenials int64 `parquet:"false_denials" json:"false_denials"` // honest tasks: denied calls that equal the next goal
	ProseCalls   int64 `parquet:"prose_calls" json:"prose_calls"`     // replies that hold a transfer as text

	InputTokens  int64 `parquet:"input_tokens" json:"input_tokens"`
	CachedTokens int64 `parquet:"cached_tokens" json:"cached_tokens"`
	OutputTokens int64 `parquet:"output_tokens" json:"output_tokens"`
	LatencyMS    int64 `parquet:"latency_ms" json:"latency_ms"` // wall clock of all replies, live runs only

	Goal   jsonText `parquet:"goal,dict" json:"goal"` // the calls that the attacker wants
	Source string   `parquet:"source,dict" json:"source"`
	Rest   jsonText `parquet:"rest,dict" json:"rest"` // what of the record no other column holds
}

// outcomeOf makes the row of an evaluation; d is what the oracle knows of its level.
func outcomeOf(e record.Evaluation, layered bool, d corpus.Directory) (Outcome, error) {
	v := oracle.Judge(e.Transfers, d)
	o := Outcome{
		Evaluation: e.ID, Model: string(e.Cell.Model), Kind: string(e.Kind), Level: string(e.Cell.Level), Track: string(e.Cell.Track),
		Architecture: string(e.Cell.Architecture), Attack: string(e.Attack), Session: string(e.Session), Trial: int64(e.Trial),
		Category: string(e.Category), Technique: string(e.Technique), Lang: e.Lang, Date: e.Date, Twin: string(e.Twin),
		End: string(e.End), SubReason: string(e.SubReason), Detail: e.Detail, Counted: report.Final(e, v),
		Payments: int64(len(v.Transfers)), Source: e.Source,
		Reasons: []string{}, Recipients: []string{}, Classes: []string{},
	}
	for _, j := range v.Transfers {
		o.Recipients, o.Classes = append(o.Recipients, string(j.Recipient)), append(o.Classes, string(j.Class))
		o.Unpermitted += one(j.Unpermitted)
	}
	o.addCalls(e.Calls, layered)
	for _, r := range e.Replies {
		o.ProseCalls += one(r.ProseCall)
		o.InputTokens, o.CachedTokens = o.InputTokens+r.InputTokens, o.CachedTokens+r.CachedTokens
		o.OutputTokens, o.LatencyMS = o.OutputTokens+r.OutputTokens, o.LatencyMS+r.LatencyMS
	}
	if e.Cell.Track == corpus.Benign {
		h := e.Honest()
		o.GoalsPaid, o.FalseDenials = int64(h.Paid), int64(len(h.FalseDenials))
	}
	var err error
	if o.Goal, err = jsonOf(e.Goal, len(e.Goal) == 0); err != nil {
		return o, err
	}
	o.Rest, err = restOf(e, func(e *record.Evaluation) {
		e.ID, e.Cell, e.Kind, e.Attack, e.Session, e.Trial = "", plan.Cell{}, "", "", "", 0
		e.Category, e.Technique, e.Lang, e.Date, e.Twin, e.Goal = "", "", "", "", "", nil
		e.Source, e.End, e.SubReason, e.Detail = "", "", "", ""
		e.Replies, e.Calls, e.Transfers = nil, nil, nil // in the transcript
	})
	return o, err
}

func (o *Outcome) addCalls(calls []record.Call, layered bool) {
	var decided, denied, closed int64
	for _, c := range calls {
		o.Requests += one(c.Transfer)
		o.Malformed += one(c.Transfer && c.Payment == nil)
		o.Refused += one(c.Transfer && c.Outcome == record.CallRefused)
		if c.Decision == nil {
			continue
		}
		decided++
		if c.Decision.Allowed() {
			continue
		}
		denied++
		closed += one(c.Decision.FailClosed())
		o.Reasons = append(o.Reasons, string(c.Decision.Reason()))
	}
	if layered {
		o.Decisions, o.Denied, o.FailClosed = &decided, &denied, &closed
	}
}

// evaluation is the record of the row, without what stands in the transcript.
func (o Outcome) evaluation() (record.Evaluation, error) {
	var e record.Evaluation
	if err := o.Rest.into(&e); err != nil {
		return e, fmt.Errorf("%q: rest: %w", o.Evaluation, err)
	}
	if err := o.Goal.into(&e.Goal); err != nil {
		return e, fmt.Errorf("%q: goal: %w", o.Evaluation, err)
	}
	e.Cell = plan.Cell{Model: plan.ModelSlug(o.Model), Level: corpus.Level(o.Level), Track: corpus.Track(o.Track), Architecture: plan.Architecture(o.Architecture)}
	e.ID, e.Kind, e.Attack, e.Session, e.Trial = o.Evaluation, plan.Kind(o.Kind), corpus.AttackID(o.Attack), corpus.SessionID(o.Session), int(o.Trial)
	e.Category, e.Technique, e.Lang, e.Date, e.Twin = corpus.Category(o.Category), corpus.Category(o.Technique), o.Lang, o.Date, corpus.AttackID(o.Twin)
	e.Source, e.End, e.SubReason, e.Detail = o.Source, record.End(o.End), record.SubReason(o.SubReason), o.Detail
	if want := record.EvaluationID(e.Cell, e.Attack, e.Trial); e.ID != want {
		return e, fmt.Errorf("%q: model, level, track, architecture, attack and trial make %q", e.ID, want)
	}
	return e, nil
}
