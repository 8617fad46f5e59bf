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

// modelLayer is Level 2 with small limits in two currencies.
func modelLayer(t testing.TB) *oap.Layer {
	t.Helper()
	const limits = `{"max_per_tx":400,"daily_cap":1000}`
	return withPatch(t, shippedLayer(t, level2, oap.ProfileOAP), chargePatch+`{"currency_limits":{"USD":`+limits+`,"EUR":`+limits+`}}}}`)
}

// pay is a payment as far as state goes; the same value is the same payment.
type pay struct {
	Day      int
	Currency bank.Currency
	Key      string
	Amount   bank.Amount
	Memo     string
}

func (p pay) request() authz.Request {
	return payment(func(r *authz.Request) {
		r.Amount, r.Currency, r.IdempotencyKey, r.Memo, r.At = p.Amount, p.Currency, p.Key, p.Memo, morning.AddDate(0, 0, p.Day)
		r.Items[0].Price = p.Amount
	})
}

func (p pay) slot() slot   { return slot{p.Day, p.Currency} }
func (p pay) use() usedKey { return usedKey{p.Day, p.Key} }

// model is the state that NOTES.md, item 9, describes, written without looking
// at the engine: one step after the other, reserved at decision time.
type model struct {
	totals   map[slot]bank.Amount
	executed map[slot]bank.Amount // of the totals, what the ledger has posted
	used     map[usedKey]bool
	paid     map[usedKey]int // postings by key
	open     map[usedKey]pay // allowed, and nobody has said what became of it
}

func newModel() *model {
	return &model{map[slot]bank.Amount{}, map[slot]bank.Amount{}, map[usedKey]bool{}, map[usedKey]int{}, map[usedKey]pay{}}
}

func (m *model) clone() *model {
	return &model{maps.Clone(m.totals), maps.Clone(m.executed), maps.Clone(m.used), maps.Clone(m.paid), maps.Clone(m.open)}
}

// authorize says what the engine must answer, reason by reason.
func (m *model) authorize(p pay) []judged {
	var why []judged
	switch {
	case p.Currency != bank.USD && p.Currency != "EUR":
		why = append(why, judged{"currency_supported", authz.ReasonCurrencyUnsupported})
	case p.Amount > modelTx:
		why = append(why, judged{"per_tx_amount_cap", authz.ReasonLimitExceeded})
	}
	if len(why) == 0 || why[0].Rule != "currency_supported" {
		if m.totals[p.slot()]+p.Amount > modelCap {
			why = append(why, judged{"daily_cap_check", authz.ReasonLimitExceeded})
		}
	}
	if m.used[p.use()] {
		why = append(why, judged{"idempotency_check", authz.ReasonIdempotencyConflict})
	}
	if len(why) > 0 {
		return why
	}
	m.totals[p.slot()] += p.Amount
	m.used[p.use()] = true
	m.open[p.use()] = p
	return free
}

// settle ends what is open of exactly this payment; anything else is no news.
func (m *model) settle(p pay, executed bool) {
	if m.open[p.use()] != p {
		return
	}
	delete(m.open, p.use())
	if executed {
		m.executed[p.slot()] += p.Amount
		m.paid[p.use()]++
		return
	}
	m.totals[p.slot()] -= p.Amount
	delete(m.used, p.use())
}

// broken says which promise the model's own state breaks; empty: none.
func (m *model) broken() string {
	for s, total := range m.executed {
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
