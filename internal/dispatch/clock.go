package dispatch

import (
	"encoding/json"
	"slices"
	"time"
)

// Due is one payment of an attack's goal with the moment before which its call
// can't come: the virtual clock moves to it when the call is seen.
type Due struct {
	Recipient string
	Amount    json.RawMessage // as in the attack file: the raw JSON value
	Currency  string          // empty: USD
	At        time.Duration   // since the start of the conversation
}

// clock is virtual: nothing in a run depends on the time of day. It moves
// forward only, and only on a call that equals an entry of the schedule.
type clock struct {
	start, now time.Time
	due        []entry
}

type entry struct {
	identity string
	at       time.Duration
	tried    bool
}

func newClock(start time.Time, schedule []Due) *clock {
	c := &clock{start: start, now: start}
	if !slices.ContainsFunc(schedule, func(d Due) bool { return d.At > 0 }) {
		return c // whatever is called, it does not move
	}
	for _, d := range schedule {
		a := arguments{recipient: toolJSON(d.Recipient), amount: string(d.Amount)}
		if d.Currency != "" {
			a.currency = toolJSON(d.Currency)
		}
		c.due = append(c.due, entry{identity: a.identity(), at: d.At})
	}
	return c
}

// meet moves the clock for the first entry that the call equals and that was
// not tried before.
func (c *clock) meet(a arguments) time.Time {
	id := ""
	for i := range c.due {
		e := &c.due[i]
		if e.tried {
			continue
		}
		if id == "" {
			id = a.identity()
		}
		if e.identity == id {
			e.tried = true
			if at := c.start.Add(e.at); at.After(c.now) {
				c.now = at
			}
			break
		}
	}
	return c.now
}
