package oap

import (
	"context"
	"sync"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

// Engine decides about the payments of one conversation. It is an
// authz.Authorizer, safe for concurrent use: what a decision allows is reserved
// before the next one is made.
type Engine struct {
	layer *Layer
	mu    sync.Mutex
	state state
}

// state is what the pack calls daily_total and recent_keys. Days are UTC days of
// the virtual clock.
type state struct {
	totals   map[totalKey]bank.Amount
	keys     map[dayKey]bool
	reserved map[dayKey]string // digest of the request that was allowed and is not settled yet
}

type totalKey struct {
	day      string
	currency bank.Currency
}

type dayKey struct {
	day, key string
}

func newState() state {
	return state{totals: map[totalKey]bank.Amount{}, keys: map[dayKey]bool{}, reserved: map[dayKey]string{}}
}

func keysOf(req authz.Request) (totalKey, dayKey) {
	day := req.At.UTC().Format(time.DateOnly)
	return totalKey{day, req.Currency}, dayKey{day, req.IdempotencyKey}
}

// Authorize decides and reserves.
func (e *Engine) Authorize(_ context.Context, req authz.Request) (authz.Decision, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	total, key := keysOf(req)
	reasons := e.layer.decide(req, facts{dailyTotal: e.state.totals[total], keySeen: e.state.keys[key]})
	d := authz.Decision{
		Effect: authz.Deny, Reasons: reasons,
		RequestDigest: req.Digest(), PassportDigest: e.layer.passport.Digest, PolicyDigest: e.layer.pack.Digest,
		IssuedAt: req.At, ExpiresAt: req.At.Add(decisionValidity),
	}
	if len(reasons) > 0 {
		return d, nil
	}
	e.state.totals[total] += req.Amount
	e.state.keys[key] = true
	e.state.reserved[key] = d.RequestDigest
	d.Effect = authz.Allow
	d.Reasons = []authz.Reason{{Code: authz.ReasonAllowed, Rule: string(e.layer.pack.ID)}}
	return d, nil
}

// Settle keeps what the ledger executed and gives back what it refused. Settling
// twice changes nothing, also where another payment took the released key.
func (e *Engine) Settle(req authz.Request, executed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	total, key := keysOf(req)
	if open, ok := e.state.reserved[key]; !ok || open != req.Digest() {
		return
	}
	delete(e.state.reserved, key)
	if executed {
		return
	}
	e.state.totals[total] -= req.Amount
	delete(e.state.keys, key)
}
