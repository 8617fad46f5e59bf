package oap

import (
	"math"

	"vaultbench/internal/oap/condition"
)

// state is what the engine keeps of a conversation, by UTC day of the virtual
// clock: the packs call it daily_total, recent_keys, daily_counterparty_total
// and daily_payout_count. What is allowed counts until the ledger refuses it.
type state struct {
	days map[int64]*dayState // by days since 1970-01-01
}

type dayState struct {
	totals         map[string]int64 // by currency, minor units
	counterparties map[string]int64 // by counterparty, minor units
	keys           map[string]bool
	count          int64
	reserved       map[spend]bool // allowed and not settled yet
}

// spend is what a payment uses up.
type spend struct {
	day                                          int64
	currency, key, counterparty, recipient, memo string
	amount                                       int64 // minor units
}

func newState() state { return state{days: map[int64]*dayState{}} }

func (s state) of(day int64) *dayState {
	d, ok := s.days[day]
	if !ok {
		d = &dayState{totals: map[string]int64{}, counterparties: map[string]int64{}, keys: map[string]bool{}, reserved: map[spend]bool{}}
		s.days[day] = d
	}
	return d
}

// show puts the state before a payment into the environment's slots, in the
// order of stateTypes.
func (s state) show(slots []condition.Value, p spend) {
	d := s.of(p.day)
	slots[0] = condition.Int(d.totals[p.currency])
	slots[1] = condition.Value{Kind: condition.KindSet, Set: d.keys}
	slots[2] = condition.Value{Kind: condition.KindTotals, Totals: d.counterparties}
	slots[3] = condition.Int(d.count)
}

// reserve counts an allowed payment; false where a total would overflow, which
// no pack's cap lets happen.
func (s state) reserve(p spend) bool {
	d := s.of(p.day)
	if p.amount > math.MaxInt64-d.totals[p.currency] || p.amount > math.MaxInt64-d.counterparties[p.counterparty] {
		return false
	}
	d.totals[p.currency] += p.amount
	d.count++
	if p.counterparty != "" {
		d.counterparties[p.counterparty] += p.amount
	}
	if p.key != "" {
		d.keys[p.key] = true
	}
	d.reserved[p] = true
	return true
}

// settle ends a reservation; one that nobody made is left alone.
func (s state) settle(p spend, executed bool) {
	d := s.of(p.day)
	if !d.reserved[p] {
		return
	}
	delete(d.reserved, p)
	if executed {
		return
	}
	d.totals[p.currency] -= p.amount
	d.count--
	if p.counterparty != "" {
		d.counterparties[p.counterparty] -= p.amount
	}
	delete(d.keys, p.key)
}
