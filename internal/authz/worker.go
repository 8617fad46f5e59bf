package authz

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// worker calls a layer on a goroutine of its own. A call that takes too long is
// abandoned: the caller goes on, and the worker ends when the layer lets it. One
// that comes back is kept for the next call, since to start a goroutine and a
// timer each time takes longer than a decision; unused, it ends by itself.
type worker struct {
	guard *Guard
	wake  chan struct{} // closed: end
	done  chan struct{} // one token when the call came back or was abandoned

	// Of the call in hand. An abandoned one's are the worker's alone.
	job      job
	decision Decision
	err      error

	passport, policy string // digests of an earlier answer, found in order

	mu    sync.Mutex
	state workerState
	began time.Duration // the call in hand or the last one, by the guard's age
	why   error         // the call was abandoned
	watch *time.Timer
}

// job is one call of a layer: a question, or a payment to settle.
type job struct {
	question *question
	settle   *Request
	executed bool
}

type workerState uint8

const (
	workerIdle workerState = iota
	workerBusy
	workerAbandoned
	workerEnded
)

// linger is how long a worker waits for a next call (wall clock).
const linger = 100 * time.Millisecond

// worker takes the spare one or starts one. Calls that come at once have one each.
func (g *Guard) worker() *worker {
	if w := g.spare.Swap(nil); w != nil {
		return w
	}
	w := &worker{guard: g, wake: make(chan struct{}, 1), done: make(chan struct{}, 1)}
	w.mu.Lock()
	w.watch = time.AfterFunc(w.period(), w.look)
	w.mu.Unlock()
	go w.run()
	return w
}

// keep makes a worker that came back the spare one, or ends it.
func (g *Guard) keep(w *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == workerEnded || !g.spare.CompareAndSwap(nil, w) {
		w.end()
	}
}

// end lets the goroutine go; the caller holds the lock, and the worker alone.
func (w *worker) end() {
	w.state = workerEnded
	w.watch.Stop()
	close(w.wake)
}

// period is how often the watch looks: no deadline passes between two looks
// unless the first one saw it coming.
func (w *worker) period() time.Duration { return min(linger, w.guard.timeout) }

// begin hands a call over.
func (w *worker) begin(j job, now time.Duration) {
	w.mu.Lock()
	w.job, w.state, w.began = j, workerBusy, now
	w.mu.Unlock()
	w.wake <- struct{}{}
}

// wait returns when the call came back, with nil, or was abandoned: at its
// deadline, or because the caller has gone.
func (w *worker) wait(ctx context.Context) error {
	gone := ctx.Done()
	if gone == nil { // no select, which takes longer
		<-w.done
		return w.why
	}
	select {
	case <-w.done:
	case <-gone:
		w.mu.Lock()
		w.abandon(ctx.Err())
		w.mu.Unlock()
		<-w.done
	}
	return w.why
}

// abandon leaves a call behind that has not come back; the caller holds the lock.
func (w *worker) abandon(why error) {
	if w.state != workerBusy {
		return
	}
	w.state, w.why = workerAbandoned, why
	if q := w.job.question; q != nil {
		q.end(why)
	}
	w.watch.Stop()
	w.done <- struct{}{}
}

// look abandons a call that is late, and ends a worker that nobody has wanted for
// a while.
func (w *worker) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	lasted := w.guard.age() - w.began
	switch {
	case w.state == workerBusy && lasted < w.guard.timeout:
		w.watch.Reset(w.guard.timeout - lasted)
	case w.state == workerBusy:
		w.abandon(context.DeadlineExceeded)
	case w.state == workerIdle && lasted >= linger && w.guard.spare.CompareAndSwap(w, nil):
		w.end()
	case w.state == workerIdle:
		w.watch.Reset(w.period())
	}
}

func (w *worker) run() {
	defer w.died()
	for range w.wake {
		w.call()
		if !w.cameBack() {
			w.release()
			return
		}
	}
}

// cameBack is false for a call that was abandoned.
func (w *worker) cameBack() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != workerBusy {
		return false
	}
	w.state = workerIdle
	if q := w.job.question; q != nil {
		q.end(context.Canceled)
	}
	w.done <- struct{}{}
	return true
}

// died: the layer ended the goroutine that it was called on.
func (w *worker) died() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == workerBusy {
		w.state, w.err = workerEnded, errors.New("layer ended its goroutine")
		w.done <- struct{}{}
	}
}

// release gives back what an answer that nobody heard has reserved.
func (w *worker) release() {
	if q := w.job.question; q != nil && w.err == nil && w.decision.Allowed() {
		w.guard.settle(&q.request, false)
	}
}

// checkDigests looks at the digests of an answer that came back, unless they are
// those of the one before, as a layer's mostly are.
func (w *worker) checkDigests(d *Decision) error {
	if d.PassportDigest == w.passport && d.PolicyDigest == w.policy {
		return nil
	}
	err := d.CheckDigests()
	if err == nil {
		w.passport, w.policy = d.PassportDigest, d.PolicyDigest
	}
	return err
}

// call turns a panic of the layer into an error.
func (w *worker) call() {
	w.decision, w.err = Decision{}, nil
	defer func() {
		if p := recover(); p != nil {
			w.decision, w.err = Decision{}, fmt.Errorf("layer panicked: %v", p)
		}
	}()
	q := w.job.question
	if q == nil {
		w.guard.authorizer.Settle(*w.job.settle, w.job.executed)
		return
	}
	req := q.request
	req.Items = q.items()
	if w.decision, w.err = w.guard.authorizer.Authorize(q, req); w.err != nil {
		w.err = fmt.Errorf("layer failed: %w", w.err)
	}
}
