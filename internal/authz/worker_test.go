package authz_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
)

// layerOf is a layer of two functions; a nil one does what PermitAll does.
type layerOf struct {
	authorize func(context.Context, authz.Request) (authz.Decision, error)
	settle    func(authz.Request, bool)
}

func (l layerOf) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	if l.authorize != nil {
		return l.authorize(ctx, req)
	}
	return authz.PermitAll{}.Authorize(ctx, req)
}

func (l layerOf) Settle(req authz.Request, executed bool) {
	if l.settle != nil {
		l.settle(req, executed)
	}
}

// bubble runs a test on a clock of its own, and lets the guard's goroutine end: a
// goroutine that stayed would fail it.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t)
		time.Sleep(24 * time.Hour)
	})
}

// TestTimeOutToTheMoment: a layer has the whole of its time and no more, on a
// guard that is new, has just been used, or has rested.
func TestTimeOutToTheMoment(t *testing.T) {
	for _, timeout := range []time.Duration{time.Millisecond, 99 * time.Millisecond, 100 * time.Millisecond, 101 * time.Millisecond, 2 * time.Second, time.Hour} {
		for _, rest := range []time.Duration{-1, 0, time.Millisecond, 99 * time.Millisecond, 150 * time.Millisecond, time.Minute} {
			for _, tt := range []struct {
				takes  time.Duration
				denied bool
			}{{timeout - 1, false}, {timeout + 1, true}, {10 * timeout, true}} {
				t.Run(fmt.Sprintf("%s after %s, %s", timeout, rest, tt.takes), func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						takes := time.Duration(0)
						guard := authz.NewGuard(layerOf{authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
							time.Sleep(takes)
							return authz.PermitAll{}.Authorize(ctx, req)
						}}, timeout)
						if rest >= 0 {
							_, permit := guard.Authorize(context.Background(), request())
							permit.Settle(true)
							time.Sleep(rest)
						}
						takes = tt.takes
						began := time.Now()
						d, permit := guard.Authorize(context.Background(), request())
						assert.Equal(t, tt.denied, d.FailClosed())
						assert.Equal(t, tt.denied, permit == nil)
						assert.Equal(t, min(tt.takes, timeout), time.Since(began))
					})
				})
			}
		}
	}
}

// TestSettleTimesOut: after the guard's own time-out, neither sooner nor later, and
// the layer is asked no more.
func TestSettleTimesOut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		takes time.Duration
		stuck bool
	}{{"just in time", 3*time.Second - 1, false}, {"too late", 3*time.Second + 1, true}} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				guard := authz.NewGuard(layerOf{settle: func(authz.Request, bool) { time.Sleep(tt.takes) }}, 3*time.Second)
				_, permit := guard.Authorize(context.Background(), request())
				require.NotNil(t, permit)
				began := time.Now()
				permit.Settle(true)
				assert.Equal(t, min(tt.takes, 3*time.Second), time.Since(began))
				d, _ := guard.Authorize(context.Background(), request())
				assert.Equal(t, tt.stuck, d.FailClosed())
			})
		})
	}
}

// TestGoroutineEnded: a layer that ends the goroutine it was called on has failed,
// at once, and the next call gets another one.
func TestGoroutineEnded(t *testing.T) {
	for _, tt := range []struct {
		name               string
		authorize, settles bool
		reason             string
	}{
		{"in Authorize", true, false, "it will never answer"},
		{"in Settle", false, true, "it came back, as after a panic"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				authorize, settles := tt.authorize, tt.settles
				guard := authz.NewGuard(layerOf{
					authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
						if authorize {
							authorize = false
							runtime.Goexit()
						}
						return authz.PermitAll{}.Authorize(ctx, req)
					},
					settle: func(authz.Request, bool) {
						if settles {
							settles = false
							runtime.Goexit()
						}
					},
				}, time.Second)
				began := time.Now()
				d, permit := guard.Authorize(context.Background(), request())
				assert.Equal(t, tt.authorize, d.FailClosed(), tt.reason)
				if tt.authorize {
					assert.Contains(t, d.Reasons[0].Message, "ended its goroutine")
				}
				permit.Settle(true)
				d, permit = guard.Authorize(context.Background(), request())
				assert.True(t, d.Allowed(), tt.reason)
				permit.Settle(true)
				assert.Zero(t, time.Since(began), "nobody waits for it")
			})
		})
	}
}

// TestManyAtOnce: calls that come at once are decided at once, and one that hangs
// holds up no other.
func TestManyAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		guard := authz.NewGuard(layerOf{authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
			if req.Memo == "hang" {
				time.Sleep(time.Hour)
			}
			time.Sleep(time.Second)
			return authz.PermitAll{}.Authorize(ctx, req)
		}}, 2*time.Second)
		var wg sync.WaitGroup
		began := time.Now()
		for i := range 64 {
			wg.Go(func() {
				req := request()
				if i%8 == 0 {
					req.Memo = "hang"
				}
				req.IdempotencyKey = fmt.Sprint("key-", i)
				d, permit := guard.Authorize(context.Background(), req)
				assert.Equal(t, i%8 == 0, d.FailClosed())
				assert.Equal(t, req.Digest(), d.RequestDigest)
				if permit != nil {
					assert.Equal(t, time.Second, time.Since(began))
					permit.Settle(true)
				}
			})
		}
		wg.Wait()
		assert.Equal(t, 2*time.Second, time.Since(began))
	})
}

var bubbleMark = regexp.MustCompile(`synctest bubble [0-9]+`)

// workers counts the goroutines of guards in the caller's bubble, and no others: the
// runtime and other tests have some that come and go.
func workers() (n int) {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	mine := bubbleMark.Find(stacks) // the caller's comes first
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if bytes.Equal(bubbleMark.Find(stack), mine) && bytes.Contains(stack, []byte("authz.(*worker).run(")) {
			n++
		}
	}
	return n
}

// TestGoroutinesEnd: a guard that nobody uses any more keeps none.
func TestGoroutinesEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for range 50 {
			guard := authz.NewGuard(authz.PermitAll{}, time.Hour)
			_, permit := guard.Authorize(context.Background(), request())
			permit.Settle(true)
		}
		synctest.Wait()
		assert.Equal(t, 50, workers(), "one each, for a while")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, workers())
	})
}

// TestLayersContext: it is the caller's, ends when the guard waits no longer, and
// says why.
func TestLayersContext(t *testing.T) {
	type key struct{}
	bubble(t, func(t *testing.T) {
		var seen context.Context
		ended := make(chan error, 3)
		takes := time.Duration(0)
		guard := authz.NewGuard(layerOf{authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
			seen = ctx
			assert.NoError(t, ctx.Err())
			context.AfterFunc(ctx, func() { ended <- ctx.Err() })
			time.Sleep(takes)
			return authz.PermitAll{}.Authorize(ctx, req)
		}}, time.Second)

		ctx := context.WithValue(context.Background(), key{}, "the caller's")
		began := time.Now()
		d, _ := guard.Authorize(ctx, request())
		require.True(t, d.Allowed())
		assert.Equal(t, "the caller's", seen.Value(key{}))
		assert.ErrorIs(t, <-ended, context.Canceled)
		deadline, ok := seen.Deadline()
		assert.True(t, ok)
		assert.Equal(t, began.Add(time.Second), deadline)
		<-seen.Done()

		takes = time.Hour
		d, _ = guard.Authorize(ctx, request())
		assert.Contains(t, d.Reasons[0].Message, context.DeadlineExceeded.Error())
		assert.ErrorIs(t, <-ended, context.DeadlineExceeded)

		sooner, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		began = time.Now()
		d, permit := guard.Authorize(sooner, request())
		assert.Nil(t, permit)
		assert.True(t, d.FailClosed())
		assert.Equal(t, time.Millisecond, time.Since(began))
		assert.ErrorIs(t, <-ended, context.DeadlineExceeded)
		deadline, _ = seen.Deadline()
		assert.Equal(t, began.Add(time.Millisecond), deadline)
	})
}

// TestCallerGoneGetsNoPermit: also where the layer was quick, and what it reserved
// is released.
func TestCallerGoneGetsNoPermit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		var settled []bool
		guard := authz.NewGuard(layerOf{
			authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
				cancel()
				return authz.PermitAll{}.Authorize(ctx, req)
			},
			settle: func(_ authz.Request, executed bool) { settled = append(settled, executed) },
		}, time.Second)
		d, permit := guard.Authorize(ctx, request())
		assert.Nil(t, permit)
		assert.True(t, d.FailClosed())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []bool{false}, settled)
	})
}
