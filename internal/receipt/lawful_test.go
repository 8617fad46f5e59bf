package receipt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// with is a call with its decision changed.
func with(c record.Call, change func(d *authz.Decision)) record.Call {
	d := *c.Decision
	change(&d)
	return decided(c, d)
}

// as is a call with another outcome; the bank says why it refuses.
func as(c record.Call, outcome record.CallOutcome) record.Call {
	if c.Outcome = outcome; outcome == record.CallRefused {
		c.Refusal = "insufficient funds"
	}
	return c
}

// of is a call with its payment changed.
func of(c record.Call, change func(p *record.ParsedPayment)) record.Call {
	p := *c.Payment
	change(&p)
	c.Payment = &p
	return c
}

// failed is a call that the dispatch path denied, since the layer failed.
func failed() record.Call {
	return with(denied("bob"), func(d *authz.Decision) {
		*d = authz.Decision{
			Effect: authz.Deny, Reasons: []authz.Reason{{Code: authz.ReasonPolicyError, Rule: "fail_closed", Message: "layer panicked"}},
			Origin: authz.FromDispatch, RequestDigest: asked, IssuedAt: noon, ExpiresAt: noon.Add(time.Minute),
		}
	})
}

// unread is a call without a layer whose arguments did not parse.
func unread() record.Call {
	c := as(requested("bob", 1, ""), record.CallRefused)
	c.Payment = nil
	return c
}

// TestVerifyLawful: each thing that can become of a call is found in order.
func TestVerifyLawful(t *testing.T) {
	for _, tt := range []struct {
		name   string
		e      record.Evaluation
		reason string
	}{
		{"allowed and executed", evaluation(behind, "l2-0001", paid("bob", 600)), "the layer allows, the bank pays"},
		{"allowed and refused", evaluation(behind, "l2-0001", refused("bob")), "the bank has its own mind"},
		{"denied by the layer", evaluation(behind, "l2-0001", denied("eve")), "two codes"},
		{"denied by the layer as an error of its own", evaluation(behind, "l2-0001", with(denied("eve"), func(d *authz.Decision) {
			d.Reasons = []authz.Reason{{Code: authz.ReasonPolicyError, Rule: "cap"}, {Code: authz.ReasonInvalidContext, Rule: "context"}}
		})), "dispatch's codes are the layer's as well"},
		{"the layer failed", evaluation(behind, "l2-0001", failed()), "dispatch denies in its stead"},
		{"arguments that did not parse", evaluation(behind, "l2-0001", malformed()), "the layer is not asked"},
		{"the largest payment", evaluation(behind, "l2-0001", paid("bob", 1<<63-1)), "64 bits"},
		{"issued before the call", evaluation(behind, "l2-0001", with(paid("bob", 1), func(d *authz.Decision) { d.IssuedAt = noon.Add(-time.Hour) })), "its end counts"},
		{"a nanosecond left", evaluation(behind, "l2-0001", with(paid("bob", 1), func(d *authz.Decision) { d.ExpiresAt = noon.Add(1) })), "not over yet"},
		{"as long as can be written", evaluation(behind, "l2-0001", with(paid("bob", 1), func(d *authz.Decision) {
			d.IssuedAt, d.ExpiresAt = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		})), "longer than a time.Duration"},
		{"no digests of the layer's", evaluation(behind, "l2-0001", with(paid("bob", 1), func(d *authz.Decision) { d.PassportDigest, d.PolicyDigest = "", "" })), "a layer need have neither"},
		{"a tool that reads, and none", evaluation(behind, "l2-0001", read(), as(read(), record.CallUnknownTool)), "nothing to decide"},
		{"without a layer", evaluation(without, "l2-0001", requested("eve", 1, record.CallExecuted), as(requested("eve", 1, ""), record.CallRefused), unread(), read()), "nobody denies"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := receipt.Verify(run(t, receipt.TestKey(), tt.e), nil)
			require.NoError(t, err, tt.reason)
		})
	}
}

// TestVerifyFindsContradictions: what the suite itself signed, sealed and paired is
// held against itself.
func TestVerifyFindsContradictions(t *testing.T) {
	const inReceipt, inCall = `decisions.jsonl:2: call 1 in "sim-a/l2/multi/oap/l2-0002/1": `, `evaluations.jsonl:2: "sim-a/l2/multi/oap/l2-0002/1": call 1: `
	reasons := func(codes ...authz.DenialReason) func(d *authz.Decision) {
		return func(d *authz.Decision) {
			d.Reasons = nil
			for _, c := range codes {
				d.Reasons = append(d.Reasons, authz.Reason{Code: c, Rule: "r"})
			}
		}
	}
	effect := func(e authz.Effect) func(d *authz.Decision) { return func(d *authz.Decision) { d.Effect = e } }
	origin := func(o authz.Origin) func(d *authz.Decision) { return func(d *authz.Decision) { d.Origin = o } }
	times := func(issued, expires time.Duration) func(d *authz.Decision) {
		return func(d *authz.Decision) { d.IssuedAt, d.ExpiresAt = noon.Add(issued), noon.Add(expires) }
	}
	undigested := func(d *authz.Decision) { d.RequestDigest = authz.Digest{} }
	amount := func(c record.Call, a bank.Amount) record.Call {
		return of(c, func(p *record.ParsedPayment) { p.Amount = a })
	}
	noPayment := func(c record.Call) record.Call { c.Payment = nil; return c }
	for _, tt := range []struct {
		name, want string
		call       record.Call
		reason     string
	}{
		{"paid on a denying reason", inReceipt + "reasons: decision allow contradicts its reason oap.limit_exceeded", with(paid("bob", 1), reasons(authz.ReasonLimitExceeded)), "allow has one code"},
		{"paid on a denying second reason", inReceipt + "reasons: decision allow contradicts its reason oap.limit_exceeded", with(paid("bob", 1), reasons(authz.ReasonAllowed, authz.ReasonLimitExceeded)), "every reason counts"},
		{"paid without a reason", inReceipt + "reasons: decision gives no reason", with(paid("bob", 1), reasons()), "a decision says why"},
		{"denied without a reason", inReceipt + "reasons: decision gives no reason", with(denied("bob"), reasons()), "a decision says why"},
		{"denied as allowed", inReceipt + "reasons: decision deny contradicts its reason oap.allowed", with(denied("bob"), reasons(authz.ReasonAllowed)), "deny has the others"},
		{"unknown code", inReceipt + `reasons: decision has unknown reason "oap.invented"`, with(denied("bob"), reasons("oap.invented")), "the vocabulary is closed"},
		{"third effect", inCall + `effect is "warn": want allow or deny`, with(denied("bob"), effect("warn")), "a receipt would call it a denial"},
		{"paid on dispatch's word", inReceipt + "origin is dispatch, which never allows", with(paid("bob", 1), origin(authz.FromDispatch)), "only a layer allows"},
		{"third origin", inReceipt + `origin is "bank": want layer or dispatch`, with(paid("bob", 1), origin("bank")), "there are two"},
		{"paid without a request digest", inReceipt + "request_digest is absent: it may be about any payment", with(paid("bob", 1), undigested), "a decision is about one value"},
		{"denied without a request digest", inReceipt + "request_digest is absent", with(denied("bob"), undigested), "a decision is about one value"},
		{"failed without a request digest", inReceipt + "request_digest is absent", with(failed(), undigested), "the guard knows it"},
		{"digest of nothing", inReceipt + "request_digest is " + asked.String() + ": no request was parsed", with(malformed(), func(d *authz.Decision) { d.RequestDigest = asked }), "there is no value"},
		{"layer asked about nothing", inReceipt + "origin is layer: none is asked about a call that did not parse", with(malformed(), origin(authz.FromLayer)), "it sees parsed values only"},
		{"dispatch with a layer's code", inReceipt + "reasons: dispatch denies a payment by oap.policy_error alone, not by oap.limit_exceeded", with(failed(), reasons(authz.ReasonLimitExceeded)), "it reads no limits"},
		{"failed as malformed", inReceipt + "reasons: dispatch denies a payment by oap.policy_error alone, not by oap.invalid_context", with(failed(), reasons(authz.ReasonInvalidContext)), "it was parsed"},
		{"malformed as failed", inReceipt + "reasons: dispatch denies what did not parse by oap.invalid_context alone, not by oap.policy_error", with(malformed(), reasons(authz.ReasonPolicyError)), "no layer was asked"},
		{"two reasons of dispatch", inReceipt + "reasons: 2 of them, dispatch gives one", with(failed(), reasons(authz.ReasonPolicyError, authz.ReasonPolicyError)), "one thing went wrong"},
		{"dispatch with a passport", inReceipt + "passport_digest is " + digest + ": dispatch reads no passport", with(failed(), func(d *authz.Decision) { d.PassportDigest = digest }), "only the layer does"},
		{"dispatch with a policy", inReceipt + "policy_digest is " + digest + ": dispatch reads no policy", with(malformed(), func(d *authz.Decision) { d.PolicyDigest = digest }), "only the layer does"},
		{"passport digest that is none", inReceipt + `passport_digest "p" is not 64 lower-case hex digits`, with(paid("bob", 1), func(d *authz.Decision) { d.PassportDigest = "p" }), "SHA-256"},
		{"policy digest that is none", inReceipt + `policy_digest "` + strings.ToUpper(digest) + `" is not 64 lower-case hex digits`, with(paid("bob", 1), func(d *authz.Decision) { d.PolicyDigest = strings.ToUpper(digest) }), "one way of writing"},
		{"never valid", inReceipt + "expires_at is 2026-03-06T12:00:00Z, issued_at 2026-03-06T12:00:00Z: it never holds", with(denied("bob"), times(0, 0)), "a validity has a length"},
		{"expires before it is issued", inReceipt + "expires_at is 2026-03-06T11:59:59.9Z, issued_at 2026-03-06T12:00:00Z: it never holds", with(denied("bob"), times(0, -time.Second/10)), "by less than expires_in can say"},
		{"issued after the call", inReceipt + "issued_at is 2026-03-06T12:00:01Z, the call is of 2026-03-06T12:00:00Z", with(refused("bob"), times(time.Second, time.Minute)), "nobody decides beforehand"},
		{"over at the call", inReceipt + "expires_at is 2026-03-06T12:00:00Z, the call is of 2026-03-06T12:00:00Z", with(refused("bob"), times(-time.Minute, 0)), "not valid at its end"},

		{"allowed, recorded as denied", inCall + `outcome is "denied", want ["executed" "refused"]: it was allowed`, as(paid("bob", 1), record.CallDenied), "nobody denied it"},
		{"allowed, recorded as answered", inCall + `outcome is "answered", want ["executed" "refused"]: it was allowed`, as(paid("bob", 1), record.CallAnswered), "it is no tool that reads"},
		{"denied, recorded as refused", inCall + `outcome is "refused", want ["denied"]: it was denied`, as(denied("bob"), record.CallRefused), "the bank never saw it"},
		{"denied, recorded as answered", inCall + `outcome is "answered", want ["denied"]: it was denied`, as(denied("bob"), record.CallAnswered), "it is no tool that reads"},
		{"denied, recorded as executed", inCall + `outcome is "executed", want ["denied"]: it was denied`, as(denied("bob"), record.CallExecuted), "the worst case"},
		{"failed, recorded as refused", inCall + `outcome is "refused", want ["denied"]: it was denied`, as(failed(), record.CallRefused), "fail closed is a denial"},
		{"malformed, recorded as refused", inCall + `outcome is "refused", want ["denied"]: it was denied`, as(malformed(), record.CallRefused), "behind a layer dispatch denies it"},
		{"fifth outcome", inCall + `outcome is "paid", want ["executed" "refused"]: it was allowed`, as(refused("bob"), "paid"), "the words are closed"},
		{"read and executed", inCall + `outcome is "executed", want ["answered" "unknown_tool"]: it is no payment request`, of(as(paidRead(), record.CallExecuted), func(*record.ParsedPayment) {}), "only a request pays"},
		{"read and denied", inCall + `outcome is "denied", want ["answered" "unknown_tool"]: it is no payment request`, as(read(), record.CallDenied), "nobody is asked"},
		{"read with a payment", inCall + `payment of 1 minor units to "bob": the call asks for none`, paidRead(), "only a request has one"},
		{"refused without a word", inCall + `refusal is "", outcome is "refused"`, func() record.Call { c := refused("bob"); c.Refusal = ""; return c }(), "the bank says why"},
		{"refusal of a paid call", inCall + `refusal is "no", outcome is "executed"`, func() record.Call { c := paid("bob", 1); c.Refusal = "no"; return c }(), "it did not refuse"},
		{"below nothing", inCall + "payment can't have been parsed: invalid amount: -600 minor units", amount(paid("bob", 1), -600), "money would come back"},
		{"nothing", inCall + "payment can't have been parsed: invalid amount: 0 minor units", amount(paid("bob", 1), 0), "it is no payment"},
		{"below nothing, denied", inCall + "payment can't have been parsed: invalid amount: -1 minor units", amount(denied("bob"), -1), "no layer is asked about it"},
		{"to nobody", inCall + "payment can't have been parsed: invalid recipient: empty", of(paid("bob", 1), func(p *record.ParsedPayment) { p.Recipient = "" }), "an account has a name"},
		{"to the opening account", inCall + "payment can't have been parsed: invalid recipient: control character U+0000", of(paid("bob", 1), func(p *record.ParsedPayment) { p.Recipient = "\x00opening" }), "no call can name it"},
		{"in no currency", inCall + "payment can't have been parsed: invalid currency", of(paid("bob", 1), func(p *record.ParsedPayment) { p.Currency = "usd" }), "three capital letters"},
		{"paid what did not parse", inReceipt + "request_digest is " + asked.String() + ": no request was parsed", noPayment(as(paid("bob", 1), record.CallRefused)), "an allowed call has its payment"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NotEmpty(t, tt.reason)
			dir := run(t, receipt.TestKey(), evaluation(behind, "l2-0001", denied("eve")), evaluation(behind, "l2-0002", tt.call))
			_, err := receipt.Verify(dir, nil)
			require.ErrorContains(t, err, tt.want, tt.reason)
			_, err = receipt.ReadSealed(dir, nil, nobody)
			require.ErrorContains(t, err, tt.want, "by the seal alone: %s", tt.reason)
		})
	}
}

// paidRead is a tool that reads, with a payment.
func paidRead() record.Call {
	c := requested("bob", 1, record.CallAnswered)
	c.Tool, c.Transfer = "get_balance", false
	return c
}

// TestVerifyFindsUnpermittedBooks: without a layer the ledger still posts what was
// asked for, and nothing else.
func TestVerifyFindsUnpermittedBooks(t *testing.T) {
	one := func() record.Evaluation {
		return evaluation(without, "l2-0001", requested("eve", 600, record.CallExecuted))
	}
	transfer := func(change func(*bank.Transfer)) record.Evaluation {
		return changed(one(), func(e *record.Evaluation) { change(&e.Transfers[0]) })
	}
	call := func(change func(*record.Call)) record.Evaluation {
		return changed(one(), func(e *record.Evaluation) { change(&e.Calls[0]) })
	}
	for _, tt := range []struct {
		name, want string
		e          record.Evaluation
		reason     string
	}{
		{"no such call", "transfer at call 2: there is no such call", transfer(func(t *bank.Transfer) { t.Position = 2 }), "each has its cause"},
		{"twice", "call 1 was executed twice", changed(one(), func(e *record.Evaluation) { e.Transfers = append(e.Transfers, e.Transfers[0]) }), "once each"},
		{"other recipient", `transfer at call 1: the call asks for another payment than 600 minor units of USD to "bob"`, transfer(func(t *bank.Transfer) { t.Recipient = "bob" }), "the value that was parsed"},
		{"other amount", "transfer at call 1: the call asks for another payment than 601 minor units", transfer(func(t *bank.Transfer) { t.Amount++ }), "to the cent"},
		{"other currency", "transfer at call 1: the call asks for another payment than 600 minor units of EUR", transfer(func(t *bank.Transfer) { t.Currency = "EUR" }), "and its currency"},
		{"other memo", "transfer at call 1: the call asks for another payment than 600", transfer(func(t *bank.Transfer) { t.Memo = "x" }), "and its memo"},
		{"other moment", "transfer at call 1 is of 2026-03-06T12:00:01Z, the call of 2026-03-06T12:00:00Z", transfer(func(t *bank.Transfer) { t.At = noon.Add(time.Second) }), "posted at once"},
		{"recorded, not posted", "call 1 is recorded as executed, posted by the ledger: false", changed(one(), func(e *record.Evaluation) { e.Transfers = nil }), "record and ledger agree"},
		{"posted, not recorded", "call 1 is recorded as refused, posted by the ledger: true", call(func(c *record.Call) { *c = as(*c, record.CallRefused) }), "record and ledger agree"},
		{"denied", `call 1: outcome is "denied", want ["executed" "refused"]: no layer stands that could deny it`, call(func(c *record.Call) { c.Outcome = record.CallDenied }), "nobody could"},
		{"executed unread", `call 1: outcome is "executed", want ["refused"]: its arguments did not parse, and no layer stands`, call(func(c *record.Call) { c.Payment = nil }), "there is nothing to pay"},
		{"below nothing", "call 1: payment can't have been parsed: invalid amount: -600 minor units", call(func(c *record.Call) { c.Payment.Amount = -600 }), "whoever decides"},
		{"before the first call", "call 0: position is 0: calls count from 1", call(func(c *record.Call) { c.Position = 0 }), "positions are counted"},
		{"a call twice", "call 1 stands twice", changed(one(), func(e *record.Evaluation) { e.Calls = append(e.Calls, e.Calls[0]) }), "positions are counted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := receipt.Verify(run(t, receipt.TestKey(), tt.e), nil)
			require.ErrorContains(t, err, `evaluations.jsonl:1: "`+tt.e.ID+`": `+tt.want, tt.reason)
		})
	}
	late := changed(evaluation(behind, "l2-0001", paid("bob", 600)), func(e *record.Evaluation) { e.Transfers[0].At = noon.Add(time.Second) })
	_, err := receipt.Verify(run(t, receipt.TestKey(), late), nil)
	require.ErrorContains(t, err, "transfer at call 1 is of 2026-03-06T12:00:01Z, the call of 2026-03-06T12:00:00Z", "behind a layer too, within the receipt's validity")
}
