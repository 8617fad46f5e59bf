package receipt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// TestVerifyRecomputesRequestDigests: what was decided is what the call asks for, to
// the last byte of the memo, which stands in a receipt by the request's digest alone.
func TestVerifyRecomputesRequestDigests(t *testing.T) {
	const code = "APC-2026-0001"
	type request struct {
		evaluation  string
		position    int
		byAuditCode bool
		payment     bank.Payment
		at          time.Time
	}
	for _, tt := range []struct {
		name   string
		cell   plan.Cell
		change func(r *request)
		good   bool
		reason string
	}{
		{"as asked", behind, func(*request) {}, true, "the control"},
		{"by audit code where keys are these", coded, func(r *request) { r.byAuditCode = true }, true, "the manifest says so of the level"},
		{"no audit code where keys are these", coded, func(r *request) { r.byAuditCode, r.payment.Memo = true, "m" }, true, "then a call has its own"},
		{"by audit code where each call has its own", behind, func(r *request) { r.byAuditCode = true }, false, "two calls would be one payment"},
		{"its own where keys are audit codes", coded, func(*request) {}, false, "a code would pay twice"},
		{"other memo", behind, func(r *request) { r.payment.Memo += " " }, false, "no other member of the receipt holds it"},
		{"other memo with the same code", coded, func(r *request) { r.payment.Memo, r.byAuditCode = code, true }, false, "the key alone is not the memo"},
		{"other recipient", behind, func(r *request) { r.payment.Recipient = "eve" }, false, "the layer saw another one"},
		{"other amount", behind, func(r *request) { r.payment.Amount-- }, false, "to the cent"},
		{"other currency", behind, func(r *request) { r.payment.Currency = "EUR" }, false, "the layer saw another one"},
		{"other moment", behind, func(r *request) { r.at = r.at.Add(time.Nanosecond) }, false, "caps count by days"},
		{"other call", behind, func(r *request) { r.position++ }, false, "a key is a call's own"},
		{"other evaluation", behind, func(r *request) { r.evaluation += "0" }, false, "a key is a call's own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range []record.Call{paid("bob", 600), denied("bob"), refused("bob")} {
				e := evaluation(tt.cell, "l2-0001", c)
				r := request{e.ID, 1, false, bank.Payment(*c.Payment), c.At}
				r.payment.Memo = "rent " + code
				memo := r.payment.Memo
				if tt.change(&r); tt.good {
					memo = r.payment.Memo
				}
				digest := authz.RequestFor(r.evaluation, r.position, r.byAuditCode, r.payment, r.at).Digest()
				e = changed(e, func(e *record.Evaluation) {
					e.Calls[0].Decision.RequestDigest = digest
					e.Calls[0].Payment.Memo = memo
					for i := range e.Transfers {
						e.Transfers[i].Memo = memo
					}
				})
				_, err := receipt.Verify(run(t, receipt.TestKey(), e), nil)
				if tt.good {
					require.NoError(t, err, tt.reason)
					continue
				}
				require.ErrorContains(t, err, `decisions.jsonl:1: call 1 in "`+e.ID+`": request_digest is `+digest.String()+", that of another request than this payment at 2026-03-06T12:00:00Z", tt.reason)
			}
		})
	}
}

// TestVerifyTakesFailures: a layer that failed was asked about the same request.
func TestVerifyTakesFailures(t *testing.T) {
	d := decision(authz.Deny, authz.Reason{Code: authz.ReasonPolicyError, Rule: "guard"})
	d.Origin, d.PassportDigest, d.PolicyDigest = authz.FromDispatch, "", ""
	_, err := receipt.Verify(run(t, receipt.TestKey(), evaluation(behind, "l2-0001", decided(requested("bob", 600, record.CallDenied), d))), nil)
	require.NoError(t, err)
}
