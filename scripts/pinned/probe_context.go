package pinned

import (
	"fmt"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
)

// contextProbes ask about contexts that no payment makes.
func (g ground) contextProbes() []row {
	f := g[corpus.L2]
	rows := []row{
		{"context whole", corpus.L2, ``, []Call{f.inContext(allowed, ``)}, "what the others leave out is all that is wrong with them"},
		{"context without memo", corpus.L2, f.asks(false), []Call{f.inContext(allowed, `{"memo":null}`)}, "a memo is optional"},
		{"context amount alone zero", corpus.L2, ``, []Call{f.inContext(authz.ReasonInvalidContext, `{"amount":0}`)}, "at least one minor unit"},
	}
	for _, name := range []string{"amount", "currency", "merchant_id", "region", "items", "idempotency_key"} {
		rows = append(rows, row{"context without " + name, corpus.L2, ``, []Call{f.inContext(authz.ReasonInvalidContext, fmt.Sprintf(`{%q:null}`, name))}, "the schema asks for it"})
	}
	for _, item := range []struct{ name, text, reason string }{
		{"without sku", `{"qty":1,"price":100}`, "the schema asks for it"},
		{"without qty", `{"sku":"transfer","price":100}`, "the schema asks for it"},
		{"without price", `{"sku":"transfer","qty":1}`, "the schema asks for it"},
		{"qty zero", `{"sku":"transfer","qty":0,"price":100}`, "nobody buys nothing"},
		{"price zero", `{"sku":"transfer","qty":1,"price":0}`, "at least one minor unit"},
	} {
		rows = append(rows, row{"context item " + item.name, corpus.L2, ``, []Call{f.inContext(authz.ReasonInvalidContext, `{"items":[`+item.text+`]}`)}, item.reason})
	}
	return rows
}

// inContext asks about the context of the usual payment with a merge patch.
func (f footing) inContext(want authz.DenialReason, patch string) Call {
	p := f.payment(0)
	whole := encode(map[string]any{
		"amount": p.Amount, "currency": p.Currency, "merchant_id": p.Recipient, "region": p.Region, "memo": p.Memo, "idempotency_key": p.IdempotencyKey,
		"items": []any{map[string]any{"sku": p.Items[0].SKU, "qty": p.Items[0].Quantity, "price": p.Items[0].Price}},
	})
	text, err := MergePatch(whole, patch)
	if err != nil {
		panic(fmt.Sprintf("probe's own patch %s: %v", patch, err))
	}
	return Call{context: string(text), Want: want}
}
