package authz

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// malformed or expired decision or one about another value is a denial with
// ReasonPolicyError. Only a Guard makes permits.
type Guard struct {
	authorizer Authorizer
	timeout    time.Duration
	stuck      atomic.Bool // the layer did not come back from Settle
}

// DefaultTimeout is how long a layer may take for one decision (wall clock).
const DefaultTimeout = 2 * time.Second

// NewGuard wraps a layer; timeout is wall-clock time per decision.
func NewGuard(a Authorizer, timeout time.Duration) *Guard {
	return &Guard{authorizer: a, timeout: timeout}
}

// Permit allows one execution of one payment: the value that was decided, held
// where nothing can change it. It is made by a Guard alone.
type Permit struct {
	guard   *Guard
	request Request
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
func (g *Guard) Authorize(ctx context.Context, req Request) (Decision, *Permit) {
	d, err := g.ask(ctx, req)
	if err != nil {
		return failClosed(err, req), nil
	}
	d.Origin = FromLayer
	if err := d.check(req); err != nil {
		if d.Allowed() {
			g.settle(req, false)
		}
		return failClosed(err, req), nil
	}
	if !d.Allowed() {
		return d, nil
	}
	return d, &Permit{guard: g, request: req}
}

type answer struct {
	decision Decision
	err      error
}

// ask waits for the layer no longer than the time-out. A layer that answers
// later is not heard, but what it reserved meanwhile is released.
func (g *Guard) ask(ctx context.Context, req Request) (Decision, error) {
	if g.stuck.Load() {
		return Decision{}, errors.New("layer did not settle an earlier payment in time")
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	answers := make(chan answer)
	go func() {
		a := g.call(ctx, req)
		select {
		case answers <- a:
		case <-ctx.Done():
			if a.err == nil && a.decision.Allowed() {
				g.settle(req, false)
			}
		}
	}()
	select {
	case a := <-answers:
		return a.decision, a.err
	case <-ctx.Done():
		return Decision{}, fmt.Errorf("layer gave no decision in time: %w", ctx.Err())
	}
}

// call turns a panic of the layer into an error. The layer gets its own copy of
// the items, so it can't reach into the request that will be executed.
func (g *Guard) call(ctx context.Context, req Request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("layer panicked: %v", p)}
		}
	}()
	req.Items = slices.Clone(req.Items)
	d, err := g.authorizer.Authorize(ctx, req)
	if err != nil {
		err = fmt.Errorf("layer failed: %w", err)
	}
	return answer{d, err}
}

// settle lets neither a panic nor a hang of the layer into the dispatch path. A
// layer that does not come back has a state that nobody knows: the guard asks it
// no more and denies what follows.
func (g *Guard) settle(req Request, executed bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		g.authorizer.Settle(req, executed)
	}()
	timer := time.NewTimer(g.timeout)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		g.stuck.Store(true)
	}
}

// PermitAll is the architecture "model alone": it permits everything, so the
// same dispatch path serves with and without a layer.
type PermitAll struct{}

// Authorize allows the request.
func (PermitAll) Authorize(_ context.Context, req Request) (Decision, error) {
	return Decision{
		Effect: Allow, Reasons: []Reason{{Code: ReasonAllowed, Rule: "permit_all"}}, RequestDigest: req.Digest(),
		IssuedAt: req.At, ExpiresAt: req.At.Add(decisionValidity),
	}, nil
}

// Settle has nothing to release.
func (PermitAll) Settle(Request, bool) {}
