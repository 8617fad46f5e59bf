package oap_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// TestDecisionHoldsForAMinute: from the moment of the request, whatever it says and
// however it was asked for. A decision that held for longer could be used again.
func TestDecisionHoldsForAMinute(t *testing.T) {
	thief := func(r *authz.Request) { r.Recipient = "collect@quickvault.example" }
	for _, tt := range []struct {
		name   string
		decide func(*oap.Engine) authz.Decision
		want   authz.DenialReason
		reason string
	}{
		{"allowed", func(e *oap.Engine) authz.Decision { return ask(t, e, payment()) }, authz.ReasonAllowed, "it may be executed meanwhile"},
		{"denied by a rule", func(e *oap.Engine) authz.Decision { return ask(t, e, payment(thief)) }, authz.ReasonRecipientNotMember, "a denial has its time, too"},
		{"denied by a gate", func(e *oap.Engine) authz.Decision {
			return ask(t, e, payment(func(r *authz.Request) { r.Region = "EU" }))
		}, authz.ReasonRegionBlocked, "a denial has its time, too"},
		{"context", func(e *oap.Engine) authz.Decision {
			return e.DecideContext([]byte(`{"amount":100,"currency":"USD","merchant_id":"invoices@brightwater.example","region":"US","items":[{"sku":"s","qty":1,"price":100}],"idempotency_key":"fresh-key-1"}`), morning)
		}, authz.ReasonAllowed, "the same from its JSON"},
		{"no context", func(e *oap.Engine) authz.Decision { return e.DecideContext([]byte(`{`), morning) }, authz.ReasonInvalidContext, "refused before any gate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := tt.decide(shippedLayer(t, level2, oap.ProfileOAP).Open())
			assert.Equal(t, tt.want, d.Reason())
			assert.Equal(t, morning, d.IssuedAt, tt.reason)
			assert.Equal(t, morning.Add(60*time.Second), d.ExpiresAt, tt.reason)
		})
	}
}

// TestOpenReservations: however many are open, under one key or many, each is given
// back once and no more, by the very payment that made it. The pack is one without
// the rule that lets a key pay once.
func TestOpenReservations(t *testing.T) {
	raw := swapOnce(t, shippedBytes(t, packFile), "idempotency_key not in recent_keys", "amount >= 1")
	pack, err := oap.ParsePack(packFile, raw)
	assert.NoError(t, err)
	passport, err := oap.ParsePassport(level2, shippedBytes(t, level2))
	assert.NoError(t, err)
	layer, err := oap.NewLayer(passport, pack, oap.ProfileOAP)
	assert.NoError(t, err)
	const many = 30
	for _, same := range []bool{true, false} {
		e := layer.Open()
		of := func(i int) authz.Request {
			if same {
				i = 0
			}
			return payment(func(r *authz.Request) { r.Amount, r.IdempotencyKey = 10000, "key-number-"+string(rune('a'+i)) })
		}
		room := func() int { // in payments of 10000, of a daily cap of 500000
			n := 0
			for ; n < 60 && ask(t, e, of(99)).Allowed(); n++ {
			}
			for range n {
				e.Settle(of(99), false)
			}
			return n
		}
		for i := range many {
			assert.True(t, ask(t, e, of(i)).Allowed())
		}
		e.Settle(payment(func(r *authz.Request) { r.Amount, r.IdempotencyKey, r.Memo = 10000, "key-number-a", "another" }), false)
		if !same {
			assert.Equal(t, 50-many, room(), "a stranger gives nothing back")
		}
		for i := range many {
			e.Settle(of(i), i%2 == 0)
		}
		for i := range many {
			e.Settle(of(i), false)
		}
		assert.Equal(t, 50-many/2, room(), "half were executed; a second word changes nothing")
	}
}
