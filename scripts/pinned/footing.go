package pinned

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

// once is the largest amount that one payment may have, daily that of a UTC day.
func (f footing) once() bank.Amount  { return min(f.cap("max_per_tx"), f.cap("daily_cap")) }
func (f footing) daily() bank.Amount { return f.cap("daily_cap") }

// cap is a cap of dollars; where no rule reads it and it is gone, one that a probe
// can stay below.
func (f footing) cap(name string) bank.Amount {
	if table := f.limits["currency_limits"]; table != nil && table.Map[string(account)] != nil {
		if v := table.Map[string(account)].Map[name]; v != nil {
			return bank.Amount(v.Int)
		}
	}
	return 10 * usual
}

// pays is what the passport's usual payment comes to; a day lets rounds of it through.
func (f footing) pays() bank.Amount { return min(usual, f.once(), f.daily()/rounds) }

// items are as many as one payment may have.
func (f footing) items() int {
	if v := f.limits["max_items_per_tx"]; v != nil {
		return int(v.Int)
	}
	return 1
}

// list is a list of texts among the limits.
func (f footing) list(name string) []string {
	var out []string
	if v := f.limits[name]; v != nil {
		for _, e := range v.List {
			out = append(out, e.Str)
		}
	}
	return out
}

func (f footing) recipients() []string { return f.list("allowed_merchant_ids") }
func (f footing) blocked() []string    { return f.list("blocked_categories") }

// codes says whether a payment needs an audit code.
func (f footing) codes() bool {
	v := f.limits["audit_code_required"]
	return v != nil && v.Bool
}

// region is where the passport's payments are made.
func (f footing) region() string { return listed(f.passport.Regions, home) }

// country is one that may be shipped to, category one that may not be bought: the
// passport's own, or what closed puts on its empty lists.
func (f footing) country() string { return listed(f.list("allowed_countries"), home) }

func (f footing) category() string {
	if list := f.blocked(); len(list) > 0 {
		return list[len(list)-1]
	}
	return "weapons"
}

// payee is who is paid where the list does not say otherwise.
func (f footing) payee() string {
	return listed(f.recipients(), map[corpus.Level]string{
		corpus.L1: "stationery@paperlark.example", corpus.L2: "invoices@brightwater.example", corpus.L3: "supplies@pinecrest.example",
		corpus.L4: "settlements@graymoor.example", corpus.L5: "treasury@lanternfield.example",
	}[f.level])
}

// listed is wish where the list has it or is empty, else the first of the list.
func listed(list []string, wish string) string {
	if len(list) == 0 || slices.Contains(list, wish) {
		return wish
	}
	return list[0]
}

// The foreign are on no list of the passport: wish where that is so.
func (f footing) stranger(wish string) bank.AccountID {
	return bank.AccountID(unlisted(append(f.recipients(), f.payee()), wish))
}

func (f footing) foreignRegion(wish string) string { return unlisted(f.passport.Regions, wish) }
func (f footing) foreignCountry(wish string) string {
	return unlisted(append(f.list("allowed_countries"), home), wish)
}
func (f footing) freeCategory(wish string) string {
	return unlisted(append(f.blocked(), f.category()), wish)
}

func (f footing) foreignCurrency(wish string) bank.Currency {
	var have []string
	if table := f.limits["currency_limits"]; table != nil {
		for c := range table.Map {
			have = append(have, c)
		}
	}
	return bank.Currency(unlisted(have, wish))
}

// unlisted is wish, with other last letters where the list has it: what has a form,
// such as a country, keeps it.
func unlisted(list []string, wish string) string {
	for word, n := wish, 0; n < 26*26; n++ {
		if !slices.Contains(list, word) {
			return word
		}
		word = wish[:len(wish)-2] + string(rune('A'+n/26)) + string(rune('A'+n%26))
	}
	return wish // who lists them all is told by a red probe
}

// above is the assurance level above the passport's, below the one below what
// payments need; empty: there is none.
func (f footing) above() oap.AssuranceLevel { return beside(f.passport.AssuranceLevel, 1) }
func (f footing) below() oap.AssuranceLevel { return beside(f.needs, -1) }

func beside(level oap.AssuranceLevel, step int) oap.AssuranceLevel {
	order := oap.AssuranceLevels()
	if i := slices.Index(order, level) + step; i >= 0 && i < len(order) {
		return order[i]
	}
	return ""
}

// expiry is when the passport ends, from the start of the clock.
func (f footing) expiry() time.Duration { return f.passport.ExpiresAt.Sub(start) }

// payment is the n-th one that the passport allows (at Level 5 one that any other
// would): a dollar, where it may be as much, to a payee of the list.
func (f footing) payment(n int) authz.Request {
	req := authz.Request{
		Recipient: bank.AccountID(f.payee()), Currency: account, Region: f.region(), Memo: "probe",
		IdempotencyKey: fmt.Sprintf("probe-key#%d", n+1), At: start,
	}
	code := fmt.Sprintf("APC-2026-%04d", 9000+n)
	if f.codes() {
		req.Memo = "probe " + code
	}
	if f.level == corpus.L4 {
		req.IdempotencyKey = code
	}
	amount(f.pays())(&req)
	return req
}

// within is a merge patch of the limits of a payment.
func within(limits string) string { return `{"limits":{"payments.charge":` + limits + `}}` }

// dollars is one of the limits of dollars.
func dollars(limits string) string {
	return within(fmt.Sprintf(`{"currency_limits":{%q:%s}}`, account, limits))
}

// closed is a merge patch that puts an entry on each of these lists that is empty,
// so that somebody or something is not on it, or is blocked; empty: none is.
func (f footing) closed(names ...string) string {
	entry := map[string]string{"allowed_merchant_ids": f.payee(), "allowed_countries": f.country(), "blocked_categories": f.category()}
	var changes []string
	for _, name := range names {
		if len(f.list(name)) == 0 {
			changes = append(changes, fmt.Sprintf("%q:[%q]", name, entry[name]))
		}
	}
	if len(changes) == 0 {
		return ""
	}
	return within("{" + strings.Join(changes, ",") + "}")
}

// open empties a list, which is then open to anyone; empty where it is.
func (f footing) open(name string) string {
	if len(f.list(name)) == 0 {
		return ""
	}
	return within(fmt.Sprintf(`{%q:[]}`, name))
}

// alike gives another currency the limits of dollars, with caps of one payment.
func (f footing) alike(c bank.Currency) string {
	limits := document(encode(f.entry))
	limits["max_per_tx"], limits["daily_cap"] = f.pays(), f.pays()
	return within(string(encode(map[string]any{"currency_limits": map[string]any{string(c): limits}})))
}

// asks is a merge patch after which payments need an audit code, or none; empty
// where that is so.
func (f footing) asks(code bool) string {
	if f.codes() == code {
		return ""
	}
	return within(fmt.Sprintf(`{"audit_code_required":%t}`, code))
}

// tooMany repeats the item once more than may be, without touching the amount.
func (f footing) tooMany() func(*authz.Request) {
	return func(r *authz.Request) { r.Items = slices.Repeat(r.Items, f.items()+1) }
}

// maxFill keeps the numbers of audit codes within their four digits.
const maxFill = 900

// fill are payments that a day's cap lets through, each as large as may be: after
// them not a cent is left, but where a day has more than maxFill of them.
func (f footing) fill(changes ...func(*authz.Request)) []Call {
	var calls []Call
	for left := f.daily(); left > 0 && len(calls) < maxFill; left -= min(f.once(), left) {
		calls = append(calls, call(allowed, append([]func(*authz.Request){amount(min(f.once(), left))}, changes...)...))
	}
	return calls
}

// full are calls that use a day's cap up, and then others: none where it can't be
// used up.
func (f footing) full(filled []Call, then ...Call) []Call {
	if f.daily() > maxFill*f.once() {
		return filled
	}
	return append(filled, then...)
}

// toTheCent fills a day's cap but for a cent, goes a cent above, and fills it.
func (f footing) toTheCent() []Call {
	calls := f.fill()
	last := f.daily() - bank.Amount(len(calls)-1)*f.once()
	if last < 2 || last > f.once() {
		return f.full(calls, call(limit, amount(1)))
	}
	calls[len(calls)-1] = call(allowed, amount(last-1))
	return append(calls, call(limit, amount(2)), call(allowed, amount(1)), call(limit, amount(1)))
}
