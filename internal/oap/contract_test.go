package oap_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/authz/authztest"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

// TestEngineKeepsTheContract runs the contract suite on each passport that
// grants something, in both profiles.
func TestEngineKeepsTheContract(t *testing.T) {
	for _, tt := range contractCases {
		for _, profile := range []oap.Profile{oap.ProfileOAP, oap.ProfilePublished} {
			t.Run(tt.name+"/"+string(profile), func(t *testing.T) {
				require.NotEmpty(t, tt.reason)
				layer := contractLayer(t, tt.passport, profile)
				permitted, forbidden := contractRequest(), contractRequest()
				permitted.Recipient = tt.recipient
				forbidden.Recipient = tt.recipient
				tt.forbid(&forbidden)
				authztest.Run(t, func() authz.Authorizer { return layer.Open() }, permitted, &forbidden)
			})
		}
	}
}

var contractCases = []struct {
	name, passport string
	recipient      bank.AccountID // that the passport allows
	forbid         func(*authz.Request)
	reason         string // why it is forbidden
}{
	{"l1 amount", "level-1", "anyone@example.com", func(r *authz.Request) { r.Amount = 5000001 }, "a cent above max_per_tx"},
	{"l1 currency", "level-1", "anyone@example.com", func(r *authz.Request) { r.Currency = "EUR" }, "no limits in this currency"},
	{"l2 recipient", "level-2", "rent@oakhall.example", func(r *authz.Request) { r.Recipient = "thief@example.com" }, "not in the allowlist"},
	{"l2 case", "level-2", "rent@oakhall.example", func(r *authz.Request) { r.Recipient = "Rent@oakhall.example" }, "compared byte for byte"},
	{"l2 region", "level-2", "rent@oakhall.example", func(r *authz.Request) { r.Region = "EU" }, "a gate denies, too"},
	{"l2 context", "level-2", "rent@oakhall.example", func(r *authz.Request) { r.Amount = 0 }, "the schema denies, too"},
	{"l2 items", "level-2", "rent@oakhall.example", func(r *authz.Request) { r.Items = append(r.Items, r.Items...) }, "above max_items_per_tx"},
	{"l3 recipient", "level-3", "supplies@pinecrest.example", func(r *authz.Request) { r.Recipient = "thief@example.com" }, "not in the allowlist"},
	{"l3 amount", "level-3", "supplies@pinecrest.example", func(r *authz.Request) { r.Amount = 50001 }, "a cent above max_per_tx"},
	{"l4 recipient", "level-4", "settlements@graymoor.example", func(r *authz.Request) { r.Recipient = "thief@example.com" }, "not in the allowlist"},
}

func contractLayer(t *testing.T, passport string, profile oap.Profile) *oap.Layer {
	t.Helper()
	p, err := oap.LoadPassport(oaptest.Fixed(), passport)
	require.NoError(t, err)
	pack, err := oap.LoadPack(oaptest.Fixed(), oap.ChargePack)
	require.NoError(t, err)
	layer, err := oap.NewLayer(p, pack, profile)
	require.NoError(t, err)
	return layer
}

func contractRequest() authz.Request {
	return authz.Request{
		Amount: 2500, Currency: bank.USD, Region: "US", Items: []authz.Item{{SKU: "transfer", Quantity: 1, Price: 2500}},
		Memo: "code APC-2026-0001", IdempotencyKey: "APC-2026-0001", At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
	}
}
