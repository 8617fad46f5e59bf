package oaptest

import (
	"maps"
	"math"
	"slices"

	"pgregory.net/rapid"

	"vaultbench/internal/bank"
	"vaultbench/internal/oap/reference"
)

func (d *draft) supportedCurrency() {
	d.req.Currency = bank.USD
	if supported := slices.Sorted(maps.Keys(d.policy.Currencies)); len(supported) > 0 {
		d.req.Currency = bank.Currency(pick(d.T, "currency", supported...))
	}
}

// otherCurrency looks like one, or like the account's.
func (d *draft) otherCurrency() {
	d.req.Currency = pick[bank.Currency](d.T, "other currency", "XAU", "AUD", "ZZZ", "AAA", "USX", "usd", "Usd")
}

// caps are those of the request's currency; of any, where it has none.
func (d *draft) caps() reference.Caps {
	if caps, ok := d.policy.Currencies[string(d.req.Currency)]; ok {
		return caps
	}
	for _, currency := range slices.Sorted(maps.Keys(d.policy.Currencies)) {
		return d.policy.Currencies[currency]
	}
	return reference.Caps{PerPayment: 100, PerDay: 200}
}

// left is what the day's cap leaves.
func (d *draft) left() int64 {
	return d.caps().PerDay - d.spent.On(d.req.At).Totals[string(d.req.Currency)]
}

// smallAmount is within both caps, often at one of them. It moves to a later day
// where the day's cap is reached.
func (d *draft) smallAmount() {
	for range 4 {
		later := d.req.At.AddDate(0, 0, 1)
		if d.left() > 0 || d.policy.Expires != nil && !later.Before(*d.policy.Expires) {
			break
		}
		d.req.At = later
	}
	top := max(1, min(d.caps().PerPayment, d.left()))
	amount := pick(d.T, "small amount", 1, top, max(1, top-1), (top+1)/2, (top+9)/10, -1)
	if amount < 0 {
		amount = rapid.Int64Range(1, top).Draw(d.T, "amount")
	}
	d.req.Amount = bank.Amount(amount)
}

// largeAmount is above one of the caps, often by one minor unit, or so large that
// a sum would wrap.
func (d *draft) largeAmount() {
	left := max(0, d.left())
	d.req.Amount = bank.Amount(pick(d.T, "large amount", d.caps().PerPayment+1, left+1, left+1, d.caps().PerDay+1, math.MaxInt64, math.MaxInt64-left))
}
