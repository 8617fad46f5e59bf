package pinned

import (
	"fmt"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

// levelProbes hold the limits that all levels have in each level's own passport.
func (g ground) levelProbes() []row {
	var rows []row
	for _, level := range []corpus.Level{corpus.L1, corpus.L2, corpus.L3, corpus.L4} {
		f := g[level]
		add := func(name, patch, reason string, calls ...Call) {
			rows = append(rows, row{string(level) + " " + name, level, patch, calls, reason})
		}
		if above := f.above(); above != "" {
			add("asked for more assurance", within(fmt.Sprintf(`{"require_assurance_at_least":%q}`, above)), "the owner does not reach it", call(authz.ReasonAssurance))
		}
		if below := f.below(); below != "" {
			add("with less assurance", fmt.Sprintf(`{"assurance_level":%q}`, below), "the owner does not reach what is asked for", call(authz.ReasonAssurance))
		}
		add("in another region", ``, "the passport is not of this region", call(authz.ReasonRegionBlocked, region(f.foreignRegion("CA"))))
		add("last second of the passport", ``, "not yet expired", call(allowed, after(f.expiry()-time.Second)))
		add("end of the passport", ``, "a passport does not hold at its own end", call(authz.ReasonPassportSuspended, after(f.expiry())))
		add("to another country", f.closed("allowed_countries"), "one country is on the list and the other is not",
			call(authz.ReasonRegionBlocked, country(f.foreignCountry("BR"))), call(allowed, country(f.country())))
		for _, c := range f.blocked() {
			add("category "+c, ``, "the category is on the list", call(authz.ReasonCategoryBlocked, category(c)))
		}
		free := f.freeCategory("paper")
		add("category "+free, ``, "the category is not on the list", call(allowed, category(free)))
		add("two items", ``, "more items than a payment may have", call(limit, f.tooMany()))
	}
	return append(rows, g.orderProbes()...)
}

func (g ground) orderProbes() []row {
	f := g[corpus.L2]
	return []row{
		{"l1 daily cap", corpus.L1, ``, g[corpus.L1].toTheCent(), "the cap is reached to the cent and not passed"},
		{"one item where two may be", corpus.L2, within(`{"max_items_per_tx":2}`), []Call{call(allowed)}, "fewer than the cap is within it"},
		{"cap outranks the items", corpus.L2, ``, []Call{call(limit, amount(f.once()+1), f.tooMany())}, "the pack's order"},
		{"items outrank the recipient", corpus.L2, ``, []Call{call(limit, f.tooMany(), recipient(f.stranger("collect@quickvault.example")))}, "the pack's order"},
		{"country outranks the category", corpus.L2, f.closed("allowed_countries", "blocked_categories"), []Call{call(authz.ReasonRegionBlocked, country(f.foreignCountry("BR")), category(f.category()))}, "the pack's order"},
		{"category outranks the code", corpus.L4, g[corpus.L4].asks(true) + g[corpus.L4].closed("blocked_categories"), []Call{call(authz.ReasonCategoryBlocked, memo(""), category(g[corpus.L4].category()))}, "the profile's order"},
	}
}

// granted is what Level 5 would need to pay: the capability, and the limits of a level
// that has it, with lists that are open to anyone.
func (f footing) granted() string {
	limits := merge(document(encode(f.lent)), map[string]any{
		"currency_limits":      map[string]any{string(account): map[string]any{"max_per_tx": usual, "daily_cap": usual}},
		"allowed_merchant_ids": []any{}, "allowed_countries": []any{}, "blocked_categories": []any{},
		"max_items_per_tx": 1, "require_assurance_at_least": f.passport.AssuranceLevel, "audit_code_required": false,
	})
	return string(encode(map[string]any{
		"capabilities": []any{map[string]any{"id": oap.ChargeCapability}},
		"limits":       map[string]any{string(oap.ChargeCapability): limits},
	}))
}

// vaultProbes hold Level 5, whose passport grants nothing.
func (g ground) vaultProbes() []row {
	f := g[corpus.L5]
	return []row{
		{"l5 bank mailbox", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing)}, "no capability is granted"},
		{"l5 one cent", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing, amount(1))}, "the amount does not matter"},
		{"l5 malformed context", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing, amount(0))}, "the capability comes before the schema"},
		{"l5 suspended", corpus.L5, `{"status":"suspended"}`, []Call{call(authz.ReasonPassportSuspended)}, "the passport comes before the capability"},
		{"l5 last second of the passport", corpus.L5, ``, []Call{call(authz.ReasonCapabilityMissing, after(f.expiry()-time.Second))}, "not yet expired"},
		{"l5 end of the passport", corpus.L5, ``, []Call{call(authz.ReasonPassportSuspended, after(f.expiry()))}, "a passport does not hold at its own end"},
		{"l5 if it were granted", corpus.L5, f.granted(), []Call{call(allowed)}, "the rest of the passport would do: the capability alone is missing"},
		{"l5 in another region if it were granted", corpus.L5, f.granted(), []Call{call(authz.ReasonRegionBlocked, region(f.foreignRegion("CA")))}, "the passport is not of this region"},
	}
}

// publishedProbes hold the two differences of the published profile.
func (g ground) publishedProbes() []row {
	return []row{
		{"published asks for no code", corpus.L4, ``, []Call{call(allowed, memo("settlement"))}, "the rule of the audit code stands in the profile oap alone"},
		{"published capability", corpus.L5, ``, []Call{call(authz.ReasonUnknownCapability)}, "the published pack's word"},
	}
}

func region(r string) func(*authz.Request) {
	return func(req *authz.Request) { req.Region = r }
}
