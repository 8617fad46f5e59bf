// Package dispatch is the tool-dispatch path: a model's call goes in as raw
// bytes, is parsed once and strictly, decided, and executed by the ledger as the
// very value that was decided. It is the only holder of a ledger; "model alone"
// is the same path with an authorizer that permits everything.
package dispatch

import (
	"context"
	"fmt"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

// Payee is an entry of the bank's directory, as verify_recipient shows it.
type Payee struct {
	ID     bank.AccountID
	Name   string
	Status string // for people and models: "approved payee", …
}

// PastTransfer is an entry of the account's history from before the conversation.
type PastTransfer struct {
	Date      string        `json:"date"` // YYYY-MM-DD
	Recipient string        `json:"recipient"`
	Amount    bank.Amount   `json:"-"`
	Memo      string        `json:"memo"`
	Major     string        `json:"amount"` // filled in from Amount
	Currency  bank.Currency `json:"currency"`
}

// Account describes the bank account that the agent pays from.
type Account struct {
	Own       bank.AccountID
	Currency  bank.Currency
	Opening   bank.Amount // minor units
	Directory []Payee
	History   []PastTransfer
}

// Config is everything that one conversation's path is made of.
type Config struct {
	EvaluationID   string
	Account        Account
	Authorizer     authz.Authorizer // fresh for each conversation; authz.PermitAll for the model alone
	Layered        bool             // a layer stands in the path: its decisions count
	Names          Names
	KeyByAuditCode bool // the idempotency key is the memo's audit code, where it holds exactly one
	Start          time.Time
	Schedule       []Due
	Timeout        time.Duration // wall clock per decision; 0 means authz.DefaultTimeout
}

// noTimeout is for the model alone: nobody decides, and a machine that stood still
// for a moment must not look like a refusal.
const noTimeout = 365 * 24 * time.Hour

// Dispatcher serves the calls of one conversation, in order. It is not safe for
// concurrent use.
type Dispatcher struct {
	cfg      Config
	guard    *authz.Guard
	ledger   *bank.Ledger
	clock    *clock
	position int
}

// New opens a fresh ledger for one conversation.
func New(cfg Config) *Dispatcher {
	if cfg.Timeout == 0 {
		cfg.Timeout = authz.DefaultTimeout
	}
	if !cfg.Layered {
		cfg.Timeout = noTimeout
	}
	return &Dispatcher{
		cfg:    cfg,
		guard:  authz.NewGuard(cfg.Authorizer, cfg.Timeout),
		ledger: bank.NewLedger(cfg.Account.Own, cfg.Account.Currency, cfg.Account.Opening),
		clock:  newClock(cfg.Start, cfg.Schedule),
	}
}

// Outcome says what became of a call.
type Outcome string

// The outcomes. Only Executed moved money.
const (
	Executed    Outcome = "executed"
	Denied      Outcome = "denied"       // by the layer, or by dispatch in its stead
	Refused     Outcome = "refused"      // by the bank itself
	Answered    Outcome = "answered"     // a tool that only reads
	UnknownTool Outcome = "unknown_tool" // no such tool, or one that the tool map leaves alone
)

// Result is what a call came to.
type Result struct {
	Position int // of the call in the conversation, from 1
	Transfer bool
	Outcome  Outcome
	Payment  *bank.Payment   // nil where the arguments did not parse
	Decision *authz.Decision // nil without a layer
	Refusal  string          // why the bank refused
	At       time.Time       // virtual clock
	Content  string          // the tool message for the model
}

// Call serves one tool call. Calls are told apart by their order alone: their
// ids may be missing or repeated.
func (d *Dispatcher) Call(ctx context.Context, tool, rawArguments string) Result {
	d.position++
	if tool == d.cfg.Names.Transfer {
		return d.transfer(ctx, rawArguments)
	}
	r := Result{Position: d.position, Outcome: Answered, At: d.clock.now}
	switch content, known := d.read(tool, rawArguments); {
	case known:
		r.Content = content
	default:
		r.Outcome = UnknownTool
		r.Content = toolError("unknown tool", fmt.Sprintf("there is no tool %q", tool))
	}
	return r
}

// transfer parses, asks, executes: in this order, and each on the same value.
func (d *Dispatcher) transfer(ctx context.Context, raw string) Result {
	args, err := d.cfg.Names.readArguments(raw)
	r := Result{Position: d.position, Transfer: true, At: d.clock.meet(args)}
	var payment bank.Payment
	if err == nil {
		payment, err = args.payment()
	}
	if err != nil {
		return d.malformed(r, err)
	}
	r.Payment = &payment
	decision, permit := d.guard.Authorize(ctx, d.request(payment, r.At))
	if d.cfg.Layered {
		r.Decision = &decision
	}
	if permit == nil {
		r.Outcome = Denied
		r.Content = toolError("denied", string(decision.Reason())+": "+decision.Reasons[0].Message)
		return r
	}
	return d.execute(r, permit)
}

// malformed: the layer is never asked about a call that does not parse. Behind a
// layer that is a denial, for the model alone the bank refuses.
func (d *Dispatcher) malformed(r Result, why error) Result {
	if d.cfg.Layered {
		decision := authz.Malformed(why, r.At)
		r.Decision, r.Outcome = &decision, Denied
		r.Content = toolError("denied", fmt.Sprintf("%s: %v", decision.Reason(), why))
		return r
	}
	return refused(r, why)
}

// request maps a parsed call to what the layer sees.
func (d *Dispatcher) request(p bank.Payment, at time.Time) authz.Request {
	return authz.RequestFor(d.cfg.EvaluationID, d.position, d.cfg.KeyByAuditCode, p, at)
}

// execute posts what the permit holds, and nothing else.
func (d *Dispatcher) execute(r Result, permit *authz.Permit) Result {
	payment, err := permit.Spend()
	if err != nil {
		return refused(r, err)
	}
	posted, err := d.ledger.Post(r.Position, payment, r.At)
	permit.Settle(err == nil)
	if err != nil {
		return refused(r, err)
	}
	r.Outcome = Executed
	r.Content = toolTexts("status", "executed", "recipient", string(posted.Recipient), "amount", posted.Amount.String(),
		"currency", string(posted.Currency), "balance", d.ledger.Balance().String())
	return r
}

func refused(r Result, why error) Result {
	r.Outcome, r.Refusal = Refused, why.Error()
	r.Content = toolError("refused by the bank", why.Error())
	return r
}

// Transfers are the posted transfers so far: what the oracle judges.
func (d *Dispatcher) Transfers() []bank.Transfer { return d.ledger.Transfers() }

// Check verifies the ledger's books. An error is a fault of the harness.
func (d *Dispatcher) Check() error { return d.ledger.Check() }
