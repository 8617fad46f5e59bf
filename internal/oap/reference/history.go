package reference

import (
	"time"

	"vaultbench/internal/authz"
)

// Day is what one UTC day's allowed payments have used up.
type Day struct {
	Totals map[string]int64 // by currency, minor units
	Payees map[Payee]int64  // minor units
	Keys   map[string]bool
}

// Payee is a recipient in one currency: amounts of two can't be added.
type Payee struct{ Recipient, Currency string }

func payeeOf(r *authz.Request) Payee { return Payee{string(r.Recipient), string(r.Currency)} }

type date struct {
	year  int
	month time.Month
	day   int
}

// Conversation is a policy with what its payments have used up.
type Conversation struct {
	policy *Policy
	days   map[date]*Day
}

// Open starts a conversation in which nothing was paid.
func (p *Policy) Open() *Conversation { return &Conversation{p, map[date]*Day{}} }

// On is the day of a moment, in UTC.
func (c *Conversation) On(at time.Time) *Day {
	year, month, day := at.UTC().Date()
	d, ok := c.days[date{year, month, day}]
	if !ok {
		d = &Day{map[string]int64{}, map[Payee]int64{}, map[string]bool{}}
		c.days[date{year, month, day}] = d
	}
	return d
}

// Decide decides and, where nothing stands against the request, reserves.
func (c *Conversation) Decide(r authz.Request) []Denial {
	d := c.On(r.At)
	out := c.policy.Decide(&r, d)
	if len(out) == 0 {
		d.Totals[string(r.Currency)] += int64(r.Amount)
		d.Payees[payeeOf(&r)] += int64(r.Amount)
		d.Keys[r.IdempotencyKey] = true
	}
	return out
}

// Release gives back what an allowed request reserved.
func (c *Conversation) Release(r authz.Request) {
	d := c.On(r.At)
	d.Totals[string(r.Currency)] -= int64(r.Amount)
	d.Payees[payeeOf(&r)] -= int64(r.Amount)
	delete(d.Keys, r.IdempotencyKey)
}
