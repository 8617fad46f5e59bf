package authz_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/authz/authztest"
	"vaultbench/internal/bank"
)

var (
	now       = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	permitted = authz.Request{
		Recipient: "rent", Amount: 500, Currency: bank.USD, Region: "US", At: now,
		Items: []authz.Item{{SKU: "transfer", Quantity: 1, Price: 500}}, IdempotencyKey: "e#1",
	}
	forbidden = authz.Request{Recipient: "thief", Amount: 500, Currency: bank.USD, Region: "US", At: now, IdempotencyKey: "e#2"}
)

// model is the smallest layer that keeps the contract: it knows one recipient
// and pays once for a key. The zero fault is none.
type model struct {
	fault string
	mu    *sync.Mutex
	keys  map[string]bool // true: settled
}

func opens(fault string) func() authz.Authorizer {
	fresh := func() authz.Authorizer { return &model{fault, new(sync.Mutex), map[string]bool{}} }
	if fault == "shared state" {
		one := fresh()
		return func() authz.Authorizer { return one }
	}
	return fresh
}

func (m *model) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := authz.Decision{
		Effect: authz.Allow, Reasons: []authz.Reason{{Code: authz.ReasonAllowed}},
		RequestDigest: req.Digest(), IssuedAt: req.At, ExpiresAt: req.At.Add(time.Minute),
	}
	_, seen := m.keys[req.IdempotencyKey]
	if denial := m.denial(req, seen); denial != "" {
		d.Effect, d.Reasons[0].Code = authz.Deny, denial
	}
	if d.Allowed() && m.fault != "no reservation" || m.fault == "reserves denials" {
		m.keys[req.IdempotencyKey] = false
	}
	return m.misbehave(ctx, req, d)
}

func (m *model) denial(req authz.Request, seen bool) authz.DenialReason {
	switch {
	case m.fault == "denies all", req.Recipient != "rent" && m.fault != "allows all":
		return authz.ReasonRecipientNotMember
	case seen && m.fault != "pays twice":
		return authz.ReasonIdempotencyConflict
	}
	return ""
}

func (m *model) misbehave(ctx context.Context, req authz.Request, d authz.Decision) (authz.Decision, error) {
	switch m.fault {
	case "fails":
		return d, errors.New("out of order")
	case "panics":
		panic("out of order")
	case "panics when cancelled":
		if ctx.Err() != nil {
			panic("nobody waits")
		}
	case "reserves errors":
		return d, ctx.Err()
	case "mutates":
		for i := range req.Items {
			req.Items[i].Price = 1
		}
	case "expired":
		d.ExpiresAt = req.At
	case "other request":
		d.RequestDigest[len(d.RequestDigest)-1] ^= 1
	case "second reason":
		d.Reasons = append(d.Reasons, d.Reasons[0])
	}
	return d, nil
}

func (m *model) Settle(req authz.Request, executed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	settled, known := m.keys[req.IdempotencyKey]
	switch {
	case m.fault == "settles strangers" && !known:
		m.keys[req.IdempotencyKey] = true
	case !known, settled && m.fault != "settles again", m.fault == "never releases" && !executed:
	case executed && m.fault != "forgets":
		m.keys[req.IdempotencyKey] = true
	default:
		delete(m.keys, req.IdempotencyKey)
	}
}

func TestRunOnTheModel(t *testing.T) { authztest.Run(t, opens(""), permitted, &forbidden) }

// TestEachFaultIsCaught: the contract is worth what it catches. A fault must
// break the clauses that are about it, and no others.
func TestEachFaultIsCaught(t *testing.T) {
	for _, tt := range []struct {
		fault string
		want  []string // clauses that break; nil: all of them
	}{
		{"denies all", []string{"allows the permitted request", "a denial reserves nothing", "an instance has its own state", "reserves at the decision",
			"releases what was not executed", "keeps what was executed", "settles once", "settling a stranger is harmless", "decides concurrently"}},
		{"allows all", []string{"denies the forbidden request", "a denial reserves nothing"}},
		{"reserves denials", []string{"a denial reserves nothing"}},
		{"shared state", []string{"an instance has its own state", "settles once", "settling a stranger is harmless"}},
		{"no reservation", []string{"reserves at the decision", "releases what was not executed", "keeps what was executed", "settles once", "decides concurrently"}},
		{"pays twice", []string{"reserves at the decision", "releases what was not executed", "keeps what was executed", "settles once", "decides concurrently"}},
		{"never releases", []string{"releases what was not executed", "settles once"}},
		{"forgets", []string{"releases what was not executed", "keeps what was executed", "settles once"}},
		{"settles again", []string{"settles once"}},
		{"settles strangers", []string{"settling a stranger is harmless", "settles once"}},
		{"mutates", []string{"leaves the request alone"}},
		{"panics when cancelled", []string{"survives a cancelled context"}},
		{"reserves errors", []string{"survives a cancelled context"}},
		{"second reason", []string{"allows the permitted request"}},
		{"fails", nil}, {"panics", nil}, {"expired", nil}, {"other request", nil},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			got := authztest.Broken(func() func() authz.Authorizer { return opens(tt.fault) }, permitted, forbidden)
			if tt.want == nil {
				require.Greater(t, len(got), 8, "nearly everything breaks: %q", got)
				return
			}
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("clauses that break (-want +got):\n%s", diff)
			}
		})
	}
}
