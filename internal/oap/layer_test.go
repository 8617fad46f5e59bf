package oap_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
)

const chargePatch = `{"limits":{"payments.charge":`

// TestNewLayerNamesTheMissingLimit: missing is not empty, and is found at load.
func TestNewLayerNamesTheMissingLimit(t *testing.T) {
	for _, tt := range []struct{ name, patch, limit, rule, reason string }{
		{"currency table", `{"currency_limits":null}`, "currency_limits", "currency_supported", "no currency at all"},
		{"max_per_tx", `{"currency_limits":{"USD":{"max_per_tx":null}}}`, "currency_limits.USD.max_per_tx", "per_tx_amount_cap", "no cap is not an endless one"},
		{"max_per_tx of two", `{"currency_limits":{"EUR":{"daily_cap":1},"CAD":{"daily_cap":1}}}`, "currency_limits.CAD.max_per_tx, currency_limits.EUR.max_per_tx", "per_tx_amount_cap", "each currency, in order"},
		{"max_items_per_tx", `{"max_items_per_tx":null}`, "max_items_per_tx", "item_count_cap", "no cap is not an endless one"},
		{"allowed_merchant_ids", `{"allowed_merchant_ids":null}`, "allowed_merchant_ids", "merchant_allowed", "missing is not empty: it does not mean anyone"},
		{"allowed_countries", `{"allowed_countries":null}`, "allowed_countries", "country_allowed", "missing is not empty: it does not mean anywhere"},
		{"blocked_categories", `{"blocked_categories":null}`, "blocked_categories", "category_block", "missing is not empty"},
		{"audit_code_required", `{"audit_code_required":null}`, "audit_code_required", "audit_code_required", "missing is not false"},
		{"daily_cap", `{"currency_limits":{"USD":{"daily_cap":null}}}`, "currency_limits.USD.daily_cap", "daily_cap_check", "no cap is not an endless one"},
		{"every limit", `null`, "require_assurance_at_least", "assurance_minimum", "the first rule that reads one is named"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := mergeJSON(t, shippedBytes(t, level2), chargePatch+tt.patch+`}}`)
			p, err := oap.ParsePassport(level2, raw)
			require.NoError(t, err, "the passport itself is well-formed")
			_, err = oap.NewLayer(p, shippedPack(t), oap.ProfileOAP)
			require.EqualError(t, err, "passport level-2.json: limits of payments.charge lack "+tt.limit+
				", which rule "+tt.rule+" of finance.payment.charge.v1 reads: add it (an empty list is a value of its own)", tt.reason)
		})
	}
}

func TestNewLayerNamesTheMissingAssurance(t *testing.T) {
	raw := mergeJSON(t, shippedBytes(t, level2), chargePatch+`{"require_assurance_at_least":null}}}`)
	p, err := oap.ParsePassport(level2, raw)
	require.NoError(t, err)
	_, err = oap.NewLayer(p, shippedPack(t), oap.ProfilePublished)
	require.EqualError(t, err, "passport level-2.json: limits of payments.charge lack require_assurance_at_least, which rule assurance_minimum of finance.payment.charge.v1 reads: add it (an empty list is a value of its own)")
}

// TestLimitsThatNobodyReads: only what a rule of the profile reads must be there.
func TestLimitsThatNobodyReads(t *testing.T) {
	noAudit := chargePatch + `{"audit_code_required":null}}}`
	noCategories := chargePatch + `{"blocked_categories":null}}}`
	for _, tt := range []struct {
		name, file, patch string
		pack              oap.PolicyPack
		profile           oap.Profile
		reason            string
	}{
		{"level 5 without limits", level5, `{}`, shippedPack(t), oap.ProfileOAP, "it grants nothing, so no rule is reached"},
		{"level 5 in the published profile", level5, `{}`, shippedPack(t), oap.ProfilePublished, "it grants nothing, so no rule is reached"},
		{"idempotency_required", level2, chargePatch + `{"idempotency_required":null}}}`, shippedPack(t), oap.ProfileOAP, "no rule reads it"},
		{"audit_code_required", level2, noAudit, shippedPack(t), oap.ProfilePublished, "the published pack has no such rule"},
		{"rule that the pack lacks", level2, noCategories, withoutRule(t, "category_block"), oap.ProfileOAP, "no rule reads it"},
		{"capability gone", level2, `{"capabilities":[],"limits":{"payments.charge":null}}`, shippedPack(t), oap.ProfileOAP, "no rule is reached"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := oap.ParsePassport(tt.file, mergeJSON(t, shippedBytes(t, tt.file), tt.patch))
			require.NoError(t, err)
			_, err = oap.NewLayer(p, tt.pack, tt.profile)
			require.NoError(t, err, tt.reason)
		})
	}
}

// TestProfiles holds where the two readings of the pack part.
func TestProfiles(t *testing.T) {
	noCode := payment(func(r *authz.Request) { r.Recipient = "settlements@graymoor.example" })
	allowed := []judged{{string(oap.ChargePack), authz.ReasonAllowed}}
	for _, tt := range []struct {
		name, file string
		profile    oap.Profile
		req        authz.Request
		want       []judged
		reason     string
	}{
		{"level 4 without a code, oap", level4, oap.ProfileOAP, noCode, []judged{{"audit_code_required", authz.ReasonAuditCodeMissing}}, "the paper's engine asks for it"},
		{"level 4 without a code, published", level4, oap.ProfilePublished, noCode, allowed, "the published pack has no such rule"},
		{"level 5, oap", level5, oap.ProfileOAP, payment(), []judged{{"capability", authz.ReasonCapabilityMissing}}, "the paper's code"},
		{"level 5, published", level5, oap.ProfilePublished, payment(), []judged{{"capability", authz.ReasonUnknownCapability}}, "the published code"},
		{"level 2, oap", level2, oap.ProfileOAP, payment(), allowed, "elsewhere they agree"},
		{"level 2, published", level2, oap.ProfilePublished, payment(), allowed, "elsewhere they agree"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reasonsOf(ask(t, shippedLayer(t, tt.file, tt.profile).Open(), tt.req))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Authorize: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestWithPassport(t *testing.T) {
	l := shippedLayer(t, level2, oap.ProfileOAP)
	before := l.PassportDigest()
	changed, err := l.WithPassport(func(raw []byte) ([]byte, error) {
		copy(raw, swapOnce(t, raw, "250000", "000050")) // spoils what it was given
		return swapOnce(t, shippedBytes(t, level2), "250000", "50"), nil
	})
	require.NoError(t, err)
	require.Equal(t, authz.ReasonLimitExceeded, ask(t, changed.Open(), payment()).Reason(), "the changed passport decides")
	require.Equal(t, authz.ReasonAllowed, ask(t, l.Open(), payment()).Reason(), "the first layer stays as it was")
	require.Equal(t, before, l.PassportDigest())
	require.NotEqual(t, before, changed.PassportDigest())
	require.Equal(t, l.PolicyDigest(), changed.PolicyDigest(), "the pack is the same")

	again, err := l.WithPassport(func(raw []byte) ([]byte, error) { return raw, nil })
	require.NoError(t, err)
	require.Equal(t, before, again.PassportDigest(), "the bytes that are handed out are the passport's")
}

// TestWithPassportKeepsTheProfile: the changed layer stands in the same profile.
func TestWithPassportKeepsTheProfile(t *testing.T) {
	l := withPatch(t, shippedLayer(t, level4, oap.ProfilePublished), `{"capabilities":[]}`)
	require.Equal(t, authz.ReasonUnknownCapability, ask(t, l.Open(), payment()).Reason())
}

func TestWithPassportErrors(t *testing.T) {
	errTest := errors.New("no such patch")
	for _, tt := range []struct {
		name, patch string
		err         error
		want        string
		reason      string
	}{
		{"change fails", "", errTest, "change passport level-2.json: no such patch", "the passport is named"},
		{"no passport any more", `{"status":null}`, nil, "load passport: level-2.json:1: does not match schema", "checked like a file"},
		{"limit gone", chargePatch + `{"allowed_countries":null}}}`, nil, "lack allowed_countries, which rule country_allowed", "checked like a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := shippedLayer(t, level2, oap.ProfileOAP).WithPassport(func(raw []byte) ([]byte, error) {
				if tt.err != nil {
					return nil, tt.err
				}
				return mergeJSON(t, raw, tt.patch), nil
			})
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.Nil(t, l, "no layer to decide by mistake")
			if tt.err != nil {
				require.ErrorIs(t, err, tt.err)
			}
		})
	}
}

// TestParsedPassportIsItsOwn: what the caller does to its bytes afterwards
// changes nothing.
func TestParsedPassportIsItsOwn(t *testing.T) {
	raw := shippedBytes(t, level2)
	p, err := oap.ParsePassport(level2, raw)
	require.NoError(t, err)
	clear(raw)
	l, err := oap.NewLayer(p, shippedPack(t), oap.ProfileOAP)
	require.NoError(t, err)
	_, err = l.WithPassport(func(raw []byte) ([]byte, error) { return raw, nil })
	require.NoError(t, err)
}
