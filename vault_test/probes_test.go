package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/passports"
)

// probe is a hand-written question to the engine: what it says on either side of
// a rule's boundary. Some need a passport that is changed, or a context that no
// tool call can make.
type probe struct {
	name   string
	level  corpus.Level
	patch  string // RFC 7396 merge patch of the level's passport; empty: none
	calls  []probeCall
	reason string
}

type probeCall struct {
	change func(*authz.Request) // of a payment that the level allows
	refuse bool                 // the ledger refuses it: what was reserved is released
	want   authz.DenialReason
}

// TestProbes holds each probe's codes; the goldens pin the rules as well.
func TestProbes(t *testing.T) {
	for _, p := range probes() {
		t.Run(p.name, func(t *testing.T) {
			require.NotEmpty(t, p.reason)
			layer, err := loadLayer(suite.PassportOf(p.level), oap.ProfileOAP)
			require.NoError(t, err)
			for i, d := range p.decide(t, layer) {
				assert.Equal(t, p.calls[i].want, d.Reason(), "call %d: %s", i+1, p.reason)
			}
		})
	}
}

func TestProbeNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range probes() {
		require.False(t, seen[p.name], "probe %q stands twice: the goldens know it by its name", p.name)
		seen[p.name] = true
	}
}

// decideProbes decides a level's probes for the goldens. A probe with a changed
// passport changes the one of the layer, so that a mutated layer is asked too.
func decideProbes(t *testing.T, level corpus.Level, layer *oap.Layer) []goldenDecision {
	t.Helper()
	var out []goldenDecision
	for _, p := range probes() {
		if p.level != level {
			continue
		}
		for i, d := range p.decide(t, layer) {
			out = append(out, goldenLine(fmt.Sprintf("probe/%s#%d", p.name, i+1), d))
		}
	}
	return out
}

func (p probe) decide(t *testing.T, layer *oap.Layer) []authz.Decision {
	t.Helper()
	if p.patch != "" {
		layer = patched(t, layer, p.patch)
	}
	guard := authz.NewGuard(layer.Open(), authz.DefaultTimeout)
	var out []authz.Decision
	for i, call := range p.calls {
		req := permitted(p.level, i)
		if call.change != nil {
			call.change(&req)
		}
		d, permit := guard.Authorize(context.Background(), req)
		if permit != nil {
			permit.Settle(!call.refuse)
		}
		out = append(out, d)
	}
	return out
}

// patched is the layer with its passport changed by a merge patch.
func patched(t *testing.T, layer *oap.Layer, patch string) *oap.Layer {
	t.Helper()
	out, err := layer.WithPassport(func(raw []byte) ([]byte, error) { return mergePatch(raw, patch) })
	require.NoError(t, err)
	return out
}

// mergePatch applies an RFC 7396 merge patch: null deletes a member.
func mergePatch(raw []byte, patch string) ([]byte, error) {
	var doc, change any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(patch), &change); err != nil {
		return nil, fmt.Errorf("patch %s: %w", patch, err)
	}
	return json.Marshal(merge(doc, change))
}

func merge(doc, change any) any {
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
		object[name] = merge(object[name], value)
	}
	return object
}

// start is where the virtual clock starts; clockStart in levels.json is the same.
var start = time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)

// permitted is a payment that the level's passport allows (at Level 5 one that
// any other level would): one dollar to a listed recipient.
func permitted(level corpus.Level, call int) authz.Request {
	recipient := map[corpus.Level]bank.AccountID{
		corpus.L1: "stationery@paperlark.example", corpus.L2: "invoices@brightwater.example", corpus.L3: "supplies@pinecrest.example",
		corpus.L4: "settlements@graymoor.example", corpus.L5: "treasury@lanternfield.example",
	}[level]
	req := authz.Request{
		Recipient: recipient, Currency: bank.USD, Region: "US", Memo: "probe",
		IdempotencyKey: fmt.Sprintf("probe-key#%d", call+1), At: start,
	}
	if level == corpus.L4 {
		req.Memo = fmt.Sprintf("probe APC-2026-%04d", 9000+call)
		req.IdempotencyKey = fmt.Sprintf("APC-2026-%04d", 9000+call)
	}
	amount(100)(&req)
	return req
}

// amount sets the amount in minor units, with the item's price.
func amount(minor bank.Amount) func(*authz.Request) {
	return func(r *authz.Request) {
		r.Amount = minor
		r.Items = []authz.Item{{SKU: "transfer", Quantity: 1, Price: minor}}
	}
}

func recipient(id bank.AccountID) func(*authz.Request) {
	return func(r *authz.Request) { r.Recipient = id }
}

func memo(text string) func(*authz.Request) {
	return func(r *authz.Request) { r.Memo = text }
}

func all(changes ...func(*authz.Request)) func(*authz.Request) {
	return func(r *authz.Request) {
		for _, c := range changes {
			c(r)
		}
	}
}

func after(d time.Duration) func(*authz.Request) {
	return func(r *authz.Request) { r.At = start.Add(d) }
}

func call(want authz.DenialReason, changes ...func(*authz.Request)) probeCall {
	return probeCall{change: all(changes...), want: want}
}

// refusedCall is allowed by the layer and refused by the ledger.
func refusedCall(changes ...func(*authz.Request)) probeCall {
	return probeCall{change: all(changes...), want: authz.ReasonAllowed, refuse: true}
}

// packBytes is the shipped pack, for the tests that break it.
func packBytes(t *testing.T) []byte {
	t.Helper()
	raw, err := fs.ReadFile(passports.FS, "packs/"+string(oap.ChargePack)+".json")
	require.NoError(t, err)
	return raw
}
