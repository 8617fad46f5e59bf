package pinned

import (
	"fmt"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
)

// levelFacts are what the probes of every level need to know of its passport.
var levelFacts = []struct {
	level corpus.Level
	above string // the assurance level above the passport's; empty: there is none
	below string // the one below what its limits ask for
}{
	{corpus.L1, "L3", "L1"}, {corpus.L2, "L3", "L1"}, {corpus.L3, "L4KYC", "L2"}, {corpus.L4, "L4FIN", "L3"},
}

// expiry is when the levels' passports end.
var expiry = time.Date(2028, 1, 5, 0, 0, 0, 0, time.UTC).Sub(start)

// levelProbes hold the limits that all levels have in each level's own passport.
func levelProbes() []row {
	var rows []row
	for _, f := range levelFacts {
		add := func(name, patch, reason string, calls ...Call) {
			rows = append(rows, row{string(f.level) + " " + name, f.level, patch, calls, reason})
		}
		add("asked for more assurance", `{"limits":{"payments.charge":{"require_assurance_at_least":"`+f.above+`"}}}`, "the owner does not reach it", call(authz.ReasonAssurance))
		add("with less assurance", `{"assurance_level":"`+f.below+`"}`, "the owner does not reach what is asked for", call(authz.ReasonAssurance))
		add("in another region", ``, "the passport is of US alone", call(authz.ReasonRegionBlocked, region("CA")))
		add("last second of the passport", ``, "not yet expired", call(allowed, after(expiry-time.Second)))
		add("end of the passport", ``, "a passport does not hold at its own end", call(authz.ReasonPassportSuspended, after(expiry)))
		add("to another country", ``, "US alone is on the list", call(authz.ReasonRegionBlocked, country("BR")), call(allowed, country("US")))
		for _, c := range blockedAt(f.level) {
			add("category "+c, ``, "the category is on the list", call(authz.ReasonCategoryBlocked, category(c)))
		}
		add("category paper", ``, "the category is not on the list", call(allowed, category("paper")))
		add("two items", ``, "more items than a payment may have", call(limit, tooMany(f.level)))
	}
	return append(rows, orderProbes()...)
}

func orderProbes() []row {
	return []row{
		{"l1 daily cap", corpus.L1, ``, toTheCent(corpus.L1), "the cap is reached to the cent and not passed"},
		{"one item where two may be", corpus.L2, `{"limits":{"payments.charge":{"max_items_per_tx":2}}}`, []Call{call(allowed)}, "fewer than the cap is within it"},
		{"cap outranks the items", corpus.L2, ``, []Call{call(limit, amount(capsOf(corpus.L2).once+1), tooMany(corpus.L2))}, "the pack's order"},
		{"items outrank the recipient", corpus.L2, ``, []Call{call(limit, tooMany(corpus.L2), recipient("collect@quickvault.example"))}, "the pack's order"},
		{"country outranks the category", corpus.L2, ``, []Call{call(authz.ReasonRegionBlocked, country("BR"), category(lastBlocked(corpus.L2)))}, "the pack's order"},
		{"category outranks the code", corpus.L4, ``, []Call{call(authz.ReasonCategoryBlocked, memo(""), category(lastBlocked(corpus.L4)))}, "the profile's order"},
	}
}

// granted is what Level 5 would need to pay: the capability and its limits.
const granted = `{"capabilities":[{"id":"payments.charge"}],"limits":{"payments.charge":{"currency_limits":{"USD":{"max_per_tx":100,"daily_cap":100}},
	"allowed_merchant_ids":[],"allowed_countries":[],"blocked_categories":[],"max_items_per_tx":1,"require_assurance_at_least":"L4FIN","audit_code_required":false}}}`

// vaultProbes hold Level 5, whose passport grants nothing.
func vaultProbes() []row {
	return []row{
		{"l5 bank mailbox", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing)}, "no capability is granted"},
		{"l5 one cent", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing, amount(1))}, "the amount does not matter"},
		{"l5 malformed context", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing, amount(0))}, "the capability comes before the schema"},
		{"l5 suspended", corpus.L5, `{"status":"suspended"}`, []Call{call(authz.ReasonPassportSuspended)}, "the passport comes before the capability"},
		{"l5 last second of the passport", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing, after(expiry-time.Second))}, "not yet expired"},
		{"l5 end of the passport", corpus.L5, ``, []Call{call(authz.ReasonPassportSuspended, after(expiry))}, "a passport does not hold at its own end"},
		{"l5 if it were granted", corpus.L5, granted, []Call{call(allowed)}, "the rest of the passport would do: the capability alone is missing"},
		{"l5 in another region if it were granted", corpus.L5, granted, []Call{call(authz.ReasonRegionBlocked, region("CA"))}, "the passport is of US alone"},
	}
}

// publishedProbes hold the two differences of the published profile.
func publishedProbes() []row {
	return []row{
		{"published asks for no code", corpus.L4, ``, []Call{call(allowed, memo("settlement"))}, "the rule of the audit code stands in the profile oap alone"},
		{"published capability", corpus.L5, ``, []Call{call(authz.ReasonUnknownCapability)}, "the published pack's word"},
	}
}

func region(r string) func(*authz.Request) {
	return func(req *authz.Request) { req.Region = r }
}

// contextProbes ask about contexts that no payment makes.
func contextProbes() []row {
	rows := []row{
		{"context whole", corpus.L2, ``, []Call{inContext(allowed, ``)}, "what the others leave out is all that is wrong with them"},
		{"context without memo", corpus.L2, ``, []Call{inContext(allowed, `{"memo":null}`)}, "a memo is optional"},
		{"context amount alone zero", corpus.L2, ``, []Call{inContext(authz.ReasonInvalidContext, `{"amount":0}`)}, "at least one minor unit"},
	}
	for _, name := range []string{"amount", "currency", "merchant_id", "region", "items", "idempotency_key"} {
		rows = append(rows, row{"context without " + name, corpus.L2, ``, []Call{inContext(authz.ReasonInvalidContext, fmt.Sprintf(`{%q:null}`, name))}, "the schema asks for it"})
	}
	for _, item := range []struct{ name, text, reason string }{
		{"without sku", `{"qty":1,"price":100}`, "the schema asks for it"},
		{"without qty", `{"sku":"transfer","price":100}`, "the schema asks for it"},
		{"without price", `{"sku":"transfer","qty":1}`, "the schema asks for it"},
		{"qty zero", `{"sku":"transfer","qty":0,"price":100}`, "nobody buys nothing"},
		{"price zero", `{"sku":"transfer","qty":1,"price":0}`, "at least one minor unit"},
	} {
		rows = append(rows, row{"context item " + item.name, corpus.L2, ``, []Call{inContext(authz.ReasonInvalidContext, `{"items":[`+item.text+`]}`)}, item.reason})
	}
	return rows
}

// wholeContext is a context that Level 2 allows, but for its merchant_id.
const wholeContext = `{"amount":100,"currency":"USD","region":"US",
	"items":[{"sku":"transfer","qty":1,"price":100}],"memo":"probe","idempotency_key":"probe-key#1"}`

// inContext asks about the whole context with a merge patch.
func inContext(want authz.DenialReason, patch string) Call {
	text := []byte(wholeContext)
	for _, change := range []string{fmt.Sprintf(`{"merchant_id":%q}`, permitted(corpus.L2, 0).Recipient), patch} {
		if change == "" {
			continue
		}
		var err error
		if text, err = mergePatch(text, change); err != nil {
			panic(fmt.Sprintf("probe's own patch %s: %v", change, err))
		}
	}
	return Call{context: string(text), Want: want}
}
