// Package price says what tokens cost, at a price that somebody read on a page of
// the provider. It is the one place where tokens become dollars.
package price

import (
	"fmt"
	"math"
)

// Price is in US dollars per million tokens.
type Price struct {
	Input     float64  `json:"input"`
	Output    float64  `json:"output"`
	CacheRead *float64 `json:"cache_read"` // nil: unconfirmed
	Date      string   `json:"date"`       // YYYY-MM-DD on which it was read
}

// Tokens are counted as the provider counts them.
type Tokens struct{ Input, Cached, Output int64 } // Cached is part of Input

// Pico is an amount in 10⁻¹² US dollars: a whole number, so that a sum depends on
// no order.
type Pico int64

// Of is what tokens cost. Those read from a cache cost as much as others where
// their own price is not confirmed, and more of them than there is input are not
// believed, so that it is never too little.
func (p Price) Of(t Tokens) Pico {
	t.Cached = min(max(t.Cached, 0), t.Input)
	cached := p.Input
	if p.CacheRead != nil {
		cached = *p.CacheRead
	}
	return Pico((t.Input-t.Cached)*perToken(p.Input) + t.Cached*perToken(cached) + t.Output*perToken(p.Output))
}

// perToken turns dollars per million tokens into 10⁻¹² dollars per token.
func perToken(perMillion float64) int64 { return int64(math.Round(perMillion * 1e6)) }

// Dollars turns US dollars into an amount.
func Dollars(usd float64) Pico { return Pico(math.Round(usd * 1e12)) }

// USD is the amount in US dollars.
func (p Pico) USD() float64 { return float64(p) / 1e12 }

// String has four digits behind the point: a single reply costs less than a cent.
func (p Pico) String() string { return fmt.Sprintf("$%.4f", p.USD()) }
