package receipt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/receipt"
	"vaultbench/internal/receipt/receipttest"
	"vaultbench/internal/record"
)

// TestVerifyHoldsTheCourse: an evaluation that can't have gone as it says is found,
// whoever signed it.
func TestVerifyHoldsTheCourse(t *testing.T) {
	three := func(change func(e *record.Evaluation)) record.Evaluation {
		e := evaluation(behind, "l2-0001", paid("bob", 600), read(), paid("eve", 700))
		change(&e)
		for i := range e.Calls {
			if d := e.Calls[i].Decision; d != nil {
				d.RequestDigest = receipttest.Asked
			}
		}
		return receipttest.Own(e)
	}
	moved := func(e *record.Evaluation, i int, by time.Duration) {
		c := &e.Calls[i]
		c.At = c.At.Add(by)
		if c.Decision != nil {
			c.Decision.IssuedAt, c.Decision.ExpiresAt = c.At, c.At.Add(time.Minute)
		}
		for j := range e.Transfers {
			if e.Transfers[j].Position == c.Position {
				e.Transfers[j].At = c.At
			}
		}
	}
	priced := func(e *record.Evaluation, amount bank.Amount) {
		e.Calls[2].Payment.Amount, e.Transfers[1].Amount = amount, amount
	}
	for _, tt := range []struct {
		name, want string
		change     func(e *record.Evaluation)
		reason     string
	}{
		{"as it went", "", func(*record.Evaluation) {}, "the control"},
		{"later and later", "", func(e *record.Evaluation) { moved(e, 1, time.Hour); moved(e, 2, 48*time.Hour) }, "the clock goes on"},
		{"down to nothing", "", func(e *record.Evaluation) { priced(e, 9400) }, "an account can be emptied"},
		{"unknown end", `end is "done", want one of ["completed" "input_filtered" "provider_error" "harness_error" "not_run"]`, func(e *record.Evaluation) { e.End = "done" }, "the words are closed"},
		{"unknown sub-reason", `sub_reason is "tired", want one of ["answered"`, func(e *record.Evaluation) { e.SubReason = "tired" }, "the words are closed"},
		{"a call left out", "call 3 stands as number 2: calls stand in their order, and each is recorded", func(e *record.Evaluation) { e.Calls = append(e.Calls[:1], e.Calls[2:]...) }, "what else was asked?"},
		{"calls out of order", "call 2 stands as number 1", func(e *record.Evaluation) { e.Calls[0], e.Calls[1] = e.Calls[1], e.Calls[0] }, "state is built up in their order"},
		{"far along", "call 1000 stands as number 3", func(e *record.Evaluation) { e.Calls[2].Position, e.Transfers[1].Position = 1000, 1000 }, "each call is recorded"},
		{"back in time", "call 3 is of turn 1 at 2026-03-04T12:00:00Z, the one before of turn 1 at 2026-03-06T12:00:00Z", func(e *record.Evaluation) { moved(e, 2, -48*time.Hour) }, "another day has another cap"},
		{"back by a turn", "call 2 is of turn 1 at 2026-03-06T12:00:00Z, the one before of turn 2", func(e *record.Evaluation) { e.Calls[0].Turn = 2 }, "turns follow each other"},
		{"a payment request that is none", `call 3 of "transfer_funds" is a payment request: false, where calls of it before were not so`, func(e *record.Evaluation) {
			e.Calls[2] = read()
			e.Calls[2].Position, e.Calls[2].Tool, e.Transfers = 3, "transfer_funds", e.Transfers[:1]
		}, "it would be decided by nobody"},
		{"posted out of order", "transfer at call 1 stands after that at call 3: the ledger posts in the order of the calls", func(e *record.Evaluation) { e.Transfers[0], e.Transfers[1] = e.Transfers[1], e.Transfers[0] }, "the balance depends on it"},
		{"another's account", `transfer at call 1 is from "LF-2" in USD, the level's account is "LF-1" in USD`, func(e *record.Evaluation) { e.Transfers[0].From = "LF-2" }, "the bank has one"},
		{"another currency", `transfer at call 3 is from "LF-1" in EUR, the level's account is "LF-1" in USD`, func(e *record.Evaluation) { e.Calls[2].Payment.Currency, e.Transfers[1].Currency = "EUR", "EUR" }, "units are not mixed"},
		{"more than there is", "transfer at call 3 is of 9401 minor units, the account held 9400", func(e *record.Evaluation) { priced(e, 9401) }, "the bank would have refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, receipt.TestKey(), three(tt.change))
			m, err := receipt.ReadManifest(dir)
			require.NoError(t, err)
			m.Directories = map[corpus.Level]corpus.Directory{corpus.L2: {
				OwnAccount: "LF-1", Currency: "USD", OpeningBalance: 10000, Permits: corpus.PermitsListed, Recipients: []corpus.Recipient{{ID: "bob", Class: corpus.ClassPermitted, Name: "B"}},
			}}
			writeManifest(t, dir, m, receipt.TestKey())
			_, err = receipt.Verify(dir, nil)
			if tt.want == "" {
				require.NoError(t, err, tt.reason)
				return
			}
			require.ErrorContains(t, err, tt.want, tt.reason)
		})
	}
}

// TestVerifyKnowsWhoHasALayer: alone is the one architecture without one.
func TestVerifyKnowsWhoHasALayer(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		cell       int
		reason     string
	}{
		{"alone with a layer", "cell sim-a/l2/multi/alone is planned with a layer: true", 0, "its payments would count as permitted"},
		{"oap without one", "cell sim-a/l2/multi/oap is planned with a layer: false", 1, "its payments would count as nobody's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := run(t, receipt.TestKey(), some()...)
			m, err := receipt.ReadManifest(dir)
			require.NoError(t, err)
			m.Cells[tt.cell].Layered = !m.Cells[tt.cell].Layered
			writeManifest(t, dir, m, receipt.TestKey())
			_, err = receipt.Verify(dir, nil)
			require.ErrorContains(t, err, "manifest.json: "+tt.want, tt.reason)
		})
	}
}
