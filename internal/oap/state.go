package oap

import (
	"math"

	"vaultbench/internal/oap/condition"
)

// state is what the engine keeps of a conversation, by UTC day of the virtual
// clock: the packs call it daily_total, recent_keys, daily_counterparty_total
// and daily_payout_count. What is allowed counts until the ledger refuses it.
type state struct {
	days  map[int64]*dayState // by days since 1970-01-01
	today *dayState           // the one that was asked for last
}

type dayState struct {
	day            int64
	totals         map[string]*int64 // by currency, minor units
	counterparties map[string]int64  // by counterparty, minor units
	keys           map[string]bool
	count          int64
	open           []spend       // allowed and not settled yet, mostly one
	more           map[spend]int // likewise, those above maxOpen
}

// maxOpen bounds the search among open reservations.
const maxOpen = 8

// spend is what a payment uses up.
type spend struct {
	day                                          int64
	currency, key, counterparty, recipient, memo string
	amount                                       int64 // minor units
}

func newState() state { return state{days: map[int64]*dayState{}} }

func (s *state) of(day int64) *dayState {
	if s.today != nil && s.today.day == day {
		return s.today
	}
	d, ok := s.days[day]
	if !ok {
		d = &dayState{day: day, totals: map[string]*int64{}, counterparties: map[string]int64{}, keys: map[string]bool{}, more: map[spend]int{}}
		s.days[day] = d
	}
	s.today = d
	return d
}

// show puts the state before a payment into the environment's slots, in the
// order of stateTypes.
func (d *dayState) show(slots []condition.Value, p *spend) {
	slots[0].Kind, slots[0].Int = condition.KindInt, 0
	if total := d.totals[p.currency]; total != nil {
		slots[0].Int = *total
	}
	slots[1].Kind, slots[1].Set = condition.KindSet, d.keys
	slots[2].Kind, slots[2].Totals = condition.KindTotals, d.counterparties
	slots[3].Kind, slots[3].Int = condition.KindInt, d.count
}

// reserve counts an allowed payment; false where a total would overflow, which
// no pack's cap lets happen.
func (d *dayState) reserve(p *spend) bool {
	total := d.totals[p.currency]
	if total == nil {
		total = new(int64)
		d.totals[p.currency] = total
	}
	if p.amount > math.MaxInt64-*total || p.counterparty != "" && p.amount > math.MaxInt64-d.counterparties[p.counterparty] {
		return false
	}
	*total += p.amount
	d.count++
	if p.counterparty != "" {
		d.counterparties[p.counterparty] += p.amount
	}
	if p.key != "" {
		d.keys[p.key] = true
	}
	if len(d.open) < maxOpen {
		d.open = append(d.open, *p)
	} else {
		d.more[*p]++
	}
	return true
}

// settle ends a reservation; one that nobody made is left alone.
func (d *dayState) settle(p *spend, executed bool) {
	if !d.take(p) || executed {
		return
	}
	*d.totals[p.currency] -= p.amount
	d.count--
	if p.counterparty != "" {
		d.counterparties[p.counterparty] -= p.amount
	}
	delete(d.keys, p.key)
}

// take removes one reservation of the payment; false where there is none.
func (d *dayState) take(p *spend) bool {
	for i := range d.open {
		if d.open[i].key != p.key || d.open[i] != *p {
			continue
		}
		last := len(d.open) - 1
		d.open[i], d.open[last] = d.open[last], spend{}
		d.open = d.open[:last]
		return true
	}
	if len(d.more) == 0 || d.more[*p] == 0 {
		return false
	}
	if d.more[*p]--; d.more[*p] == 0 {
		delete(d.more, *p)
	}
	return true
}
