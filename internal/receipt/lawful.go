package receipt

import (
	"errors"
	"fmt"
	"slices"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/record"
)

// What can become of a call is closed, and stands here alone:
//
//	call                                decided                       outcome
//	no payment request                  never                         answered, unknown_tool
//	arguments that did not parse        denied by dispatch            denied; refused without a layer
//	a payment, allowed by the layer     oap.allowed alone             executed, refused
//	a payment, denied by the layer      any other codes               denied
//	a payment, the layer failed         dispatch: oap.policy_error    denied
//	a payment, no layer stands          never                         executed, refused
//
// An executed call has exactly one transfer, of its payment and moment; no other has
// any. A line that says otherwise is the suite's own fault, whoever signed it.

// checkCall says how a call's outcome or payment contradicts the rest of it.
func checkCall(c *record.Call) error {
	if c.Position < 1 {
		return fmt.Errorf("position is %d: calls count from 1", c.Position)
	}
	if d := c.Decision; d != nil && d.Effect != authz.Allow && d.Effect != authz.Deny {
		return fmt.Errorf("effect is %q: want allow or deny", d.Effect)
	}
	want, since := outcomes(c)
	if !slices.Contains(want, c.Outcome) {
		return fmt.Errorf("outcome is %q, want %q: %s", c.Outcome, want, since)
	}
	if refused := c.Outcome == record.CallRefused; refused != (c.Refusal != "") {
		return fmt.Errorf("refusal is %q, outcome is %q: the bank says why it refuses, and of nothing else", c.Refusal, c.Outcome)
	}
	if c.Payment == nil {
		return nil
	}
	if !c.Transfer {
		return fmt.Errorf("payment of %d minor units to %q: the call asks for none", c.Payment.Amount, c.Payment.Recipient)
	}
	if err := bank.Payment(*c.Payment).Check(); err != nil {
		return fmt.Errorf("payment can't have been parsed: %w", err)
	}
	return nil
}

// outcomes are those that a call can have, and why these.
func outcomes(c *record.Call) (want []record.CallOutcome, since string) {
	switch {
	case !c.Transfer:
		return answeredOnly, "it is no payment request"
	case c.Decision == nil && c.Payment == nil:
		return refusedOnly, "its arguments did not parse, and no layer stands"
	case c.Decision == nil:
		return settledOnly, "no layer stands that could deny it"
	case c.Decision.Allowed():
		return settledOnly, "it was allowed"
	}
	return deniedOnly, "it was denied"
}

var (
	answeredOnly = []record.CallOutcome{record.CallAnswered, record.CallUnknownTool}
	settledOnly  = []record.CallOutcome{record.CallExecuted, record.CallRefused}
	refusedOnly  = []record.CallOutcome{record.CallRefused}
	deniedOnly   = []record.CallOutcome{record.CallDenied}
)

// checkDecision says which member of a decision, named as in its receipt, contradicts
// another one or the call.
func checkDecision(evaluation string, c *record.Call, byAuditCode bool) error {
	d, parsed := c.Decision, c.Payment != nil
	if err := d.CheckReasons(); err != nil {
		return fmt.Errorf("reasons: %w", err)
	}
	if err := d.CheckDigests(); err != nil {
		return err
	}
	switch {
	case parsed && d.RequestDigest.IsZero():
		return errors.New("request_digest is absent: it may be about any payment")
	case !parsed && !d.RequestDigest.IsZero():
		return fmt.Errorf("request_digest is %s: no request was parsed", d.RequestDigest)
	case parsed && d.RequestDigest != authz.RequestFor(evaluation, c.Position, byAuditCode, bank.Payment(*c.Payment), c.At).Digest():
		return fmt.Errorf("request_digest is %s, that of another request than this payment at %s, with its memo and its level's kind of key", d.RequestDigest, moment(c.At))
	case !d.ExpiresAt.After(d.IssuedAt):
		return fmt.Errorf("expires_at is %s, issued_at %s: it never holds", moment(d.ExpiresAt), moment(d.IssuedAt))
	case d.IssuedAt.After(c.At):
		return fmt.Errorf("issued_at is %s, the call is of %s: nobody decides beforehand", moment(d.IssuedAt), moment(c.At))
	case !d.ExpiresAt.After(c.At):
		return fmt.Errorf("expires_at is %s, the call is of %s: it no longer held", moment(d.ExpiresAt), moment(c.At))
	}
	switch d.Origin {
	case authz.FromLayer:
		if !parsed {
			return errors.New("origin is layer: none is asked about a call that did not parse")
		}
		return nil
	case authz.FromDispatch:
		return checkDispatched(d, parsed)
	}
	return fmt.Errorf("origin is %q: want layer or dispatch", d.Origin)
}

// checkDispatched: in the layer's stead there is one denial for each of two causes.
func checkDispatched(d *authz.Decision, parsed bool) error {
	switch {
	case d.Allowed():
		return errors.New("origin is dispatch, which never allows")
	case len(d.Reasons) != 1:
		return fmt.Errorf("reasons: %d of them, dispatch gives one", len(d.Reasons))
	case parsed && !d.FailClosed():
		return fmt.Errorf("reasons: dispatch denies a payment by %s alone, not by %s", authz.ReasonPolicyError, d.Reason())
	case !parsed && !d.NotParsed():
		return fmt.Errorf("reasons: dispatch denies what did not parse by %s alone, not by %s", authz.ReasonInvalidContext, d.Reason())
	case d.PassportDigest != "":
		return fmt.Errorf("passport_digest is %s: dispatch reads no passport", d.PassportDigest)
	case d.PolicyDigest != "":
		return fmt.Errorf("policy_digest is %s: dispatch reads no policy", d.PolicyDigest)
	}
	return nil
}

// checkPosted: the ledger posted each executed call, once and as it was asked for,
// and nothing else.
func checkPosted(e record.Evaluation, calls map[int]*record.Call) error {
	posted := map[int]bool{}
	for _, t := range e.Transfers {
		c := calls[t.Position]
		switch {
		case c == nil:
			return fmt.Errorf("transfer at call %d: there is no such call", t.Position)
		case posted[t.Position]:
			return fmt.Errorf("call %d was executed twice", t.Position)
		case c.Payment == nil || *c.Payment != record.ParsedPayment{Recipient: t.Recipient, Amount: t.Amount, Currency: t.Currency, Memo: t.Memo}:
			return fmt.Errorf("transfer at call %d: the call asks for another payment than %d minor units of %s to %q with that memo", t.Position, t.Amount, t.Currency, t.Recipient)
		case !t.At.Equal(c.At):
			return fmt.Errorf("transfer at call %d is of %s, the call of %s", t.Position, moment(t.At), moment(c.At))
		}
		posted[t.Position] = true
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		if executed := c.Outcome == record.CallExecuted; executed != posted[c.Position] {
			return fmt.Errorf("call %d is recorded as %s, posted by the ledger: %t", c.Position, c.Outcome, posted[c.Position])
		}
	}
	return nil
}
