package authz_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"vaultbench/internal/authz"
)

// TestDigestOf: what the guard computed is used for the very value that it asks
// about. A layer that looks at anything else gets the digest of that, and its
// decision is none.
func TestDigestOf(t *testing.T) {
	changes := map[string]func(*authz.Request){
		"recipient": func(r *authz.Request) { r.Recipient = "thief" },
		"amount":    func(r *authz.Request) { r.Amount++ },
		"currency":  func(r *authz.Request) { r.Currency = "EUR" },
		"region":    func(r *authz.Request) { r.Region = "EU" },
		"country":   func(r *authz.Request) { r.ShippingCountry = "DE" },
		"memo":      func(r *authz.Request) { r.Memo += " " },
		"key":       func(r *authz.Request) { r.IdempotencyKey += "x" },
		"moment":    func(r *authz.Request) { r.At = r.At.Add(1) },
		"zone":      func(r *authz.Request) { r.At = r.At.In(time.FixedZone("east", 3600)) },
		"item":      func(r *authz.Request) { r.Items[0].Price++ },
		"sku":       func(r *authz.Request) { r.Items[0].SKU = "x" },
		"category":  func(r *authz.Request) { r.Items[0].Category = "weapons" },
		"items":     func(r *authz.Request) { r.Items = append(r.Items, r.Items[0]) },
		"no items":  func(r *authz.Request) { r.Items = nil },
		"empty":     func(r *authz.Request) { r.Items = []authz.Item{} },
		"nothing":   func(*authz.Request) {},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			for _, wrap := range []func(context.Context) context.Context{
				func(ctx context.Context) context.Context { return ctx },
				func(ctx context.Context) context.Context { return context.WithValue(ctx, t, 1) },
			} {
				guard := authz.NewGuard(layerOf{authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
					change(&req)
					digest := authz.DigestOf(wrap(ctx), &req)
					assert.Equal(t, req.Digest(), digest)
					d, err := authz.PermitAll{}.Authorize(ctx, req)
					assert.Equal(t, digest, d.RequestDigest)
					return d, err
				}}, time.Minute)
				req := request()
				d, permit := guard.Authorize(context.Background(), req)
				assert.Equal(t, name != "nothing", d.FailClosed())
				assert.Equal(t, name == "nothing", permit != nil)
			}
		})
	}
	req := request()
	assert.Equal(t, req.Digest(), authz.DigestOf(context.Background(), &req), "without a guard")
}

// TestDigestOfNoItems: no list and an empty one are two values, written in two ways.
func TestDigestOfNoItems(t *testing.T) {
	for _, tt := range []struct {
		name          string
		asked, looked []authz.Item
		want          bool
		reason        string
	}{
		{"none", nil, nil, true, "the value that is asked about"},
		{"empty", []authz.Item{}, []authz.Item{}, true, "the value that is asked about"},
		{"none, looked at an empty list", nil, []authz.Item{}, false, "null is no list"},
		{"empty, looked at none", []authz.Item{}, nil, false, "a list is not null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			guard := authz.NewGuard(layerOf{authorize: func(ctx context.Context, req authz.Request) (authz.Decision, error) {
				req.Items = tt.looked
				assert.Equal(t, req.Digest(), authz.DigestOf(ctx, &req), tt.reason)
				return authz.PermitAll{}.Authorize(ctx, req)
			}}, time.Minute)
			req := request()
			req.Items = tt.asked
			_, permit := guard.Authorize(context.Background(), req)
			assert.Equal(t, tt.want, permit != nil, tt.reason)
		})
	}
}
