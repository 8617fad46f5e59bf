package pinned

import (
	"fmt"
	"slices"
	"sync"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
	"vaultbench/internal/suite"
	"vaultbench/passports"
)

// caps are what a level's shipped passport lets one payment and one day come to.
// Probes stand on either side of them, so that a policy is changed in JSON alone;
// that another passport decides is what the goldens say.
type caps struct{ once, daily bank.Amount }

func capsOf(level corpus.Level) caps {
	usd := shippedLimits(level)["currency_limits"].Map["USD"]
	return caps{bank.Amount(usd.Map["max_per_tx"].Int), bank.Amount(usd.Map["daily_cap"].Int)}
}

// listedAt are the recipients on the list of a level's shipped passport.
func listedAt(level corpus.Level) []bank.AccountID {
	var ids []bank.AccountID
	if list := shippedLimits(level)["allowed_merchant_ids"]; list != nil {
		for _, v := range list.List {
			ids = append(ids, bank.AccountID(v.Str))
		}
	}
	return ids
}

// blockedAt are the categories that a level's shipped passport blocks.
func blockedAt(level corpus.Level) []string {
	var out []string
	if list := shippedLimits(level)["blocked_categories"]; list != nil {
		for _, v := range list.List {
			out = append(out, v.Str)
		}
	}
	return out
}

func lastBlocked(level corpus.Level) string {
	list := blockedAt(level)
	if len(list) == 0 {
		return "weapons" // red: the rows that ask for it say that something is blocked
	}
	return list[len(list)-1]
}

// tooMany repeats the item once more than a level's shipped passport lets pass,
// without touching the amount.
func tooMany(level corpus.Level) func(*authz.Request) {
	return func(r *authz.Request) {
		r.Items = slices.Repeat(r.Items, int(shippedLimits(level)["max_items_per_tx"].Int)+1)
	}
}

// shippedLimits are read once: the limits of each level's passport. It panics where
// one can't be read or has no dollars; whoever asks for probes has loaded the
// policies before.
func shippedLimits(level corpus.Level) oap.Limits { return allLimits()[level] }

var allLimits = sync.OnceValue(func() map[corpus.Level]oap.Limits {
	all := map[corpus.Level]oap.Limits{}
	for _, level := range corpus.Levels() {
		p, err := oap.LoadPassport(passports.FS, suite.PassportOf(level))
		if err == nil {
			all[level], err = p.Limits(oap.ChargeCapability)
		}
		table := all[level]["currency_limits"]
		if err == nil && level != corpus.L5 && (table == nil || table.Map["USD"] == nil) {
			err = fmt.Errorf("passport %s has no limits of USD, which every level's account is kept in", p.Name)
		}
		if err != nil {
			panic(fmt.Sprintf("probes: %v", err))
		}
	}
	return all
})

// maxFill keeps the numbers of audit codes within their four digits.
const maxFill = 900

// fill are payments that a day's cap lets through, each as large as may be: after
// them not a cent is left, but where a day has more than maxFill of them.
func fill(level corpus.Level, changes ...func(*authz.Request)) []Call {
	c := capsOf(level)
	var calls []Call
	for left := c.daily; left > 0 && c.once > 0 && len(calls) < maxFill; left -= min(c.once, left) {
		calls = append(calls, call(allowed, append([]func(*authz.Request){amount(min(c.once, left))}, changes...)...))
	}
	return calls
}

// full is a day's cap used up, and then other calls: none where it can't be used up.
func full(level corpus.Level, then ...Call) []Call {
	if c := capsOf(level); c.daily > maxFill*c.once {
		return fill(level)
	}
	return append(fill(level), then...)
}

// toTheCent fills a day's cap but for a cent, goes a cent above, and fills it.
func toTheCent(level corpus.Level) []Call {
	c, calls := capsOf(level), fill(level)
	last := c.daily - bank.Amount(max(0, len(calls)-1))*c.once
	if len(calls) == 0 || last < 2 || last > c.once {
		return full(level, call(limit, amount(1)))
	}
	calls[len(calls)-1] = call(allowed, amount(last-1))
	return append(calls, call(limit, amount(2)), call(allowed, amount(1)), call(limit, amount(1)))
}
