package oap_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap"
)

// TestReadPacks reads both layouts of a folder, and says of each rule why it is
// refused.
func TestReadPacks(t *testing.T) {
	bad := swapOnce(t, shippedBytes(t, packFile), "NOT any(item.category in limits.payments.charge.blocked_categories for item in items)", "no item may be of a blocked category")
	bad = swapOnce(t, bad, "has_audit_code(memo)", "has_valid_code(memo)")
	bad = swapOnce(t, bad, "not in recent_keys", "not in recent_key")
	bad = swapOnce(t, bad, `"oap.merchant_forbidden"`, `"oap.merchant_unknown"`)
	got, err := oap.ReadPacks(fstest.MapFS{
		"charge.json": {Data: bad}, "charge/policy.json": {Data: shippedBytes(t, packFile)}, "charge/passport.json": {Data: []byte("{}")},
		"cut.json": {Data: bad[:100]}, "deep/er/policy.json": {Data: []byte("{}")},
	})
	require.NoError(t, err)
	require.Len(t, got, 3, "other files are no packs")
	require.Equal(t, "charge/policy.json", got[1].File)
	require.Empty(t, got[1].Refused)
	require.ErrorContains(t, got[2].Err, "load pack: cut.json:")

	type refusal struct {
		Rule, Why string
		Foreseen  bool
	}
	var refused []refusal
	for _, r := range got[0].Refused {
		require.Equal(t, r, *got[0].Refusal(r.Rule))
		refused = append(refused, refusal{r.Rule, r.String(), r.Foreseen()})
	}
	want := []refusal{
		{"merchant_allowed", `unknown deny_code "oap.merchant_unknown": the codes are a closed list: ` + denyCodeList, false},
		{"category_block", `prose, not a condition: word "item" follows a word (column 4)`, true},
		{"audit_code_required", "function is not registered: has_valid_code (column 51)", true},
		{"idempotency_check", `unknown name: "recent_key" is neither in the context nor kept by the engine (column 24)`, false},
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("ReadPacks: refused (-want +got):\n%s", diff)
	}
	require.Nil(t, got[0].Refusal("item_count_cap"))
}

func TestReadPacksNeedsSome(t *testing.T) {
	_, err := oap.ReadPacks(fstest.MapFS{"readme.md": {}})
	require.EqualError(t, err, "read packs: no file matches *.json or */policy.json")
}

// TestReads lists the limits of each rule of the shipped pack.
func TestReads(t *testing.T) {
	p := shippedPack(t)
	got := map[string]string{}
	for _, r := range p.Rules {
		for _, read := range p.Reads(r) {
			got[r.Name] += read.Name() + " "
		}
	}
	want := map[string]string{
		"assurance_minimum": "require_assurance_at_least ", "currency_supported": "currency_limits ", "per_tx_amount_cap": "currency_limits.*.max_per_tx ",
		"item_count_cap": "max_items_per_tx ", "merchant_allowed": "allowed_merchant_ids ", "country_allowed": "allowed_countries ",
		"category_block": "blocked_categories ", "audit_code_required": "audit_code_required ", "daily_cap_check": "currency_limits.*.daily_cap ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Reads (-want +got):\n%s", diff)
	}
}

// publishedPacks are every pack of the published vectors.
func publishedPacks(t *testing.T) []oap.PackFile {
	t.Helper()
	upstream(t, "policy.json")
	packs, err := oap.ReadPacks(os.DirFS(vectorsDir + "/.."))
	require.NoError(t, err)
	require.Len(t, packs, 4)
	return packs
}

// TestPublishedPacksLoad: every finance pack that was published compiles, but for
// rules that are refused by their nature.
func TestPublishedPacksLoad(t *testing.T) {
	for _, p := range publishedPacks(t) {
		require.NoError(t, p.Err)
		for _, r := range p.Refused {
			require.True(t, r.Foreseen(), "%s: rule %s: %v", p.File, r.Rule, r.Err)
		}
	}
}

// denyCodeList is what a message lists: the codes of a decision about a payment.
const denyCodeList = "oap.passport_suspended, oap.unknown_capability, oap.capability_missing, oap.assurance_insufficient, oap.invalid_context, " +
	"oap.region_blocked, oap.currency_unsupported, oap.limit_exceeded, oap.merchant_forbidden, oap.category_blocked, oap.audit_code_missing, " +
	"oap.idempotency_conflict, oap.policy_error"
