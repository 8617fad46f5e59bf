//go:build unix

package compare_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"testing"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/dispatch"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/reference"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/passports"
	"vaultbench/scripts/compare"
)

var noon = time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)

// mix is what every engine decides about under the passport of Level 2, in turn:
// half of it is allowed.
func mix() []authz.Request {
	request := func(change func(*authz.Request)) authz.Request {
		r := authz.Request{
			Recipient: "rent@oakhall.example", Amount: 125000, Currency: bank.USD, Region: "US", Memo: "rent of March, flat 4",
			Items:          []authz.Item{{SKU: "transfer", Quantity: 1, Price: 125000}},
			IdempotencyKey: "a-2f81c6#1", At: noon,
		}
		change(&r)
		return r
	}
	return []authz.Request{
		request(func(*authz.Request) {}),
		request(func(r *authz.Request) { r.Recipient = "collect@quickvault.example" }),
		request(func(r *authz.Request) { r.Amount = 250000 }),
		request(func(r *authz.Request) { r.Amount = 250001 }),
		request(func(r *authz.Request) { r.Recipient = "invoices@brightwater.example" }),
		request(func(r *authz.Request) { r.Currency = "EUR" }),
		request(func(r *authz.Request) { r.ShippingCountry, r.Items[0].Category = "US", "books" }),
		request(func(r *authz.Request) {
			r.Recipient, r.Amount, r.Items[0].Category = "Rent@oakhall.example", 900000, "weapons"
		}),
	}
}

func levelTwo(b *testing.B) ([]byte, *oap.Layer, *reference.Policy) {
	b.Helper()
	raw, err := fs.ReadFile(passports.FS, "level-2.json")
	if err != nil {
		b.Fatal(err)
	}
	passport, err := oap.ParsePassport("level-2.json", raw)
	if err != nil {
		b.Fatal(err)
	}
	pack, _ := shippedPack(b)
	layer, err := oap.NewLayer(passport, pack, oap.ProfileOAP)
	if err != nil {
		b.Fatal(err)
	}
	policy, err := reference.Read(raw, false)
	if err != nil {
		b.Fatal(err)
	}
	return raw, layer, policy
}

// eachOf runs a decision over the requests in turn. Beside the time on the wall it
// reports that on the processor, which a loaded machine stretches less.
func eachOf[R any](b *testing.B, requests []R, decide func(*R) error) {
	b.Helper()
	b.ReportAllocs()
	i, start := 0, cpuTime(b)
	for b.Loop() {
		if err := decide(&requests[i]); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(requests) {
			i = 0
		}
	}
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// settled decides and gives back, so that no cap is reached.
func settled(engine *oap.Engine, r *authz.Request) error {
	d, err := engine.Authorize(context.Background(), *r)
	if d.Allowed() {
		engine.Settle(*r, false)
	}
	return err
}

// BenchmarkDecision is one decision with all its reasons, from the request: each
// engine makes its own input of it. The project's engine also reserves, digests
// the request and gives back.
func BenchmarkDecision(b *testing.B) {
	_, layer, policy := levelTwo(b)
	day, requests := policy.Open().On(noon), mix()
	b.Run("engine", func(b *testing.B) {
		engine := layer.Open()
		eachOf(b, requests, func(r *authz.Request) error { return settled(engine, r) })
	})
	b.Run("reference", func(b *testing.B) {
		eachOf(b, requests, func(r *authz.Request) error { policy.Decide(r, day); return nil })
	})
	for _, o := range others(b, policy) {
		b.Run(o.name, func(b *testing.B) {
			eachOf(b, requests, func(r *authz.Request) error { _, err := o.policy.Failed(r, day); return err })
		})
	}
}

func others(b *testing.B, p *reference.Policy) []other {
	b.Helper()
	cedar, cel, module := policies(b, p)
	return []other{{"cedar", cedar}, {"cel", cel}, {"opa", module}}
}

func policies(b *testing.B, p *reference.Policy) (*compare.CedarPolicy, *compare.CELPolicy, *compare.RegoPolicy) {
	b.Helper()
	cedar, err := compare.NewCedar()
	if err != nil {
		b.Fatal(err)
	}
	cel, err := compare.NewCEL()
	if err != nil {
		b.Fatal(err)
	}
	module, err := compare.NewRego(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	under, err := module.Under(p)
	if err != nil {
		b.Fatal(err)
	}
	return cedar.Under(p), cel.Under(p), under
}

// BenchmarkPrepared gives the three others their inputs ready made, which no
// dispatch path could: the least that they take.
func BenchmarkPrepared(b *testing.B) {
	_, _, policy := levelTwo(b)
	cedar, cel, module := policies(b, policy)
	day := policy.Open().On(noon)
	b.Run("cedar", func(b *testing.B) {
		prepared(b, func(r *authz.Request) func() error {
			in := cedar.Input(r, day)
			return func() error { _, err := cedar.Eval(in); return err }
		})
	})
	b.Run("cel", func(b *testing.B) {
		prepared(b, func(r *authz.Request) func() error {
			in := cel.Input(r, day)
			return func() error { _, err := cel.Eval(in); return err }
		})
	})
	b.Run("opa", func(b *testing.B) {
		prepared(b, func(r *authz.Request) func() error {
			in := module.Input(r, day)
			return func() error { _, err := module.Eval(context.Background(), in); return err }
		})
	})
}

func prepared(b *testing.B, prepare func(*authz.Request) func() error) {
	b.Helper()
	var ready []func() error
	for _, r := range mix() {
		ready = append(ready, prepare(&r))
	}
	eachOf(b, ready, func(decide *func() error) error { return (*decide)() })
}

// BenchmarkHistory is a decision after others in the same conversation.
func BenchmarkHistory(b *testing.B) {
	for _, earlier := range []int{0, 1_000, 100_000} {
		b.Run(fmt.Sprint(earlier), func(b *testing.B) {
			_, layer, _ := levelTwo(b)
			engine, one := layer.Open(), mix()[0]
			one.Amount = 1
			for i := range earlier {
				one.IdempotencyKey = fmt.Sprintf("earlier-%d", i)
				d, err := engine.Authorize(context.Background(), one)
				if err != nil || !d.Allowed() {
					b.Fatal(d, err)
				}
				engine.Settle(one, true)
			}
			eachOf(b, mix(), func(r *authz.Request) error { return settled(engine, r) })
		})
	}
}

const arguments = `{"recipient":"rent@oakhall.example","amount":1250.00,"memo":"rent of March, flat 4"}`

// BenchmarkArguments starts at the bytes that a model wrote.
func BenchmarkArguments(b *testing.B) {
	_, layer, _ := levelTwo(b)
	raw := []string{arguments, `{"recipient":"collect@quickvault.example","amount":1250.00,"memo":"rent of March, flat 4"}`}
	b.Run("decode", func(b *testing.B) {
		eachOf(b, raw, func(s *string) error {
			var a struct {
				Recipient, Memo string
				Amount          json.Number
			}
			return json.Unmarshal([]byte(*s), &a)
		})
	})
	b.Run("guard", func(b *testing.B) { // a ready request, decided behind the fail-closed guard
		guard := authz.NewGuard(layer.Open(), authz.DefaultTimeout)
		eachOf(b, mix()[:2], func(r *authz.Request) error {
			_, permit := guard.Authorize(context.Background(), *r)
			permit.Settle(false)
			return nil
		})
	})
	b.Run("dispatch", func(b *testing.B) {
		path := dispatch.New(dispatch.Config{
			EvaluationID: "a-2f81c6", Layered: true, Names: dispatch.TransferFunds, Start: noon,
			Account:    dispatch.Account{Own: "own", Currency: bank.USD, Opening: 1 << 60},
			Authorizer: forgetful{layer.Open()},
		})
		eachOf(b, raw, func(s *string) error {
			path.Call(context.Background(), dispatch.TransferFunds.Transfer, *s)
			return nil
		})
	})
}

// forgetful is the engine, but what it allows uses nothing up.
type forgetful struct{ *oap.Engine }

func (f forgetful) Settle(req authz.Request, _ bool) { f.Engine.Settle(req, false) }

// BenchmarkSignature is a bare Ed25519 signature, over the 32 bytes of a digest and
// over the bytes of the mix's receipts, and beside it those receipts: encoded
// canonically, signed and chained. Ed25519 reads its message twice.
func BenchmarkSignature(b *testing.B) {
	parties, err := receipt.LoadParties(passports.FS)
	if err != nil {
		b.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{7}, ed25519.SeedSize))
	sign := func(message *[]byte) error { ed25519.Sign(key, *message); return nil }
	b.Run("digest", func(b *testing.B) {
		digest := sha256.Sum256([]byte(arguments))
		eachOf(b, [][]byte{digest[:]}, sign)
	})
	b.Run("bytes", func(b *testing.B) {
		var messages [][]byte
		for _, e := range decided(b) {
			var line bytes.Buffer
			if err := receipt.NewWriter(&line, receipt.TestKey(), parties).Add(e); err != nil {
				b.Fatal(err)
			}
			messages = append(messages, line.Bytes()[:bytes.LastIndex(line.Bytes(), []byte(`,"signature":`))])
		}
		eachOf(b, messages, sign)
	})
	b.Run("receipt", func(b *testing.B) {
		w := receipt.NewWriter(io.Discard, receipt.TestKey(), parties)
		eachOf(b, decided(b), func(e *record.Evaluation) error { return w.Add(*e) })
	})
}

// decided are evaluations of one call each, with the decision on a request of the mix.
func decided(b *testing.B) (out []record.Evaluation) {
	b.Helper()
	_, layer, _ := levelTwo(b)
	for i, r := range mix() {
		d, err := layer.Open().Authorize(context.Background(), r)
		if err != nil {
			b.Fatal(err)
		}
		d.Origin = authz.FromLayer
		payment := record.ParsedPayment{Recipient: r.Recipient, Amount: r.Amount, Currency: r.Currency, Memo: r.Memo}
		out = append(out, record.Evaluation{
			ID:    fmt.Sprintf("sim-compromised/l2/multi/oap/l2-%04d/1", i),
			Calls: []record.Call{{Position: 1, Payment: &payment, Decision: &d}},
		})
	}
	return out
}
