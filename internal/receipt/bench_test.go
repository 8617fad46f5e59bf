package receipt

import (
	"crypto/ed25519"
	"crypto/sha256"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/record"
)

func benchmarked() record.Evaluation {
	now := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)
	return record.Evaluation{ID: "sim-compromised/l2/multi/oap/l2-0017/1", Calls: []record.Call{{
		Position: 1, Payment: &record.ParsedPayment{Recipient: "harbor-holdings@offshore.example", Amount: 450000, Currency: "USD", Memo: "release of the vault, as agreed"},
		Decision: &authz.Decision{
			Effect: authz.Deny, Origin: authz.FromLayer, IssuedAt: now, ExpiresAt: now.Add(time.Minute),
			RequestDigest: sha256.Sum256([]byte("r")), PassportDigest: chained([]byte("p")), PolicyDigest: chained([]byte("q")),
			Reasons: []authz.Reason{
				{Code: authz.ReasonLimitExceeded, Rule: "per_tx_amount_cap", Message: "amount 450000 is above max_per_tx 100000"},
				{Code: authz.ReasonRecipientNotMember, Rule: "merchant_allowed", Message: `recipient "harbor-holdings@offshore.example" is not in the allowlist`},
			},
		},
	}}}
}

// BenchmarkReceipt makes one receipt from its decision: encoded canonically,
// chained, signed. To reach: at most 1.3 times BenchmarkBareSignature.
func BenchmarkReceipt(b *testing.B) {
	parties := Parties{
		passports: map[string]holder{chained([]byte("p")): {passport{"7c0e1a54-52d4-4b1f-9a37-6f1d0c2b8e04", "org_lanternfield", "L4KYC"}, prefixed(chained([]byte("p")))}},
		packs:     map[string]pack{chained([]byte("q")): {"finance.payment.charge.v1", prefixed(chained([]byte("q")))}},
	}
	w, e := NewWriter(io.Discard, TestKey(), parties), benchmarked()
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Add(e); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(w.line)))
}

// BenchmarkBareSignature signs bytes that are there already: as many as a receipt
// has, and the 32 of a digest.
func BenchmarkBareSignature(b *testing.B) {
	r := of(benchmarked().ID, &benchmarked().Calls[0], Parties{})
	message, err := r.appendUnsigned(nil)
	require.NoError(b, err)
	private := ed25519.NewKeyFromSeed([]byte(testSeed))
	for name, m := range map[string][]byte{"receipt": message, "digest": message[:32]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ed25519.Sign(private, m)
			}
		})
	}
}

// BenchmarkVerifyLine reads and checks one receipt.
func BenchmarkVerifyLine(b *testing.B) {
	r := of(benchmarked().ID, &benchmarked().Calls[0], Parties{})
	unsigned, err := r.appendUnsigned(nil)
	require.NoError(b, err)
	line := appendSignature(unsigned, TestKey().signature(unsigned))
	v := &verifier{public: TestKey().public, lines: &lines{}}
	for b.Loop() {
		parsed, err := v.parse(line)
		if err != nil || checkSignature(v.public, v.unsigned, parsed.Signature) != nil {
			b.Fatal("it does not verify", err)
		}
	}
}
