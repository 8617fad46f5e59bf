package budget_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/price"
)

func TestPrice(t *testing.T) {
	half := 0.5
	for _, tt := range []struct {
		name   string
		price  price.Price
		tokens price.Tokens
		want   string
		reason string
	}{
		{"nothing", price.Price{Input: 2, Output: 10}, price.Tokens{}, "$0.0000", "no token costs nothing"},
		{"input and output", price.Price{Input: 2, Output: 10}, price.Tokens{Input: 1_000_000, Output: 100_000}, "$3.0000", "each at its price"},
		{"cached", price.Price{Input: 2, Output: 10, CacheRead: &half}, price.Tokens{Input: 1_000_000, Cached: 400_000, Output: 100_000}, "$2.4000", "what a cache gave is cheaper"},
		{"cached, unconfirmed", price.Price{Input: 2, Output: 10}, price.Tokens{Input: 1_000_000, Cached: 400_000}, "$2.0000", "never too little"},
		{"more cached than input", price.Price{Input: 2, Output: 10, CacheRead: &half}, price.Tokens{Input: 1_000_000, Cached: 400_000_000, Output: 100_000}, "$1.5000", "nothing is cheaper than to have all of it cached"},
		{"fewer cached than none", price.Price{Input: 2, Output: 10, CacheRead: &half}, price.Tokens{Input: 1_000_000, Cached: -400_000}, "$2.0000", "nor dearer than to have none"},
		{"one token", price.Price{Input: 0.075, Output: 0.3}, price.Tokens{Input: 1}, "$0.0000", "kept all the same, see below"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.price.Of(tt.tokens).String(), tt.reason) })
	}
	assert.Equal(t, price.Pico(75_000), price.Price{Input: 0.075}.Of(price.Tokens{Input: 1}), "no fraction of a cent is lost")
	assert.Equal(t, price.Pico(2_500_000_000_000), price.Dollars(2.5))
	assert.InDelta(t, 2.5, price.Dollars(2.5).USD(), 0)
}
