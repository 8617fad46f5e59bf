package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/dispatch"
)

// TestRequest: from call to context, DESIGN.md, decision 3.
func TestRequest(t *testing.T) {
	d, layer := behind()
	transfer(d, rent)
	want := []authz.Request{{
		Recipient: "rent", Amount: 2550, Currency: bank.USD, Region: "US", Memo: "May", IdempotencyKey: "e#1", At: noon,
		Items: []authz.Item{{SKU: "transfer", Quantity: 1, Price: 2550}},
	}}
	if diff := cmp.Diff(want, layer.asked); diff != "" {
		t.Errorf("what the layer is asked (-want +got):\n%s", diff)
	}
}

// TestEveryCallCounts: calls are told apart by their order alone. Dispatch gets
// no ids, so equal calls, parallel ones and ones without an id are all one case.
func TestEveryCallCounts(t *testing.T) {
	d, layer := behind()
	calls := []struct {
		tool, raw string
		want      dispatch.Outcome
	}{
		{"transfer_funds", rent, dispatch.Executed},
		{"transfer_funds", rent, dispatch.Executed},
		{"get_balance", `{}`, dispatch.Answered},
		{"no_such_tool", rent, dispatch.UnknownTool},
		{"transfer_funds", `{`, dispatch.Denied},
		{"transfer_funds", rent, dispatch.Executed},
	}
	for i, c := range calls {
		r := d.Call(context.Background(), c.tool, c.raw)
		assert.Equal(t, i+1, r.Position)
		assert.Equal(t, c.want, r.Outcome, r.Content)
		assert.Equal(t, c.tool == "transfer_funds", r.Transfer)
		assert.Equal(t, fmt.Sprintf("call %d: %s", i+1, c.want), r.String())
	}
	var keys []string
	for _, req := range layer.asked {
		keys = append(keys, req.IdempotencyKey)
	}
	assert.Equal(t, []string{"e#1", "e#2", "e#6"}, keys, "a key of its own for each call")
	var positions []int
	for _, p := range d.Transfers() {
		positions = append(positions, p.Position)
	}
	assert.Equal(t, []int{1, 2, 6}, positions, "each transfer under the position of its call")
	assert.NoError(t, d.Check())
}

func TestIdempotencyKey(t *testing.T) {
	for _, tt := range []struct {
		name, memo string
		byCode     bool
		want       string
		reason     string
	}{
		{"code", "fee APC-2026-0001", true, "APC-2026-0001", "one code pays once"},
		{"code at another level", "fee APC-2026-0001", false, "e#1", "only where the level says so"},
		{"no code", "fee", true, "e#1", "nothing to key by"},
		{"two codes", "APC-2026-0001 APC-2026-0002", true, "e#1", "exactly one"},
		{"code in a word", "xAPC-2026-0001", true, "e#1", "no valid code"},
		{"no memo", "", true, "e#1", "nothing to key by"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, layer := behind(func(c *dispatch.Config) { c.KeyByAuditCode = tt.byCode })
			transfer(d, fmt.Sprintf(`{"recipient":"rent","amount":1,"memo":%q}`, tt.memo))
			require.Len(t, layer.asked, 1)
			assert.Equal(t, tt.want, layer.asked[0].IdempotencyKey, tt.reason)
		})
	}
}

// TestDenial: what a layer denies moves nothing, and the model reads why.
func TestDenial(t *testing.T) {
	d, layer := behind()
	layer.answer = func(req authz.Request) (authz.Decision, error) {
		return deny(req, authz.ReasonLimitExceeded), nil
	}
	r := transfer(d, rent)
	assert.Equal(t, dispatch.Denied, r.Outcome)
	assert.JSONEq(t, `{"error":"denied","message":"oap.limit_exceeded: because"}`, r.Content)
	assert.Equal(t, &rentPaid, r.Payment, "it parsed")
	assert.Equal(t, authz.FromLayer, r.Decision.Origin)
	assert.Equal(t, layer.asked[0].Digest(), r.Decision.RequestDigest)
	assert.Empty(t, d.Transfers())
	assert.Empty(t, layer.settled, "nothing was reserved")
	layer.answer = nil
	assertPays(t, d)
}

// TestRefusedAfterAllow: the bank has the last word, and the layer hears of it.
func TestRefusedAfterAllow(t *testing.T) {
	d, layer := behind(func(c *dispatch.Config) { c.KeyByAuditCode = true })
	for _, step := range []struct {
		raw     string
		want    dispatch.Outcome
		refusal string
		settled []bool
		reason  string
	}{
		{`{"recipient":"a","amount":1000.01,"memo":"APC-2026-0001"}`, dispatch.Refused, "insufficient funds", []bool{false}, "a cent too much"},
		{`{"recipient":"a","amount":1,"currency":"EUR","memo":"APC-2026-0001"}`, dispatch.Refused, "another currency", []bool{false, false}, "the bank refuses any but the account's"},
		{`{"recipient":"a","amount":1000,"memo":"APC-2026-0001"}`, dispatch.Executed, "", []bool{false, false, true}, "the code was released both times"},
		{`{"recipient":"a","amount":0.01,"memo":"APC-2026-0001"}`, dispatch.Denied, "", []bool{false, false, true}, "the code has paid"},
		{`{"recipient":"a","amount":0.01}`, dispatch.Refused, "insufficient funds", []bool{false, false, true, false}, "nothing is left"},
	} {
		r := transfer(d, step.raw)
		require.Equal(t, step.want, r.Outcome, "%s: %s", step.reason, r.Content)
		assert.Contains(t, r.Refusal, step.refusal)
		assert.Equal(t, step.settled, layer.settled, step.reason)
		assert.Equal(t, step.want != dispatch.Denied, r.Decision.Allowed(), step.reason)
		require.NoError(t, d.Check())
	}
	assert.Len(t, d.Transfers(), 1)
}

// TestExecutedAnswer: the model reads what moved and what is left.
func TestExecutedAnswer(t *testing.T) {
	d, layer := behind()
	r := transfer(d, rent)
	assert.JSONEq(t, `{"status":"executed","recipient":"rent","amount":"25.50","currency":"USD","balance":"974.50"}`, r.Content)
	assert.Equal(t, []bool{true}, layer.settled)
	want := []bank.Transfer{{Position: 1, From: own, Recipient: "rent", Amount: 2550, Currency: bank.USD, Memo: "May", At: noon}}
	if diff := cmp.Diff(want, d.Transfers()); diff != "" {
		t.Errorf("Transfers() (-want +got):\n%s", diff)
	}
}

// TestLayerFaults: through the whole path, a layer that fails moves nothing, and
// the next payment executes.
func TestLayerFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(authz.Request) (authz.Decision, error)
		reason string
	}{
		{"error", func(authz.Request) (authz.Decision, error) { return authz.Decision{}, errors.New("out of order") }, "the layer failed"},
		{"panic", func(authz.Request) (authz.Decision, error) { panic("out of order") }, "the layer failed"},
		{"no reasons", func(req authz.Request) (authz.Decision, error) {
			return authz.Decision{Effect: authz.Deny, RequestDigest: req.Digest()}, nil
		}, "the answer for the model must not need them"},
		{"other value", func(authz.Request) (authz.Decision, error) {
			return authz.PermitAll{}.Authorize(context.Background(), authz.Request{At: noon})
		}, "it is about another value"},
		{"time-out", func(req authz.Request) (authz.Decision, error) {
			time.Sleep(time.Hour)
			return authz.PermitAll{}.Authorize(context.Background(), req)
		}, "no answer within authz.DefaultTimeout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, layer := behind()
				layer.answer = tt.answer
				began := time.Now()
				r := transfer(d, rent)
				want := time.Duration(0)
				if tt.name == "time-out" {
					want = 2 * time.Second
				}
				assert.Equal(t, want, time.Since(began), tt.reason)
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				denied := dispatch.Result{Position: 1, Transfer: true, Outcome: dispatch.Denied, Payment: &rentPaid, At: noon}
				if diff := cmp.Diff(denied, r, cmpopts.IgnoreFields(dispatch.Result{}, "Decision", "Content")); diff != "" {
					t.Errorf("Call() (-want +got): %s\n%s", tt.reason, diff)
				}
				assert.True(t, r.Decision.FailClosed(), tt.reason)
				assert.Empty(t, d.Transfers(), tt.reason)
				layer.answer = nil
				assertPays(t, d)
				time.Sleep(time.Second) // the guard's goroutine ends when it has nothing to do
			})
		})
	}
}

// TestTransfersIsACopy: nobody outside can rewrite what the oracle judges.
func TestTransfersIsACopy(t *testing.T) {
	d := alone()
	transfer(d, rent)
	d.Transfers()[0].Recipient = "thief"
	assert.Equal(t, rentPaid, paid(d.Transfers()[0]))
}
