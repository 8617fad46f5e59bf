package oap

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"sync"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// Engine decides about the payments of one conversation. It is an
// authz.Authorizer, safe for concurrent use: what a decision allows is reserved
// before the next one is made.
type Engine struct {
	layer *Layer
	mu    sync.Mutex
	state state
	env   *condition.Env // reused, as is paper: one decision at a time
	paper paper
}

// Authorize decides and reserves.
func (e *Engine) Authorize(ctx context.Context, req authz.Request) (d authz.Decision, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.layer.fillers {
		f := &e.layer.fillers[i]
		f.fill(&e.env.Slots[f.slot], &req)
	}
	s := spendOf(&req)
	d.RequestDigest = authz.DigestOf(ctx, &req)
	e.decide(&d, &s, req.At)
	return d, nil
}

// Under is the engine with its state under another layer: the passport was changed
// after what was paid before, as the published vectors do. The two engines share the
// state, which counts what the first layer's pack reads, and must not decide at the same time.
func (e *Engine) Under(l *Layer) *Engine { return &Engine{layer: l, env: l.newEnv(), state: e.state} }

// Settle keeps what the ledger executed and gives back what it refused. Settling
// twice changes nothing, also where another payment took the released key.
func (e *Engine) Settle(req authz.Request, executed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := spendOf(&req)
	e.state.of(s.day).settle(&s, executed)
}

func spendOf(req *authz.Request) spend {
	return spend{
		day: day(req.At), currency: string(req.Currency), key: req.IdempotencyKey, keyed: true, amount: int64(req.Amount),
		recipient: string(req.Recipient), counterparty: string(req.Recipient), memo: req.Memo,
	}
}

// DecideContext decides about a context in its JSON form, as the pack's schema
// describes it, and reserves. It is for those who hold a context and no payment:
// conformance vectors and the command line.
func (e *Engine) DecideContext(raw []byte, at time.Time) authz.Decision {
	return e.decideContext(raw, at, nil)
}

// decideContext calls look, if there is one, when the environment holds all that
// the decision will be made from.
func (e *Engine) decideContext(raw []byte, at time.Time, look func()) (d authz.Decision) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d.RequestDigest = sha256.Sum256(raw)
	record, err := readContext(raw, e.layer.pack.context.typ)
	if err != nil {
		e.deny(&d, at)
		d.Reasons = []authz.Reason{{Code: authz.ReasonInvalidContext, Rule: gateContext, Message: err.Error()}}
		return d
	}
	fields := e.layer.fields(e.env)
	defer clear(fields) // what a payment does not fill must be absent again
	copy(fields, record)
	s := e.spendOf(at)
	if look != nil {
		e.state.of(s.day).show(e.stateSlots(), &s)
		look()
	}
	e.decide(&d, &s, at)
	return d
}

func (e *Engine) stateSlots() []condition.Value {
	return e.env.Slots[len(e.env.Slots)-len(stateTypes):]
}

// spendOf reads what a context would use up off its fields. Who is paid has two
// names among the published packs; a context that has one of them means the same.
func (e *Engine) spendOf(at time.Time) spend {
	s := spend{day: day(at)}
	read := func(name string, into *string) bool {
		v := e.layer.field(e.env, name)
		if v == nil || v.Kind != condition.KindString {
			return false
		}
		*into = v.Str
		return true
	}
	read("currency", &s.currency)
	s.keyed = read("idempotency_key", &s.key)
	if !read(fieldMerchant, &s.recipient) {
		read(fieldCounterparty, &s.recipient)
	}
	if !read(fieldCounterparty, &s.counterparty) {
		s.counterparty = s.recipient
	}
	if v := e.layer.field(e.env, "amount"); v != nil && v.Kind == condition.KindInt {
		s.amount = v.Int
	}
	return s
}

// decide runs the rules on the environment, whose context is filled.
func (e *Engine) decide(d *authz.Decision, s *spend, at time.Time) {
	today := e.state.of(s.day)
	today.show(e.stateSlots(), s)
	e.deny(d, at)
	d.Reasons = e.layer.decide(e.env, at, &e.paper)
	if len(d.Reasons) > 0 {
		return
	}
	if !e.state.reserve(today, s) {
		d.Reasons = []authz.Reason{{Code: authz.ReasonPolicyError, Rule: stateTotal, Message: fmt.Sprintf("totals would pass %d minor units", int64(math.MaxInt64))}}
		return
	}
	d.Effect, d.Reasons = authz.Allow, e.layer.allowed
}

// deny is what every decision begins as.
func (e *Engine) deny(d *authz.Decision, at time.Time) {
	d.Effect, d.IssuedAt, d.ExpiresAt = authz.Deny, at, at.Add(decisionValidity)
	d.PassportDigest, d.PolicyDigest = e.layer.passport.Digest, e.layer.pack.Digest
}

// day counts UTC days since 1970-01-01, rounding down before it.
func day(at time.Time) int64 {
	const seconds = 24 * 60 * 60
	s := at.Unix()
	if s < 0 {
		s -= seconds - 1
	}
	return s / seconds
}
