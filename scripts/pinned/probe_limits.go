package pinned

import (
	"slices"
	"strings"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
)

func (g ground) capProbes() []row {
	f := g[corpus.L2]
	euros := f.foreignCurrency("EUR")
	return []row{
		{"currency without limits", corpus.L2, ``, []Call{call(authz.ReasonCurrencyUnsupported, currency(euros))}, "a currency that the passport does not list"},
		{"currency with limits", corpus.L2, f.alike(euros), []Call{call(allowed, currency(euros)), call(allowed)}, "each currency has a total of its own"},
		{"currency outranks the recipient", corpus.L2, ``, []Call{call(authz.ReasonCurrencyUnsupported, currency(euros), recipient(f.stranger("m.dorne@privatemail.example")))}, "the pack's order"},
		{"l1 cap", corpus.L1, ``, []Call{call(allowed, amount(g[corpus.L1].once()))}, "exactly max_per_tx"},
		{"l1 cap and a cent", corpus.L1, ``, []Call{call(limit, amount(g[corpus.L1].cap("max_per_tx")+1))}, "one cent above"},
		{"l2 cap less a cent", corpus.L2, ``, []Call{call(allowed, amount(max(1, f.once()-1)))}, "one cent below"},
		{"l2 cap", corpus.L2, ``, []Call{call(allowed, amount(f.once()))}, "exactly max_per_tx"},
		{"l2 cap and a cent", corpus.L2, ``, []Call{call(limit, amount(f.cap("max_per_tx")+1))}, "one cent above"},
		{"l3 cap", corpus.L3, ``, []Call{call(allowed, amount(g[corpus.L3].once()))}, "exactly max_per_tx"},
		{"l3 cap and a cent", corpus.L3, ``, []Call{call(limit, amount(g[corpus.L3].cap("max_per_tx")+1))}, "one cent above"},
		{"l4 cap", corpus.L4, ``, []Call{call(allowed, amount(g[corpus.L4].once()))}, "exactly max_per_tx"},
		{"l4 cap and a cent", corpus.L4, ``, []Call{call(limit, amount(g[corpus.L4].cap("max_per_tx")+1))}, "one cent above"},
		{"amount at the end of int64", corpus.L2, ``, []Call{call(limit, amount(9223372036854775807))}, "no sum may overflow"},
		{"cap zero", corpus.L2, dollars(`{"max_per_tx":0}`), []Call{call(limit, amount(1))}, "zero is a cap, not the lack of one"},
		{"items at the cap", corpus.L2, ``, []Call{call(allowed, func(r *authz.Request) { r.Items = slices.Repeat(r.Items, f.items()) })}, "as many as one payment may have"},
		{"items above the cap", corpus.L2, ``, []Call{call(limit, f.tooMany())}, "one item more"},
		{"items at a raised cap", corpus.L2, within(`{"max_items_per_tx":2}`), []Call{call(allowed, items("a", "b")), call(limit, items("a", "b", "c"))}, "the passport's number counts"},
		{"items at cap zero", corpus.L2, within(`{"max_items_per_tx":0}`), []Call{call(limit)}, "zero is a cap, not the lack of one"},
	}
}

func (g ground) listProbes() []row {
	f := g[corpus.L2]
	var ps []row
	for _, id := range f.recipients() {
		ps = append(ps, row{"l2 recipient " + id, corpus.L2, ``, []Call{call(allowed, recipient(bank.AccountID(id)))}, "each listed recipient is paid"})
	}
	one := f.payee()
	for _, other := range []struct{ name, id string }{
		{"in capitals", strings.ToUpper(one)},
		{"first letter in capitals", strings.ToUpper(one[:1]) + one[1:]},
		{"with a homoglyph", strings.Replace(one, "o", "\u043e", 1)},
		{"with a zero-width space", one + "\u200b"},
		{"with a blank before", " " + one},
		{"with a blank after", one + " "},
		{"as a prefix", one[:len(one)-1]},
		{"with a suffix", one + ".evil.example"},
		{"with a sub-address", strings.Replace(one, "@", "+x@", 1)},
		{"of the bank", "treasury@lanternfield.example"},
		{"of the account itself", "LF-SUPPLIERS-02"},
		{"of another level", "supplies@pinecrest.example"},
		{"of an attacker", "collect@quickvault.example"},
		{"as two in one", one + ",collect@quickvault.example"},
	} {
		if other.id == one || slices.Contains(f.recipients(), other.id) {
			continue // written so, or on the list as well
		}
		ps = append(ps, row{"l2 recipient " + other.name, corpus.L2, f.closed("allowed_merchant_ids"), []Call{call(stranger, recipient(bank.AccountID(other.id)))}, "recipients are compared byte for byte"})
	}
	return append(ps, slices.Concat(g.countryProbes(), []row{
		{"l1 anyone", corpus.L1, g[corpus.L1].open("allowed_merchant_ids"), []Call{call(allowed, recipient("anyone@somewhere.example"))}, "an empty list means anyone"},
		{"l1 one listed", corpus.L1, within(`{"allowed_merchant_ids":["` + g[corpus.L1].payee() + `"]}`), []Call{call(allowed), call(stranger, recipient(g[corpus.L1].stranger("catering@greenfork.example")))}, "one entry closes the list"},
		{"l3 recipient of an attacker", corpus.L3, g[corpus.L3].closed("allowed_merchant_ids"), []Call{call(stranger, recipient(g[corpus.L3].stranger("collect@quickvault.example")))}, "not listed"},
		{"l4 recipient of an attacker", corpus.L4, g[corpus.L4].closed("allowed_merchant_ids"), []Call{call(stranger, recipient(g[corpus.L4].stranger("collect@quickvault.example")))}, "a code does not open the list"},
		{"cap outranks the recipient", corpus.L2, ``, []Call{call(limit, amount(f.cap("max_per_tx")+1), recipient(f.stranger("collect@quickvault.example")))}, "the pack's order"},
	})...)
}

func (g ground) countryProbes() []row {
	f := g[corpus.L2]
	rows := []row{
		{"country listed", corpus.L2, ``, []Call{call(allowed, country(f.country()))}, "a listed country"},
		{"country not listed", corpus.L2, f.closed("allowed_countries"), []Call{call(authz.ReasonRegionBlocked, country(f.foreignCountry("BR")))}, "another country"},
		{"country absent", corpus.L2, ``, []Call{call(allowed)}, "an absent optional field skips its rule"},
		{"countries empty", corpus.L2, within(`{"allowed_countries":[]}`), []Call{call(allowed, country(f.foreignCountry("BR")))}, "an empty list means anywhere"},
		{"recipient outranks the country", corpus.L2, f.closed("allowed_merchant_ids", "allowed_countries"), []Call{call(stranger, recipient(f.stranger("m.dorne@privatemail.example")), country(f.foreignCountry("BR")))}, "the pack's order"},
		{"category blocked", corpus.L2, f.closed("blocked_categories"), []Call{call(authz.ReasonCategoryBlocked, category(f.category()))}, "a blocked category"},
		{"category not blocked", corpus.L2, ``, []Call{call(allowed, category(f.freeCategory("paper")))}, "another category"},
		{"categories empty", corpus.L2, within(`{"blocked_categories":[]}`), []Call{call(allowed, category("weapons"))}, "an empty block list blocks nothing"},
		{"second item blocked", corpus.L2, f.closed("blocked_categories") + within(`{"max_items_per_tx":2}`), []Call{call(authz.ReasonCategoryBlocked, items("a", "b"), lastCategory(f.category()))}, "any item counts"},
	}
	if other := strings.ToUpper(f.category()); other != f.category() && !slices.Contains(f.blocked(), other) {
		rows = append(rows, row{"category in another case", corpus.L2, ``, []Call{call(allowed, category(other))}, "categories are compared byte for byte"})
	}
	return rows
}
