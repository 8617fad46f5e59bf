// Package limit stands between the suite and one provider key. All cells that use
// the key share one Limiter: it bounds the requests in flight, asks less where the
// provider has too much to do (half as many, then one more at a time), waits as
// long as it is told to, asks again what may be asked again, and stops asking a
// key whose quota is used up. A finished evaluation never comes here again.
package limit

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"vaultbench/internal/llm"
)

// Config of a limiter. The zero value of a field is its default.
type Config struct {
	Provider string        // for State and messages
	Max      int           // requests in flight at most; default 1
	Retries  int           // of one request, after the first attempt; default 8, negative: none
	MaxWait  time.Duration // of one wait, whatever the provider asks for; default 5 min
	Backoff  time.Duration // first wait where the provider says nothing; doubles; default 500 ms
	Attempt  time.Duration // time for one attempt, body included; default 10 min
	// Jitter draws from [0,1); default math/rand. A wait without advice lasts between
	// half and the whole of its length.
	Jitter func() float64
}

func (c Config) withDefaults() Config {
	c.Max = max(c.Max, 1)
	switch {
	case c.Retries == 0:
		c.Retries = 8
	case c.Retries < 0:
		c.Retries = 0
	}
	for _, d := range []struct {
		of  *time.Duration
		def time.Duration
	}{{&c.MaxWait, 5 * time.Minute}, {&c.Backoff, 500 * time.Millisecond}, {&c.Attempt, 10 * time.Minute}} {
		if *d.of <= 0 {
			*d.of = d.def
		}
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	return c
}

// Limiter is safe for concurrent use.
type Limiter struct {
	cfg Config

	mu       sync.Mutex
	limit    float64    // requests in flight, adaptive: 1 to Max
	inFlight int        // granted and not given back
	queue    *list.List // of *waiter: most refused first, then first come
	pause    time.Time  // nobody is let in before
	strikes  int        // cuts that no reply has made good: the next pause without advice is as long
	timer    *time.Timer
	dead     error // why the key is no longer asked
	granted  int64 // sequence of grants
	cut      int64 // grants up to this one were in flight at the last cut
	retries  int64
}

type waiter struct {
	ready chan struct{} // closed when granted or refused
	grant int64
	retry int // how often it was refused
	err   error
}

// New makes the limiter of one key.
func New(c Config) *Limiter {
	c = c.withDefaults()
	return &Limiter{cfg: c, limit: float64(c.Max), queue: list.New()}
}

// State is what a progress line shows.
type State struct {
	Provider string
	Limit    int       // requests in flight at present
	InFlight int       // requests under way
	Waiting  int       // requests that wait for their turn
	Until    time.Time // the provider asked to wait; zero: it did not
	Retries  int64     // attempts after the first, so far
	Dead     string    // why the key is no longer asked; empty: it is
}

// State returns the present state.
func (l *Limiter) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := State{Provider: l.cfg.Provider, Limit: int(l.limit), InFlight: l.inFlight, Waiting: l.queue.Len(), Retries: l.retries}
	if time.Now().Before(l.pause) {
		s.Until = l.pause
	}
	if l.dead != nil {
		s.Dead = l.dead.Error()
	}
	return s
}

// acquire waits for a turn and returns its number.
func (l *Limiter) acquire(ctx context.Context, retry int) (int64, error) {
	l.mu.Lock()
	if l.dead != nil {
		defer l.mu.Unlock()
		return 0, notAsked(l.dead)
	}
	if l.queue.Len() == 0 && l.open() {
		defer l.mu.Unlock()
		return l.grant(), nil
	}
	w := &waiter{ready: make(chan struct{}), retry: retry}
	at := l.enqueue(w)
	l.letIn() // sets the alarm where there is a pause
	l.mu.Unlock()
	select {
	case <-w.ready:
		return w.grant, w.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.ready: // granted meanwhile: the turn goes to the next
		if w.err == nil {
			l.inFlight--
			l.letIn()
		}
	default:
		l.queue.Remove(at)
		l.disarm()
	}
	return 0, ctx.Err()
}

func notAsked(why error) error { return fmt.Errorf("%w: %w", llm.ErrNotAsked, hidden{why}) }

// hidden keeps the text of an error without its kind: that of another request.
type hidden struct{ error }

// open reports whether one more may be let in.
func (l *Limiter) open() bool {
	return l.inFlight < int(l.limit) && !time.Now().Before(l.pause)
}

func (l *Limiter) grant() int64 {
	l.inFlight++
	l.granted++
	return l.granted
}

// enqueue lets whoever was refused more often go first, and else whoever came
// first: no request uses up its attempts while others had none.
func (l *Limiter) enqueue(w *waiter) *list.Element {
	for at := l.queue.Back(); at != nil; at = at.Prev() {
		if at.Value.(*waiter).retry >= w.retry {
			return l.queue.InsertAfter(w, at)
		}
	}
	return l.queue.PushFront(w)
}

// letIn grants turns in the order of the queue, and sets an alarm for the end of a
// pause.
func (l *Limiter) letIn() {
	for l.queue.Len() > 0 && l.open() {
		w := l.queue.Remove(l.queue.Front()).(*waiter)
		w.grant = l.grant()
		close(w.ready)
	}
	if wait := time.Until(l.pause); wait > 0 && l.queue.Len() > 0 && l.timer == nil {
		l.timer = time.AfterFunc(wait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.timer = nil
			l.letIn()
		})
	}
}

// disarm drops an alarm that nobody waits for.
func (l *Limiter) disarm() {
	if l.queue.Len() == 0 && l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// release gives a turn back and learns from what came of it.
func (l *Limiter) release(grant int64, err error, advice time.Duration) {
	class := llm.Final
	if err != nil {
		class = llm.FailureClass(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	switch {
	case err == nil:
		l.limit = min(float64(l.cfg.Max), l.limit+1/l.limit)
		l.strikes = max(0, l.strikes-1)
	case class == llm.KeyDead && l.dead == nil:
		l.kill(err)
	case class == llm.Overload:
		l.slowDown(grant, advice)
	}
	l.letIn()
}

// slowDown halves the limit and lets everybody wait, once for all requests that
// were under way together. One request at a time may still be too many, so the
// wait grows where the provider does not say how long it is.
func (l *Limiter) slowDown(grant int64, advice time.Duration) {
	wait := advice
	if grant > l.cut {
		l.limit = max(1, l.limit/2)
		l.cut = l.granted
		if advice == 0 {
			wait = l.cfg.backoff(l.strikes)
		}
		l.strikes++
		slog.Info("provider asks for less", "provider", l.cfg.Provider, "requests_at_a_time", int(l.limit), "wait", wait, "advised", advice > 0)
	}
	if until := time.Now().Add(wait); wait > 0 && until.After(l.pause) {
		l.pause = until
		if l.timer != nil {
			l.timer.Stop()
			l.timer = nil
		}
	}
}

// backoff is the n-th wait without advice, from 0: twice as long each time, of
// which a random part of the second half is left out.
func (c Config) backoff(n int) time.Duration {
	wait := c.MaxWait
	if doubled := c.Backoff << min(n, 30); doubled > 0 && doubled < wait {
		wait = doubled
	}
	half := wait / 2
	return half + time.Duration(c.Jitter()*float64(half))
}

// kill refuses whoever waits and whoever comes.
func (l *Limiter) kill(why error) {
	l.dead = why
	slog.Warn("key is not asked any more", "provider", l.cfg.Provider, "why", why, "waiting_requests", l.queue.Len())
	for l.queue.Len() > 0 {
		w := l.queue.Remove(l.queue.Front()).(*waiter)
		w.err = notAsked(why)
		close(w.ready)
	}
	l.disarm()
}
