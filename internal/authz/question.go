package authz

import (
	"context"
	"slices"
	"sync"
	"time"
)

// question is one call of a layer: the request that is decided, where no layer
// can reach it, and the context that the layer is given. That is the caller's,
// ended at the time-out.
type question struct {
	context.Context
	request  Request
	digest   Digest // of request, computed by the guard
	item     [1]Item
	deadline time.Time
	digests  error // what is wrong with those of the answer
	permit   Permit

	mu   sync.Mutex
	done chan struct{} // made when a layer asks for it
	err  error         // why it ended
}

func newQuestion(ctx context.Context, req *Request, deadline time.Time) *question {
	return &question{Context: ctx, request: *req, digest: req.digest(), deadline: deadline}
}

// items are the request's for the layer, which may do with them what it likes.
func (q *question) items() []Item {
	if len(q.request.Items) != 1 {
		return slices.Clone(q.request.Items)
	}
	q.item[0] = q.request.Items[0]
	return q.item[:]
}

// Deadline is the sooner one of the time-out and the caller's.
func (q *question) Deadline() (time.Time, bool) {
	if d, ok := q.Context.Deadline(); ok && d.Before(q.deadline) {
		return d, true
	}
	return q.deadline, true
}

// Done is closed when the guard waits no longer.
func (q *question) Done() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done == nil {
		q.done = make(chan struct{})
		if q.err != nil {
			close(q.done)
		}
	}
	return q.done
}

// Err says why the guard waits no longer.
func (q *question) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

func (q *question) end(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil && q.done != nil {
		close(q.done)
	}
	q.err = why
}

type questionKey struct{}

// Value gives a layer's contexts the way to DigestOf.
func (q *question) Value(key any) any {
	if key == (questionKey{}) {
		return q
	}
	return q.Context.Value(key)
}

// DigestOf is req.Digest(). Where the guard asks about that very value, field by
// field, its digest is known already; about any other value a layer gets the
// digest of that one, as it would without a guard.
func DigestOf(ctx context.Context, req *Request) Digest {
	if q, ok := ctx.Value(questionKey{}).(*question); ok && q.request.is(req) {
		return q.digest
	}
	return req.digest()
}

// is compares what a digest is made of. A moment in another zone is another one:
// its text differs.
func (r *Request) is(o *Request) bool {
	return r.Amount == o.Amount && r.At == o.At && r.Currency == o.Currency && r.Recipient == o.Recipient && r.Memo == o.Memo &&
		r.IdempotencyKey == o.IdempotencyKey && r.Region == o.Region && r.ShippingCountry == o.ShippingCountry &&
		(r.Items == nil) == (o.Items == nil) && slices.Equal(r.Items, o.Items)
}
