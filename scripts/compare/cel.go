package compare

import (
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/reference"
)

// celRules are the gates and rules in CEL, in order: what must hold.
var celRules = []struct{ name, condition string }{
	{"passport_status_active", `passport.status == "active" && (!has(passport.expires_at) || now < passport.expires_at)`},
	{"capability", `"payments.charge" in passport.capabilities`},
	{"assurance_minimum", `passport.assurance >= 2 && passport.assurance >= passport.required_assurance`},
	{"context_schema", `amount >= 1 && currency.matches("^[A-Z]{3}$") && size(idempotency_key) >= 8 && size(items) >= 1 && items.all(i, i.qty >= 1 && i.price >= 1)`},
	{"region", `region in passport.regions`},
	{"currency_supported", `currency in limits.currency_limits`},
	{"per_tx_amount_cap", `!(currency in limits.currency_limits) || amount <= limits.currency_limits[currency].max_per_tx`},
	{"item_count_cap", `size(items) <= limits.max_items_per_tx`},
	{"merchant_allowed", `merchant_id in limits.allowed_merchant_ids || size(limits.allowed_merchant_ids) == 0`},
	{"country_allowed", `shipping_country == "" || shipping_country in limits.allowed_countries || size(limits.allowed_countries) == 0`},
	{"category_block", `!items.exists(i, has(i.category) && i.category in limits.blocked_categories)`},
	{"audit_code_required", `!limits.audit_code_required || memo.matches(r"` + oneCode + `") && !memo.matches(r"` + twoCodes + `")`},
	{"daily_cap_check", `!(currency in limits.currency_limits) || amount <= limits.currency_limits[currency].daily_cap - daily_total`},
	{"idempotency_check", `!(idempotency_key in recent_keys)`},
}

// An audit code between what is neither letter nor digit: one of them, or two.
const (
	code     = `APC-[0-9]{4}-[0-9]{4}`
	oneCode  = `(?s)(^|[^\pL\pN])` + code + `($|[^\pL\pN])`
	twoCodes = `(?s)(^|[^\pL\pN])` + code + `[^\pL\pN](.*[^\pL\pN])?` + code + `($|[^\pL\pN])`
)

// CEL is the policy in CEL: one program a rule.
type CEL struct{ programs []cel.Program }

// NewCEL compiles the programs.
func NewCEL() (*CEL, error) {
	object := cel.MapType(cel.StringType, cel.DynType)
	env, err := cel.NewEnv(
		cel.Variable("passport", object), cel.Variable("limits", object), cel.Variable("items", cel.ListType(object)),
		cel.Variable("now", cel.IntType), cel.Variable("amount", cel.IntType), cel.Variable("daily_total", cel.IntType),
		cel.Variable("currency", cel.StringType), cel.Variable("merchant_id", cel.StringType), cel.Variable("region", cel.StringType),
		cel.Variable("shipping_country", cel.StringType), cel.Variable("memo", cel.StringType), cel.Variable("idempotency_key", cel.StringType),
		cel.Variable("recent_keys", cel.MapType(cel.StringType, cel.BoolType)),
	)
	if err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	c := &CEL{}
	for _, r := range celRules {
		ast, issues := env.Compile(r.condition)
		if issues.Err() != nil {
			return nil, fmt.Errorf("cel: %s: %w", r.name, issues.Err())
		}
		program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
		if err != nil {
			return nil, fmt.Errorf("cel: %s: %w", r.name, err)
		}
		c.programs = append(c.programs, program)
	}
	return c, nil
}

// CELPolicy is the policy with a passport's values.
type CELPolicy struct {
	programs         []cel.Program
	passport, limits ref.Val
}

func celMap[V any](m map[string]V) ref.Val { return types.DefaultTypeAdapter.NativeToValue(m) }

// Under makes the passport's values, once.
func (c *CEL) Under(p *reference.Policy) *CELPolicy {
	passport := map[string]any{
		"status": p.Status, "capabilities": granted(p), "regions": p.Regions,
		"assurance": ranks[p.Assurance], "required_assurance": ranks[p.Required],
	}
	if p.Expires != nil {
		passport["expires_at"] = p.Expires.UnixNano()
	}
	currencies := map[string]ref.Val{}
	for currency, caps := range p.Currencies {
		currencies[currency] = celMap(map[string]ref.Val{"max_per_tx": types.Int(caps.PerPayment), "daily_cap": types.Int(caps.PerDay)})
	}
	return &CELPolicy{c.programs, celVals(passport), celVals(map[string]any{
		"currency_limits": celMap(currencies), "allowed_merchant_ids": p.Recipients, "allowed_countries": p.Countries,
		"blocked_categories": p.Blocked, "max_items_per_tx": p.MaxItems, "audit_code_required": p.AuditCode,
	})}
}

// celVals turns the members into CEL's values before any request is there.
func celVals(m map[string]any) ref.Val {
	out := map[string]ref.Val{}
	for name, v := range m {
		out[name] = types.DefaultTypeAdapter.NativeToValue(v)
	}
	return celMap(out)
}

// celInput are the variables of one decision.
type celInput struct {
	passport, limits, items, keys                  ref.Val
	now, amount, total                             types.Int
	currency, recipient, region, country, memo, id types.String
}

// ResolveName gives a variable's value.
func (i *celInput) ResolveName(name string) (any, bool) {
	switch name {
	case "passport":
		return i.passport, true
	case "limits":
		return i.limits, true
	case "items":
		return i.items, true
	case "recent_keys":
		return i.keys, true
	case "now":
		return i.now, true
	case "amount":
		return i.amount, true
	case "daily_total":
		return i.total, true
	case "currency":
		return i.currency, true
	case "merchant_id":
		return i.recipient, true
	case "region":
		return i.region, true
	case "shipping_country":
		return i.country, true
	case "memo":
		return i.memo, true
	case "idempotency_key":
		return i.id, true
	}
	return nil, false
}

// Parent is none.
func (i *celInput) Parent() interpreter.Activation { return nil }

// Input is a request as CEL takes it.
func (c *CELPolicy) Input(r *authz.Request, spent *reference.Day) interpreter.Activation {
	items := make([]ref.Val, len(r.Items))
	for i, item := range r.Items {
		fields := map[string]any{"sku": types.String(item.SKU), "qty": types.Int(item.Quantity), "price": types.Int(item.Price)}
		if item.Category != "" {
			fields["category"] = types.String(item.Category)
		}
		items[i] = types.NewStringInterfaceMap(types.DefaultTypeAdapter, fields)
	}
	return &celInput{
		passport: c.passport, limits: c.limits, items: types.NewRefValList(types.DefaultTypeAdapter, items), keys: celMap(spent.Keys),
		now: types.Int(r.At.UnixNano()), amount: types.Int(r.Amount), total: types.Int(spent.Totals[string(r.Currency)]),
		currency: types.String(r.Currency), recipient: types.String(r.Recipient), region: types.String(r.Region),
		country: types.String(r.ShippingCountry), memo: types.String(r.Memo), id: types.String(r.IdempotencyKey),
	}
}

// Eval runs the gates until one fails, then all rules.
func (c *CELPolicy) Eval(in interpreter.Activation) ([]string, error) {
	var failed []string
	for i, program := range c.programs {
		holds, _, err := program.Eval(in)
		if err != nil {
			return nil, fmt.Errorf("cel: %s: %w", celRules[i].name, err)
		}
		if holds == types.True {
			continue
		}
		failed = append(failed, celRules[i].name)
		if i < len(gates) {
			break
		}
	}
	return failed, nil
}

// Failed lists the gates and rules that a request fails.
func (c *CELPolicy) Failed(r *authz.Request, spent *reference.Day) ([]string, error) {
	return c.Eval(c.Input(r, spent))
}
