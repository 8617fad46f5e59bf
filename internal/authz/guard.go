package authz

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"vaultbench/internal/bank"
)

// Authorizer decides about payments. One instance holds the state of one
// conversation (totals, keys) and dies with its ledger. Implementations must
// pass authztest.Run.
type Authorizer interface {
	// Authorize decides, and reserves what an allowed request will use up. A
	// denial or an error reserves nothing.
	Authorize(ctx context.Context, req Request) (Decision, error)
	// Settle says what became of an allowed request: executed by the ledger, or
	// refused by it, in which case what was reserved is released.
	Settle(req Request, executed bool)
}

// Guard asks an Authorizer and fails closed: a time-out, a panic, an error, a
// malformed or expired decision, one about another value or one that no record can
// hold is a denial with ReasonPolicyError. Only a Guard makes permits. No layer can talk it out of the
// time-out: each call of one runs on a goroutine that the guard can leave behind.
type Guard struct {
	authorizer Authorizer
	timeout    time.Duration
	born       time.Time
	spare      atomic.Pointer[worker]
	stuck      atomic.Bool // the layer did not come back from Settle
}

// DefaultTimeout is how long a layer may take for one decision (wall clock).
const DefaultTimeout = 2 * time.Second

// NewGuard wraps a layer; timeout is wall-clock time per decision.
func NewGuard(a Authorizer, timeout time.Duration) *Guard {
	return &Guard{authorizer: a, timeout: timeout, born: time.Now()}
}

// age is the guard's clock: it costs half of what time.Now does.
func (g *Guard) age() time.Duration { return time.Since(g.born) }

// Permit allows one execution of one payment: the value that was decided, held
// where nothing can change it. It is made by a Guard alone.
type Permit struct {
	guard   *Guard
	request *Request
	spent   atomic.Bool
}

// ErrPermitSpent reports a permit that was presented twice.
var ErrPermitSpent = errors.New("permit was spent before")

// Spend returns the payment, once.
func (p *Permit) Spend() (bank.Payment, error) {
	if p == nil || p.guard == nil {
		return bank.Payment{}, errors.New("no permit")
	}
	if p.spent.Swap(true) {
		return bank.Payment{}, ErrPermitSpent
	}
	return p.request.Payment(), nil
}

// Settle tells the layer whether the ledger executed the permitted payment.
func (p *Permit) Settle(executed bool) {
	if p != nil && p.guard != nil {
		p.guard.settle(p.request, executed)
	}
}

// Authorize returns the decision, and a permit if and only if it allows.
func (g *Guard) Authorize(ctx context.Context, req Request) (d Decision, p *Permit) {
	began := g.age()
	q := newQuestion(ctx, &req, g.born.Add(began+g.timeout))
	if err := g.ask(ctx, q, began, &d); err != nil {
		return failClosed(err, q), nil
	}
	d.Origin = FromLayer
	if err := d.check(q); err != nil {
		if d.Allowed() {
			g.settle(&q.request, false)
		}
		return failClosed(err, q), nil
	}
	if !d.Allowed() {
		return d, nil
	}
	q.permit.guard, q.permit.request = g, &q.request
	return d, &q.permit
}

// ask waits for the layer no longer than the time-out and no longer than its
// caller does. A layer that answers later is not heard, but what it reserved
// meanwhile is released.
func (g *Guard) ask(ctx context.Context, q *question, began time.Duration, d *Decision) error {
	if g.stuck.Load() {
		return errors.New("layer did not settle an earlier payment in time")
	}
	w := g.worker()
	w.begin(job{question: q}, began)
	if err := w.wait(ctx); err != nil {
		return fmt.Errorf("layer gave no decision in time: %w", err)
	}
	*d = w.decision
	err := w.err
	q.digests = w.checkDigests(d)
	g.keep(w)
	if gone := ctx.Err(); gone != nil && err == nil {
		if d.Allowed() {
			g.settle(&q.request, false)
		}
		err = fmt.Errorf("layer gave no decision in time: %w", gone)
	}
	return err
}

// settle lets neither a panic nor a hang of the layer into the dispatch path. A
// layer that does not come back has a state that nobody knows: the guard asks it
// no more and denies what follows.
func (g *Guard) settle(req *Request, executed bool) {
	w := g.worker()
	w.begin(job{settle: req, executed: executed}, g.age())
	if err := w.wait(context.Background()); err != nil {
		g.stuck.Store(true)
		return
	}
	g.keep(w)
}

// PermitAll is the architecture "model alone": it permits everything, so the
// same dispatch path serves with and without a layer.
type PermitAll struct{}

// Authorize allows the request.
func (PermitAll) Authorize(ctx context.Context, req Request) (Decision, error) {
	return Decision{
		Effect: Allow, Reasons: []Reason{{Code: ReasonAllowed, Rule: "permit_all"}}, RequestDigest: DigestOf(ctx, &req),
		IssuedAt: req.At, ExpiresAt: req.At.Add(decisionValidity),
	}, nil
}

// Settle has nothing to release.
func (PermitAll) Settle(Request, bool) {}
