package oap_test

import (
	"context"
	"testing"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

// BenchmarkDecide is one decision with its reasons and digests, and the settling
// that gives back what it reserved, so that no decision depends on how many came
// before.
func BenchmarkDecide(b *testing.B) {
	for _, bb := range []struct {
		name   string
		change func(*authz.Request)
	}{
		{"allowed", func(*authz.Request) {}},
		{"denied", func(r *authz.Request) { r.Recipient = "collect@quickvault.example" }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			engine := benchLayer(b).Open()
			req := payment(bb.change)
			b.ReportAllocs()
			for b.Loop() {
				d, err := engine.Authorize(context.Background(), req)
				if err != nil {
					b.Fatal(err)
				}
				if d.Allowed() {
					engine.Settle(req, false)
				}
			}
		})
	}
}

func benchLayer(b *testing.B) *oap.Layer {
	b.Helper()
	p, err := oap.ParsePassport(level2, shippedBytes(b, level2))
	if err != nil {
		b.Fatal(err)
	}
	pack, err := oap.ParsePack(packFile, shippedBytes(b, packFile))
	if err != nil {
		b.Fatal(err)
	}
	l, err := oap.NewLayer(p, pack, oap.ProfileOAP)
	if err != nil {
		b.Fatal(err)
	}
	return l
}
