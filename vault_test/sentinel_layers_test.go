package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/oap/oaptest"
	"vaultbench/internal/suite"
	"vaultbench/passports"
	"vaultbench/scripts/pinned"
)

// opener starts a layer's state for one conversation.
type opener = func() authz.Authorizer

// carelessLayer is a layer with one fault that its authors might really make.
type carelessLayer struct {
	name   string
	open   func(*testing.T, corpus.Level) opener // nil where the policy has nothing to be careless of
	reason string
}

func carelessLayers() []carelessLayer {
	return []carelessLayer{
		{"no daily cap", packed(without("daily_cap_check")), "many payments within the cap of one are too many"},
		{"case folded", wrapped(foldsCase), "a recipient in capitals is another account"},
		{"first recipient only", packed(relisted(func(list []any) []any { return list[:min(1, len(list))] })), "the second of the list is permitted too"},
		{"float amounts", floatDollars, "cents don't add up in binary fractions"},
		{"cap as less than", packed(edited("amount <=", "amount <")), "exactly the cap is within it"},
		{"key ignored", packed(without("idempotency_check")), "a key pays once"},
		{"audit code ignored", packed(without("audit_code_required")), "no code, no settlement"},
		{"a missing or unreadable list means anyone", packed(relisted(func([]any) []any { return []any{} })), "what can't be read permits nobody"},
		{"state forgotten between calls", forgetful, "the second call knows of the first"},
	}
}

// TestCarelessLayersAreCaught: the corpus itself, without any probe, notices each
// careless layer: an attack or honest twin is decided otherwise than it expects.
func TestCarelessLayersAreCaught(t *testing.T) {
	noted.sentinel(t)
	t.Parallel()
	cases, err := pinned.Load()
	require.NoError(t, err)
	var table strings.Builder
	for _, l := range carelessLayers() {
		caught, possible := map[bool][]string{}, false // by whether it is a twin
		for _, level := range corpus.Levels() {
			open := l.open(t, level)
			if open == nil {
				continue
			}
			possible = true
			for _, s := range cases.Surprises(level, open) {
				twin := s.Attack.Twin != ""
				if id := string(s.Attack.ID); len(caught[twin]) == 0 || caught[twin][len(caught[twin])-1] != id {
					caught[twin] = append(caught[twin], id)
				}
			}
		}
		fmt.Fprintf(&table, "%-42s %s; %s\n", l.name, few("attacks", caught[false]), few("twins", caught[true]))
		if !possible {
			t.Logf("the policy was edited, and no layer can be so: %s", l.name)
			continue
		}
		assert.NotEmpty(t, append(caught[false], caught[true]...), "no attack and no twin notices the layer %q: %s: add one that does (CONTRIBUTING, Adding things)", l.name, l.reason)
	}
	t.Logf("which of the corpus notices which careless layer:\n%s", table.String())
}

func few(what string, ids []string) string {
	const shown = 3
	text := fmt.Sprintf("%d %s", len(ids), what)
	if len(ids) == 0 {
		return text
	}
	text += ": " + strings.Join(ids[:min(shown, len(ids))], " ")
	if len(ids) > shown {
		text += " …"
	}
	return text
}

// packed is the engine under changed files.
func packed(layer func(*testing.T, corpus.Level) *oap.Layer) func(*testing.T, corpus.Level) opener {
	return func(t *testing.T, level corpus.Level) opener {
		t.Helper()
		l := layer(t, level)
		if isShipped(t, level, l) {
			return nil
		}
		return func() authz.Authorizer { return l.Open() }
	}
}

// wrapped is the shipped engine behind a fault.
func wrapped(authorize func(context.Context, authz.Authorizer, authz.Request) (authz.Decision, error)) func(*testing.T, corpus.Level) opener {
	return func(t *testing.T, level corpus.Level) opener {
		t.Helper()
		l, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		return func() authz.Authorizer { return badLayer{l.Open(), authorize} }
	}
}

// relisted changes the list of recipients where the passport has one.
func relisted(change func([]any) []any) func(*testing.T, corpus.Level) *oap.Layer {
	return func(t *testing.T, level corpus.Level) *oap.Layer {
		t.Helper()
		l, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
		require.NoError(t, err)
		l, err = l.WithPassport(func(raw []byte) ([]byte, error) {
			var doc map[string]any
			if err := json.Unmarshal(raw, &doc); err != nil {
				return nil, err
			}
			if charge, ok := doc["limits"].(map[string]any)["payments.charge"].(map[string]any); ok {
				if list, ok := charge["allowed_merchant_ids"].([]any); ok {
					charge["allowed_merchant_ids"] = change(list)
				}
			}
			return json.Marshal(doc)
		})
		require.NoError(t, err)
		return l
	}
}

// edited changes a text wherever it stands in the pack.
func edited(old, changed string) func(*testing.T, corpus.Level) *oap.Layer {
	return func(t *testing.T, level corpus.Level) *oap.Layer {
		t.Helper()
		raw, err := fs.ReadFile(passports.FS, "packs/"+string(oap.ChargePack)+".json")
		require.NoError(t, err)
		written, err := fs.ReadFile(oaptest.Fixed(), "packs/"+string(oap.ChargePack)+".json")
		require.NoError(t, err)
		require.Contains(t, string(written), old)
		pack, err := oap.ParsePack("packs/changed.json", []byte(strings.ReplaceAll(string(raw), old, changed)))
		require.NoError(t, err)
		p, err := oap.LoadPassport(passports.FS, suite.PassportOf(level))
		require.NoError(t, err)
		l, err := oap.NewLayer(p, pack, oap.ProfileOAP)
		require.NoError(t, err)
		return l
	}
}

// forgetful opens a new engine for every call.
func forgetful(t *testing.T, level corpus.Level) opener {
	t.Helper()
	l, err := pinned.Layer(suite.PassportOf(level), oap.ProfileOAP)
	require.NoError(t, err)
	return func() authz.Authorizer {
		return badLayer{l.Open(), func(ctx context.Context, _ authz.Authorizer, req authz.Request) (authz.Decision, error) {
			return l.Open().Authorize(ctx, req)
		}}
	}
}

// dollars keeps the day's total in dollars as floats and leaves the rest to the
// engine without a daily cap.
type dollars struct {
	*oap.Engine
	cap    float64
	totals map[string]float64
}

func (d *dollars) Authorize(ctx context.Context, req authz.Request) (authz.Decision, error) {
	got, err := d.Engine.Authorize(ctx, req)
	day := req.At.UTC().Format("2006-01-02")
	amount := float64(req.Amount) / 100
	if err != nil || !got.Allowed() {
		return got, err
	}
	if d.totals[day]+amount > d.cap {
		d.Engine.Settle(req, false)
		return decision(req, authz.Deny, authz.ReasonLimitExceeded)
	}
	d.totals[day] += amount
	return got, nil
}

func (d *dollars) Settle(req authz.Request, executed bool) {
	d.Engine.Settle(req, executed)
	if !executed {
		d.totals[req.At.UTC().Format("2006-01-02")] -= float64(req.Amount) / 100
	}
}

// floatDollars opens it with the level's cap.
func floatDollars(t *testing.T, level corpus.Level) opener {
	t.Helper()
	l := without("daily_cap_check")(t, level)
	limit := float64(capOf(t, level, "daily_cap")) / 100
	return func() authz.Authorizer { return &dollars{l.Open(), limit, map[string]float64{}} }
}
