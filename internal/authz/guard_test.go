package authz_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
)

// faulty permits everything, but for its first answer.
type faulty struct {
	first   func(context.Context, authz.Request) (authz.Decision, error)
	settle  func() // called at each Settle
	asked   int
	settled []bool
}

func (f *faulty) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	if f.asked++; f.asked == 1 {
		return f.first(ctx, req)
	}
	return authz.PermitAll{}.Authorize(ctx, req)
}

func (f *faulty) Settle(_ authz.Request, executed bool) {
	f.settled = append(f.settled, executed)
	if f.settle != nil {
		f.settle()
	}
}

// TestGuardFailsClosed: each fault is denied, without a permit, and a permitted
// payment on the same guard executes after it.
func TestGuardFailsClosed(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			synctest.Test(t, func(t *testing.T) {
				layer := &faulty{first: tt.first, settle: tt.settle}
				guard := authz.NewGuard(layer, time.Second)
				d, permit := guard.Authorize(context.Background(), request())
				assertFailedClosed(t, d, permit, tt.reason)
				time.Sleep(time.Hour) // late answers come in
				synctest.Wait()
				assert.Equal(t, tt.want, layer.settled, "what was reserved is released: %s", tt.reason)
				assertPays(t, guard)
				time.Sleep(time.Second) // the guard's goroutine ends when it has nothing to do
			})
		})
	}
}

func assertFailedClosed(t *testing.T, d authz.Decision, permit *authz.Permit, reason string) {
	t.Helper()
	want := authz.Decision{
		Effect: authz.Deny, Reasons: []authz.Reason{{Code: authz.ReasonPolicyError, Rule: "fail_closed"}}, Origin: authz.FromDispatch,
		RequestDigest: request().Digest(), IssuedAt: noon, ExpiresAt: noon.Add(time.Minute),
	}
	if diff := cmp.Diff(want, d, cmpopts.IgnoreFields(authz.Reason{}, "Message")); diff != "" {
		t.Errorf("Authorize() (-want +got): %s\n%s", reason, diff)
	}
	assert.True(t, d.FailClosed(), reason)
	assert.NotEmpty(t, d.Reasons[0].Message, "people want to know why")
	assert.LessOrEqual(t, len(d.Reasons[0].Message), 1<<20+2, "a line can hold it")
	assertRecordable(t, d)
	assert.Nil(t, permit, reason)
}

// TestGuardLooksAtEachDigest: an answer in order vouches for no later one.
func TestGuardLooksAtEachDigest(t *testing.T) {
	other := strings.Repeat("1", 64)
	for _, tt := range []struct {
		name             string
		passport, policy string
		want             bool
		reason           string
	}{
		{"the same", hexDigest, hexDigest, true, "the control"},
		{"another passport", other, hexDigest, true, "a digest as well"},
		{"no policy", hexDigest, "", true, "it may be absent"},
		{"no digest of a passport", hexDigest[1:], hexDigest, false, "only the policy is the one before"},
		{"no digest of a policy", hexDigest, hexDigest[1:], false, "only the passport is the one before"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			passport, policy := hexDigest, hexDigest
			guard := authz.NewGuard(layerOf{authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
				return bent(func(d *authz.Decision) { d.PassportDigest, d.PolicyDigest = passport, policy })(ctx, req)
			}}, time.Minute)
			assertPays(t, guard)
			passport, policy = tt.passport, tt.policy
			d, permit := guard.Authorize(context.Background(), request())
			assert.Equal(t, tt.want, permit != nil, tt.reason)
			assert.Equal(t, !tt.want, d.FailClosed(), tt.reason)
			passport, policy = hexDigest, hexDigest
			assertPays(t, guard)
		})
	}
}

// assertRecordable: what the guard answers is read back from its JSON as it was.
func assertRecordable(t *testing.T, d authz.Decision) {
	t.Helper()
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	var back authz.Decision
	require.NoError(t, json.Unmarshal(raw, &back))
	if diff := cmp.Diff(d, back); diff != "" {
		t.Errorf("decision read back from JSON (-want +got):\n%s", diff)
	}
}

// assertPays is the positive control.
func assertPays(t *testing.T, guard *authz.Guard) {
	t.Helper()
	d, permit := guard.Authorize(context.Background(), request())
	require.True(t, d.Allowed(), "%v", d.Reasons)
	assert.Equal(t, authz.FromLayer, d.Origin)
	got, err := permit.Spend()
	require.NoError(t, err)
	if diff := cmp.Diff(request().Payment(), got); diff != "" {
		t.Errorf("Spend() after a fault (-want +got):\n%s", diff)
	}
	permit.Settle(true)
}

// bent is PermitAll's answer, changed.
func bent(change func(*authz.Decision)) func(context.Context, authz.Request) (authz.Decision, error) {
	return func(ctx context.Context, req authz.Request) (authz.Decision, error) {
		d, err := authz.PermitAll{}.Authorize(ctx, req)
		change(&d)
		return d, err
	}
}

func late(ctx context.Context, req authz.Request) (authz.Decision, error) {
	time.Sleep(time.Minute) // ctx or not
	return authz.PermitAll{}.Authorize(ctx, req)
}

func withReasons(effect authz.Effect, codes ...authz.DenialReason) func(*authz.Decision) {
	return func(d *authz.Decision) {
		d.Effect, d.Reasons = effect, nil
		for _, c := range codes {
			d.Reasons = append(d.Reasons, authz.Reason{Code: c, Rule: "r"})
		}
	}
}

var (
	released   = []bool{false}
	hexDigest  = strings.Repeat("0f9a", 16)
	lastMoment = time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
)

var faults = []struct {
	name   string
	first  func(context.Context, authz.Request) (authz.Decision, error)
	settle func()
	want   []bool // what the layer is told to settle
	reason string
}{
	{"other digest", bent(func(d *authz.Decision) { d.RequestDigest = authz.Request{}.Digest() }), nil, released, "it is about another value"},
	{"no digest", bent(func(d *authz.Decision) { d.RequestDigest = authz.Digest{} }), nil, released, "it may be about any value"},
	{"last bit of the digest", bent(func(d *authz.Decision) { d.RequestDigest[31] ^= 1 }), nil, released, "digests are compared byte for byte"},
	{"expired at the moment", bent(func(d *authz.Decision) { d.ExpiresAt = noon }), nil, released, "not valid at its end"},
	{"expired before", bent(func(d *authz.Decision) { d.IssuedAt, d.ExpiresAt = noon.Add(-time.Hour), noon.Add(-time.Second) }), nil, released, "it is over"},
	{"never valid", bent(func(d *authz.Decision) { d.ExpiresAt = time.Time{} }), nil, released, "an end is required"},
	{"issued in the future", bent(func(d *authz.Decision) { d.IssuedAt = noon.Add(time.Nanosecond) }), nil, released, "nobody decides beforehand"},
	{"no effect", bent(func(d *authz.Decision) { d.Effect = "" }), nil, nil, "there are two words"},
	{"capital effect", bent(func(d *authz.Decision) { d.Effect = "Allow" }), nil, nil, "there are two words"},
	{"third effect", bent(func(d *authz.Decision) { d.Effect = "warn" }), nil, nil, "there are two words"},
	{"third effect with a denying code", bent(withReasons("block", authz.ReasonLimitExceeded)), nil, nil, "it would count as a policy denial"},
	{"no reasons", bent(withReasons(authz.Allow)), nil, released, "a decision says why"},
	{"denial without reasons", bent(withReasons(authz.Deny)), nil, nil, "a decision says why"},
	{"unknown code", bent(withReasons(authz.Deny, "oap.invented")), nil, nil, "the vocabulary is closed"},
	{"code in capitals", bent(withReasons(authz.Allow, "OAP.ALLOWED")), nil, released, "the vocabulary is closed"},
	{"unknown second code", bent(withReasons(authz.Deny, authz.ReasonLimitExceeded, "oap.invented")), nil, nil, "every reason counts"},
	{"allow with a denying code", bent(withReasons(authz.Allow, authz.ReasonLimitExceeded)), nil, released, "it says two things"},
	{"allow with a denying second code", bent(withReasons(authz.Allow, authz.ReasonAllowed, authz.ReasonLimitExceeded)), nil, released, "it says two things"},
	{"deny with oap.allowed", bent(withReasons(authz.Deny, authz.ReasonAllowed)), nil, nil, "it says two things"},
	{"expires in year 10001", bent(func(d *authz.Decision) { d.ExpiresAt = time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC) }), nil, released, "no record can hold it"},
	{"expires as year 10000 begins", bent(func(d *authz.Decision) { d.ExpiresAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }), nil, released, "four digits"},
	{"issued before year 0", bent(func(d *authz.Decision) { d.IssuedAt = time.Date(-1, 12, 31, 23, 59, 59, 999999999, time.UTC) }), nil, released, "four digits and no sign"},
	{"expires in year 10000 of its zone", bent(func(d *authz.Decision) { d.ExpiresAt = lastMoment.In(time.FixedZone("", 3600)) }), nil, released, "its own year is written"},
	{"expires in year 10000 of UTC", bent(func(d *authz.Decision) { d.ExpiresAt = lastMoment.Add(time.Second).In(time.FixedZone("", -3600)) }), nil, released, "a receipt is in UTC"},
	{"offset of a day", bent(func(d *authz.Decision) { d.IssuedAt = noon.In(time.FixedZone("", 24*3600)) }), nil, released, "RFC 3339 ends at 23:59"},
	{"offset of odd seconds", bent(func(d *authz.Decision) { d.ExpiresAt = noon.Add(time.Hour).In(time.FixedZone("", 3601)) }), nil, released, "another moment would be read back"},
	{"rule no UTF-8", bent(func(d *authz.Decision) { d.Reasons[0].Rule = "\xff" }), nil, released, "no receipt can hold it"},
	{"message no UTF-8", bent(func(d *authz.Decision) { d.Reasons[0].Message = "caf\xe9" }), nil, released, "no receipt can hold it"},
	{"second message no UTF-8", bent(func(d *authz.Decision) {
		d.Reasons = append(d.Reasons, authz.Reason{Code: authz.ReasonAllowed, Message: "\xed\xa0\x80"})
	}), nil, released, "every reason is signed"},
	{"name of a value no UTF-8", bent(func(d *authz.Decision) { d.Reasons[0].Values = []authz.Seen{{}, {Name: "\xff"}} }), nil, released, "another one would be recorded"},
	{"value no UTF-8", bent(func(d *authz.Decision) { d.Reasons[0].Values = []authz.Seen{{Name: "n", Value: "\xc3("}} }), nil, released, "another one would be recorded"},
	{"denial no UTF-8", bent(func(d *authz.Decision) {
		withReasons(authz.Deny, authz.ReasonLimitExceeded)(d)
		d.Reasons[0].Message = "\xff"
	}), nil, nil, "its receipt would fail, and with it the run"},
	{"more text than a line holds", bent(func(d *authz.Decision) { d.Reasons[0].Rule, d.Reasons[0].Message = "r", strings.Repeat("m", 1<<20) }), nil, released, "verify reads no longer line"},
	{"passport digest of another length", bent(func(d *authz.Decision) { d.PassportDigest = hexDigest[1:] }), nil, released, "receipts name it as SHA-256"},
	{"passport digest no UTF-8", bent(func(d *authz.Decision) { d.PassportDigest = hexDigest[:63] + "\xff" }), nil, released, "no receipt can hold it"},
	{"policy digest in capitals", bent(func(d *authz.Decision) { d.PolicyDigest = strings.ToUpper(hexDigest) }), nil, released, "one way of writing"},
	{"policy digest named", bent(func(d *authz.Decision) { d.PolicyDigest = "sha256:" + hexDigest[7:] }), nil, released, "digits alone"},
	{"error no UTF-8", func(context.Context, authz.Request) (authz.Decision, error) {
		return authz.Decision{}, errors.New("\xff out of order")
	}, nil, nil, "the denial must be recordable"},
	{"error of more text than a line holds", func(context.Context, authz.Request) (authz.Decision, error) {
		return authz.Decision{}, errors.New(strings.Repeat("é", 1<<20))
	}, nil, nil, "the denial must be recordable"},
	{"panic no UTF-8", func(context.Context, authz.Request) (authz.Decision, error) { panic("\xff out of order") }, nil, nil, "the denial must be recordable"},
	{"zero decision", func(context.Context, authz.Request) (authz.Decision, error) { return authz.Decision{}, nil }, nil, nil, "no answer is a fault"},
	{"error", func(context.Context, authz.Request) (authz.Decision, error) {
		return authz.Decision{}, errors.New("out of order")
	}, nil, nil, "the layer failed"},
	{"error beside an allow", func(ctx context.Context, req authz.Request) (authz.Decision, error) {
		d, _ := authz.PermitAll{}.Authorize(ctx, req)
		return d, errors.New("could not write the receipt")
	}, nil, nil, "an error outweighs the decision, which is then none"},
	{"panic", func(context.Context, authz.Request) (authz.Decision, error) { panic("out of order") }, nil, nil, "the layer failed"},
	{"nil panic", func(context.Context, authz.Request) (authz.Decision, error) { panic(nil) }, nil, nil, "the layer failed"},
	{"goroutine ended", func(context.Context, authz.Request) (authz.Decision, error) {
		runtime.Goexit()
		return authz.Decision{}, nil
	}, nil, nil, "it will never answer"},
	{"time-out, layer goes by ctx", func(ctx context.Context, _ authz.Request) (authz.Decision, error) {
		<-ctx.Done()
		return authz.Decision{}, ctx.Err()
	}, nil, nil, "no answer in time"},
	{"time-out, late allow", late, nil, released, "nobody hears it, so it must not stay reserved"},
	{"time-out, late denial", func(ctx context.Context, req authz.Request) (authz.Decision, error) {
		time.Sleep(time.Minute)
		return bent(withReasons(authz.Deny, authz.ReasonLimitExceeded))(ctx, req)
	}, nil, nil, "nothing was reserved"},
	{"time-out, late panic", func(context.Context, authz.Request) (authz.Decision, error) {
		time.Sleep(time.Minute)
		panic("out of order")
	}, nil, nil, "a late panic ends no program"},
	{"panic in Settle", bent(func(d *authz.Decision) { d.RequestDigest = authz.Digest{} }), func() { panic("out of order") }, released, "a layer's panic stays in the guard"},
	{"panic in a late Settle", late, func() { panic("out of order") }, released, "a layer's panic stays in the guard"},
}
