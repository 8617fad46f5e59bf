package oap

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/spelling"
)

// lintList warns of an empty list: what it lets through is never what an empty
// list looks like.
func (l *linter) lintList(at jsontext.Pointer, name string, raw json.RawMessage, wanted readings) {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil || entries == nil || len(entries) > 0 {
		return
	}
	for _, r := range wanted {
		if (r.Path[0] == name || readBySynonym(name, r.Path[:1])) && len(r.Path) == 1 && r.Empty {
			l.warn(at, "an empty list means any %s, by %s: name those that are meant", listed(name), r)
			return
		}
	}
	if strings.HasPrefix(name, "allowed_") {
		l.warn(at, "an empty list means no %s: name those that are meant", listed(name))
	}
}

// listed is what a list names.
func listed(name string) string {
	switch name {
	case "allowed_merchant_ids", "allowed_merchants":
		return "recipient"
	case "allowed_countries":
		return "country"
	}
	return "entry of " + name
}

// lintNumbers looks at every number at or below a limit, by its path.
func (l *linter) lintNumbers(at jsontext.Pointer, path []string, raw json.RawMessage) {
	if members, err := object(raw); err == nil && members != nil {
		for _, inner := range slices.Sorted(maps.Keys(members)) {
			l.lintNumbers(at.AppendToken(inner), append(slices.Clone(path), inner), members[inner])
		}
		return
	}
	if jsontext.Value(raw).Kind() != '0' {
		return
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	name := path[len(path)-1]
	isCap := strings.HasPrefix(name, "max_") || strings.HasSuffix(name, "_cap")
	say := l.warn // only its rule knows what a limit of one's own is for
	if publishedLimit(path) {
		say = l.error
	}
	switch {
	case err != nil && !strings.ContainsAny(string(raw), ".eE"), n > maxExact, n < -maxExact:
		l.error(at, "%s is beyond ±%d, where JSON readers no longer agree: no cap at all, or a typing error: write a smaller number", raw, int64(maxExact))
	case err != nil:
		l.error(at, "%s is no integer: write minor units, without fraction or exponent", raw)
	case n < 0:
		say(at, "%s is negative: nothing can stay within it: write a cap, in minor units", raw)
	case n == 0 && isCap:
		say(at, "a cap of zero lets nothing through: raise it, or drop what it stands for")
	}
}

// lintCurrencies compares the caps of each currency with each other and with the
// balance.
func (l *linter) lintCurrencies(p limitPlace) {
	currencies, _ := object(p.members["currency_limits"])
	for _, currency := range slices.Sorted(maps.Keys(currencies)) {
		at := p.at.AppendToken("currency_limits").AppendToken(currency)
		caps, _ := object(currencies[currency])
		once, hasOnce := integer(caps["max_per_tx"])
		daily, hasDaily := integer(caps["daily_cap"])
		if hasOnce && hasDaily && daily < once {
			l.warn(at.AppendToken("daily_cap"), "%d is below max_per_tx %d, which no payment can reach: lower that, or raise this", daily, once)
		}
		balance, known := l.Opening[currency]
		if !known && l.Opening != nil {
			l.warn(at, "the account that is paid from holds %s: the layer allows payments in %s, and the bank refuses them: delete the entry", strings.Join(slices.Sorted(maps.Keys(l.Opening)), ", "), currency)
		}
		for _, c := range []struct {
			name  string
			value int64
			ok    bool
		}{{"max_per_tx", once, hasOnce}, {"daily_cap", daily, hasDaily}} {
			if c.ok && known && c.value > balance && c.value <= maxExact {
				l.warn(at.AppendToken(c.name), "%d is above the account's opening balance of %d: the bank refuses before this cap does: lower it", c.value, balance)
			}
		}
	}
}

func integer(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// lintRequired: the limits may ask for more assurance than the passport has.
func (l *linter) lintRequired(p limitPlace) {
	var want AssuranceLevel
	_ = json.Unmarshal(p.members[requireAssurance], &want)
	have := AssuranceLevel(l.text("assurance_level"))
	if slices.Contains(assuranceOrder, want) && slices.Contains(assuranceOrder, have) && !have.AtLeast(want) {
		l.error("/assurance_level", "%s is below %s, which the limits of %s ask for, and every payment is denied: raise it, or lower %s", have, want, p.id, requireAssurance)
	}
}

// hint names the word that was probably meant; empty where none is near.
func hint(word string, known []string) string {
	if near, ok := nearest(word, known); ok && near != word {
		return " (" + near + " was meant?)"
	}
	return ""
}

// nearest is the known word that differs from word in the fewest letters, in two
// at most. Case and the way of joining words do not count.
func nearest(word string, known []string) (near string, ok bool) {
	best := min(2, len(word)/3) + 1
	for _, k := range known {
		if d := spelling.Edits(bare(word), bare(k)); d < best {
			near, best, ok = k, d, true
		}
	}
	return near, ok
}

var joiners = strings.NewReplacer("_", "", "-", "", ".", "")

func bare(word string) string { return joiners.Replace(strings.ToLower(word)) }
