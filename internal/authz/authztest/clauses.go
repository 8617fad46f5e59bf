package authztest

import (
	"errors"
	"fmt"
	"sync"

	"vaultbench/internal/authz"
)

func allowsPermitted(l layer) error {
	d, err := ask(l.open(), l.permitted)
	if err != nil {
		return err
	}
	if d.Reason() != authz.ReasonAllowed || len(d.Reasons) != 1 {
		return fmt.Errorf("Authorize(%s) = %s %v, want allow with the one reason %s", show(l.permitted), d.Effect, d.Reasons, authz.ReasonAllowed)
	}
	return nil
}

func deniesForbidden(l layer) error {
	a := l.open()
	for _, when := range []string{"on a fresh instance", "asked again"} {
		if err := expect(a, *l.forbidden, authz.Deny, when); err != nil {
			return err
		}
	}
	return nil
}

func denialReservesNothing(l layer) error {
	a := l.open()
	forbidden := *l.forbidden
	forbidden.IdempotencyKey = l.permitted.IdempotencyKey
	if err := expect(a, forbidden, authz.Deny, "on a fresh instance"); err != nil {
		return err
	}
	return expect(a, l.permitted, authz.Allow, "after a denial under its key")
}

func ownState(l layer) error {
	one, other := l.open(), l.open()
	if err := expect(one, l.permitted, authz.Allow, "on a fresh instance"); err != nil {
		return err
	}
	one.Settle(clone(l.permitted), true)
	if err := expect(other, l.permitted, authz.Allow, "on another instance, opened before"); err != nil {
		return err
	}
	return expect(l.open(), l.permitted, authz.Allow, "on another instance, opened after")
}

// step asks for the permitted request, or settles it.
type step struct {
	want   authz.Effect // empty: settle
	settle bool
}

var (
	allowed  = step{want: authz.Allow}
	denied   = step{want: authz.Deny}
	executed = step{settle: true}
	released = step{settle: false}
)

// walk goes through the steps on a fresh instance.
func (l layer) walk(steps ...step) error {
	a := l.open()
	for i, s := range steps {
		if s.want == "" {
			a.Settle(clone(l.permitted), s.settle)
			continue
		}
		if err := expect(a, l.permitted, s.want, fmt.Sprintf("in step %d", i+1)); err != nil {
			return err
		}
	}
	return nil
}

func reservesAtDecision(l layer) error { return l.walk(allowed, denied) }

func releases(l layer) error { return l.walk(allowed, released, allowed, executed, denied) }

func keeps(l layer) error { return l.walk(allowed, executed, denied) }

func settlesOnce(l layer) error {
	return errors.Join(
		l.walk(allowed, executed, executed, denied),
		l.walk(allowed, executed, released, denied),
		l.walk(allowed, released, released, allowed, denied),
		l.walk(allowed, released, executed, allowed, denied),
	)
}

func settlesStranger(l layer) error {
	return errors.Join(
		l.walk(released, allowed),
		l.walk(executed, allowed),
	)
}

// parallel is how many calls come at once.
const parallel = 64

func decidesConcurrently(l layer) error {
	if err := l.distinctKeys(); err != nil {
		return err
	}
	if l.forbidden == nil {
		return nil
	}
	return l.sameKey()
}

// distinctKeys mixes both requests, each under a key of its own, and settles.
func (l layer) distinctKeys() error {
	a := l.open()
	requests := append([]authz.Request{l.permitted}, l.forbid()...)
	_, err := atOnce(func(i int) (authz.Decision, error) {
		req := requests[i%len(requests)]
		req.IdempotencyKey = fmt.Sprintf("%s/%d", req.IdempotencyKey, i)
		d, err := ask(a, req)
		if err == nil && d.Allowed() {
			a.Settle(clone(req), i%3 == 0)
		}
		return d, err
	})
	return err
}

// sameKey asks for one payment many times at once: it may pass once.
func (l layer) sameKey() error {
	a := l.open()
	decisions, err := atOnce(func(int) (authz.Decision, error) { return ask(a, l.permitted) })
	passed := 0
	for _, d := range decisions {
		if d.Allowed() {
			passed++
		}
	}
	if err == nil && passed != 1 {
		err = fmt.Errorf("%d of %d calls at once for one payment were allowed, want 1", passed, parallel)
	}
	return err
}

func atOnce(call func(i int) (authz.Decision, error)) ([]authz.Decision, error) {
	decisions, errs := make([]authz.Decision, parallel), make([]error, parallel)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range parallel {
		wg.Go(func() {
			defer recovered(&errs[i])
			<-start
			decisions[i], errs[i] = call(i)
		})
	}
	close(start)
	wg.Wait()
	return decisions, errors.Join(errs...)
}
