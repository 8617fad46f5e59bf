package oap_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
)

// dailyCap is what may be paid a day and currency in these tests, in minor units.
const dailyCap bank.Amount = 1000

// cappedLayer is Level 2 with a small daily cap in two currencies.
func cappedLayer(t testing.TB) *oap.Layer {
	t.Helper()
	limits := fmt.Sprintf(`{"max_per_tx":%d,"daily_cap":%d}`, dailyCap, dailyCap)
	return withPatch(t, shippedLayer(t, level2, oap.ProfileOAP), chargePatch+`{"currency_limits":{"USD":`+limits+`,"EUR":`+limits+`}}}}`)
}

// slot is what the daily totals are kept by; usedKey is the same for the keys.
type slot struct {
	day      int
	currency bank.Currency
}

type usedKey struct {
	day int
	key string
}

// money mirrors from outside what an engine has let through: never more than the
// engine itself counts, so that a sum above the cap is the engine's fault.
type money struct {
	mu    sync.Mutex
	sums  map[slot]bank.Amount
	holds map[usedKey]int
	paid  map[usedKey]bool // executed, not merely allowed
	fault string
}

func newMoney() *money {
	return &money{sums: map[slot]bank.Amount{}, holds: map[usedKey]int{}, paid: map[usedKey]bool{}}
}

func placeOf(req authz.Request) (slot, usedKey) {
	day := int(req.At.Sub(morning) / (24 * time.Hour))
	return slot{day, req.Currency}, usedKey{day, req.IdempotencyKey}
}

// allowed is called after the engine has allowed.
func (m *money) allowed(req authz.Request, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.fault = fmt.Sprintf("engine failed: %v", err)
	}
	s, k := placeOf(req)
	m.sums[s] += req.Amount
	m.holds[k]++
	if m.sums[s] > dailyCap {
		m.fault = fmt.Sprintf("day %d: %s %s allowed, cap %s", s.day, m.sums[s], s.currency, dailyCap)
	}
	if m.holds[k] > 1 {
		m.fault = fmt.Sprintf("day %d: key %s allowed twice", k.day, k.key)
	}
}

// settled is called before the engine is told.
func (m *money) settled(req authz.Request, executed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, k := placeOf(req)
	if executed {
		m.paid[k] = true
		return
	}
	m.sums[s] -= req.Amount
	m.holds[k]--
}

// randomPayment draws from few days, currencies and keys, so that payments meet.
func randomPayment(rng *rand.Rand, id string) authz.Request {
	return payment(func(r *authz.Request) {
		r.Amount = bank.Amount(1 + rng.IntN(400))
		r.Currency = []bank.Currency{bank.USD, "EUR"}[rng.IntN(2)]
		r.IdempotencyKey = fmt.Sprintf("pool-key-%d", rng.IntN(12))
		r.At = morning.AddDate(0, 0, rng.IntN(3))
		r.Memo = id
	})
}

// client pays at random, holds some payments open, and settles them in any
// order, some of them twice.
func client(e *oap.Engine, m *money, seed uint64, steps int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var open []authz.Request
	settle := func(i int) {
		req, executed := open[i], rng.IntN(3) == 0
		open = slices.Delete(open, i, i+1)
		m.settled(req, executed)
		e.Settle(req, executed)
		for range rng.IntN(2) {
			e.Settle(req, rng.IntN(2) == 0) // settling twice changes nothing
		}
	}
	for step := range steps {
		if len(open) > 0 && rng.IntN(2) == 0 {
			settle(rng.IntN(len(open)))
			continue
		}
		req := randomPayment(rng, fmt.Sprintf("%d/%d", seed, step))
		if d, err := e.Authorize(context.Background(), req); err != nil || d.Allowed() {
			m.allowed(req, err)
			open = append(open, req)
		}
	}
	for len(open) > 0 {
		settle(len(open) - 1)
	}
}

// TestStateUnderConcurrency: whatever the interleaving, no day's total passes
// the cap, no key pays twice, and what was released can be used again.
func TestStateUnderConcurrency(t *testing.T) {
	l := cappedLayer(t)
	for round := range uint64(20) {
		e, m := l.Open(), newMoney()
		var wg sync.WaitGroup
		for c := range uint64(8) {
			wg.Go(func() { client(e, m, round*8+c, 150) })
		}
		wg.Wait()
		require.Empty(t, m.fault, "round %d", round)
		require.NotEmpty(t, m.paid, "set-up: round %d executes something", round)
		checkQuiet(t, e, m)
	}
}

// checkQuiet asks an engine at rest for exactly what must be left of each day,
// and for each key.
func checkQuiet(t *testing.T, e *oap.Engine, m *money) {
	t.Helper()
	for day := range 3 {
		at := func(r *authz.Request) { r.At = morning.AddDate(0, 0, day) }
		for i := range 12 {
			key := fmt.Sprintf("pool-key-%d", i)
			probe := payment(at, func(r *authz.Request) { r.IdempotencyKey, r.Amount = key, dailyCap+1 })
			seen := slices.Contains(reasonsOf(ask(t, e, probe)), judged{"idempotency_check", authz.ReasonIdempotencyConflict})
			require.Equal(t, m.paid[usedKey{day, key}], seen, "day %d: %s is used exactly if it paid", day, key)
		}
		for _, currency := range []bank.Currency{bank.USD, "EUR"} {
			left := dailyCap - m.sums[slot{day, currency}]
			rest := func(amount bank.Amount) authz.Request {
				return payment(at, func(r *authz.Request) {
					r.Currency, r.Amount, r.IdempotencyKey = currency, amount, "rest-"+string(currency)
				})
			}
			require.False(t, ask(t, e, rest(left+1)).Allowed(), "day %d: a cent more than what is left of %s", day, currency)
			if left > 0 {
				require.True(t, ask(t, e, rest(left)).Allowed(), "day %d: exactly what is left of %s", day, currency)
			}
		}
	}
}

// TestSettle pins what each settlement gives back.
func TestSettle(t *testing.T) {
	full := payment(func(r *authz.Request) { r.Amount = dailyCap })
	other := payment(func(r *authz.Request) { r.Amount, r.Memo = dailyCap, "invoice 8" })
	euro := payment(func(r *authz.Request) { r.Amount, r.Currency = dailyCap, "EUR" })
	for _, tt := range []struct {
		name   string
		do     func(*oap.Engine)
		want   []judged
		reason string
	}{
		{"open", func(*oap.Engine) {}, usedUp, "reserved at decision time"},
		{"executed", func(e *oap.Engine) { e.Settle(full, true) }, usedUp, "the money moved"},
		{"refused", func(e *oap.Engine) { e.Settle(full, false) }, free, "no money moved"},
		{"executed, then refused", func(e *oap.Engine) { e.Settle(full, true); e.Settle(full, false) }, usedUp, "the first word counts"},
		{"refused, then executed", func(e *oap.Engine) { e.Settle(full, false); e.Settle(full, true) }, free, "the first word counts"},
		{"refused twice", func(e *oap.Engine) { e.Settle(full, false); e.Settle(full, false) }, free, "nothing is given back twice"},
		{"another payment refused", func(e *oap.Engine) { e.Settle(other, false) }, usedUp, "the same key is not the same payment"},
		{"the same in euros refused", func(e *oap.Engine) { e.Settle(euro, false) }, usedUp, "the same key is not the same payment"},
		{"refused, then the next one open and refused again", func(e *oap.Engine) {
			e.Settle(full, false)
			require.True(t, ask(t, e, other).Allowed())
			e.Settle(full, false)
		}, usedUp, "a late word about the first does not touch the second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := cappedLayer(t).Open()
			require.True(t, ask(t, e, full).Allowed())
			tt.do(e)
			require.Equal(t, tt.want, reasonsOf(ask(t, e, full)), tt.reason)
		})
	}
}

var (
	usedUp = []judged{{"daily_cap_check", authz.ReasonLimitExceeded}, {"idempotency_check", authz.ReasonIdempotencyConflict}}
	free   = []judged{{string(oap.ChargePack), authz.ReasonAllowed}}
)

// TestEnginesShareNothing: what one conversation uses up is there for the next.
func TestEnginesShareNothing(t *testing.T) {
	l := cappedLayer(t)
	full := payment(func(r *authz.Request) { r.Amount = dailyCap })
	first, second := l.Open(), l.Open()
	require.Equal(t, free, reasonsOf(ask(t, first, full)))
	first.Settle(full, true)
	require.Equal(t, usedUp, reasonsOf(ask(t, first, full)), "set-up: the first is used up")
	require.Equal(t, free, reasonsOf(ask(t, second, full)), "the second was opened before the first paid")
	second.Settle(full, false)
	require.Equal(t, usedUp, reasonsOf(ask(t, first, full)), "the second's release gives the first nothing back")
	require.Equal(t, free, reasonsOf(ask(t, l.Open(), full)), "the third was opened after the first paid")
}
