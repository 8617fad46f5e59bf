package pinned

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

// Probe is a hand-written question to the engine: what it says on either side of
// a rule's boundary. Some need a passport that is changed, or a context that no
// tool call can make.
type Probe struct {
	row
	Profile oap.Profile
	on      footing
}

type row struct {
	Name   string
	Level  corpus.Level
	Patch  string // RFC 7396 merge patches of the level's passport, one after the other
	Calls  []Call
	Reason string
}

// Call is one question of a probe, asked of the state that those before it left.
type Call struct {
	change  func(*authz.Request) // of a payment that the level allows
	context string               // a context's JSON text instead, as no payment can make one
	refuse  bool                 // the ledger refuses it: what was reserved is released
	Want    authz.DenialReason
}

// Decide asks a layer. A probe with a changed passport changes the one of the
// layer, so that a mutated layer is asked too; the error is of a passport that
// the change makes unreadable.
func (p Probe) Decide(layer *oap.Layer) ([]authz.Decision, error) {
	layer, err := p.on.fit.layer(layer)
	if err == nil {
		layer, err = layer.WithProfile(p.Profile)
	}
	if err == nil && p.Patch != "" {
		layer, err = Patched(layer, p.Patch)
	}
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.Name, err)
	}
	engine := layer.Open()
	guard := authz.NewGuard(engine, authz.DefaultTimeout)
	var out []authz.Decision
	for i, call := range p.Calls {
		if call.context != "" {
			out = append(out, engine.DecideContext([]byte(call.context), start))
			continue
		}
		req := p.on.payment(i)
		if call.change != nil {
			call.change(&req)
		}
		d, permit := guard.Authorize(context.Background(), req)
		if permit != nil {
			permit.Settle(!call.refuse)
		}
		out = append(out, d)
	}
	return out, nil
}

// Patched is the layer with its passport changed by RFC 7396 merge patches, one
// after the other, which name the limits of payments.charge by the dotted name: null
// deletes a member.
func Patched(layer *oap.Layer, patch string) (*oap.Layer, error) {
	return layer.WithPassport(func(raw []byte) ([]byte, error) {
		doc := document(raw)
		flatten(doc)
		return merged(doc, patch)
	})
}

// MergePatch changes a JSON document by RFC 7396 merge patches, one after the other.
func MergePatch(raw []byte, patch string) ([]byte, error) {
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	return merged(doc, patch)
}

func merged(doc any, patch string) ([]byte, error) {
	for dec := json.NewDecoder(strings.NewReader(patch)); ; {
		var change any
		switch err := dec.Decode(&change); {
		case errors.Is(err, io.EOF):
			return json.Marshal(doc)
		case err != nil:
			return nil, fmt.Errorf("patch %s: %w", patch, err)
		}
		doc = merge(doc, change)
	}
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

// start is where the virtual clock starts; clock_start in levels.json is the same.
var start = time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)
