// Package authztest is the contract that every layer must keep. A layer's own
// test calls Run.
package authztest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaultbench/internal/authz"
)

// Run holds a layer to the contract of authz.Authorizer, one subtest a clause.
// open makes a fresh instance, as for a new conversation. permitted is a request
// that a fresh instance allows, once for its idempotency key. forbidden is one
// that an instance always denies; it is nil for a layer that denies nothing and
// keeps no state, such as authz.PermitAll: the clauses about denials and
// reservations are then left out.
func Run(t *testing.T, open func() authz.Authorizer, permitted authz.Request, forbidden *authz.Request) {
	t.Helper()
	for _, c := range clauses {
		if c.denies && forbidden == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if err := c.holds(layer{open, permitted, forbidden}); err != nil {
				t.Errorf("%v: %s", err, c.reason)
			}
		})
	}
}

// Broken lists, sorted, the clauses that Run would fail a layer for: by it the
// contract itself is tested, on layers that are known to be bad. Each clause has an
// open of its own, so that what instances share does not reach the next clause.
func Broken(opens func() (open func() authz.Authorizer), permitted, forbidden authz.Request) []string {
	var names []string
	for _, c := range clauses {
		if c.holds(layer{opens(), permitted, &forbidden}) != nil {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return names
}

// layer is what the clauses are about.
type layer struct {
	open      func() authz.Authorizer
	permitted authz.Request
	forbidden *authz.Request
}

// clause is one sentence of the contract.
type clause struct {
	name   string
	denies bool // only for layers that deny
	check  func(layer) error
	reason string
}

var clauses = []clause{
	{"allows the permitted request", false, allowsPermitted, "a layer that denies everything protects nothing"},
	{"denies the forbidden request", true, deniesForbidden, "a layer that allows everything protects nothing"},
	{"a denial reserves nothing", true, denialReservesNothing, "no money moved"},
	{"an instance has its own state", false, ownState, "no conversation may feel another one"},
	{"reserves at the decision", true, reservesAtDecision, "two calls on their way must not both pass"},
	{"releases what was not executed", true, releases, "no money moved"},
	{"keeps what was executed", true, keeps, "money moved"},
	{"settles once", true, settlesOnce, "a late word must not undo the first one"},
	{"settling a stranger is harmless", false, settlesStranger, "a guard may settle what the layer never allowed"},
	{"leaves the request alone", false, leavesRequest, "the value that was decided is the value that executes"},
	{"decides concurrently", false, decidesConcurrently, "calls may come in parallel"},
	{"survives a cancelled context", false, survivesCancel, "a caller may have gone"},
}

// holds turns a panic of the layer into an error.
func (c clause) holds(l layer) (err error) {
	defer recovered(&err)
	return c.check(l)
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("layer panicked: %v", p)
	}
}

// ask gets a decision that a guard would believe. The layer is given a copy, as
// by a guard.
func ask(a authz.Authorizer, req authz.Request) (authz.Decision, error) {
	d, err := a.Authorize(context.Background(), clone(req))
	if err != nil {
		return d, fmt.Errorf("Authorize(%s) failed: %w", show(req), err)
	}
	return d, wellFormed(d, req)
}

// wellFormed lets the real guard judge the decision, so that there is one rule.
func wellFormed(d authz.Decision, req authz.Request) error {
	if got, _ := authz.NewGuard(answered{d}, time.Minute).Authorize(context.Background(), req); got.FailClosed() {
		return fmt.Errorf("Authorize(%s) gave a decision that a guard refuses: %s", show(req), got.Reasons[0].Message)
	}
	return nil
}

// answered gives one decision, whatever is asked.
type answered struct{ decision authz.Decision }

func (a answered) Authorize(context.Context, authz.Request) (authz.Decision, error) {
	return a.decision, nil
}

func (answered) Settle(authz.Request, bool) {}

func show(req authz.Request) string {
	return fmt.Sprintf("%s %s to %q, key %q", req.Amount, req.Currency, req.Recipient, req.IdempotencyKey)
}

// expect asks and holds the answer against the effect that is wanted.
func expect(a authz.Authorizer, req authz.Request, want authz.Effect, when string) error {
	d, err := ask(a, req)
	if err == nil && d.Effect != want {
		err = fmt.Errorf("Authorize(%s) %s = %s %v, want %s", show(req), when, d.Effect, d.Reasons, want)
	}
	return err
}

// clone has items of its own, so that a layer that changes them breaks no clause
// but the one about it.
func clone(req authz.Request) authz.Request {
	req.Items = slices.Clone(req.Items)
	return req
}

func leavesRequest(l layer) error {
	for _, want := range append([]authz.Request{l.permitted}, l.forbid()...) {
		got := clone(want)
		a := l.open()
		if _, err := a.Authorize(context.Background(), got); err != nil {
			return err
		}
		a.Settle(got, false)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("the layer changed the request (-want +got):\n%s", diff)
		}
	}
	return nil
}

// forbid lists the forbidden request, if there is one.
func (l layer) forbid() []authz.Request {
	if l.forbidden == nil {
		return nil
	}
	return []authz.Request{*l.forbidden}
}

func survivesCancel(l layer) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := l.open()
	d, err := a.Authorize(ctx, clone(l.permitted))
	if err != nil { // a fair answer: the guard denies
		return expect(a, l.permitted, authz.Allow, "after an error")
	}
	return wellFormed(d, l.permitted)
}
