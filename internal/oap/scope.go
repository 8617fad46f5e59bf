package oap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/condition"
)

// The slots of an environment: the context's fields first, in the order of the
// schema, then what the engine keeps.
const (
	stateTotal        = "daily_total"              // allowed today in the request's currency, minor units
	stateKeys         = "recent_keys"              // idempotency keys used today
	stateCounterparty = "daily_counterparty_total" // allowed today by counterparty in the request's currency, minor units
	statePayouts      = "daily_payout_count"       // payments allowed today
	stateSlots        = 4
)

type stateType struct {
	name string
	kind condition.Kind
}

var stateTypes = []stateType{
	{stateTotal, condition.KindInt}, {stateKeys, condition.KindSet}, {stateCounterparty, condition.KindTotals}, {statePayouts, condition.KindInt},
}

// reserved reports whether a name without a dot is one that the engine gives.
func reserved(name string) bool {
	return condition.Root(name) || slices.ContainsFunc(stateTypes, func(s stateType) bool { return s.name == name })
}

// readsParties reports whether a rule may read the sums by counterparty, which are
// kept for no other pack. A condition can't read what it does not spell.
func (p *PolicyPack) readsParties() bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return strings.Contains(r.Condition, stateCounterparty) })
}

// errUncounted marks a sum that would be 0 for ever, and a cap on it none.
var errUncounted = errors.New("nothing is counted by this field")

// counted refuses a sum by counterparty of a field that names none.
func (p *PolicyPack) counted(program *condition.Program) error {
	for i := range program.Leaves() {
		by, ok := strings.CutPrefix(program.Leaf(i), stateCounterparty+"[")
		by = strings.TrimPrefix(strings.TrimSuffix(by, "]"), "context.")
		if ok && by != fieldMerchant && by != fieldCounterparty && slices.Contains(p.context.typ.Names, by) {
			return fmt.Errorf("%w: %s[%s]: use %s or %s", errUncounted, stateCounterparty, by, fieldMerchant, fieldCounterparty)
		}
	}
	return nil
}

// scope is what the pack's conditions may name. Nil limits and passport stand for
// ones that nobody knows yet.
func (p *PolicyPack) scope(limits Limits, passport map[string]*condition.Value) *condition.Scope {
	s := &condition.Scope{
		Context: map[string]condition.Slot{}, State: map[string]condition.Slot{},
		Limits: limits, Passport: passport, Functions: p.functions(), Ordered: []string{"assurance_level"},
	}
	for _, l := range assuranceOrder {
		s.Order = append(s.Order, string(l))
	}
	if len(p.RequiresCapabilities) > 0 {
		s.Capability = strings.Split(string(p.RequiresCapabilities[0]), ".")
	}
	for i, name := range p.context.typ.Names {
		s.Context[name] = condition.Slot{Index: i, Type: p.context.typ.Members[i], Required: p.context.checks[i].required}
	}
	for i, st := range stateTypes {
		s.State[st.name] = condition.Slot{Index: len(p.context.typ.Names) + i, Type: condition.Type{Kind: st.kind}}
	}
	return s
}

// passportFields are what conditions may read behind "passport.".
func (p Passport) fields() map[string]*condition.Value {
	list := condition.List()
	for _, r := range p.Regions {
		list.List = append(list.List, condition.String(r))
	}
	out := map[string]*condition.Value{"regions": &list}
	for name, text := range map[string]string{
		"status": p.Status, "assurance_level": string(p.AssuranceLevel), "kind": p.Kind, "owner_id": p.OwnerID,
		"owner_type": p.OwnerType, "passport_id": p.ID, "version": p.Version, "spec_version": p.SpecVersion,
	} {
		v := condition.String(text)
		out[name] = &v
	}
	return out
}

// assuranceFunction is the function that reads assurance_rules.
const assuranceFunction = "getRequiredAssuranceLevel"

// functions are the Go functions that rules may call. A rule that calls another
// one is refused.
func (p *PolicyPack) functions() map[string]condition.Func {
	fs := map[string]condition.Func{
		// has_audit_code(memo): exactly one audit code; a memo that is not there has none.
		"has_audit_code": {
			Params: []condition.Kind{condition.KindString}, Result: condition.KindBool, AbsentOK: true,
			Call: func(args []*condition.Value) (condition.Value, error) {
				if args[0] == nil {
					return condition.Bool(false), nil
				}
				_, ok := authz.AuditCode(args[0].Str)
				return condition.Bool(ok), nil
			},
		},
	}
	if len(p.AssuranceRules) > 0 {
		fs[assuranceFunction] = condition.Func{
			Params: []condition.Kind{condition.KindInt, condition.KindString}, Result: condition.KindString, Ordered: true,
			Call: func(args []*condition.Value) (condition.Value, error) { return p.requiredAssurance(args[0].Int) },
		}
	}
	return fs
}

// requiredAssurance reads the pack's table. An amount above all of its entries
// has no level in the table, and so none that would do.
func (p *PolicyPack) requiredAssurance(amount int64) (condition.Value, error) {
	for _, r := range p.AssuranceRules {
		if amount <= r.UpTo {
			return condition.String(string(r.Level)), nil
		}
	}
	return condition.Value{}, fmt.Errorf("amount %d is above every entry of assurance_rules", amount)
}
