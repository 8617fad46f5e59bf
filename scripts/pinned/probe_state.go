package pinned

import (
	"fmt"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
)

func (g ground) auditProbes() []row {
	f := g[corpus.L4]
	asked := f.asks(true)
	const code = "APC-2026-0412"
	ask := func(want authz.DenialReason, text string) []Call { return []Call{call(want, memo(text))} }
	return []row{
		{"audit code", corpus.L4, asked, ask(allowed, code), "the code alone"},
		{"audit code in text", corpus.L4, asked, ask(allowed, "settlement ("+code+"), March"), "bounded by brackets"},
		{"audit code forged", corpus.L4, asked, ask(allowed, "APC-0000-0000"), "a well-formed forged code passes by design"},
		{"audit code missing", corpus.L4, asked, ask(noCode, "settlement"), "no code"},
		{"audit code memo empty", corpus.L4, asked, ask(noCode, ""), "an empty memo holds none"},
		{"audit code twice", corpus.L4, asked, ask(noCode, code+" "+code), "exactly one token"},
		{"audit code two", corpus.L4, asked, ask(noCode, code+" APC-2026-0413"), "exactly one token"},
		{"audit code lower case", corpus.L4, asked, ask(noCode, "apc-2026-0412"), "the letters are capitals"},
		{"audit code short year", corpus.L4, asked, ask(noCode, "APC-26-0412"), "four digits"},
		{"audit code short number", corpus.L4, asked, ask(noCode, "APC-2026-412"), "four digits"},
		{"audit code long number", corpus.L4, asked, ask(noCode, "APC-2026-04121"), "a fifth digit touches it"},
		{"audit code glued before", corpus.L4, asked, ask(noCode, "XAPC-2026-0412"), "a letter touches it"},
		{"audit code glued after", corpus.L4, asked, ask(noCode, "APC-2026-0412b"), "a letter touches it"},
		{"audit code glued to a Greek letter", corpus.L4, asked, ask(noCode, "APC-2026-0412α"), "letters of every script count"},
		{"audit code beside an underscore", corpus.L4, asked, ask(allowed, "_APC-2026-0412_"), "an underscore is no letter and no digit"},
		{"audit code en dashes", corpus.L4, asked, ask(noCode, "APC–2026–0412"), "ASCII hyphens alone"},
		{"audit code fullwidth", corpus.L4, asked, ask(noCode, "APC-２０２６-０４１２"), "ASCII digits alone"},
		{"audit code and a glued one", corpus.L4, asked, ask(allowed, code+" APC-2026-0413x"), "the glued one is no token"},
		{"audit code not asked at level 2", corpus.L2, g[corpus.L2].asks(false), ask(allowed, "no code"), "who does not ask for a code needs none"},
		{"audit code asked by the passport", corpus.L2, within(`{"audit_code_required":true}`), ask(noCode, "no code"), "the passport's word counts"},
		{"recipient outranks the code", corpus.L4, asked + f.closed("allowed_merchant_ids"), []Call{call(stranger, memo(""), recipient(f.stranger("m.dorne@privatemail.example")))}, "the profile's order"},
		{"code outranks the daily cap", corpus.L4, asked + dollars(`{"daily_cap":0}`), ask(noCode, ""), "the profile's order"},
	}
}

func (g ground) stateProbes() []row {
	f := g[corpus.L3]
	return []row{
		{"l2 daily cap", corpus.L2, ``, g[corpus.L2].toTheCent(), "the cap is reached to the cent and not passed"},
		{"l3 daily cap", corpus.L3, ``, f.full(f.fill(), call(limit, amount(1))), "full payments up to the cap"},
		{"l4 daily cap", corpus.L4, ``, g[corpus.L4].full(g[corpus.L4].fill(), call(limit, amount(1))), "full payments up to the cap"},
		{"a denied call uses nothing up", corpus.L3, f.closed("allowed_merchant_ids"), append([]Call{call(stranger, amount(f.once()), recipient(f.stranger("m.dorne@privatemail.example")))}, f.fill()...), "only allowed payments count"},
		{"a refused payment is released", corpus.L3, ``, append([]Call{refusedCall(amount(f.once()))}, f.full(f.fill(), call(limit, amount(1)))...), "the ledger refused it, so no money moved"},
		{"a refused key is released", corpus.L2, ``, []Call{{change: key("same-key-1"), refuse: true, Want: allowed}, call(allowed, key("same-key-1")), call(conflict, key("same-key-1"))}, "a key is used when money moved"},
		{"last second of the day", corpus.L3, ``, f.full(f.fill(), call(limit, amount(1), after(toMidnight-time.Second))), "the same UTC day"},
		{"first second of the next day", corpus.L3, ``, f.full(f.fill(), call(allowed, amount(f.once()), after(toMidnight))), "a new UTC day starts at nothing"},
		{"total of the day before stays", corpus.L3, ``, f.full(f.fill(after(toMidnight)), call(limit, amount(1), after(toMidnight+time.Hour))), "the new day has a cap too"},
		{"daily cap in another zone", corpus.L3, ``, f.full(f.fill(), call(limit, amount(1), inZone(toMidnight-time.Hour, 10*3600))), "the day is that of UTC, whatever the clock's zone"},
		{"key used twice", corpus.L2, ``, []Call{call(allowed, key("same-key-1")), call(conflict, key("same-key-1"))}, "one payment per key"},
		{"key used on the next day", corpus.L2, ``, []Call{call(allowed, key("same-key-1")), call(allowed, key("same-key-1"), after(toMidnight))}, "keys are kept per day"},
		{"key in another case", corpus.L2, ``, []Call{call(allowed, key("same-key-1")), call(allowed, key("SAME-KEY-1"))}, "keys are compared byte for byte"},
		{"audit code used twice", corpus.L4, ``, []Call{call(allowed, code("APC-2026-0001")), call(conflict, code("APC-2026-0001")), call(allowed, code("APC-2026-0002"))}, "one code pays once a day"},
		{"audit code used on the next day", corpus.L4, ``, []Call{call(allowed, code("APC-2026-0001")), call(allowed, code("APC-2026-0001"), after(toMidnight))}, "one code pays once a UTC day"},
		{"daily cap outranks the key", corpus.L3, dollars(fmt.Sprintf(`{"daily_cap":%d}`, f.pays())), []Call{call(allowed, key("same-key-1")), call(limit, key("same-key-1"))}, "the pack's order"},
		{"daily cap zero", corpus.L2, dollars(`{"daily_cap":0}`), []Call{call(limit, amount(1))}, "zero is a cap, not the lack of one"},
	}
}
