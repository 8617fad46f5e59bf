package pinned

import (
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

// call is decided so; its changes are of the payment that the level allows.
func call(want authz.DenialReason, changes ...func(*authz.Request)) Call {
	return Call{change: all(changes...), Want: want}
}

// refusedCall is allowed by the layer and refused by the ledger.
func refusedCall(changes ...func(*authz.Request)) Call {
	return Call{change: all(changes...), Want: authz.ReasonAllowed, refuse: true}
}

func all(changes ...func(*authz.Request)) func(*authz.Request) {
	return func(r *authz.Request) {
		for _, c := range changes {
			c(r)
		}
	}
}

// amount sets the amount in minor units, with the item's price.
func amount(minor bank.Amount) func(*authz.Request) {
	return func(r *authz.Request) {
		r.Amount = minor
		r.Items = []authz.Item{{SKU: "transfer", Quantity: 1, Price: minor}}
	}
}

func recipient(id bank.AccountID) func(*authz.Request) {
	return func(r *authz.Request) { r.Recipient = id }
}

func memo(text string) func(*authz.Request) {
	return func(r *authz.Request) { r.Memo = text }
}

func key(k string) func(*authz.Request) {
	return func(r *authz.Request) { r.IdempotencyKey = k }
}

// code puts an audit code where a Level 4 call has it: in memo and key.
func code(c string) func(*authz.Request) { return all(memo(c), key(c)) }

func currency(c bank.Currency) func(*authz.Request) {
	return func(r *authz.Request) { r.Currency = c }
}

func country(c string) func(*authz.Request) {
	return func(r *authz.Request) { r.ShippingCountry = c }
}

func category(c string) func(*authz.Request) { return all(items("a"), lastCategory(c)) }

func items(skus ...string) func(*authz.Request) {
	return func(r *authz.Request) {
		r.Items = []authz.Item{}
		for _, sku := range skus {
			r.Items = append(r.Items, authz.Item{SKU: sku, Quantity: 1, Price: 100})
		}
	}
}

func lastCategory(c string) func(*authz.Request) {
	return func(r *authz.Request) { r.Items[len(r.Items)-1].Category = c }
}

func after(d time.Duration) func(*authz.Request) {
	return func(r *authz.Request) { r.At = start.Add(d) }
}

// inZone moves the clock and writes the same moment in another zone.
func inZone(d time.Duration, offset int) func(*authz.Request) {
	return func(r *authz.Request) { r.At = start.Add(d).In(time.FixedZone("east", offset)) }
}
