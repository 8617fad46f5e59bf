package authz_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/authz/authztest"
)

func TestPermitAllKeepsTheContract(t *testing.T) {
	authztest.Run(t, func() authz.Authorizer { return authz.PermitAll{} }, request(), nil)
}

// TestGuardBelieves: an answer in order goes through as it is, with a permit if
// and only if it allows.
func TestGuardBelieves(t *testing.T) {
	type row struct {
		name    string
		change  func(*authz.Decision)
		permits bool
		reason  string
	}
	rows := []row{
		{"allow", func(*authz.Decision) {}, true, "nothing is wrong with it"},
		{"issued just now", func(d *authz.Decision) { d.IssuedAt = noon }, true, "the very moment is not the future"},
		{"issued long ago", func(d *authz.Decision) { d.IssuedAt = noon.Add(-time.Hour) }, true, "its end counts"},
		{"a nanosecond left", func(d *authz.Decision) { d.ExpiresAt = noon.Add(time.Nanosecond) }, true, "not over yet"},
		{"other zone", func(d *authz.Decision) { d.IssuedAt = noon.In(time.FixedZone("east", 3600)) }, true, "the same moment"},
		{"the last moment that can be written", func(d *authz.Decision) { d.ExpiresAt = lastMoment }, true, "year 9999 has four digits"},
		{"the first moment that can be written", func(d *authz.Decision) { d.IssuedAt = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) }, true, "so has year 0"},
		{"outermost zones", func(d *authz.Decision) {
			d.IssuedAt, d.ExpiresAt = noon.In(time.FixedZone("", -86340)), noon.Add(1).In(time.FixedZone("", 86340))
		}, true, "23:59 either way"},
		{"texts of any script", func(d *authz.Decision) {
			d.Reasons[0] = authz.Reason{Code: authz.ReasonAllowed, Rule: "规则", Message: "\x00 \"é\" 😀 \uFFFD", Values: []authz.Seen{{Name: "ü", Value: "\u2028"}}}
		}, true, "UTF-8 is UTF-8"},
		{"as much text as a record takes", func(d *authz.Decision) {
			d.Reasons[0].Rule, d.Reasons[0].Message = "", strings.Repeat("m", 1<<20)
		}, true, "the bound itself"},
		{"digests", func(d *authz.Decision) { d.PassportDigest, d.PolicyDigest = hexDigest, hexDigest }, true, "64 digits"},
		{"layer claims to be dispatch", func(d *authz.Decision) { d.Origin = authz.FromDispatch }, true, "the guard says who decided"},
		{"two reasons", withReasons(authz.Deny, authz.ReasonLimitExceeded, authz.ReasonRegionBlocked), false, "all are listed"},
	}
	for _, code := range authz.Reasons() {
		if code != authz.ReasonAllowed {
			rows = append(rows, row{string(code), withReasons(authz.Deny, code), false, "the layer's own word, no fail-closed denial"})
		}
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			layer := &faulty{first: bent(tt.change)}
			want, _ := bent(tt.change)(context.Background(), request())
			want.Origin = authz.FromLayer
			got, permit := authz.NewGuard(layer, time.Second).Authorize(context.Background(), request())
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Authorize() (-want +got): %s\n%s", tt.reason, diff)
			}
			assertRecordable(t, got)
			assert.Equal(t, tt.permits, permit != nil, tt.reason)
			assert.False(t, got.FailClosed(), tt.reason)
			assert.Empty(t, layer.settled, "nothing became of it yet")
		})
	}
}

// TestCancelledContext: a caller that has gone gets no permit, before or while
// the layer thinks.
func TestCancelledContext(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration
		reason string
	}{
		{"before", 0, "nobody waits"},
		{"meanwhile", time.Millisecond, "nobody waits any more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				layer := &faulty{first: late}
				guard := authz.NewGuard(layer, time.Hour)
				ctx, cancel := context.WithCancel(context.Background())
				if tt.after == 0 {
					cancel()
				}
				time.AfterFunc(tt.after, cancel)
				d, permit := guard.Authorize(ctx, request())
				assertFailedClosed(t, d, permit, tt.reason)
				time.Sleep(time.Hour)
				synctest.Wait()
				assert.Equal(t, released, layer.settled, tt.reason)
				assertPays(t, guard)
				time.Sleep(time.Second) // the guard's goroutine ends when it has nothing to do
			})
		})
	}
}

// TestLayerIsAskedOnce: a guard neither repeats nor skips a question.
func TestLayerIsAskedOnce(t *testing.T) {
	layer := &faulty{first: authz.PermitAll{}.Authorize}
	_, permit := authz.NewGuard(layer, time.Second).Authorize(context.Background(), request())
	require.NotNil(t, permit)
	assert.Equal(t, 1, layer.asked)
	permit.Settle(true)
	assert.Equal(t, []bool{true}, layer.settled)
}

// TestPermitSettlesThroughAPanic: the dispatch path goes on.
func TestPermitSettlesThroughAPanic(t *testing.T) {
	layer := &faulty{first: authz.PermitAll{}.Authorize, settle: func() { panic("out of order") }}
	guard := authz.NewGuard(layer, time.Second)
	_, permit := guard.Authorize(context.Background(), request())
	require.NotNil(t, permit)
	permit.Settle(true)
	assert.Equal(t, []bool{true}, layer.settled)
	assertPays(t, guard)
}

func TestPermitSpendsOnce(t *testing.T) {
	_, permit := authz.NewGuard(authz.PermitAll{}, time.Second).Authorize(context.Background(), request())
	var spent atomic.Int32
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if payment, err := permit.Spend(); err == nil {
				spent.Add(1)
				assert.Equal(t, request().Payment(), payment)
			} else {
				assert.ErrorIs(t, err, authz.ErrPermitSpent)
				assert.Zero(t, payment, "a spent permit pays nobody")
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, spent.Load())
}

// TestForgedPermit: only a guard makes permits; nil and the zero value are none,
// and to settle them moves nothing.
func TestForgedPermit(t *testing.T) {
	for name, permit := range map[string]*authz.Permit{"nil": nil, "zero": new(authz.Permit)} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				payment, err := permit.Spend()
				assert.Error(t, err)
				assert.Zero(t, payment)
			}
			assert.NotPanics(t, func() { permit.Settle(true) })
		})
	}
}

// TestLayerCannotReachIn: what a layer does to its copy of the request, then or
// later, changes neither the request nor what is executed.
func TestLayerCannotReachIn(t *testing.T) {
	var held []authz.Item
	layer := &faulty{first: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
		d, err := authz.PermitAll{}.Authorize(ctx, req)
		held = req.Items
		req.Items[0].Price, req.Recipient, req.Amount = 1, "thief", 999
		return d, err
	}}
	req := request()
	_, permit := authz.NewGuard(layer, time.Second).Authorize(context.Background(), req)
	require.NotNil(t, permit)
	held[0].Price = 2
	if diff := cmp.Diff(request(), req); diff != "" {
		t.Errorf("the request after a layer that mutates (-want +got):\n%s", diff)
	}
	req.Recipient, req.Amount = "thief", 999 // nor can the caller, once it is decided
	got, err := permit.Spend()
	require.NoError(t, err)
	if diff := cmp.Diff(request().Payment(), got); diff != "" {
		t.Errorf("Spend() after a layer that mutates (-want +got):\n%s", diff)
	}
}
