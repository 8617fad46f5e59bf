package limit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/llm"
	"vaultbench/internal/llm/limit"
	"vaultbench/internal/llm/llmtest"
)

// Within a synctest bubble the clock moves only when everybody waits, so every
// wait here is exact and costs nothing.

func fails(class llm.Class, after string) error {
	f := llm.NewFailure(llm.ErrProvider, class, "scripted failure")
	f.RetryAfter = after
	return f
}

// scripted answers the n-th request with the n-th error, and then replies.
func scripted(asked *int, errs ...error) llm.Client {
	return llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		*asked++
		if *asked <= len(errs) {
			return llm.Reply{}, errs[*asked-1]
		}
		return llm.Reply{Content: "ok"}, nil
	})
}

func half() float64 { return 0.5 }

func TestRetries(t *testing.T) {
	again, slow := fails(llm.Transient, ""), fails(llm.Overload, "")
	for _, tt := range []struct {
		name    string
		retries int
		errs    []error
		asked   int
		took    time.Duration
		want    string
		reason  string
	}{
		{"at once", 3, nil, 1, 0, "", "nothing to wait for"},
		{"one break", 3, []error{again}, 2, 75 * time.Millisecond, "", "half of 100 ms, and half of the rest"},
		{"doubling", 3, []error{again, slow, again}, 4, (75 + 75 + 300) * time.Millisecond, "", "the request's third wait, and the key's first"},
		{"overload", 3, []error{slow, slow, slow}, 4, (75 + 150 + 300) * time.Millisecond, "", "the key waits twice as long each time"},
		{"cap on retries", 2, []error{again, again, again, again}, 3, 225 * time.Millisecond, "scripted failure (asked 3 times)", "obeyed, and said"},
		{"no retry", -1, []error{again}, 1, 0, "scripted failure", "negative: none"},
		{"final", 3, []error{fails(llm.Final, "")}, 1, 0, "scripted failure", "the same would come"},
		{"filter", 3, []error{llm.ErrInputFiltered}, 1, 0, "input filtered", "a verdict is final"},
		{"of no class", 3, []error{errors.New("x")}, 1, 0, "x", "nothing is asked again by chance"},
		{"seconds", 3, []error{fails(llm.Overload, "17")}, 2, 17 * time.Second, "", "Retry-After"},
		{"fraction", 3, []error{fails(llm.Overload, " 1.5 ")}, 2, 1500 * time.Millisecond, "", "some send one"},
		{"date", 3, []error{fails(llm.Overload, "Sat, 01 Jan 2000 00:00:42 GMT")}, 2, 42 * time.Second, "", "the bubble begins with the year 2000"},
		{"past date", 3, []error{fails(llm.Overload, "Fri, 31 Dec 1999 00:00:00 GMT")}, 2, 75 * time.Millisecond, "", "no advice: back off"},
		{"zero", 3, []error{fails(llm.Overload, "0")}, 2, 75 * time.Millisecond, "", "no advice"},
		{"negative", 3, []error{fails(llm.Overload, "-5")}, 2, 75 * time.Millisecond, "", "no advice"},
		{"word", 3, []error{fails(llm.Overload, "soon")}, 2, 75 * time.Millisecond, "", "no advice"},
		{"infinite", 3, []error{fails(llm.Overload, "+Inf")}, 2, 75 * time.Millisecond, "", "no advice"},
		{"days", 3, []error{fails(llm.Overload, "864000")}, 2, time.Minute, "", "capped"},
		{"advice at a break", 3, []error{fails(llm.Transient, "3")}, 2, 3 * time.Second, "", "any failure may carry it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, start := 0, time.Now()
				c := limit.New(limit.Config{Retries: tt.retries, Backoff: 100 * time.Millisecond, MaxWait: time.Minute, Jitter: half}).Client(scripted(&asked, tt.errs...))
				reply, err := c.Chat(t.Context(), llm.Request{})
				assert.Equal(t, tt.asked, asked, tt.reason)
				assert.Equal(t, tt.took, time.Since(start), tt.reason)
				if tt.want == "" {
					require.NoError(t, err)
					assert.Equal(t, "ok", reply.Content)
					return
				}
				require.ErrorContains(t, err, tt.want, tt.reason)
				if len(tt.errs) > 0 {
					assert.ErrorIs(t, err, tt.errs[0], "the failure keeps its kind")
				}
			})
		})
	}
}

// TestTheWholeKeyWaits: what one cell is told holds for every cell of the key,
// and is shown.
func TestTheWholeKeyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, other := 0, 0
		l := limit.New(limit.Config{Provider: "acme", Max: 4})
		told := l.Client(scripted(&asked, fails(llm.Overload, "30")))
		second := l.Client(scripted(&other))
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _, err := told.Chat(t.Context(), llm.Request{}); assert.NoError(t, err) })
		synctest.Wait()
		wg.Go(func() { _, err := second.Chat(t.Context(), llm.Request{}); assert.NoError(t, err) })
		synctest.Wait()
		assert.Zero(t, other, "another model of the key waits too")
		s := l.State()
		assert.Equal(t, "acme", s.Provider)
		assert.Equal(t, start.Add(30*time.Second), s.Until, "waiting on acme until")
		assert.Equal(t, 2, s.Waiting, "it, and the one that was told")
		assert.Equal(t, 2, s.Limit, "half of four")
		wg.Wait()
		assert.Equal(t, 30*time.Second, time.Since(start))
		s = l.State()
		assert.True(t, s.Until.IsZero())
		assert.Equal(t, int64(1), s.Retries)
		assert.Zero(t, s.InFlight+s.Waiting)
	})
}

// TestLimitFallsByHalfAndRisesByOne: requests that were under way together halve
// it once; each round of replies adds one.
func TestLimitFallsByHalfAndRisesByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var storm atomic.Bool
		l := limit.New(limit.Config{Max: 64, Retries: -1})
		c := l.Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			time.Sleep(time.Second)
			if storm.Load() {
				return llm.Reply{}, fails(llm.Overload, "")
			}
			return llm.Reply{}, nil
		}))
		round := func(n int) {
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() { _, _ = c.Chat(t.Context(), llm.Request{}) })
			}
			wg.Wait()
		}
		storm.Store(true)
		for _, want := range []int{32, 16, 8, 4, 2, 1, 1} {
			round(l.State().Limit)
			assert.Equal(t, want, l.State().Limit, "one cut for all that were under way together, never below one")
		}
		storm.Store(false)
		for want := 2; want <= 6; want++ {
			round(want) // as many as the limit, give or take the one that it grows by
			assert.InDelta(t, want, l.State().Limit, 1)
		}
		round(5000)
		assert.Equal(t, 64, l.State().Limit, "never above Max")
	})
}

func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		hangs := llmtest.ClientFunc(func(ctx context.Context, _ llm.Request) (llm.Reply, error) {
			asked++
			<-ctx.Done()
			return llm.Reply{}, ctx.Err()
		})
		start := time.Now()
		_, err := limit.New(limit.Config{Attempt: time.Minute, Backoff: time.Second, Jitter: half}).Client(hangs).Chat(t.Context(), llm.Request{})
		require.ErrorIs(t, err, llm.ErrProvider)
		require.ErrorContains(t, err, "no answer within 1m0s")
		assert.NotErrorIs(t, err, context.DeadlineExceeded, "no deadline of the run")
		assert.Equal(t, 2, asked, "two attempts: each costs the whole time")
		assert.Equal(t, 2*time.Minute+750*time.Millisecond, time.Since(start))
	})
}

func TestQuotaEndsTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := llm.NewFailure(llm.ErrProvider, llm.KeyDead, "quota used up")
		var asked atomic.Int64
		l := limit.New(limit.Config{Max: 2})
		c := l.Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			asked.Add(1)
			time.Sleep(time.Second)
			return llm.Reply{}, gone
		}))
		var provider, notAsked atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				switch _, err := c.Chat(t.Context(), llm.Request{}); {
				case errors.Is(err, llm.ErrProvider):
					provider.Add(1)
				case errors.Is(err, llm.ErrNotAsked):
					notAsked.Add(1)
					assert.ErrorContains(t, err, "quota used up")
				}
			})
		}
		start := time.Now()
		wg.Wait()
		assert.Equal(t, int64(2), asked.Load(), "those under way, and nobody after")
		assert.Equal(t, []int64{2, 48}, []int64{provider.Load(), notAsked.Load()})
		assert.Equal(t, time.Second, time.Since(start), "at once")
		other := 0
		_, err := l.Client(scripted(&other)).Chat(t.Context(), llm.Request{})
		require.ErrorIs(t, err, llm.ErrNotAsked)
		assert.Zero(t, other, "the key is dead for every model")
		assert.Equal(t, "quota used up", l.State().Dead)
	})
}

func TestModelOfNoUse(t *testing.T) {
	none := llm.NewFailure(llm.ErrProvider, llm.ModelDead, "no such model")
	asked, other := 0, 0
	l := limit.New(limit.Config{})
	c := l.Client(scripted(&asked, none))
	_, err := c.Chat(t.Context(), llm.Request{})
	require.ErrorIs(t, err, llm.ErrProvider)
	_, err = c.Chat(t.Context(), llm.Request{})
	require.ErrorIs(t, err, llm.ErrNotAsked)
	require.ErrorContains(t, err, "no such model")
	assert.Equal(t, 1, asked, "asked once")
	_, err = l.Client(scripted(&other)).Chat(t.Context(), llm.Request{})
	require.NoError(t, err, "the key's other models go on")
	assert.Zero(t, l.State().InFlight, "no turn is kept")
}

func TestModelThatHasReplied(t *testing.T) {
	calls := 0
	c := limit.New(limit.Config{}).Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		if calls++; calls == 2 {
			return llm.Reply{}, llm.NewFailure(llm.ErrProvider, llm.ModelDead, "404")
		}
		return llm.Reply{}, nil
	}))
	for _, want := range []error{nil, llm.ErrProvider, nil} {
		_, err := c.Chat(t.Context(), llm.Request{})
		require.ErrorIs(t, err, want, "a gateway's slip ends one request")
	}
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := limit.New(limit.Config{Max: 1})
		c := l.Client(scripted(&asked, fails(llm.Overload, "3600")))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				_, err := c.Chat(ctx, llm.Request{})
				assert.ErrorIs(t, err, context.Canceled)
			})
		}
		time.Sleep(time.Second)
		cancel()
		wg.Wait() // the bubble fails where anything is left behind
		assert.Equal(t, 1, asked)
		s := l.State()
		assert.Zero(t, s.InFlight+s.Waiting)
	})
}

func TestPanicKeepsNoTurn(t *testing.T) {
	l := limit.New(limit.Config{})
	c := l.Client(llmtest.ClientFunc(func(context.Context, llm.Request) (llm.Reply, error) { panic("client") }))
	require.Panics(t, func() { _, _ = c.Chat(t.Context(), llm.Request{}) })
	assert.Zero(t, l.State().InFlight)
}
