// Package redecide decides a finished run's payment requests again, with no
// model: what would another passport or pack have said to the very same calls? It
// knows no engine; whoever has one opens its layers.
package redecide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oracle"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
)

// Layer is what decides at one level or tool map.
type Layer struct {
	Open           func() authz.Authorizer // starts the state of one evaluation
	KeyByAuditCode bool                    // the idempotency key is the memo's audit code, where it holds exactly one
	Directory      corpus.Directory        // whom the policy permits to be paid, whatever the layer says
}

// Config says which calls of a run are decided again, and by what.
type Config struct {
	Architecture plan.Architecture // calls of its cells, and of those without a layer, are decided again
	// Layer prepares the layer of a level, or of a tool map by its name. It is
	// called once for each.
	Layer func(corpus.Level) (Layer, error)
}

// Change says how a call's decision differs from the recorded one.
type Change string

// The changes. The last two are of calls that no layer has decided: they are no
// flips, since there is nothing to differ from.
const (
	Same          Change = "same"
	NewlyDenied   Change = "newly_denied"
	NewlyAllowed  Change = "newly_allowed"
	ChangedReason Change = "changed_reason" // denied as before, by another code or rule
	WouldAllow    Change = "would_allow"
	WouldDeny     Change = "would_deny"
)

// Flips reports whether the decision is another one.
func (c Change) Flips() bool {
	return c == NewlyDenied || c == NewlyAllowed || c == ChangedReason
}

// Call is one recorded payment request, decided again.
type Call struct {
	Evaluation record.Evaluation
	Call       record.Call    // as recorded; its Decision is nil in a cell without a layer
	Decision   authz.Decision // the new one
	Change     Change
	// Unpermitted: the new decision allows a payment to a recipient that the policy
	// does not permit. The oracle says so, and no layer.
	Unpermitted bool
}

// timeout is how long a layer may take for one decision (wall clock). It is long:
// a slow machine must flip nothing.
const timeout = time.Minute

// Run reads a run's evaluations.jsonl and calls each for every payment request
// that is decided again, in the file's order. skipped counts the evaluations of
// other architectures.
func Run(ctx context.Context, path string, c Config, each func(Call) error) (skipped map[plan.Architecture]int, err error) {
	skipped = map[plan.Architecture]int{}
	layers := map[corpus.Level]Layer{}
	err = record.Read(path, func(e record.Evaluation) error {
		if a := e.Cell.Architecture; a != c.Architecture && a != plan.Alone {
			skipped[a]++
			return nil
		}
		layer, ok := layers[e.Cell.Level]
		if !ok {
			var err error
			if layer, err = c.Layer(e.Cell.Level); err != nil {
				return err
			}
			layers[e.Cell.Level] = layer
		}
		return decide(ctx, e, layer, each)
	})
	return skipped, err
}

// decide takes one evaluation's calls in their order, on a fresh state.
func decide(ctx context.Context, e record.Evaluation, layer Layer, each func(Call) error) error {
	guard := authz.NewGuard(layer.Open(), timeout)
	for _, recorded := range e.Calls {
		if !recorded.Transfer {
			continue
		}
		if recorded.Decision == nil && e.Cell.Architecture != plan.Alone {
			return fmt.Errorf("call %d: no decision is recorded, in a cell behind a layer", recorded.Position)
		}
		d, err := again(ctx, guard, e, recorded, layer.KeyByAuditCode)
		if err != nil {
			return fmt.Errorf("call %d: %w", recorded.Position, err)
		}
		unpermitted := d.Allowed() && recorded.Payment != nil && oracle.Forbids(string(recorded.Payment.Recipient), layer.Directory)
		if err := each(Call{e, recorded, d, change(recorded.Decision, d), unpermitted}); err != nil {
			return err
		}
	}
	return nil
}

// again decides one call as the dispatch path did, and settles it as the recorded
// ledger did. A call that was denied has no ledger's word: it is taken to execute.
func again(ctx context.Context, guard *authz.Guard, e record.Evaluation, c record.Call, keyByAuditCode bool) (authz.Decision, error) {
	if c.Payment == nil {
		return unparsed(c)
	}
	p := bank.Payment{Recipient: c.Payment.Recipient, Amount: c.Payment.Amount, Currency: c.Payment.Currency, Memo: c.Payment.Memo}
	req := authz.RequestFor(e.ID, c.Position, keyByAuditCode, p, c.At)
	if old := c.Decision; old != nil && old.RequestDigest != req.Digest() {
		return authz.Decision{}, fmt.Errorf("the request that was decided (digest %.12s…) is not the one that the record gives (%.12s…): the run is of another version, or was changed", old.RequestDigest, req.Digest())
	}
	d, permit := guard.Authorize(ctx, req)
	permit.Settle(c.Outcome != record.CallRefused)
	return d, ctx.Err()
}

// unparsed: no layer is asked about arguments that do not parse, whatever the
// passport.
func unparsed(c record.Call) (authz.Decision, error) {
	if c.Decision == nil {
		return authz.Malformed(errors.New(c.Refusal), c.At), nil
	}
	if !c.Decision.NotParsed() {
		return authz.Decision{}, fmt.Errorf("the record has a decision (%s) and no payment", c.Decision.Reason())
	}
	return *c.Decision, nil
}

func change(old *authz.Decision, d authz.Decision) Change {
	switch {
	case old == nil && d.Allowed():
		return WouldAllow
	case old == nil:
		return WouldDeny
	case old.Allowed() && !d.Allowed():
		return NewlyDenied
	case !old.Allowed() && d.Allowed():
		return NewlyAllowed
	case old.Reason() != d.Reason() || old.Rule() != d.Rule():
		return ChangedReason
	}
	return Same
}
