package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLintCommand(t *testing.T) {
	shipped, err := filepath.Glob(filepath.Join(shippedPassports, "*.json"))
	require.NoError(t, err)
	require.Len(t, shipped, 7)
	hostile := changed(t, levelTwo, "hostile.json", `"status"`, `"\u001b[31m##[error]"`)
	open := changed(t, levelTwo, "level-2.json", `"max_per_tx": 250000`, `"max_per_tx": 2500001`)
	elsewhere := changed(t, levelTwo, "mine.json", `"max_per_tx": 250000`, `"max_per_tx": 2500001`)
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
		reason string
	}{
		{"shipped", append([]string{"--at", "2026-03-06T09:00:00Z"}, shipped...), 0, "warning: /limits/payments.charge/allowed_merchant_ids: an empty list means any recipient", "warnings alone pass"},
		{"balance of a level", []string{open}, 0, "/max_per_tx: 2500001 is above the account's opening balance of 2500000", "by the file's name"},
		{"no balance", []string{elsewhere}, 0, "/daily_cap: 500000 is below max_per_tx 2500001", "nobody knows whose account it is"},
		{"payee of nobody", []string{changed(t, levelTwo, "level-2.json", `"rent@oakhall.example"`, `"Rent@oakhall.example "`)}, 0, `warning: /limits/payments.charge/allowed_merchant_ids/2: "Rent@oakhall.example " is in no directory of the account's bank; recipients are compared byte for byte: delete it ("rent@oakhall.example" was meant?)`, "nobody is paid by it"},
		{"payee of the attacker", []string{changed(t, levelTwo, "level-2.json", `"rent@oakhall.example"`, `"rent@oakhall.example", "collect@quickvault.example"`)}, 0, `allowed_merchant_ids/3: "collect@quickvault.example" is somebody whom the policy of this account does not permit`, "each payment would be a violation"},
		{"another currency", []string{changed(t, levelTwo, "level-2.json", `"USD": {`, `"EUR": {"max_per_tx":1,"daily_cap":1},"USD": {`)}, 0, `warning: /limits/payments.charge/currency_limits/EUR: the account that is paid from holds USD: the layer allows payments in EUR, and the bank refuses them`, "the caps would never be reached"},
		{"payee of nobody, whose account nobody knows", []string{changed(t, levelTwo, "theirs.json", `"rent@oakhall.example"`, `"who@example.org"`)}, 0, "", "there is nothing to hold it against"},
		{"expired by --at", []string{"--at", "2028-01-05T00:00:00Z", levelTwo}, 1, "error: /expires_at: the passport has expired", "errors fail"},
		{"other packs", []string{"--packs", filepath.Dir(changed(t, shippedPack, "p.json", "payments.charge", "payments.send")), levelTwo}, 0, "warning: /capabilities/0/id: no pack asks for payments.charge", "they decide what is read"},
		{"one of two can't be read", []string{"nobody.json", open}, 1, "above the account's opening balance", "the other is looked at all the same"},
		{"hostile text", []string{hostile}, 1, `error: /\u001b[31m##\[error]: unknown key`, "nothing reaches the terminal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(append([]string{"lint", "--packs", filepath.Dir(shippedPack)}, tt.args...)...)
			require.Equal(t, tt.status, status, stdout+stderr)
			require.Contains(t, stdout, tt.want, tt.reason)
			if tt.name == "no balance" {
				require.NotContains(t, stdout, "opening balance", tt.reason)
			}
			if tt.status == 0 {
				require.NotContains(t, stdout, ": error: ")
				require.Contains(t, stdout, "0 errors, ")
				return
			}
			require.Regexp(t, `^vault: lint: [1-9][0-9]* errors, `, stderr)
		})
	}
}

func TestLintCommandErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no file", nil, 2, `expected "<file> ..."`},
		{"no time", []string{"--at", "soon", levelTwo}, 2, "--at"},
		{"no packs", []string{"--packs", t.TempDir(), levelTwo}, 1, "no file matches"},
		{"broken rule", []string{"--packs", filepath.Dir(changed(t, shippedPack, "p.json", `"items.length <= `, `"items.length =< `)), levelTwo}, 1, "lint: p.json: rule item_count_cap: column 14"},
		{"broken pack", []string{"--packs", filepath.Dir(changed(t, shippedPack, "p.json", `"min_assurance"`, `"min"`)), levelTwo}, 1, "load pack: p.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := vault(append([]string{"lint"}, tt.args...)...)
			require.Equal(t, tt.status, status, stdout+stderr)
			require.True(t, strings.Contains(stderr, tt.want), stderr)
		})
	}
}
