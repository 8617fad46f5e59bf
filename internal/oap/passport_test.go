package oap_test

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

func TestShippedPassportsLoad(t *testing.T) {
	for _, tt := range []struct {
		name      string
		assurance oap.AssuranceLevel
		grants    bool
		limits    bool
		reason    string
	}{
		{"level-1", "L2", true, true, "the Intern pays anyone"},
		{"level-2", "L2", true, true, "the Teller pays three"},
		{"level-3", "L3", true, true, "the Manager pays one"},
		{"level-4", "L4KYC", true, true, "the Auditor asks for a code"},
		{"level-5", "L4FIN", false, false, "the Vault grants nothing and needs no limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := oap.LoadPassport(oaptest.Fixed(), tt.name)
			require.NoError(t, err, tt.reason)
			limits, err := p.Limits(oap.ChargeCapability)
			require.NoError(t, err)
			got := []any{p.Name, p.AssuranceLevel, p.Grants(oap.ChargeCapability), limits != nil, p.Status}
			want := []any{tt.name + ".json", tt.assurance, tt.grants, tt.limits, "active"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("LoadPassport(%s): %s (-want +got):\n%s", tt.name, tt.reason, diff)
			}
		})
	}
}

func TestLoadPassportNamesTheMissingFile(t *testing.T) {
	_, err := oap.LoadPassport(fstest.MapFS{}, "level-9")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "load passport level-9: open level-9.json: file does not exist")
}

func TestParsePassportErrors(t *testing.T) {
	for _, tt := range badPassports {
		t.Run(tt.name, func(t *testing.T) {
			raw := []byte(tt.changed)
			if tt.old != "" {
				raw = swapOnce(t, shippedBytes(t, level2), tt.old, tt.changed)
			}
			p, err := oap.ParsePassport(level2, raw)
			require.ErrorContains(t, err, "load passport: level-2.json", "the file is named")
			require.ErrorContains(t, err, tt.want, tt.reason)
			require.Empty(t, p.Digest, "no half-read passport")
		})
	}
}

// badPassports replace old in level-2.json, or the whole file where old is empty.
var badPassports = []struct{ name, old, changed, want, reason string }{
	{"empty", "", "", "file is empty", "nothing is no passport"},
	{"not JSON", "", "passport", "invalid character 'p'", "prose is no passport"},
	{"a list", "", "[]", "want object", "a passport is an object"},
	{"two documents", "\"version\": \"1.0.0\"\n}", "\"version\": \"1.0.0\"\n}{}", "data after the end", "which one would count?"},
	{"unknown field", `"status": "active",`, `"status": "active", "colour": "red",`, "at /colour: unknown member", "a misspelt field would be dropped in silence"},
	{"wrong case", `"status"`, `"Status"`, "at /Status: unknown member", "names are compared byte for byte"},
	{"limit in wrong case", `"max_per_tx"`, `"Max_Per_Tx"`, "/Max_Per_Tx: unknown member", "names are compared byte for byte"},
	{"duplicate key", `"status": "active",`, `"status": "active", "status": "active",`, `duplicate object member name "status"`, "the second would win in silence"},
	{"duplicate limit", `"max_per_tx": 250000,`, `"max_per_tx": 250000, "max_per_tx": 9,`, `duplicate object member name "max_per_tx"`, "the second would win in silence"},
	{"template", `"kind": "instance"`, `"kind": "template"`, `kind is "template": only an instance decides`, "a template is put before no agent"},
	{"unknown status", `"status": "active"`, `"status": "actve"`, "at /status: value must be one of", "the list of states is closed"},
	{"unknown assurance", `"assurance_level": "L2"`, `"assurance_level": "L4"`, "at /assurance_level: value must be one of", "L4 is no level, L4KYC is"},
	{"id is no UUID", "7c0e1a52-52d4-4b1f-9a37-6f1d0c2b8e02", "passport-2", "is not valid uuid", "upstream's schema wants one"},
	{"float limit", "250000", "250000.5", "max_per_tx: got number, want integer", "money is never a float"},
	{"float limit that is whole", "250000", "250000.0", "250000.0 is no 64-bit integer", "money is never a float, whatever its value"},
	{"limit with an exponent", "250000", "25e4", "25e4 is no 64-bit integer", "one way to write an amount"},
	{"negative limit", "250000", "-1", "max_per_tx: minimum: got -1", "a cap below nothing is a slip"},
	{"limit as string", "250000", `"250000"`, "max_per_tx: got string, want integer", "a limit is a number"},
	{"limit beyond exact numbers", "250000", "9007199254740992", "max_per_tx: maximum", "other readers hold numbers as floats"},
	{"limit null", "250000", "null", "max_per_tx: got null, want integer", "null is neither missing nor a number"},
	{"items as float", `"max_items_per_tx": 1`, `"max_items_per_tx": 1.5`, "max_items_per_tx: got number, want integer", "nobody buys half an item"},
	{"list as string", `"allowed_merchant_ids": [`, `"allowed_merchants": "x", "allowed_merchant_ids": [`, "allowed_merchants: got string, want array", "a list of one is a list"},
	{"currency in lower case", `"USD"`, `"usd"`, "/usd: unknown member", "three capital letters"},
	{"both limit shapes", `"limits": {`, `"limits": {"payments": {"charge": {}},`, `limits stand under "payments.charge" and under payments.charge: keep one`, "it would be a guess which one counts"},
	{"both merchant lists", `"allowed_merchant_ids"`, `"allowed_merchants": [], "allowed_merchant_ids"`, "allowed_merchant_ids and allowed_merchants are one list: keep one", "an empty one would open the other"},
}

// TestLimitShapes: however the same limits are written, the decisions are the same.
func TestLimitShapes(t *testing.T) {
	flat := shippedBytes(t, level2)
	nested := swapOnce(t, swapOnce(t, flat, `"payments.charge": {`, `"payments": {"charge": {`),
		`"audit_code_required": false`+"\n    }", `"audit_code_required": false`+"\n    }}")
	want := decisionsUnder(t, flat)
	require.Contains(t, slices.Concat(want...), judged{string(oap.ChargePack), authz.ReasonAllowed}, "set-up: some are allowed")
	for _, tt := range []struct {
		name   string
		raw    []byte
		reason string
	}{
		{"nested", nested, "limits.payments.charge is the other published shape"},
		{"allowed_merchants", swapOnce(t, flat, `"allowed_merchant_ids"`, `"allowed_merchants"`), "the list's other name"},
		{"nested allowed_merchants", swapOnce(t, nested, `"allowed_merchant_ids"`, `"allowed_merchants"`), "both at once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(want, decisionsUnder(t, tt.raw)); diff != "" {
				t.Errorf("decisions: %s (-flat +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// decisionsUnder asks one engine about a payment on either side of each limit.
func decisionsUnder(t *testing.T, passport []byte) [][]judged {
	t.Helper()
	p, err := oap.ParsePassport(level2, passport)
	require.NoError(t, err)
	l, err := oap.NewLayer(p, shippedPack(t), oap.ProfileOAP)
	require.NoError(t, err)
	e := l.Open()
	var all [][]judged
	for _, change := range []func(*authz.Request){
		func(*authz.Request) {},
		func(r *authz.Request) { r.Amount = 250000; r.IdempotencyKey = "fresh-key-2" },
		func(r *authz.Request) { r.Amount = 250001 },
		func(r *authz.Request) { r.Amount = 249901; r.IdempotencyKey = "fresh-key-3" },
		func(r *authz.Request) { r.Recipient = "collect@quickvault.example" },
		func(r *authz.Request) { r.Currency = "EUR" },
		func(r *authz.Request) { r.ShippingCountry = "BR" },
		func(r *authz.Request) { r.Items[0].Category = "weapons" },
		func(r *authz.Request) { r.Items = append(r.Items, r.Items[0]) },
		func(r *authz.Request) { r.Region = "CA" },
	} {
		all = append(all, reasonsOf(ask(t, e, payment(change))))
	}
	return all
}

// TestAssuranceOrder pins the order by its own list, over all pairs.
func TestAssuranceOrder(t *testing.T) {
	order := []oap.AssuranceLevel{"L0", "L1", "L2", "L3", "L4KYC", "L4FIN"}
	for i, have := range order {
		for j, want := range order {
			if got := have.AtLeast(want); got != (i >= j) {
				t.Errorf("%s.AtLeast(%s) = %t, want %t: the order is not that of the names", have, want, got, i >= j)
			}
		}
		for _, unknown := range []oap.AssuranceLevel{"", "L4", "l2", "L5", "L2 "} {
			require.False(t, have.AtLeast(unknown), "%s.AtLeast(%q): an unknown level is reached by nothing", have, unknown)
			require.False(t, unknown.AtLeast(have), "%q.AtLeast(%s): an unknown level reaches nothing", unknown, have)
		}
	}
	require.False(t, oap.AssuranceLevel("L9").AtLeast("L9"), "an unknown level does not even reach itself")
}
