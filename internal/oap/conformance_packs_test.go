package oap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

const (
	transactionPack oap.PackID = "finance.transaction.execute.v1"
	refundPack      oap.PackID = "finance.payment.refund.v1"
	payoutPack      oap.PackID = "finance.payment.payout.v1"
	refundCases                = "../../../shared/oap/conformance/cases/payments.refunds.v1"
)

// transactionReasons says of each vector what the pack's rules say, in order.
var transactionReasons = map[string][]judged{
	"allow_buy_equity_10k":            {{string(transactionPack), authz.ReasonAllowed}},
	"deny_transaction_type_forbidden": {{"transaction_type_allowed", "oap.action_forbidden"}},
	"deny_asset_class_forbidden":      {{"asset_class_allowed", "oap.asset_class_forbidden"}},
	"deny_over_exposure_limit":        {{"exposure_limit_check", authz.ReasonLimitExceeded}},
	"deny_restricted_account_type":    {{"account_segregation_check", "oap.account_type_restricted"}, {"account_type_check", "oap.account_type_restricted"}},
	"deny_account_type_not_allowed":   {{"account_segregation_check", "oap.account_type_restricted"}, {"account_type_check", "oap.account_type_restricted"}},
	"deny_commingling_funds":          {{"segregation_of_funds_check", "oap.commingling_of_funds_forbidden"}},
	"allow_sell_bond_5k":              {{string(transactionPack), authz.ReasonAllowed}},
	"allow_transfer_crypto_2k":        {{string(transactionPack), authz.ReasonAllowed}},
	"deny_counterparty_exposure_exceeded": {
		{"exposure_limit_check", authz.ReasonLimitExceeded}, {"counterparty_exposure_check", "oap.counterparty_limit_exceeded"},
	},
	"deny_missing_required_fields": {{"context_schema", authz.ReasonInvalidContext}},
	"allow_cash_transfer_1k":       {{string(transactionPack), authz.ReasonAllowed}},
}

// otherContradictions are the published codes of the other packs that the packs'
// own rules answer otherwise. Numbers are those of NOTES.md.
var otherContradictions = map[string]struct{ published, reason string }{
	"deny_counterparty_exposure_exceeded": {"oap.counterparty_limit_exceeded",
		"item 11: 250,000 minor units are above the limit of one transaction, whose rule stands first"},
	"deny_150usd": {"oap.limit_exceeded",
		"item 13 and the order of the gates: assurance_rules ask for L3 above 10,000 minor units, the passport has L2, and assurance comes before amounts"},
}

// checkCode holds a decision's code against the published one, but for the
// contradictions that are pinned.
func checkCode(t *testing.T, name string, published, got authz.DenialReason) {
	t.Helper()
	c, pinned := otherContradictions[name]
	if pinned {
		require.Equal(t, c.published, string(published), "the contradiction is as it was found")
		require.NotEqual(t, published, got, "%s: no contradiction any more: %s", name, c.reason)
		return
	}
	require.Equal(t, published, got)
}

// TestPublishedTransactions decides the vectors in file order on one state. The
// passport gets an id that is a UUID (NOTES.md, item 15).
func TestPublishedTransactions(t *testing.T) {
	dir := vectorsDir + "/../" + string(transactionPack)
	raw := sharedFile(t, dir, "passport.instance.json")
	_, err := oap.ParsePassport("passport.instance.json", raw)
	require.ErrorContains(t, err, "is not valid uuid", "item 15")
	p, err := oap.ParsePassport("passport.instance.json", swapOnce(t, raw, "ap_a2d10232c6534523812423eec8a1425c45678", "550e8400-e29b-41d4-a716-446655440009"))
	require.NoError(t, err)
	l, err := oap.NewLayer(p, publishedPack(t, transactionPack), oap.ProfilePublished)
	require.NoError(t, err)
	e := l.Open()
	expected := strings.Split(strings.TrimSpace(string(sharedFile(t, dir, "expected.jsonl"))), "\n")
	contexts := strings.Split(strings.TrimSpace(string(sharedFile(t, dir, "contexts.jsonl"))), "\n")
	require.Len(t, contexts, len(transactionReasons), "every vector is known")
	require.Len(t, expected, len(contexts))
	for i, line := range contexts {
		var v, want struct {
			Name     string          `json:"name"`
			Context  json.RawMessage `json:"context"`
			Expected json.RawMessage `json:"expected"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &v), "contexts.jsonl:%d", i+1)
		require.NoError(t, json.Unmarshal([]byte(expected[i]), &want), "expected.jsonl:%d", i+1)
		require.Equal(t, v.Name, want.Name, "the files are in one order")
		d := e.DecideContext(v.Context, morning) // what it allows stays counted for the next
		if diff := cmp.Diff(transactionReasons[v.Name], reasonsOf(d)); diff != "" {
			t.Errorf("decide %s (-want +got):\n%s", v.Name, diff)
		}
		checkCode(t, v.Name, expectedCode(t, want.Expected), d.Reason())
	}
}

// TestPublishedCounterparties: daily_counterparty_total is a sum by counterparty
// and day, and an absent one is 0 (NOTES.md, item 11). No vector reaches it.
func TestPublishedCounterparties(t *testing.T) {
	dir := vectorsDir + "/../" + string(transactionPack)
	raw := swapOnce(t, sharedFile(t, dir, "passport.instance.json"), "ap_a2d10232c6534523812423eec8a1425c45678", "550e8400-e29b-41d4-a716-446655440009")
	p, err := oap.ParsePassport("passport.instance.json", raw)
	require.NoError(t, err)
	l, err := oap.NewLayer(p, publishedPack(t, transactionPack), oap.ProfilePublished)
	require.NoError(t, err)
	e := l.Open()
	ask := func(counterparty string, amount int, key string, day int) []judged {
		context, err := json.Marshal(map[string]any{
			"transaction_type": "buy", "amount": amount, "currency": "USD", "asset_class": "equity", "source_account_id": "a", "source_account_type": "trading",
			"destination_account_id": "b", "counterparty_id": counterparty, "idempotency_key": key,
		})
		require.NoError(t, err)
		return reasonsOf(e.DecideContext(context, morning.AddDate(0, 0, day)))
	}
	allowed, full := []judged{{string(transactionPack), authz.ReasonAllowed}}, []judged{{"counterparty_exposure_check", "oap.counterparty_limit_exceeded"}}
	for _, tt := range []struct {
		name, counterparty string
		amount, day        int
		want               []judged
		reason             string
	}{
		{"first", "one", 50000, 0, allowed, "absent is 0"},
		{"second", "one", 50000, 0, allowed, "100,000 of 200,000"},
		{"third", "one", 50000, 0, allowed, "150,000"},
		{"fourth", "one", 50000, 0, allowed, "exactly the limit"},
		{"fifth", "one", 1, 0, full, "one more"},
		{"another", "two", 50000, 0, allowed, "a sum of its own"},
		{"tomorrow", "one", 50000, 1, allowed, "a new UTC day"},
	} {
		require.Equal(t, tt.want, ask(tt.counterparty, tt.amount, tt.name, tt.day), "%s: %s", tt.name, tt.reason)
	}
}

// TestPublishedRefunds decides the refund cases, each on a state of its own. Their
// passport is a template, which decides about no payment (NOTES.md, item 14).
func TestPublishedRefunds(t *testing.T) {
	raw := sharedFile(t, refundCases, "passports/template.json")
	_, err := oap.ParsePassport("template.json", raw)
	require.ErrorContains(t, err, `kind is "template"`, "item 14")
	p, err := oap.ParseTemplate("template.json", raw)
	require.NoError(t, err)
	l, err := oap.NewLayer(p, publishedPack(t, refundPack), oap.ProfilePublished)
	require.NoError(t, err, "item 13: the currencies are those of currency_limits, reason_codes is another name of refund_reason_codes")
	want := map[string][]judged{
		"allow_50usd":   {{string(refundPack), authz.ReasonAllowed}},
		"deny_150usd":   {{"assurance_minimum", authz.ReasonAssurance}},
		"deny_currency": {{"currency_supported", authz.ReasonCurrencyUnsupported}},
	}
	contexts, err := filepath.Glob(filepath.Join(refundCases, "contexts", "*.json"))
	require.NoError(t, err)
	require.Len(t, contexts, len(want), "every case is known")
	for _, file := range contexts {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		context, err := os.ReadFile(file)
		require.NoError(t, err)
		d := l.Open().DecideContext(context, morning)
		if diff := cmp.Diff(want[name], reasonsOf(d)); diff != "" {
			t.Errorf("decide %s (-want +got):\n%s", name, diff)
		}
		checkCode(t, name, expectedCode(t, sharedFile(t, refundCases, "expected/"+name+".decision.json")), d.Reason())
	}
}

// TestPublishedPacksCompileWhole: NOTES.md knows of no rule of the finance packs
// that is prose or calls what is not registered, so none is refused.
func TestPublishedPacksCompileWhole(t *testing.T) {
	rules := map[oap.PackID]int{oap.ChargePack: 10, refundPack: 9, payoutPack: 8, transactionPack: 9}
	for id, n := range rules {
		file := string(id) + "/policy.json"
		pack, refused, err := oap.ReadPack(file, sharedFile(t, vectorsDir+"/..", file))
		require.NoError(t, err)
		require.Empty(t, refused, id)
		require.Len(t, pack.Rules, n, id)
	}
	dirs, err := filepath.Glob(vectorsDir + "/../finance.*")
	require.NoError(t, err)
	require.Len(t, dirs, len(rules), "every pack is known")
}
