package oap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/condition"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/oap/reference"
)

// boundaryPayments lie on both sides of the shipped limits; each is asked of a
// state of its own.
func boundaryPayments() []authz.Request {
	var out []authz.Request
	for _, to := range []bank.AccountID{
		"stationery@paperlark.example", "invoices@brightwater.example", "rent@oakhall.example", "supplies@pinecrest.example", "settlements@graymoor.example", "collect@quickvault.example",
	} {
		for _, amount := range []bank.Amount{1, 50000, 50001, 100000, 100001, 250000, 250001, 5000000, 5000001} {
			out = append(out, payment(func(r *authz.Request) {
				r.Recipient, r.Amount, r.Items[0].Price, r.Memo = to, amount, amount, "APC-2026-0001"
			}))
		}
	}
	for _, change := range []func(*authz.Request){
		func(r *authz.Request) { r.Currency = "EUR" },
		func(r *authz.Request) { r.Region = "CA" },
		func(r *authz.Request) { r.ShippingCountry = "BR" },
		func(r *authz.Request) { r.ShippingCountry = "US" },
		func(r *authz.Request) { r.Items[0].Category = "weapons" },
		func(r *authz.Request) { r.Items[0].Category = "paper" },
		func(r *authz.Request) { r.Items = append(r.Items, r.Items[0]) },
		func(r *authz.Request) { r.Items = nil },
		func(r *authz.Request) { r.Amount = 0 },
		func(r *authz.Request) { r.IdempotencyKey = "short" },
		func(r *authz.Request) { r.Recipient = "settlements@graymoor.example"; r.Memo = "no code" },
		func(r *authz.Request) { r.At = r.At.AddDate(2, 0, 0) },
	} {
		out = append(out, payment(change))
	}
	return out
}

// wellAnswered holds what every decision promises.
func wellAnswered(t *testing.T, d authz.Decision) {
	t.Helper()
	require.NotEmpty(t, d.Reasons)
	require.Contains(t, []authz.Effect{authz.Allow, authz.Deny}, d.Effect)
	for _, r := range d.Reasons {
		require.Equal(t, d.Allowed(), r.Code == authz.ReasonAllowed)
		require.NotEmpty(t, r.Rule)
	}
}

// FuzzParsePassport: whatever the bytes, no panic. What loads has a digest that
// white space does not change, joins the pack or is refused with a reason, and
// decides as the reference does.
func FuzzParsePassport(f *testing.F) {
	files, err := fs.Glob(oaptest.Fixed(), "*.json")
	require.NoError(f, err)
	for _, file := range files {
		f.Add(shippedBytes(f, file))
	}
	for _, tt := range badPassports {
		f.Add([]byte(tt.changed))
	}
	f.Add(mergeJSON(f, shippedBytes(f, level2), `{"limits":{"payments.charge":null,"payments":{"charge":{"allowed_merchants":[]}}},"expires_at":null}`))
	pack := shippedPack(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := oap.ParsePassport("fuzz.json", raw)
		if err != nil {
			require.Empty(t, p.Digest, "no half-read passport")
			return
		}
		require.Regexp(t, "^[0-9a-f]{64}$", p.Digest)
		var spaced bytes.Buffer
		require.NoError(t, json.Indent(&spaced, raw, " ", "\t"))
		again, err := oap.ParsePassport("fuzz.json", spaced.Bytes())
		require.NoError(t, err)
		require.Equal(t, p.Digest, again.Digest)
		for _, profile := range profiles {
			l, err := oap.NewLayer(p, pack, profile)
			if err != nil {
				require.ErrorContains(t, err, "fuzz.json", "the file is named")
				continue
			}
			againstReference(t, l, raw, profile)
		}
	})
}

// againstReference asks engine and reference about the boundary payments, and
// about some on the passport's own limits.
func againstReference(t *testing.T, l *oap.Layer, raw []byte, profile oap.Profile) {
	t.Helper()
	policy, err := reference.Read(raw, profile == oap.ProfilePublished)
	require.NoError(t, err, "the reference reads what the engine loads")
	asked := boundaryPayments()
	for currency, caps := range policy.Currencies {
		for _, amount := range []int64{caps.PerPayment, caps.PerDay, caps.PerPayment + 1, caps.PerDay + 1} {
			asked = append(asked, payment(func(r *authz.Request) {
				r.Currency, r.Amount, r.Memo = bank.Currency(currency), bank.Amount(amount), "APC-2026-0001"
			}))
		}
	}
	for _, req := range asked {
		got := ask(t, l.Open(), req)
		wellAnswered(t, got)
		want := policy.Open().Decide(req)
		require.True(t, decidedAs(got, want), "Authorize(%+v) = %v, the reference says %v", req, reasonsOf(got), want)
	}
}

// keeps reports whether a pack asks in a profile for all that the shipped one asks
// for: such a pack may only deny more.
func keeps(shipped, p oap.PolicyPack, profile oap.Profile) bool {
	stands := func(r oap.Rule) bool { return len(r.Profiles) == 0 || slices.Contains(r.Profiles, profile) }
	for _, want := range shipped.Rules {
		if stands(want) && !slices.ContainsFunc(p.Rules, func(r oap.Rule) bool { return r.Condition == want.Condition && stands(r) }) {
			return false
		}
	}
	return p.RequiresCapabilities[0] == shipped.RequiresCapabilities[0] && p.MinAssurance.AtLeast(shipped.MinAssurance) &&
		compact(p.RequiredContext) == compact(shipped.RequiredContext)
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // what does not compact equals nothing
	return b.String()
}

// checkPack asks a pack under the level passports, and the shipped pack beside
// it where it must not allow more.
func checkPack(t *testing.T, p, shipped oap.PolicyPack, levels []oap.Passport, asked []authz.Request) {
	t.Helper()
	for _, passport := range levels {
		for _, profile := range profiles {
			l, err := oap.NewLayer(passport, p, profile)
			if err != nil {
				continue
			}
			bound, err := oap.NewLayer(passport, shipped, profile)
			require.NoError(t, err)
			kept := keeps(shipped, p, profile)
			for _, req := range asked {
				d := ask(t, l.Open(), req)
				wellAnswered(t, d)
				if kept && d.Allowed() {
					want := ask(t, bound.Open(), req)
					require.True(t, want.Allowed(), "Authorize(%+v) under %s is allowed by a pack with all of the shipped rules, which deny: %v", req, passport.Name, reasonsOf(want))
				}
			}
		}
	}
}

func levelPassports(f *testing.F) []oap.Passport {
	f.Helper()
	var out []oap.Passport
	for _, file := range []string{"level-1.json", level2, "level-3.json", level4, level5} {
		out = append(out, shippedPassport(f, file))
	}
	return out
}

// FuzzParsePack: whatever the bytes, no panic. What loads decides under each
// level's passport, and a pack that still has all of the shipped rules, gates and
// schema allows nothing that the shipped one denies.
func FuzzParsePack(f *testing.F) {
	whole := shippedBytes(f, packFile)
	f.Add(whole)
	for _, tt := range badPacks {
		f.Add(swapOnce(f, whole, tt.old, tt.changed))
	}
	f.Add([]byte(`{"id":"a.v1","name":"a","description":"a","version":"1.0.0","status":"active","requires_capabilities":["payments.charge"],"min_assurance":"L0",
		"required_context":{"type":"object"},"evaluation_rules":[{"name":"a","condition":"true","deny_code":"oap.policy_error","description":"a"}]}`))
	shipped, levels, asked := shippedPack(f), levelPassports(f), boundaryPayments()
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, refused, err := oap.ReadPack("fuzz.json", raw)
		strict, strictErr := oap.ParsePack("fuzz.json", raw)
		require.Equal(t, err != nil || len(refused) > 0, strictErr != nil, "a refused rule refuses the pack")
		if strictErr != nil {
			require.Empty(t, strict.Digest, "no half-read pack")
			require.ErrorContains(t, strictErr, "fuzz.json", "the file is named")
			for _, r := range refused {
				require.NotEmpty(t, r.Rule)
				require.Error(t, r.Err)
			}
			if err == nil {
				_, err = oap.NewLayer(levels[1], p, oap.ProfileOAP)
				require.Error(t, err, "a pack with a refused rule decides nothing")
			}
			return
		}
		require.Regexp(t, "^[0-9a-f]{64}$", strict.Digest)
		checkPack(t, strict, shipped, levels, asked)
	})
}

// FuzzPackRule adds a rule of any condition to the shipped pack: it is refused
// with its column, or it can only deny more.
func FuzzPackRule(f *testing.F) {
	whole := shippedBytes(f, packFile)
	shipped := shippedPack(f)
	for _, r := range shipped.Rules {
		f.Add(r.Condition)
	}
	for _, text := range []string{
		"true", "false", "amount > 0 or memo is empty", "items.some(i => i.price >= amount)", "memo.startsWith('a') and not (region in passport.regions)",
		"all(i.qty * i.price <= daily_total + 1 for i in items)", "merchant_id.length < 9223372036854775807", "limits.payments.charge.currency_limits[memo].daily_cap > 0",
	} {
		f.Add(text)
	}
	levels, asked := levelPassports(f), boundaryPayments()
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		raw := swapOnce(t, whole, `"evaluation_rules": [`, `"evaluation_rules": [{"name":"fuzz","description":"added","deny_code":"oap.policy_error","condition":`+string(quoted)+`},`)
		p, refused, err := oap.ReadPack("fuzz.json", raw)
		if err != nil {
			return // an empty condition is refused by the schema
		}
		if len(refused) > 0 {
			var where *condition.Error
			require.True(t, errors.As(refused[0].Err, &where), "%v", refused[0].Err)
			require.Positive(t, where.Column)
			return
		}
		for _, profile := range profiles {
			require.True(t, keeps(shipped, p, profile), "set-up: every shipped rule is there")
		}
		checkPack(t, p, shipped, levels, asked)
	})
}
