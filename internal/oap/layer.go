package oap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/authz"
)

// The gates, in their order. A gate that fails ends the decision.
const (
	gatePassport   = "passport_status_active"
	gateCapability = "capability"
	gateAssurance  = "assurance_minimum"
	gateContext    = "context_schema"
	gateRegion     = "region"
)

// decisionValidity is how long a decision holds on the virtual clock.
const decisionValidity = time.Minute

// Layer is a passport under a pack in one profile. It is immutable and shared;
// the state of a conversation lives in the Engines that it opens.
type Layer struct {
	passport Passport
	pack     PolicyPack
	profile  Profile
	rules    []Rule // of the profile, in order, without those that a gate decides
}

// NewLayer joins a passport and a pack. A limit that a rule reads and that a
// passport granting the pack's capability lacks is an error here, not a surprise
// at run time.
func NewLayer(passport Passport, pack PolicyPack, profile Profile) (*Layer, error) {
	l := &Layer{passport: passport, pack: pack, profile: profile}
	granted := !slices.ContainsFunc(pack.RequiresCapabilities, func(c CapabilityID) bool { return !passport.Grants(c) })
	for _, r := range pack.Rules {
		b, ok := builtins[r.Name]
		if !ok || !r.in(profile) {
			continue
		}
		l.rules = append(l.rules, r)
		if !granted {
			continue
		}
		if absent := l.absent(b); len(absent) > 0 {
			return nil, fmt.Errorf("passport %s: limits of %s lack %s, which rule %s of %s reads: add it (an empty list is a value of its own)",
				passport.Name, ChargeCapability, strings.Join(absent, ", "), r.Name, pack.ID)
		}
	}
	if granted && (passport.Charge == nil || passport.Charge.RequireAssurance == nil) {
		return nil, fmt.Errorf("passport %s: limits of %s lack require_assurance_at_least, which gate %s reads: add it", passport.Name, ChargeCapability, gateAssurance)
	}
	return l, nil
}

func (l *Layer) absent(b builtin) []string {
	if l.passport.Charge == nil {
		return b.reads(Limits{})
	}
	return b.reads(*l.passport.Charge)
}

// PassportDigest is the hex SHA-256 of the passport's canonical JSON.
func (l *Layer) PassportDigest() string { return l.passport.Digest }

// PolicyDigest is the hex SHA-256 of the pack's canonical JSON.
func (l *Layer) PolicyDigest() string { return l.pack.Digest }

// WithPassport is the layer with its passport's JSON changed: what another
// passport would decide under the same pack and profile.
func (l *Layer) WithPassport(change func(raw []byte) ([]byte, error)) (*Layer, error) {
	raw, err := change(slices.Clone(l.passport.raw))
	if err != nil {
		return nil, fmt.Errorf("change passport %s: %w", l.passport.Name, err)
	}
	p, err := ParsePassport(l.passport.Name, raw)
	if err != nil {
		return nil, err
	}
	return NewLayer(p, l.pack, l.profile)
}

// Open starts the state of one conversation: no totals, no keys.
func (l *Layer) Open() *Engine { return &Engine{layer: l, state: newState()} }

// decide is pure: the same request and facts give the same reasons. No reason
// means that nothing stands against the request.
func (l *Layer) decide(req authz.Request, f facts) []authz.Reason {
	if r := l.gates(req); r != nil {
		return []authz.Reason{*r}
	}
	in := input{req: req, facts: f}
	if l.passport.Charge != nil {
		in.limits = *l.passport.Charge
	}
	var reasons []authz.Reason
	for _, rule := range l.rules {
		v, message := builtins[rule.Name].holds(in)
		switch {
		case v == fails:
			reasons = append(reasons, authz.Reason{Code: rule.DenyCode, Rule: rule.Name, Message: message})
		case v == missing && len(reasons) == 0:
			reasons = append(reasons, authz.Reason{Code: authz.ReasonPolicyError, Rule: rule.Name, Message: "limit " + message + " is missing"})
		}
	}
	return reasons
}

// gates returns why the request does not reach the rules.
func (l *Layer) gates(req authz.Request) *authz.Reason {
	p := l.passport
	switch expired := p.ExpiresAt != nil && !req.At.Before(*p.ExpiresAt); {
	case p.Status != "active":
		return l.gate(gatePassport, authz.ReasonPassportSuspended, "passport is "+p.Status)
	case expired:
		return l.gate(gatePassport, authz.ReasonPassportSuspended, "passport expired at "+p.ExpiresAt.Format(time.RFC3339))
	}
	for _, c := range l.pack.RequiresCapabilities {
		if !p.Grants(c) {
			return l.gate(gateCapability, l.capabilityCode(), "capability "+string(c)+" is not granted")
		}
	}
	if !p.AssuranceLevel.AtLeast(l.pack.MinAssurance) {
		return l.gate(gateAssurance, authz.ReasonAssurance, fmt.Sprintf("assurance %s is below the pack's %s", p.AssuranceLevel, l.pack.MinAssurance))
	}
	if want := *p.Charge.RequireAssurance; !p.AssuranceLevel.AtLeast(want) {
		return l.gate(gateAssurance, authz.ReasonAssurance, fmt.Sprintf("assurance %s is below the limits' %s", p.AssuranceLevel, want))
	}
	if err := l.checkContext(req); err != nil {
		return l.gate(gateContext, authz.ReasonInvalidContext, err.Error())
	}
	if !slices.Contains(p.Regions, req.Region) {
		return l.gate(gateRegion, authz.ReasonRegionBlocked, fmt.Sprintf("region %q is not among the passport's", req.Region))
	}
	return nil
}

// gate takes the code from the pack's rule of the same name where there is one,
// so that the pack has the word.
func (l *Layer) gate(name string, code authz.DenialReason, message string) *authz.Reason {
	for _, r := range l.pack.Rules {
		if r.Name == name && r.in(l.profile) {
			code = r.DenyCode
		}
	}
	return &authz.Reason{Code: code, Rule: name, Message: message}
}

func (l *Layer) capabilityCode() authz.DenialReason {
	if l.profile == ProfileOAP {
		return authz.ReasonCapabilityMissing
	}
	return authz.ReasonUnknownCapability
}

// checkContext holds the request against the pack's schema.
func (l *Layer) checkContext(req authz.Request) error {
	items := make([]any, len(req.Items))
	for i, item := range req.Items {
		m := map[string]any{"sku": item.SKU, "qty": number(item.Quantity), "price": number(int64(item.Price))}
		if item.Category != "" {
			m["category"] = item.Category
		}
		items[i] = m
	}
	context := map[string]any{
		"merchant_id": string(req.Recipient), "amount": number(int64(req.Amount)), "currency": string(req.Currency),
		"region": req.Region, "memo": req.Memo, "items": items, "idempotency_key": req.IdempotencyKey,
	}
	if req.ShippingCountry != "" {
		context["shipping_country"] = req.ShippingCountry
	}
	if err := l.pack.context.Validate(context); err != nil {
		return fmt.Errorf("context does not match %s: %w", l.pack.ID, err)
	}
	return nil
}

func number(v int64) json.Number { return json.Number(fmt.Sprint(v)) }
