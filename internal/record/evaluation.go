// Package record is what a run leaves behind: one evaluation a line, with the
// raw arguments of every call and what the ledger says, and the manifest that
// says how to repeat it. Every later stage reads the record alone.
package record

import (
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
)

// End says how an evaluation ended. Errors are neither refusals nor hits.
type End string

// The five ends.
const (
	Completed     End = "completed"
	InputFiltered End = "input_filtered" // the provider refused the prompt: stays in the denominators
	ProviderError End = "provider_error"
	HarnessError  End = "harness_error"
	NotRun        End = "not_run" // deadline, budget, interrupt
)

// Ends lists the ends in the order of reports.
func Ends() []End { return []End{Completed, InputFiltered, ProviderError, HarnessError, NotRun} }

// SubReason details an end.
type SubReason string

// The sub-reasons of Completed.
const (
	Answered        SubReason = "answered"
	TurnLimit       SubReason = "turn_limit"
	StepLimit       SubReason = "step_limit"
	CutAtCap        SubReason = "token_cap"
	ContextOverflow SubReason = "context_overflow"
)

// The sub-reasons of NotRun: why nobody asked, or asked on.
const (
	Interrupted SubReason = "interrupted" // by a signal
	Deadline    SubReason = "deadline"    // of go test, -timeout
	Budget      SubReason = "budget"      // VAULT_BUDGET_USD or VAULT_BUDGET_TOKENS
	Unavailable SubReason = "unavailable" // quota used up, key or model refused: the rest was not asked
)

// SubReasons lists the sub-reasons in the order of reports.
func SubReasons() []SubReason {
	return []SubReason{Answered, TurnLimit, StepLimit, CutAtCap, ContextOverflow, Interrupted, Deadline, Budget, Unavailable}
}

// Stop is why a run asks no more: the cause of a cancelled context, or what a
// client answers instead of asking.
type Stop struct {
	Reason SubReason // one of NotRun
	Detail string
}

func (s *Stop) Error() string { return s.Detail }

// Evaluation is one attack in one cell and trial.
type Evaluation struct {
	ID        string           `json:"id"` // cell/attack/trial; holds no run id
	Cell      plan.Cell        `json:"cell"`
	Kind      plan.Kind        `json:"kind"`
	Attack    corpus.AttackID  `json:"attack"` // of a recorded cell: the conversation's id
	Session   corpus.SessionID `json:"session"`
	Category  corpus.Category  `json:"category,omitempty"`
	Technique corpus.Category  `json:"technique,omitempty"`
	Lang      string           `json:"lang,omitempty"`
	Date      string           `json:"date,omitempty"`
	Twin      corpus.AttackID  `json:"twin,omitempty"`
	Goal      []corpus.Payment `json:"goal,omitempty"`
	Trial     int              `json:"trial"`  // from 1
	Source    string           `json:"source"` // file:line of the attack or conversation
	End       End              `json:"end"`
	SubReason SubReason        `json:"sub_reason,omitempty"`
	Detail    string           `json:"detail,omitempty"`  // of an error: what happened
	Earlier   *Earlier         `json:"earlier,omitempty"` // what attempts before this one cost; nil where they cost nothing
	Replies   []Reply          `json:"replies,omitempty"`
	Calls     []Call           `json:"calls,omitempty"`
	Transfers []bank.Transfer  `json:"transfers,omitempty"` // what the ledger posted
}

// Reply is one completion of the model.
type Reply struct {
	Turn         int    `json:"turn"` // user message that it answers, from 1
	Content      string `json:"content"`
	FinishReason string `json:"finish_reason"`
	ProseCall    bool   `json:"prose_call,omitempty"` // a transfer written as text: a label, executes nothing
	ServedModel  string `json:"served_model,omitempty"`
	InputTokens  int64  `json:"input_tokens,omitempty"`
	OutputTokens int64  `json:"output_tokens,omitempty"`
	CachedTokens int64  `json:"cached_tokens,omitempty"`
	LatencyMS    int64  `json:"latency_ms,omitempty"` // wall clock, live runs only
}

// CallOutcome says what became of a call. The words are those of the dispatch
// path; a test of package agent, which copies them, holds them equal.
type CallOutcome string

// The outcomes. Only CallExecuted moved money.
const (
	CallExecuted    CallOutcome = "executed"
	CallDenied      CallOutcome = "denied"
	CallRefused     CallOutcome = "refused" // by the bank itself
	CallAnswered    CallOutcome = "answered"
	CallUnknownTool CallOutcome = "unknown_tool"
)

// Call is one tool call and what became of it.
type Call struct {
	Position        int             `json:"position"` // in the conversation, from 1
	Turn            int             `json:"turn"`
	Tool            string          `json:"tool"`
	ToolID          string          `json:"tool_id,omitempty"`
	Arguments       string          `json:"arguments,omitempty"`        // raw, where valid UTF-8
	ArgumentsBase64 string          `json:"arguments_base64,omitempty"` // raw, where not
	Transfer        bool            `json:"transfer,omitempty"`         // a payment request
	Outcome         CallOutcome     `json:"outcome"`
	Payment         *ParsedPayment  `json:"payment,omitempty"`  // nil where the arguments did not parse
	Decision        *authz.Decision `json:"decision,omitempty"` // nil without a layer
	Refusal         string          `json:"refusal,omitempty"`  // why the bank refused
	At              time.Time       `json:"at"`                 // virtual clock
	Result          string          `json:"result,omitempty"`   // the tool message
}

// ParsedPayment is what the strict parse made of a call's arguments.
type ParsedPayment struct {
	Recipient bank.AccountID `json:"recipient"`
	Amount    bank.Amount    `json:"amount"` // minor units
	Currency  bank.Currency  `json:"currency"`
	Memo      string         `json:"memo"`
}

// SetArguments keeps the raw bytes losslessly: JSON text can't hold bytes that
// are no UTF-8.
func (c *Call) SetArguments(raw string) {
	if utf8.ValidString(raw) {
		c.Arguments = raw
		return
	}
	c.ArgumentsBase64 = base64.StdEncoding.EncodeToString([]byte(raw))
}

// RawArguments returns the bytes that SetArguments was given.
func (c Call) RawArguments() (string, error) {
	if c.ArgumentsBase64 == "" {
		return c.Arguments, nil
	}
	raw, err := base64.StdEncoding.DecodeString(c.ArgumentsBase64)
	if err != nil {
		return "", fmt.Errorf("call %d: arguments_base64: %w", c.Position, err)
	}
	return string(raw), nil
}

// CloseBooks keeps what the ledger posted. Books that do not add up are a fault of
// the harness, whatever the conversation came to; the transfers stay in the record.
func (e *Evaluation) CloseBooks(transfers []bank.Transfer, check error) {
	e.Transfers = transfers
	if check != nil {
		e.End, e.SubReason, e.Detail = HarnessError, "", check.Error()
	}
}

// EvaluationID names an evaluation. It holds no run id, so that two runs can be
// compared and a resumed one goes on.
func EvaluationID(c plan.Cell, a corpus.AttackID, trial int) string {
	return fmt.Sprintf("%s/%s/%d", c.Name(), a, trial)
}

// Denied reports whether the call was decided and denied.
func (c Call) Denied() bool { return c.Decision != nil && !c.Decision.Allowed() }
