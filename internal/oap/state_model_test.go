package oap_test

import (
	"maps"
	"testing"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
)

// What a payment, and a day of a currency, may come to in these tests.
const (
	modelTx  bank.Amount = 400
	modelCap bank.Amount = 1000
)

// policy is a pack that the model knows, under Level 2 with small limits in two
// currencies.
type policy struct {
	name     string
	layer    *oap.Layer
	payeeCap bank.Amount // of a recipient's day and currency; 0: the pack has no such rule
	freeKeys bank.Amount // up to which amount a used key pays again
}

// policies are the shipped pack, and one with a cap of each recipient's day that
// lets small payments have a used key.
func policies(t testing.TB) []policy {
	t.Helper()
	const caps = `{"max_per_tx":400,"daily_cap":1000}`
	patch := limits(`{"currency_limits":{"USD":` + caps + `,"EUR":` + caps + `}}`)
	return []policy{
		{"shipped", withPatch(t, shippedLayer(t, level2, oap.ProfileOAP), patch), 0, 0},
		{"weaker keys", weakLayer(t, patch), 700, 100},
	}
}

// pay is a payment as far as state goes; the same value is the same payment.
type pay struct {
	Day      int
	Currency bank.Currency
	To       bank.AccountID
	Key      string
	Amount   bank.Amount
	Memo     string
}

func (p pay) request() authz.Request {
	return payment(func(r *authz.Request) {
		r.Recipient, r.Amount, r.Currency, r.IdempotencyKey, r.Memo, r.At = p.To, p.Amount, p.Currency, p.Key, p.Memo, morning.AddDate(0, 0, p.Day)
		r.Items[0].Price = p.Amount
	})
}

func (p pay) slot() slot   { return slot{p.Day, p.Currency} }
func (p pay) use() usedKey { return usedKey{p.Day, p.Key} }
func (p pay) payee() payee { return payee{p.slot(), p.To} }

// payee is a recipient on a day, in one currency.
type payee struct {
	slot
	to bank.AccountID
}

// model is the state that NOTES.md, item 9, describes, written without looking
// at the engine: one step after the other, reserved at decision time.
type model struct {
	policy
	totals   map[slot]bank.Amount
	payees   map[payee]bank.Amount
	executed map[payee]bank.Amount // what the ledger has posted
	used     map[usedKey]int       // payments that hold a key, or have paid by it
	paid     map[usedKey]int       // postings by key, of those that want one of their own
	open     map[pay]int           // allowed, and nobody has said what became of it
}

func newModel(p policy) *model {
	return &model{p, map[slot]bank.Amount{}, map[payee]bank.Amount{}, map[payee]bank.Amount{}, map[usedKey]int{}, map[usedKey]int{}, map[pay]int{}}
}

func (m *model) clone() *model {
	return &model{m.policy, maps.Clone(m.totals), maps.Clone(m.payees), maps.Clone(m.executed), maps.Clone(m.used), maps.Clone(m.paid), maps.Clone(m.open)}
}

// authorize says what the engine must answer, reason by reason.
func (m *model) authorize(p pay) []judged {
	var why []judged
	supported := p.Currency == bank.USD || p.Currency == "EUR"
	if !supported {
		why = append(why, judged{"currency_supported", authz.ReasonCurrencyUnsupported})
	}
	if m.payeeCap > 0 && m.payees[p.payee()]+p.Amount > m.payeeCap {
		why = append(why, judged{"payee_day_cap", authz.ReasonLimitExceeded})
	}
	if supported && p.Amount > modelTx {
		why = append(why, judged{"per_tx_amount_cap", authz.ReasonLimitExceeded})
	}
	if supported && m.totals[p.slot()]+p.Amount > modelCap {
		why = append(why, judged{"daily_cap_check", authz.ReasonLimitExceeded})
	}
	if m.used[p.use()] > 0 && p.Amount > m.freeKeys {
		why = append(why, judged{"idempotency_check", authz.ReasonIdempotencyConflict})
	}
	if len(why) > 0 {
		return why
	}
	m.totals[p.slot()] += p.Amount
	m.payees[p.payee()] += p.Amount
	m.used[p.use()]++
	m.open[p]++
	return free
}

// settle ends what is open of exactly this payment; anything else is no news.
func (m *model) settle(p pay, executed bool) {
	if m.open[p] == 0 {
		return
	}
	m.open[p]--
	if executed {
		m.executed[p.payee()] += p.Amount
		if p.Amount > m.freeKeys {
			m.paid[p.use()]++
		}
		return
	}
	m.totals[p.slot()] -= p.Amount
	m.payees[p.payee()] -= p.Amount
	m.used[p.use()]--
}

// broken says which promise the model's own state breaks; empty: none.
func (m *model) broken() string {
	sums := map[slot]bank.Amount{}
	for to, total := range m.executed {
		sums[to.slot] += total
		if m.payeeCap > 0 && total > m.payeeCap || total > m.payees[to] {
			return "executed " + total.String() + " " + string(to.currency) + " to " + string(to.to) + " on one day"
		}
	}
	for s, total := range sums {
		if total > modelCap || total > m.totals[s] {
			return "executed " + total.String() + " " + string(s.currency) + " on one day"
		}
	}
	for k, n := range m.paid {
		if n > 1 {
			return "key " + k.key + " paid twice on one day"
		}
	}
	return ""
}
