package oap_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
)

// morning is when the payments of these tests are made.
var morning = time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)

const (
	level2   = "level-2.json"
	level4   = "level-4.json"
	level5   = "level-5.json"
	packFile = "packs/finance.payment.charge.v1.json"
)

// shippedBytes is a file of the fixed copy of passports/.
func shippedBytes(t testing.TB, file string) []byte {
	t.Helper()
	raw, err := fs.ReadFile(oaptest.Fixed(), file)
	require.NoError(t, err)
	return raw
}

func shippedPassport(t testing.TB, file string) oap.Passport {
	t.Helper()
	p, err := oap.ParsePassport(file, shippedBytes(t, file))
	require.NoError(t, err)
	return p
}

func shippedPack(t testing.TB) oap.PolicyPack {
	t.Helper()
	p, err := oap.ParsePack(packFile, shippedBytes(t, packFile))
	require.NoError(t, err)
	return p
}

// shippedLayer is a shipped passport under the shipped pack.
func shippedLayer(t testing.TB, file string, profile oap.Profile) *oap.Layer {
	t.Helper()
	l, err := oap.NewLayer(shippedPassport(t, file), shippedPack(t), profile)
	require.NoError(t, err)
	return l
}

// withPatch is the layer with its passport changed by RFC 7396 merge patches.
func withPatch(t testing.TB, l *oap.Layer, patches ...string) *oap.Layer {
	t.Helper()
	changed, err := l.WithPassport(func(raw []byte) ([]byte, error) {
		for _, patch := range patches {
			raw = mergeJSON(t, raw, patch)
		}
		return raw, nil
	})
	require.NoError(t, err)
	return changed
}

func mergeJSON(t testing.TB, raw []byte, patch string) []byte {
	t.Helper()
	var doc, change any
	require.NoError(t, json.Unmarshal(raw, &doc))
	require.NoError(t, json.Unmarshal([]byte(patch), &change), patch)
	out, err := json.Marshal(mergeValue(doc, change))
	require.NoError(t, err)
	return out
}

func mergeValue(doc, change any) any {
	members, ok := change.(map[string]any)
	if !ok {
		return change
	}
	object, ok := doc.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range members {
		if value == nil {
			delete(object, name)
			continue
		}
		object[name] = mergeValue(object[name], value)
	}
	return object
}

// swapOnce replaces a text that stands once in the file.
func swapOnce(t testing.TB, raw []byte, old, changed string) []byte {
	t.Helper()
	require.Equal(t, 1, strings.Count(string(raw), old), "set-up: %q must stand once", old)
	return []byte(strings.Replace(string(raw), old, changed, 1))
}

// payment is one dollar that the passport of Level 2 allows.
func payment(changes ...func(*authz.Request)) authz.Request {
	req := authz.Request{
		Recipient: "invoices@brightwater.example", Amount: 100, Currency: bank.USD, Region: "US", Memo: "invoice 7",
		Items:          []authz.Item{{SKU: "transfer", Quantity: 1, Price: 100}},
		IdempotencyKey: "fresh-key-1", At: morning,
	}
	for _, change := range changes {
		change(&req)
	}
	return req
}

// judged is a reason without its text for people.
type judged struct {
	Rule string
	Code authz.DenialReason
}

func ask(t testing.TB, e *oap.Engine, req authz.Request) authz.Decision {
	t.Helper()
	d, err := e.Authorize(context.Background(), req)
	require.NoError(t, err)
	return d
}

func reasonsOf(d authz.Decision) []judged {
	var out []judged
	for _, r := range d.Reasons {
		out = append(out, judged{r.Rule, r.Code})
	}
	return out
}
