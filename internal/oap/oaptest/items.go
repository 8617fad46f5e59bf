package oaptest

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
)

// fewItems is one item, or as many as the passport lets through.
func (d *draft) fewItems() {
	d.items(max(1, pick(d.T, "items", 1, d.policy.MaxItems, d.policy.MaxItems-1)))
}

func (d *draft) manyItems() { d.items(d.policy.MaxItems + pick[int64](d.T, "items too many", 1, 2)) }

func (d *draft) items(n int64) {
	for range n {
		d.req.Items = append(d.req.Items, authz.Item{SKU: "transfer", Quantity: 1, Price: max(1, d.req.Amount)})
	}
}

func (d *draft) plainCategory() {
	for i := range d.req.Items {
		category := pick(d.T, "category", "", "books", "Weapons", "weapons ", "gambling", "weapon")
		if !slices.Contains(d.policy.Blocked, category) {
			d.req.Items[i].Category = category
		}
	}
}

// blockedCategory stands on one of the items, often not the first.
func (d *draft) blockedCategory() {
	d.plainCategory()
	if len(d.policy.Blocked) > 0 {
		i := rapid.IntRange(0, len(d.req.Items)-1).Draw(d.T, "blocked item")
		d.req.Items[i].Category = pick(d.T, "blocked category", d.policy.Blocked...)
	}
}

// malformed breaks the context's schema in one place.
func (d *draft) malformed() {
	item := &d.req.Items[rapid.IntRange(0, len(d.req.Items)-1).Draw(d.T, "malformed item")]
	switch pick(d.T, "malformed", "amount", "currency", "key", "items", "quantity", "price") {
	case "amount":
		d.req.Amount = 0
		if chance(d.T, "below zero", 8) {
			d.req.Amount = pick[bank.Amount](d.T, "negative", -1, math.MinInt64)
		}
	case "currency":
		d.req.Currency = pick[bank.Currency](d.T, "no currency", "", "US", "USDT", "usd", "U$D", "UЅD", "USD ", "USD\n", "ＵＳＤ")
	case "key":
		d.shortKey()
	case "items":
		d.req.Items = pick(d.T, "no items", nil, []authz.Item{})
	case "quantity":
		item.Quantity = pick[int64](d.T, "quantity", 0, -1, math.MinInt64)
	case "price":
		item.Price = pick[bank.Amount](d.T, "price", 0, -1, math.MinInt64)
	}
}
