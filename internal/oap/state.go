package oap

import (
	"math"

	"vaultbench/internal/oap/condition"
)

// state is what the engine keeps of a conversation, by UTC day of the virtual
// clock: the packs call it daily_total, recent_keys, daily_counterparty_total
// and daily_payout_count. What is allowed counts until the ledger refuses it.
type state struct {
	days    map[int64]*dayState // by days since 1970-01-01
	today   *dayState           // the one that was asked for last
	parties bool                // a rule reads the sums by counterparty
}

type dayState struct {
	day   int64
	sums  map[string]*sums // by currency: minor units of two are never added
	keys  map[string]bool
	again map[string]int // of the keys, how many payments have one beside the first
	count int64
	open  []spend       // allowed and not settled yet, mostly one
	more  map[spend]int // likewise, those above maxOpen
}

// sums are what was allowed in one currency, in minor units.
type sums struct {
	total   int64
	parties map[string]int64 // of it, by counterparty; none is 0. nil: no rule reads it
}

// maxOpen bounds the search among open reservations.
const maxOpen = 8

// spend is what a payment uses up.
type spend struct {
	day                     int64
	currency, key           string
	recipient, counterparty string // who is paid, by either name that packs have for them
	memo                    string
	amount                  int64 // minor units
	keyed                   bool  // there is a key, be it empty
}

func newState(parties bool) state { return state{days: map[int64]*dayState{}, parties: parties} }

func (s *state) of(day int64) *dayState {
	if s.today != nil && s.today.day == day {
		return s.today
	}
	d, ok := s.days[day]
	if !ok {
		d = &dayState{day: day, sums: map[string]*sums{}, keys: map[string]bool{}, again: map[string]int{}, more: map[spend]int{}}
		s.days[day] = d
	}
	s.today = d
	return d
}

// show puts the state before a payment into the environment's slots, in the
// order of stateTypes.
func (d *dayState) show(slots []condition.Value, p *spend) {
	slots[0].Kind, slots[0].Int = condition.KindInt, 0
	slots[2].Kind, slots[2].Totals = condition.KindTotals, nil
	if in := d.sums[p.currency]; in != nil {
		slots[0].Int, slots[2].Totals = in.total, in.parties
	}
	slots[1].Kind, slots[1].Set = condition.KindSet, d.keys
	slots[3].Kind, slots[3].Int = condition.KindInt, d.count
}

// reserve counts an allowed payment; false where a total would overflow, which
// no pack's cap lets happen. No counterparty has more than the total.
func (s *state) reserve(d *dayState, p *spend) bool {
	in := d.sums[p.currency]
	if in == nil {
		in = new(sums)
		if s.parties {
			in.parties = map[string]int64{}
		}
		d.sums[p.currency] = in
	}
	if p.amount > math.MaxInt64-in.total {
		return false
	}
	in.add(p, p.amount)
	d.count++
	if p.keyed {
		d.use(p.key)
	}
	if len(d.open) < maxOpen {
		d.open = append(d.open, *p)
	} else {
		d.more[*p]++
	}
	return true
}

// add counts a payment's amount, or what is given back of it. A context may have
// two names for who is paid, and a rule may read either.
func (in *sums) add(p *spend, amount int64) {
	in.total += amount
	if in.parties == nil || amount == 0 {
		return
	}
	in.to(p.recipient, amount)
	if p.counterparty != p.recipient {
		in.to(p.counterparty, amount)
	}
}

func (in *sums) to(party string, amount int64) {
	if in.parties[party] += amount; in.parties[party] == 0 {
		delete(in.parties, party)
	}
}

// use and release count a key's payments: a pack may let one pay twice, and the one
// that is refused does not take the key from the other.
func (d *dayState) use(key string) {
	if d.keys[key] {
		d.again[key]++
	}
	d.keys[key] = true
}

func (d *dayState) release(key string) {
	if d.again[key] == 0 {
		delete(d.keys, key)
	} else if d.again[key]--; d.again[key] == 0 {
		delete(d.again, key)
	}
}

// settle ends a reservation; one that nobody made is left alone.
func (d *dayState) settle(p *spend, executed bool) {
	if !d.take(p) || executed {
		return
	}
	d.sums[p.currency].add(p, -p.amount)
	d.count--
	if p.keyed {
		d.release(p.key)
	}
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
