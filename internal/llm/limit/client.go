package limit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vaultbench/internal/llm"
)

// maxTimeouts is how many attempts of one request may run out of time: each costs
// the whole of Config.Attempt.
const maxTimeouts = 2

// client is one model behind the limiter of its key.
type client struct {
	*Limiter
	next llm.Client

	mu      sync.Mutex
	dead    error // why the model is no longer asked
	replied bool
}

// Client puts a model's client behind the limiter. A failure that says that the
// model is of no use ends it, unless it has replied before.
func (l *Limiter) Client(next llm.Client) llm.Client { return &client{Limiter: l, next: next} }

// Chat asks, and asks again where that may help. A request has one turn per
// attempt and none while it waits.
func (c *client) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	timeouts := 0
	for retry := 0; ; retry++ {
		reply, err := c.attempt(ctx, req, retry)
		class := llm.FailureClass(err)
		if err == nil || ctx.Err() != nil || class != llm.Transient && class != llm.Overload {
			return reply, err
		}
		if errors.Is(err, errTimeout) {
			timeouts++
		}
		if retry >= c.cfg.Retries || timeouts >= maxTimeouts {
			return reply, gaveUp{err, retry}
		}
		slog.Debug("asking again", "provider", c.cfg.Provider, "attempt", retry+2, "after", err)
		if class == llm.Overload {
			continue // the whole key waits, and this request in its queue
		}
		if err := sleep(ctx, cmp.Or(c.advice(err), c.cfg.backoff(retry))); err != nil {
			return llm.Reply{}, err
		}
	}
}

// attempt takes a turn, asks once and gives the turn back.
func (c *client) attempt(ctx context.Context, req llm.Request, retry int) (llm.Reply, error) {
	grant, err := c.acquire(ctx, retry)
	if err != nil {
		return llm.Reply{}, err
	}
	given := false
	defer func() { // a client that panics must not keep its turn
		if !given {
			c.release(grant, llm.ErrProvider, 0)
		}
	}()
	if err := c.died(); err != nil {
		return llm.Reply{}, notAsked(err)
	}
	if retry > 0 {
		c.Limiter.mu.Lock()
		c.retries++
		c.Limiter.mu.Unlock()
	}
	limited, cancel := context.WithTimeout(ctx, c.cfg.Attempt)
	defer cancel()
	reply, err := c.next.Chat(limited, req)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = timedOut(err, c.cfg.Attempt)
	}
	given = true
	c.release(grant, err, c.advice(err))
	c.learn(err)
	return reply, err
}

func (c *client) died() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

func (c *client) learn(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.replied = true
	case llm.FailureClass(err) == llm.ModelDead && !c.replied && c.dead == nil:
		slog.Warn("model is not asked any more", "provider", c.cfg.Provider, "why", err)
		c.dead = err
	}
}

var errTimeout = errors.New("no answer in time")

// timedOut is the failure of an attempt whose time is up while the run goes on.
func timedOut(err error, after time.Duration) error {
	return llm.NewFailure(fmt.Errorf("%w: %w", llm.ErrProvider, errTimeout), llm.Transient, fmt.Sprintf("%v: no answer within %s: %v", llm.ErrProvider, after, err))
}

// gaveUp says how often was asked.
type gaveUp struct {
	error
	retries int
}

func (g gaveUp) Unwrap() error { return g.error }
func (g gaveUp) Error() string {
	if g.retries == 0 {
		return g.error.Error()
	}
	return fmt.Sprintf("%v (asked %d times)", g.error, g.retries+1)
}

// advice is how long the provider asked to wait, at most MaxWait; 0: it did not.
func (c *client) advice(err error) time.Duration {
	var f *llm.Failure
	if !errors.As(err, &f) {
		return 0
	}
	return min(max(retryAfter(f.RetryAfter, time.Now()), f.Delay, 0), c.cfg.MaxWait)
}

// retryAfter reads the header: seconds, whole or with a fraction, or a date.
// What is neither, or lies in the past, is no advice.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// sleep waits, unless the run ends before.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
