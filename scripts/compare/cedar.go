package compare

import (
	_ "embed"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"vaultbench/internal/authz"
	"vaultbench/internal/oap/reference"
)

//go:embed charge.cedar
var cedarSource []byte

// Cedar is the policy in Cedar, under no passport yet.
type Cedar struct{ policies *cedar.PolicySet }

// NewCedar parses the policies; each is known by its @id.
func NewCedar() (*Cedar, error) {
	list, err := cedar.NewPolicyListFromBytes("charge.cedar", cedarSource)
	if err != nil {
		return nil, fmt.Errorf("parse charge.cedar: %w", err)
	}
	set := cedar.NewPolicySet()
	for _, p := range list {
		set.Add(cedar.PolicyID(p.Annotations()["id"]), p)
	}
	return &Cedar{set}, nil
}

var (
	cedarPassport = types.NewEntityUID("Passport", "this")
	cedarAction   = types.NewEntityUID("Action", "charge")
)

const cedarCurrency = "Currency"

// CedarPolicy is the policy with a passport's entities.
type CedarPolicy struct {
	policies *cedar.PolicySet
	entities types.EntityMap
}

// Under makes the entities: the passport, and each currency that has limits.
func (c *Cedar) Under(p *reference.Policy) *CedarPolicy {
	attributes := types.RecordMap{
		"status": types.String(p.Status), "capabilities": cedarSet(granted(p)), "regions": cedarSet(p.Regions),
		"assurance": types.Long(ranks[p.Assurance]), "required_assurance": types.Long(ranks[p.Required]),
		"allowed_merchant_ids": cedarSet(p.Recipients), "allowed_countries": cedarSet(p.Countries),
		"blocked_categories": cedarSet(p.Blocked), "max_items_per_tx": types.Long(p.MaxItems),
		"audit_code_required": types.Boolean(p.AuditCode),
	}
	if p.Expires != nil {
		attributes["expires_at"] = types.Long(p.Expires.UnixNano())
	}
	entities := types.EntityMap{cedarPassport: {UID: cedarPassport, Attributes: types.NewRecord(attributes)}}
	for currency, caps := range p.Currencies {
		uid := types.NewEntityUID(cedarCurrency, types.String(currency))
		entities[uid] = types.Entity{UID: uid, Attributes: types.NewRecord(types.RecordMap{
			"max_per_tx": types.Long(caps.PerPayment), "daily_cap": types.Long(caps.PerDay),
		})}
	}
	return &CedarPolicy{c.policies, entities}
}

func cedarSet(words []string) types.Set {
	if len(words) == 0 {
		return types.Set{}
	}
	values := make([]types.Value, len(words))
	for i, w := range words {
		values[i] = types.String(w)
	}
	return types.NewSet(values...)
}

// Input is a request as Cedar takes it.
func (c *CedarPolicy) Input(r *authz.Request, spent *reference.Day) cedar.Request {
	quantity, price, categories := itemFacts(r.Items)
	context := types.RecordMap{
		"now": types.Long(r.At.UnixNano()), "amount": types.Long(r.Amount), "merchant_id": types.String(r.Recipient),
		"region": types.String(r.Region), "currency_wellformed": types.Boolean(isCurrency(string(r.Currency))),
		"item_count": types.Long(len(r.Items)), "least_quantity": types.Long(quantity), "least_price": types.Long(price),
		"categories": cedarSet(categories), "audit_codes": types.Long(reference.AuditCodes(r.Memo)),
		"idempotency_key": types.String(r.IdempotencyKey), "key_length": types.Long(utf8.RuneCountInString(r.IdempotencyKey)),
		"daily_total": types.Long(spent.Totals[string(r.Currency)]), "recent_keys": cedarKeys(spent.Keys),
	}
	if r.ShippingCountry != "" {
		context["shipping_country"] = types.String(r.ShippingCountry)
	}
	return cedar.Request{
		Principal: cedarPassport, Action: cedarAction,
		Resource: types.NewEntityUID(cedarCurrency, types.String(r.Currency)), Context: types.NewRecord(context),
	}
}

func cedarKeys(keys map[string]bool) types.Set {
	if len(keys) == 0 {
		return types.Set{}
	}
	values := make([]types.Value, 0, len(keys))
	for key := range keys {
		values = append(values, types.String(key))
	}
	return types.NewSet(values...)
}

// itemFacts are what the policies ask of the items: the least quantity and price,
// 0 where there is no item, and the categories.
func itemFacts(items []authz.Item) (quantity, price int64, categories []string) {
	for i, item := range items {
		if i == 0 || item.Quantity < quantity {
			quantity = item.Quantity
		}
		if i == 0 || int64(item.Price) < price {
			price = int64(item.Price)
		}
		if item.Category != "" {
			categories = append(categories, item.Category)
		}
	}
	return quantity, price, categories
}

func isCurrency(s string) bool {
	capital := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	return len(s) == 3 && capital(s[0]) && capital(s[1]) && capital(s[2])
}

// Eval lists the forbids that apply. Cedar skips a policy that fails, so an error
// is one here, too.
func (c *CedarPolicy) Eval(in cedar.Request) ([]string, error) {
	decision, diagnostic := cedar.Authorize(c.policies, c.entities, in)
	if len(diagnostic.Errors) > 0 {
		return nil, fmt.Errorf("cedar: %s: %s", diagnostic.Errors[0].PolicyID, diagnostic.Errors[0].Message)
	}
	if decision == cedar.Allow {
		return nil, nil
	}
	if len(diagnostic.Reasons) == 0 {
		return nil, errors.New("cedar: denied without a reason")
	}
	out := make([]string, len(diagnostic.Reasons))
	for i, r := range diagnostic.Reasons {
		out[i] = string(r.PolicyID)
	}
	return out, nil
}

// Failed lists the gates and rules that a request fails.
func (c *CedarPolicy) Failed(r *authz.Request, spent *reference.Day) ([]string, error) {
	return c.Eval(c.Input(r, spent))
}
