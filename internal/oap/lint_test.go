package oap_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/passports"
)

// lintOptions hold a passport against the shipped pack and a balance.
func lintOptions(t testing.TB) oap.LintOptions {
	t.Helper()
	packs, err := fs.Sub(oaptest.Fixed(), "packs")
	require.NoError(t, err)
	files, err := oap.ReadPacks(packs)
	require.NoError(t, err)
	return oap.LintOptions{At: morning, Packs: files, Opening: map[string]int64{"USD": 2500000}}
}

// lintLines are the findings of the passport of Level 2 with RFC 7396 merge
// patches, without those of the passport as it is shipped.
func lintLines(t testing.TB, o oap.LintOptions, patches ...string) []string {
	t.Helper()
	raw := mergeJSON(t, shippedBytes(t, level2), `{"limits":{"payments.charge":{"idempotency_required":null}}}`)
	for _, patch := range patches {
		raw = mergeJSON(t, raw, patch)
	}
	return lintText(oap.Lint("p.json", raw, o))
}

func lintText(findings []oap.Finding) []string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, strings.TrimPrefix(f.String(), "p.json: "))
	}
	return lines
}

const (
	charge = "/limits/payments.charge"
	usd    = charge + "/currency_limits/USD"
)

// limits is a patch of the limits of payments.charge.
func limits(patch string) string { return `{"limits":{"payments.charge":` + patch + `}}` }

var lintRows = []struct {
	name, patch string
	want        []string
	reason      string
}{
	{"clean", `{}`, nil, "nothing is wrong with it"},
	{"empty allowlist", limits(`{"allowed_merchant_ids":[]}`), []string{"warning: " + charge + "/allowed_merchant_ids: an empty list means any recipient, by rule merchant_allowed of finance.payment.charge.v1: name those that are meant"}, "it looks like nobody"},
	{"empty allowlist of the other name", limits(`{"allowed_merchant_ids":null,"allowed_merchants":[]}`), []string{"warning: " + charge + "/allowed_merchants: an empty list means any recipient, by rule merchant_allowed of finance.payment.charge.v1: name those that are meant"}, "the same list"},
	{"empty country list", limits(`{"allowed_countries":[]}`), []string{"warning: " + charge + "/allowed_countries: an empty list means any country, by rule country_allowed of finance.payment.charge.v1: name those that are meant"}, "it looks like none"},
	{"empty block list", limits(`{"blocked_categories":[]}`), nil, "it blocks nothing, as it looks"},
	{"missing cap", limits(`{"currency_limits":{"USD":{"max_per_tx":null}}}`), []string{"error: " + usd + ": max_per_tx is missing, which rule per_tx_amount_cap of finance.payment.charge.v1 reads: add it"}, "the loader refuses it"},
	{"no currency", limits(`{"currency_limits":{"USD":null}}`), []string{"error: " + charge + "/currency_limits: empty table: rule per_tx_amount_cap of finance.payment.charge.v1 can never hold: add an entry"}, "no currency is supported"},
	{"cap of zero", limits(`{"currency_limits":{"USD":{"max_per_tx":0}}}`), []string{"error: " + usd + "/max_per_tx: a cap of zero lets nothing through: raise it, or drop what it stands for"}, "absurd"},
	{"no items", limits(`{"max_items_per_tx":0}`), []string{"error: " + charge + "/max_items_per_tx: a cap of zero lets nothing through: raise it, or drop what it stands for"}, "absurd"},
	{"negative cap", limits(`{"max_items_per_tx":-1}`), []string{"error: " + charge + "/max_items_per_tx: -1 is negative: nothing can stay within it: write a cap, in minor units"}, "absurd"},
	{"cap with a fraction", limits(`{"max_items_per_tx":1.5}`), []string{"error: " + charge + "/max_items_per_tx: 1.5 is no integer: write minor units, without fraction or exponent"}, "major units, perhaps"},
	{"cap above 2^53-1", limits(`{"max_items_per_tx":9007199254740992}`), []string{"error: " + charge + "/max_items_per_tx: 9007199254740992 is beyond ±9007199254740991, where JSON readers no longer agree: no cap at all, or a typing error: write a smaller number"}, "absurd"},
	{"cap of text", limits(`{"max_items_per_tx":"1"}`), []string{"error: " + charge + "/max_items_per_tx: got string, want integer"}, "the schema's own words"},
	{"daily cap below", limits(`{"currency_limits":{"USD":{"daily_cap":249999}}}`), []string{"warning: " + usd + "/daily_cap: 249999 is below max_per_tx 250000, which no payment can reach: lower that, or raise this"}, "one of them is not meant"},
	{"daily cap equal", limits(`{"currency_limits":{"USD":{"daily_cap":250000}}}`), nil, "one payment a day"},
	{"cap above the balance", limits(`{"currency_limits":{"USD":{"daily_cap":2500001}}}`), []string{"warning: " + usd + "/daily_cap: 2500001 is above the account's opening balance of 2500000: the bank refuses before this cap does: lower it"}, "it never bites"},
	{"cap of the balance", limits(`{"currency_limits":{"USD":{"max_per_tx":2500000,"daily_cap":2500000}}}`), nil, "just what is there"},
	{"cap of a currency without a balance", limits(`{"currency_limits":{"EUR":{"max_per_tx":3000000,"daily_cap":3000000}}}`), []string{"warning: /limits/payments.charge/currency_limits/EUR: the account that is paid from holds USD: the layer allows payments in EUR, and the bank refuses them: delete the entry"}, "no balance is above or below it"},
	{"unknown key", `{"statsu":"active"}`, []string{"error: /statsu: unknown key: delete it (status was meant?)"}, "the loader refuses it"},
	{"unknown key in an entry", limits(`{"currency_limits":{"USD":{"weekly":1}}}`), []string{"error: " + usd + "/weekly: no rule of any pack reads it, so it limits nothing: delete it, or write the rule"}, "the loader refuses it"},
	{"limit that nobody reads", limits(`{"idempotency_required":true}`), []string{"warning: " + charge + "/idempotency_required: no rule of any pack reads it, so it limits nothing: delete it, or write the rule"}, "it looks like a limit"},
	{"misspelt limit", limits(`{"max_items_per_tx":null,"max_item_per_tx":1}`), []string{"error: " + charge + "/max_item_per_tx: misspelt here or there: rule item_count_cap of finance.payment.charge.v1 reads max_items_per_tx: rename one of the two"}, "one finding, where it can be mended"},
	{"limit joined otherwise", limits(`{"max_items_per_tx":null,"maxItemsPerTx":1}`), []string{"error: " + charge + "/maxItemsPerTx: misspelt here or there: rule item_count_cap of finance.payment.charge.v1 reads max_items_per_tx: rename one of the two"}, "case and joiners do not count"},
	{"misspelt cap", limits(`{"currency_limits":{"USD":{"daily_cap":null,"dayly_cap":500000}}}`), []string{"error: " + usd + "/dayly_cap: misspelt here or there: rule daily_cap_check of finance.payment.charge.v1 reads daily_cap: rename one of the two"}, "likewise"},
	{"missing limit", limits(`{"audit_code_required":null}`), []string{"error: " + charge + ": audit_code_required is missing, which rule audit_code_required of finance.payment.charge.v1 (profile oap) reads: add it"}, "the loader refuses it"},
	{"no limits", `{"limits":{"payments.charge":null}}`, []string{"error: /limits: payments.charge is granted and has no limits: rules read require_assurance_at_least, currency_limits, max_items_per_tx, allowed_merchant_ids, allowed_countries, blocked_categories, audit_code_required"}, "one finding"},
	{"both list names", limits(`{"allowed_merchants":["bob"]}`), []string{"error: " + charge + "/allowed_merchants: allowed_merchant_ids and allowed_merchants are one list: keep one"}, "which one counts?"},
	{"both shapes", `{"limits":{"payments":{"charge":{}}}}`, []string{"error: " + charge + ": the limits of payments.charge stand at /limits/payments/charge as well: keep one"}, "which one counts?"},
	{"expires in 30 days", `{"expires_at":"2026-04-05T09:00:00Z"}`, []string{"warning: /expires_at: the passport expires in 30 days: issue the next one in time"}, "the boundary"},
	{"expires later", `{"expires_at":"2026-04-05T09:00:01Z"}`, nil, "the boundary"},
	{"expired", `{"expires_at":"2026-03-06T09:00:00Z"}`, []string{"error: /expires_at: the passport has expired and every payment is denied: issue a new one"}, "not valid at that moment"},
	{"never expires", `{"expires_at":null}`, nil, "as the specification allows"},
	{"expires at no time", `{"expires_at":"soon"}`, []string{"error: /expires_at: 'soon' is not valid date-time: less than 20 characters long"}, "the schema's own words"},
	{"capability that no pack asks for", `{"capabilities":[{"id":"payments.charge"},{"id":"data.export"}]}`, []string{"warning: /capabilities/1/id: no pack asks for data.export, so nothing decides about it: add its pack, or drop the capability"}, "granted, and nobody looks"},
	{"misspelt capability", `{"capabilities":[{"id":"payments.charges"}]}`, []string{
		"warning: /capabilities/0/id: no pack asks for payments.charges, so nothing decides about it: add its pack, or drop the capability (payments.charge was meant?)",
		"warning: " + charge + ": limits of payments.charge, which is not granted, so they are never used: grant it, or delete them",
	}, "two ends of one error"},
	{"limits without a grant", `{"capabilities":[]}`, []string{"warning: " + charge + ": limits of payments.charge, which is not granted, so they are never used: grant it, or delete them"}, "they look like a grant"},
	{"limits of nothing known", `{"limits":{"finance.refund":{"max_per_tx":1}}}`, []string{"warning: /limits/finance.refund: limits of finance.refund, which is not granted and which no pack asks for: delete them"}, "they look like a grant"},
	{"template", `{"kind":"template"}`, []string{"error: /kind: a template decides nothing: make an instance of it"}, "the loader refuses it"},
	{"suspended", `{"status":"suspended"}`, []string{"warning: /status: the passport is suspended and every payment is denied: make it active if the agent shall pay"}, "it may be meant"},
	{"unknown status", `{"status":"Active"}`, []string{"error: /status: value must be one of 'draft', 'active', 'suspended', 'revoked'"}, "the loader refuses it"},
	{"assurance below the pack's", `{"assurance_level":"L1","limits":{"payments.charge":{"require_assurance_at_least":"L0"}}}`, []string{"error: /assurance_level: L1 is below L2, which pack finance.payment.charge.v1 asks for, and every payment is denied: raise it, or drop payments.charge"}, "granted for nothing"},
	{"assurance below the limits'", limits(`{"require_assurance_at_least":"L4KYC"}`), []string{"error: /assurance_level: L2 is below L4KYC, which the limits of payments.charge ask for, and every payment is denied: raise it, or lower require_assurance_at_least"}, "granted for nothing"},
	{"assurance by its order", `{"assurance_level":"L4FIN","limits":{"payments.charge":{"require_assurance_at_least":"L4KYC"}}}`, nil, "FIN is above KYC"},
	{"escapes in a pointer", `{"a/b~c":1}`, []string{"error: /a~1b~0c: unknown key: delete it"}, "RFC 6901"},
}

func TestLint(t *testing.T) {
	o := lintOptions(t)
	for _, tt := range lintRows {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lintLines(t, o, tt.patch)); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestLintIsAsStrictAsTheLoader: what the loader refuses has an error, over every
// row, in both profiles.
func TestLintIsAsStrictAsTheLoader(t *testing.T) {
	pack := shippedPack(t)
	for _, tt := range lintRows {
		raw := mergeJSON(t, shippedBytes(t, level2), tt.patch)
		p, err := oap.ParsePassport("p.json", raw)
		for _, profile := range profiles {
			if err == nil {
				_, err = oap.NewLayer(p, pack, profile)
			}
		}
		if err != nil {
			require.True(t, hasLintError(oap.Lint("p.json", raw, lintOptions(t))), "%s: the loader says %v", tt.name, err)
		}
	}
	for _, tt := range badPassports {
		raw := []byte(tt.changed)
		if tt.old != "" {
			raw = swapOnce(t, shippedBytes(t, level2), tt.old, tt.changed)
		}
		require.True(t, hasLintError(oap.Lint("p.json", raw, lintOptions(t))), "%s: the loader refuses it", tt.name)
	}
}

func hasLintError(findings []oap.Finding) bool {
	for _, f := range findings {
		if f.Severity == oap.LintError {
			return true
		}
	}
	return false
}

// TestLintNoPassport: what can't be read at all is one error with its line.
func TestLintNoPassport(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"empty", "", "error: /: line 1: file is empty: write one JSON value or delete it"},
		{"cut", "{\n\"kind\":\n", "error: /: line 3: jsontext: unexpected EOF within \"/kind\" after offset 10"},
		{"duplicate key", "{\n\"kind\":1,\n\"kind\":2}", "error: /: line 3: jsontext: duplicate object member name \"kind\" within \"/\" after offset 12"},
		{"two values", "{}\n{}", "error: /: line 2: data after the end of the JSON value"},
		{"array", "[]", "error: /: want an object: json: cannot unmarshal array into Go value of type map[string]jsontext.Value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lintText(oap.Lint("p.json", []byte(tt.raw), lintOptions(t)))
			require.Len(t, got, 1)
			require.Equal(t, strings.Fields(tt.want)[:4], strings.Fields(got[0])[:4], got[0])
		})
	}
}

// TestLintEveryPassport: no passport of passports/, however many there are and
// whatever is edited in them, has an error under the packs beside it.
func TestLintEveryPassport(t *testing.T) {
	files, err := fs.Glob(passports.FS, "*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	folder, err := fs.Sub(passports.FS, "packs")
	require.NoError(t, err)
	packs, err := oap.ReadPacks(folder)
	require.NoError(t, err)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			raw, err := fs.ReadFile(passports.FS, file)
			require.NoError(t, err)
			for _, f := range oap.Lint(file, raw, oap.LintOptions{At: morning, Packs: packs}) {
				require.Equal(t, oap.LintWarning, f.Severity, f.String())
			}
		})
	}
}

// TestLintShipped: the passports as they were shipped have no error, and Level 1 is
// open by intention, which is worth a warning.
func TestLintShipped(t *testing.T) {
	files, err := fs.Glob(oaptest.Fixed(), "*.json")
	require.NoError(t, err)
	open := 0
	for _, file := range files {
		for _, f := range oap.Lint(file, shippedBytes(t, file), lintOptions(t)) {
			require.Equal(t, oap.LintWarning, f.Severity, f.String())
			if strings.Contains(f.Message, "any recipient") {
				require.Equal(t, "level-1.json", file)
				open++
			}
		}
	}
	require.Equal(t, 1, open)
}

// TestLintByOtherPacks: the published packs' passports, in either dialect.
func TestLintByOtherPacks(t *testing.T) {
	o := oap.LintOptions{At: time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC), Packs: publishedPacks(t)}
	got := lintText(oap.Lint("p.json", upstream(t, "passport.instance.json"), o))
	want := []string{"warning: " + charge + "/idempotency_required: no rule of any pack reads it, so it limits nothing: delete it, or write the rule"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Lint (-want +got):\n%s", diff)
	}
}

// TestLintPackStatus: a pack that is not in use decides all the same, and is warned
// of. The schema knows these statuses alone.
func TestLintPackStatus(t *testing.T) {
	for _, tt := range []struct {
		status string
		want   []string
		reason string
	}{
		{"active", nil, "in use"},
		{"draft", []string{"warning: /capabilities/0/id: the pack finance.payment.charge.v1 is draft and decides all the same: decide by another, or make its status active"}, "not finished"},
		{"deprecated", []string{"warning: /capabilities/0/id: the pack finance.payment.charge.v1 is deprecated and decides all the same: decide by another, or make its status active"}, "replaced"},
	} {
		t.Run(tt.status, func(t *testing.T) {
			raw := swapOnce(t, shippedBytes(t, packFile), `"status": "active",`, `"status": "`+tt.status+`",`)
			o := lintOptions(t)
			var err error
			o.Packs, err = oap.ReadPacks(fstest.MapFS{"charge.json": {Data: raw}})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, lintLines(t, o)); diff != "" {
				t.Errorf("Lint: %s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
	_, err := oap.ParsePack(packFile, swapOnce(t, shippedBytes(t, packFile), `"status": "active",`, `"status": "retired",`))
	require.ErrorContains(t, err, "/status: value must be one of 'draft', 'active', 'deprecated'")
}
