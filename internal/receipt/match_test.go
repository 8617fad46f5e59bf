package receipt_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
)

// changed is the evaluation with something else in it than was decided.
func changed(e record.Evaluation, change func(e *record.Evaluation)) record.Evaluation {
	change(&e)
	return e
}

// TestVerifyMatchesTransfers: files that are whole and well signed can still tell
// of a payment that nobody allowed.
func TestVerifyMatchesTransfers(t *testing.T) {
	one := func() record.Evaluation { return evaluation(behind, "l2-0001", paid("bob", 600)) }
	transfer := func(change func(*bank.Transfer)) record.Evaluation {
		return changed(one(), func(e *record.Evaluation) { change(&e.Transfers[0]) })
	}
	for _, tt := range []struct {
		name   string
		e      record.Evaluation
		want   string
		reason string
	}{
		{"as allowed", one(), "", "the control"},
		{"other recipient", transfer(func(t *bank.Transfer) { t.Recipient = "eve" }), `transfer at call 1: receipt 1 allowed another payment than 600 minor units of USD to "eve"`, "the value that was decided executes"},
		{"other amount", transfer(func(t *bank.Transfer) { t.Amount++ }), "allowed another payment than 601 minor units", "to the cent"},
		{"other currency", transfer(func(t *bank.Transfer) { t.Currency = "EUR" }), "allowed another payment than 600 minor units of EUR", "and its currency"},
		{"other memo", transfer(func(t *bank.Transfer) { t.Memo = "x" }), "the call asks for another payment", "a memo can hold the code that was decided on"},
		{"other position", transfer(func(t *bank.Transfer) { t.Position = 2 }), "transfer at call 2 has no receipt", "each call is decided by its position"},
		{"before it was issued", transfer(func(t *bank.Transfer) { t.At = noon.Add(-time.Second) }), "receipt 1 held from 2026-03-06T12:00:00Z to before 2026-03-06T12:01:00Z, the transfer is of 2026-03-06T11:59:59Z", "a decision has its time"},
		{"when it had expired", transfer(func(t *bank.Transfer) { t.At = noon.Add(time.Minute) }), "the transfer is of 2026-03-06T12:01:00Z", "not valid at its expiry"},
		{"twice", changed(one(), func(e *record.Evaluation) { e.Transfers = append(e.Transfers, e.Transfers[0]) }), "call 1 was executed twice", "a permit is spent once"},
		{"denied and executed", changed(evaluation(behind, "l2-0001", denied("eve")), func(e *record.Evaluation) { e.Transfers = one().Transfers }), "transfer at call 1: receipt 1 denied it", "the worst case"},
		{"recorded, not posted", changed(one(), func(e *record.Evaluation) { e.Transfers = nil }), "call 1 is recorded as executed, posted by the ledger: false", "record and ledger agree"},
		{"posted, not recorded", changed(one(), func(e *record.Evaluation) { e.Calls[0] = as(e.Calls[0], record.CallRefused) }), "call 1 is recorded as refused, posted by the ledger: true", "record and ledger agree"},
		{"undecided behind a layer", evaluation(behind, "l2-0001", requested("eve", 1, record.CallRefused)), "call 1: payment request true, layer true, decided false", "no call goes round the layer"},
		{"decided without a layer", evaluation(without, "l2-0001", denied("eve")), "call 1: payment request true, layer false, decided true", "there is nobody to decide"},
		{"a call twice", changed(evaluation(behind, "l2-0001", denied("x"), denied("x")), func(e *record.Evaluation) { e.Calls[1].Position = 1 }), "call 1 stands twice", "positions are counted"},
		{"cell of another run", evaluation(plan.Cell{Model: "sim-b", Level: "l2", Track: "multi", Architecture: plan.OAP}, "l2-0001"), "cell sim-b/l2/multi/oap is not in the manifest", "it can't be said whether a layer stood"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := receipt.Verify(run(t, receipt.TestKey(), tt.e), nil)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, `evaluations.jsonl:1: "`+tt.e.ID+`": `, "line and evaluation are named")
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestVerifyPairs: receipts that were made for other decisions than the recorded
// ones are found, though key, chain and seal are right.
func TestVerifyPairs(t *testing.T) {
	call := func(n, at int, change func(c *record.Call)) []record.Evaluation {
		es := some()
		es[n].Calls[at].Decision = new(*es[n].Calls[at].Decision)
		change(&es[n].Calls[at])
		return es
	}
	for _, tt := range []struct {
		name   string
		es     []record.Evaluation // of which receipts are made
		want   string
		reason string
	}{
		{"one less", some()[:5], `decisions.jsonl:6: file ends here, the manifest says 5 lines: the end was dropped, from call 1 of "sim-a/l2/multi/oap/l2-0004/1" on`, "each decision has its receipt"},
		{"one more", append(some(), evaluation(behind, "l2-0005", denied("x"))), `decisions.jsonl:10: receipt of call 1 in "sim-a/l2/multi/oap/l2-0005/1": evaluations.jsonl has no such decision`, "each receipt has its decision"},
		{"one left out", append(some()[:4], some()[5]), "decisions.jsonl:4: evaluation_id is not that of call 1 in \"sim-a/l2/multi/oap/l2-0003/1\"", "in order"},
		{"denial made an allowance", call(2, 0, func(c *record.Call) { *c.Decision = allow() }), "decisions.jsonl:1: allow is not that of call 1", "what was decided"},
		{"other code", call(2, 0, func(c *record.Call) {
			c.Decision.Reasons = []authz.Reason{{Code: authz.ReasonRegionBlocked, Rule: "region"}}
		}), "decisions.jsonl:1: reasons is not that of call 1", "and why"},
		{"other origin", call(2, 0, func(c *record.Call) { c.Decision.Origin = authz.FromDispatch }), "decisions.jsonl:1: origin is not", "and by whom"},
		{"other passport", call(2, 0, func(c *record.Call) { c.Decision.PassportDigest = digest[:62] + "0b" }), "decisions.jsonl:1: passport_digest is not", "and under which passport"},
		{"other payment", call(2, 2, func(c *record.Call) {
			c.Payment = &record.ParsedPayment{Recipient: "eve", Amount: 1, Currency: bank.USD}
		}), "decisions.jsonl:2: payment is not that of call 3", "and about what"},
		{"other time", call(2, 2, func(c *record.Call) { c.Decision.IssuedAt = noon.Add(-time.Hour) }), "decisions.jsonl:2: issued_at is not", "and when"},
		{"other position", call(5, 3, func(c *record.Call) { c.Position = 5 }), "decisions.jsonl:9: call is not that of call 4", "and which call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, receipt.TestKey(), some()...)
			sealed(t, dir, receipt.TestKey(), receipt.TestKey(), tt.es...)
			_, err := receipt.Verify(dir, nil)
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestVerifyKeys: what another key signs is found unless it signs everything. Then
// only a reader who knows the right key can tell.
func TestVerifyKeys(t *testing.T) {
	own, other, published := ownKey(t, 7), ownKey(t, 8), receipt.TestKey()
	for _, tt := range []struct {
		name               string
		receipts, manifest receipt.Key
		trusted            []receipt.Key
		want               string
		reason             string
	}{
		{"own key, trusted", own, own, []receipt.Key{other, own}, "", "the reader knows it"},
		{"own key, any", own, own, nil, "", "self-consistent"},
		{"signed again, any", other, other, nil, "", "the manifest names the key that signed it: a reader who trusts any key can't tell"},
		{"signed again, own trusted", other, other, []receipt.Key{own}, "manifest.json: key " + other.ID() + " signed it, which is not among the trusted ones", "the reader knows better"},
		{"test key, own trusted", published, published, []receipt.Key{own}, "manifest.json: key " + published.ID() + " signed it, which is not", "anybody has it"},
		{"receipts signed again", other, own, nil, "decisions.jsonl:1: kid is \"" + other.ID() + "\", the manifest's is " + own.ID(), "the manifest's public key is another"},
		{"receipts signed again with the test key", published, own, nil, "decisions.jsonl:1: kid is", "anybody has it"},
		{"manifest signed again", own, other, nil, "decisions.jsonl:1: kid is", "the receipts' key is another"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, own, some()...)
			sealed(t, dir, tt.receipts, tt.manifest, some()...)
			_, err := receipt.Verify(dir, keySet(t, tt.trusted...))
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
	dir := run(t, own, some()...)
	sealed(t, dir, other, own, some()...)
	edit(t, dir, receipt.File, func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte(other.ID()), []byte(own.ID())) })
	_, err := receipt.Verify(dir, nil)
	require.ErrorContains(t, err, "decisions.jsonl:1: signature does not verify", "a key id is no key")
}

// keySet is nil without keys: any key will do.
func keySet(t *testing.T, keys ...receipt.Key) *receipt.JWKS {
	t.Helper()
	if keys == nil {
		return nil
	}
	all := &receipt.JWKS{}
	for _, k := range keys {
		var m record.Manifest
		require.NoError(t, receipt.SignManifest(&m, k))
		set, err := receipt.KeySet(m)
		require.NoError(t, err)
		all.Keys = append(all.Keys, set.Keys...)
	}
	return all
}
