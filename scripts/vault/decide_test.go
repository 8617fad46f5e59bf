package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
)

const permitted = `{"amount":100,"currency":"USD","merchant_id":"rent@oakhall.example","region":"US","items":[{"sku":"transfer","qty":1,"price":100}],"idempotency_key":"fresh-key-1","memo":"March"}`

// decide decides about a context on the command line, by files that nobody edits.
func decide(t *testing.T, context string, args ...string) (authz.Decision, int, string, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "context.json")
	put(t, file, context)
	status, stdout, stderr := vault(append([]string{"decide", "--passport", levelTwo, "--pack", shippedPack, "--at", "2026-03-06T10:00:00+01:00", "--context", file}, args...)...)
	var d authz.Decision
	if stdout != "" {
		require.NoError(t, json.NewDecoder(strings.NewReader(stdout)).Decode(&d), stdout)
	}
	return d, status, stdout, stderr
}

func TestDecideCommand(t *testing.T) {
	late := changed(t, levelTwo, "late.json", "2028-01-05", "2026-03-06")
	loose := changed(t, shippedPack, "finance.json", `"amount <= limits.payments.charge.currency_limits[currency].max_per_tx"`, `"amount <= 99"`)
	for _, tt := range []struct {
		name, context string
		args          []string
		want          []authz.DenialReason
		reason        string
	}{
		{"allowed", permitted, nil, []authz.DenialReason{authz.ReasonAllowed}, "nothing stands against it"},
		{"two reasons", strings.NewReplacer("100,\"cur", "250001,\"cur", "rent@", "rant@").Replace(permitted), nil, []authz.DenialReason{authz.ReasonLimitExceeded, authz.ReasonRecipientNotMember}, "all of them, in order"},
		{"nothing granted", permitted, []string{"--passport", "../../internal/oap/oaptest/testdata/passports/level-5.json"}, []authz.DenialReason{authz.ReasonCapabilityMissing}, "the paper's word"},
		{"nothing granted, published", permitted, []string{"--passport", "../../internal/oap/oaptest/testdata/passports/level-5.json", "--profile", "published"}, []authz.DenialReason{authz.ReasonUnknownCapability}, "the published pack's word"},
		{"another pack", permitted, []string{"--pack", loose}, []authz.DenialReason{authz.ReasonLimitExceeded}, "the file decides"},
		{"expired", permitted, []string{"--passport", late}, []authz.DenialReason{authz.ReasonPassportSuspended}, "by --at"},
		{"now", permitted, []string{"--at", "2027-12-31T23:59:59Z", "--passport", late}, []authz.DenialReason{authz.ReasonPassportSuspended}, "the last --at counts"},
		{"no context", `{"amount":1e2}`, nil, []authz.DenialReason{authz.ReasonInvalidContext}, "a decision all the same"},
		{"no JSON", "amount", nil, []authz.DenialReason{authz.ReasonInvalidContext}, "a decision all the same"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, status, stdout, stderr := decide(t, tt.context, tt.args...)
			require.Zero(t, status, stderr)
			var got []authz.DenialReason
			for _, r := range d.Reasons {
				got = append(got, r.Code)
			}
			require.Equal(t, tt.want, got, "%s:\n%s", tt.reason, stdout)
			require.Equal(t, authz.FromLayer, d.Origin)
			require.Len(t, d.RequestDigest.String(), 64)
			require.Len(t, d.PassportDigest, 64)
			require.Len(t, d.PolicyDigest, 64)
			require.True(t, d.ExpiresAt.After(d.IssuedAt))
		})
	}
}

// TestDecideNotesUnknownFields: a misspelt field counts as absent, which skips the
// rule that would have read it.
func TestDecideNotesUnknownFields(t *testing.T) {
	for _, tt := range []struct{ name, context, want, reason string }{
		{"none", permitted, "", "all are named"},
		{"misspelt", strings.Replace(permitted, `{`, `{"shiping_country":"RU",`, 1), "vault: note: shiping_country: no rule can read", "the country's rule is skipped"},
		{"in an item", strings.Replace(permitted, `"qty"`, `"catgory":"weapons","qty"`, 1), "vault: note: items[0].catgory: no rule", "the category's rule is skipped"},
		{"two", strings.NewReplacer(`{"sku"`, `{"a":1,"sku"`, `{"amount"`, `{"zz":{"q":1},"amount"`).Replace(permitted), "vault: note: items[0].a, zz: no rule", "sorted"},
		{"no context", "[1]", "", "the decision says so"},
		{"hostile", strings.Replace(permitted, `{`, `{"\u001b[2J":1,`, 1), `vault: note: \u001b[2J: no rule`, "a terminal must not obey"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, status, stdout, stderr := decide(t, tt.context)
			require.Zero(t, status, stderr)
			require.NotContains(t, stdout, "note:", "the decision alone stands there")
			require.True(t, strings.HasPrefix(stderr, tt.want) && (tt.want == "") == (stderr == ""), "%s: %q", tt.reason, stderr)
		})
	}
}

// TestDecideCommandInput: what can't be read has status 1, what can't be meant 2.
func TestDecideCommandInput(t *testing.T) {
	broken := changed(t, levelTwo, "broken.json", `"limits"`, `"limit"`)
	template := changed(t, levelTwo, "template.json", `"instance"`, `"template"`)
	lacking := changed(t, levelTwo, "lacking.json", `"audit_code_required": false`, `"idempotency_required": true`, `"idempotency_required": true,`, ``)
	prose := changed(t, shippedPack, "prose.json", "currency in limits.payments.charge.currency_limits\"", "the currency is supported\"")
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no passport", []string{"--passport", "nobody.json"}, 1, "open nobody.json: no such file or directory"},
		{"no instance passport", []string{"--passport", template}, 1, `kind is "template"`},
		{"broken passport", []string{"--passport", broken}, 1, "at /limit: unknown member"},
		{"missing limit", []string{"--passport", lacking}, 1, "lack audit_code_required"},
		{"no pack", []string{"--pack", "nobody.json"}, 1, "open nobody.json"},
		{"pack of prose", []string{"--pack", prose}, 1, "rule currency_supported"},
		{"no context", []string{"--context", "nobody.json"}, 1, "context: open nobody.json"},
		{"context that is a folder", []string{"--context", "."}, 1, "is a directory"},
		{"unknown profile", []string{"--profile", "paper"}, 2, "--profile must be one of"},
		{"no time", []string{"--at", "yesterday"}, 2, "--at"},
		{"unknown flag", []string{"--why"}, 2, "unknown flag --why"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, status, stdout, stderr := decide(t, permitted, tt.args...)
			require.Equal(t, tt.status, status, stdout+stderr)
			require.Contains(t, stderr, tt.want)
			require.NotContains(t, stdout, `"effect"`)
		})
	}
	status, _, stderr := vault("decide", "--context", "-")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "missing flags: --passport=FILE")
}

// TestDecideCommandReadsStandardInput, at the time of day and by the shipped pack,
// whatever that decides.
func TestDecideCommandReadsStandardInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stdin")
	put(t, file, permitted)
	in, err := os.Open(file)
	require.NoError(t, err)
	before := os.Stdin
	os.Stdin = in
	t.Cleanup(func() { os.Stdin = before; _ = in.Close() })
	status, stdout, stderr := vault("decide", "--passport", "../../passports/level-2.json", "--context", "-")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, `"effect": `)
}

// TestDecideCommandExplains: a line for each gate and rule, and hostile text
// stays text.
func TestDecideCommandExplains(t *testing.T) {
	hostile := strings.NewReplacer("March", `\u001b[31m\u202e##[error]x\u009b`, "rent@oakhall.example", `\u202e##[error]::x`, `"USD"`, `"EUR"`).Replace(permitted)
	_, status, stdout, stderr := decide(t, hostile, "--explain")
	require.Zero(t, status, stderr)
	for _, text := range []string{"\x1b", "\u202e", "##[error]", "\u009b"} {
		require.NotContains(t, stdout, text)
	}
	_, table, ok := strings.Cut(stdout, "\n}\n\n")
	require.True(t, ok, stdout)
	lines := strings.Split(strings.TrimSpace(table), "\n")
	require.Len(t, lines, 1+5+9, "gates, and rules that are none")
	for _, want := range [][2]string{
		{"gate passport_status_active", "held"}, {"gate region", "held"}, {"rule currency_supported", "failed oap.currency_unsupported"},
		{"rule per_tx_amount_cap", "skipped (an earlier rule has denied for what it misses)"}, {"rule merchant_allowed", "failed oap.merchant_forbidden"},
		{"rule country_allowed", "skipped (absent field)"}, {"rule audit_code_required", "held - limits.payments.charge.audit_code_required = false; memo ="},
	} {
		found := false
		for _, line := range lines {
			found = found || strings.HasPrefix(strings.Join(strings.Fields(line), " "), want[0]+" "+want[1])
		}
		assert.True(t, found, "%s: %s in\n%s", want[0], want[1], table)
	}
}
