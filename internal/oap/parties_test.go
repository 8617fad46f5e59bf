package oap_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
)

// payeeRule caps what one recipient gets on a day, in each currency for itself.
const payeeRule = `{"name": "payee_day_cap", "condition": "daily_counterparty_total[merchant_id] + amount <= limits.payments.charge.max_per_payee_day",
	"deny_code": "oap.limit_exceeded", "description": "One recipient's payments of a UTC day stay within their cap."}`

const payeeLimits = `{"max_per_payee_day":1000,"currency_limits":{"EUR":{"max_per_tx":250000,"daily_cap":500000}}}`

// turn is a payment, and what becomes of it where it is allowed.
type turn struct {
	to, key  string
	amount   int64
	currency bank.Currency
	day      int
	then     string // doExecute or doRefuse; empty: nobody says
	want     bool
}

const bright, oak = "invoices@brightwater.example", "rent@oakhall.example"

var partyRows = []struct {
	name   string
	turns  []turn
	reason string
}{
	{"reserved", []turn{{to: bright, amount: 600, want: true}, {to: bright, amount: 401}, {to: bright, amount: 400, want: true}, {to: bright, amount: 1}}, "at the decision, to the last cent"},
	{"executed", []turn{{to: bright, amount: 1000, then: doExecute, want: true}, {to: bright, amount: 1}}, "the money moved"},
	{"refused", []turn{{to: bright, amount: 1000, then: doRefuse, want: true}, {to: bright, amount: 1000, want: true}, {to: bright, amount: 1}}, "what was not paid is given back, once"},
	{"another recipient", []turn{{to: bright, amount: 1000, want: true}, {to: oak, amount: 1000, want: true}, {to: oak, amount: 1}}, "a sum of its own"},
	{"the other's payment refused", []turn{{to: bright, amount: 1000, want: true}, {to: oak, amount: 1000, then: doRefuse, want: true}, {to: bright, amount: 1}}, "it gives back nothing of this one's"},
	{"another currency", []turn{{to: bright, amount: 1000, want: true}, {to: bright, amount: 1000, currency: "EUR", want: true}, {to: bright, amount: 1, currency: "EUR"}, {to: bright, amount: 1}}, "cents of two currencies are never added"},
	{"another day", []turn{{to: bright, amount: 1000, want: true}, {to: bright, amount: 1000, day: 1, want: true}, {to: bright, amount: 1}, {to: bright, amount: 1, day: 1}}, "by UTC day"},
	{"denied", []turn{{to: bright, amount: 1001}, {to: bright, amount: 1000, want: true}}, "a denial reserves nothing"},
	{"above all", []turn{{to: bright, amount: 1<<63 - 1}, {to: bright, amount: 1000, want: true}}, "no sum wraps"},
}

// TestDailyCounterpartyTotal: a cap of a recipient's day holds, for payments and for
// contexts that name whom they pay by either name.
func TestDailyCounterpartyTotal(t *testing.T) {
	byPayment := func(t *testing.T, e *oap.Engine, req authz.Request) authz.Decision { return ask(t, e, req) }
	byContext := func(t *testing.T, e *oap.Engine, req authz.Request) authz.Decision {
		raw, err := json.Marshal(map[string]any{"merchant_id": req.Recipient, "amount": req.Amount, "currency": req.Currency, "region": "US",
			"idempotency_key": req.IdempotencyKey, "items": []any{map[string]any{"sku": "a", "qty": 1, "price": 1}}})
		require.NoError(t, err)
		return e.DecideContext(raw, req.At)
	}
	byOtherName := func(t *testing.T, e *oap.Engine, req authz.Request) authz.Decision {
		raw, err := json.Marshal(map[string]any{"merchant_id": bright, "counterparty_id": req.Recipient, "amount": req.Amount, "currency": req.Currency,
			"region": "US", "idempotency_key": req.IdempotencyKey, "items": []any{map[string]any{"sku": "a", "qty": 1, "price": 1}}})
		require.NoError(t, err)
		return e.DecideContext(raw, req.At)
	}
	merchant, counterparty := payeeLayer(t, "merchant_id"), payeeLayer(t, "counterparty_id")
	for _, by := range []struct {
		name  string
		layer *oap.Layer
		ask   func(*testing.T, *oap.Engine, authz.Request) authz.Decision
		tells bool // a settlement can tell the payment: one that was made as such
	}{{"payment", merchant, byPayment, true}, {"context", merchant, byContext, false}, {"payment, other name", counterparty, byPayment, true}, {"context, other name", counterparty, byOtherName, false}} {
		for _, tt := range partyRows {
			t.Run(by.name+"/"+tt.name, func(t *testing.T) {
				e := by.layer.Open()
				for i, turn := range tt.turns {
					req := turn.request(i)
					if turn.then == doRefuse && !by.tells {
						t.Skip("no ledger settles a context")
					}
					d := by.ask(t, e, req)
					require.Equal(t, turn.want, d.Allowed(), "turn %d: %s: %v", i, tt.reason, reasonsOf(d))
					if !turn.want {
						require.Contains(t, reasonsOf(d), judged{"payee_day_cap", authz.ReasonLimitExceeded}, "turn %d", i)
					}
					if turn.then != "" {
						e.Settle(req, turn.then == doExecute)
					}
				}
			})
		}
	}
}

func (u turn) request(i int) authz.Request {
	return payment(func(r *authz.Request) {
		r.Recipient, r.Amount, r.IdempotencyKey = bank.AccountID(u.to), bank.Amount(u.amount), "turn-key-"+string(rune('a'+i))
		if u.key != "" {
			r.IdempotencyKey = u.key
		}
		if u.currency != "" {
			r.Currency = u.currency
		}
		r.At = morning.AddDate(0, 0, u.day)
	})
}

// payeeLayer is Level 2 with payeeRule, who is paid having the given name in it.
func payeeLayer(t *testing.T, name string) *oap.Layer {
	t.Helper()
	raw := withRule(t, strings.ReplaceAll(payeeRule, "merchant_id", name))
	if name != "merchant_id" {
		raw = swapOnce(t, raw, `"memo": {`, `"`+name+`": {"type": "string"}, "memo": {`)
	}
	pack, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2), limits(payeeLimits)))
	require.NoError(t, err)
	l, err := oap.NewLayer(p, pack, oap.ProfileOAP)
	require.NoError(t, err)
	return l
}

// TestUncountedParties: a sum that nothing adds to would be a cap that never denies.
func TestUncountedParties(t *testing.T) {
	for _, tt := range []struct{ name, by, want, reason string }{
		{"who is paid", "merchant_id", "", "counted"},
		{"behind context", "context.merchant_id", "", "the same"},
		{"one by name", "'bob'", "", "that one's sum"},
		{"one of the passport", "limits.payments.charge.allowed_countries[0]", "", "that one's sum"},
		{"another text", "region", "rule own_rule: nothing is counted by this field: daily_counterparty_total[region]: use merchant_id or counterparty_id", "0 for ever"},
		{"the same, behind context", "context.memo", "daily_counterparty_total[memo]", "0 for ever"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := joinRule(t, ruleOn("daily_counterparty_total["+tt.by+"] + amount <= 500"), `{}`)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestKeysOfManyPayments: where a rule lets a key pay twice, the ledger's refusal of
// one payment does not free the key that another has used.
func TestKeysOfManyPayments(t *testing.T) {
	const small, large = 50, 200
	pay := func(amount int64, then string, want bool) turn {
		return turn{to: bright, key: "one-key-1", amount: amount, then: then, want: want}
	}
	for _, tt := range []struct {
		name   string
		turns  []turn
		reason string
	}{
		{"executed, then a small one refused", []turn{pay(large, doExecute, true), pay(small, doRefuse, true), pay(large, "", false)}, "the first has paid by it"},
		{"open, then a small one refused", []turn{pay(large, "", true), pay(small, doRefuse, true), pay(large, "", false)}, "the first may still pay"},
		{"a small one executed, another refused", []turn{pay(small, doExecute, true), pay(small, doRefuse, true), pay(large, "", false)}, "whose payment it was does not count"},
		{"two refused", []turn{pay(small, doRefuse, true), pay(small, doRefuse, true), pay(large, "", true)}, "nothing was paid by it"},
		{"two open, one refused", []turn{pay(small, "", true), pay(small, doRefuse, true), pay(large, "", false)}, "the first may still pay"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := weakLayer(t, `{}`).Open()
			for i, turn := range tt.turns {
				req := turn.request(i)
				require.Equal(t, turn.want, ask(t, e, req).Allowed(), "turn %d: %s", i, tt.reason)
				if turn.then != "" {
					e.Settle(req, turn.then == doExecute)
				}
			}
		})
	}
}

// weakLayer is Level 2 under a pack that lets small payments have a used key.
func weakLayer(t testing.TB, patch string) *oap.Layer {
	t.Helper()
	raw := swapOnce(t, withRule(t, payeeRule), `"condition": "idempotency_key not in recent_keys"`, `"condition": "amount <= 100 OR idempotency_key not in recent_keys"`)
	pack, err := oap.ParsePack(packFile, raw)
	require.NoError(t, err)
	p, err := oap.ParsePassport(level2, mergeJSON(t, mergeJSON(t, shippedBytes(t, level2), limits(`{"max_per_payee_day":700}`)), patch))
	require.NoError(t, err)
	l, err := oap.NewLayer(p, pack, oap.ProfileOAP)
	require.NoError(t, err)
	return l
}

// TestEmptyNames: a name that is there and empty is one as any other.
func TestEmptyNames(t *testing.T) {
	raw := swapOnce(t, withRule(t, payeeRule), `"minLength": 8, `, ``)
	packs, err := oap.ReadPacks(fstest.MapFS{"charge.json": {Data: raw}})
	require.NoError(t, err)
	p, err := oap.ParsePassport(level2, mergeJSON(t, shippedBytes(t, level2), limits(`{"max_per_payee_day":1000,"allowed_merchant_ids":[]}`)))
	require.NoError(t, err)
	l, err := oap.NewLayer(p, packs[0].Pack, oap.ProfileOAP)
	require.NoError(t, err)
	e := l.Open()
	decide := func(key string) []judged {
		return reasonsOf(e.DecideContext([]byte(`{"merchant_id":"","amount":600,"currency":"USD","region":"US","items":[{"sku":"a","qty":1,"price":1}],"idempotency_key":"`+key+`"}`), morning))
	}
	require.Equal(t, free, decide(""))
	require.Equal(t, []judged{{"payee_day_cap", authz.ReasonLimitExceeded}, {"idempotency_check", authz.ReasonIdempotencyConflict}}, decide(""))
}
