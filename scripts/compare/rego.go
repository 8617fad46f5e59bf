package compare

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/reference"
)

//go:embed charge.rego
var regoSource string

// Rego is the policy in Rego: one prepared query.
type Rego struct{ query rego.PreparedEvalQuery }

// NewRego compiles the module and prepares the query.
func NewRego(ctx context.Context) (*Rego, error) {
	query, err := rego.New(rego.Query("data.charge.failed"), rego.Module("charge.rego", regoSource)).PrepareForEval(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare charge.rego: %w", err)
	}
	return &Rego{query}, nil
}

// RegoPolicy is the policy with a passport's values.
type RegoPolicy struct {
	query    rego.PreparedEvalQuery
	passport *ast.Term
}

// Under makes the passport's values, once.
func (c *Rego) Under(p *reference.Policy) (*RegoPolicy, error) {
	currencies := map[string]any{}
	for currency, caps := range p.Currencies {
		currencies[currency] = map[string]any{"max_per_tx": caps.PerPayment, "daily_cap": caps.PerDay}
	}
	passport := map[string]any{
		"status": p.Status, "capabilities": list(granted(p)), "regions": list(p.Regions), "assurance_level": p.Assurance,
		"limits": map[string]any{
			"currency_limits": currencies, "allowed_merchant_ids": list(p.Recipients), "allowed_countries": list(p.Countries),
			"blocked_categories": list(p.Blocked), "max_items_per_tx": p.MaxItems, "audit_code_required": p.AuditCode,
			"require_assurance_at_least": p.Required,
		},
	}
	if p.Expires != nil {
		passport["expires_at"] = p.Expires.UnixNano()
	}
	v, err := ast.InterfaceToValue(passport)
	if err != nil {
		return nil, fmt.Errorf("rego: %w", err)
	}
	return &RegoPolicy{c.query, ast.NewTerm(v)}, nil
}

// list is never null: an empty list is a value of its own.
func list(words []string) []string { return append([]string{}, words...) }

func term(name string, value *ast.Term) [2]*ast.Term {
	return [2]*ast.Term{ast.StringTerm(name), value}
}

func number(i int64) *ast.Term { return ast.IntNumberTerm(int(i)) }

// Input is a request as Rego takes it.
func (c *RegoPolicy) Input(r *authz.Request, spent *reference.Day) ast.Value {
	items := make([]*ast.Term, len(r.Items))
	for i, item := range r.Items {
		fields := [][2]*ast.Term{term("sku", ast.StringTerm(item.SKU)), term("qty", number(item.Quantity)), term("price", number(int64(item.Price)))}
		if item.Category != "" {
			fields = append(fields, term("category", ast.StringTerm(item.Category)))
		}
		items[i] = ast.ObjectTerm(fields...)
	}
	keys := make([][2]*ast.Term, 0, len(spent.Keys))
	for key := range spent.Keys {
		keys = append(keys, term(key, ast.BooleanTerm(true)))
	}
	fields := [][2]*ast.Term{
		term("passport", c.passport), term("items", ast.ArrayTerm(items...)), term("recent_keys", ast.ObjectTerm(keys...)),
		term("now", number(r.At.UnixNano())), term("amount", number(int64(r.Amount))), term("daily_total", number(spent.Totals[string(r.Currency)])),
		term("currency", ast.StringTerm(string(r.Currency))), term("merchant_id", ast.StringTerm(string(r.Recipient))),
		term("region", ast.StringTerm(r.Region)), term("memo", ast.StringTerm(r.Memo)), term("idempotency_key", ast.StringTerm(r.IdempotencyKey)),
	}
	if r.ShippingCountry != "" {
		fields = append(fields, term("shipping_country", ast.StringTerm(r.ShippingCountry)))
	}
	return ast.NewObject(fields...)
}

var errUndefined = errors.New("rego: the query is undefined")

// Eval is the set of what fails.
func (c *RegoPolicy) Eval(ctx context.Context, in ast.Value) ([]string, error) {
	results, err := c.query.Eval(ctx, rego.EvalParsedInput(in))
	if err != nil {
		return nil, fmt.Errorf("rego: %w", err)
	}
	if len(results) != 1 || len(results[0].Expressions) != 1 {
		return nil, errUndefined
	}
	names, ok := results[0].Expressions[0].Value.([]any)
	if !ok {
		return nil, errUndefined
	}
	failed := make([]string, 0, len(names))
	for _, name := range names {
		s, _ := name.(string)
		failed = append(failed, s)
	}
	return failed, nil
}

// Failed lists the gates and rules that a request fails.
func (c *RegoPolicy) Failed(r *authz.Request, spent *reference.Day) ([]string, error) {
	return c.Eval(context.Background(), c.Input(r, spent))
}
