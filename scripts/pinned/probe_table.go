package pinned

import (
	"slices"
	"strings"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/bank"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

// toMidnight is from the start of the virtual clock to the next UTC day.
const toMidnight = 15 * time.Hour

// Probes hold each boundary of each rule and gate from both sides.
func Probes() []Probe {
	var all []Probe
	for _, r := range slices.Concat(gateProbes(), capProbes(), listProbes(), auditProbes(), stateProbes(), levelProbes(), contextProbes(), vaultProbes()) {
		all = append(all, Probe{r, oap.ProfileOAP})
	}
	for _, r := range publishedProbes() {
		all = append(all, Probe{r, oap.ProfilePublished})
	}
	return all
}

const (
	allowed  = authz.ReasonAllowed
	limit    = authz.ReasonLimitExceeded
	stranger = authz.ReasonRecipientNotMember
	noCode   = authz.ReasonAuditCodeMissing
	conflict = authz.ReasonIdempotencyConflict
)

func gateProbes() []row {
	one := []Call{call(allowed)}
	denied := func(code authz.DenialReason) []Call { return []Call{call(code)} }
	return []row{
		{"status active", corpus.L2, ``, one, "an active passport pays"},
		{"status draft", corpus.L2, `{"status":"draft"}`, denied(authz.ReasonPassportSuspended), "draft is not active"},
		{"status suspended", corpus.L2, `{"status":"suspended"}`, denied(authz.ReasonPassportSuspended), "suspended is not active"},
		{"status revoked", corpus.L2, `{"status":"revoked"}`, denied(authz.ReasonPassportSuspended), "revoked is not active"},
		{"expires a second later", corpus.L2, `{"expires_at":"2026-03-06T09:00:01Z"}`, one, "not yet expired"},
		{"expires now", corpus.L2, `{"expires_at":"2026-03-06T09:00:00Z"}`, denied(authz.ReasonPassportSuspended), "a passport does not hold at its own end"},
		{"never expires", corpus.L2, `{"expires_at":null}`, one, "no end is no expiry"},
		{"capability gone", corpus.L2, `{"capabilities":[]}`, denied(authz.ReasonCapabilityMissing), "no capability, whatever the limits say"},
		{"capability of another name", corpus.L2, `{"capabilities":[{"id":"payments.refund"}]}`, denied(authz.ReasonCapabilityMissing), "a refund is no charge"},
		{"suspended outranks capability", corpus.L2, `{"status":"suspended","capabilities":[]}`, denied(authz.ReasonPassportSuspended), "the passport is the first gate"},
		{"assurance below the limits", corpus.L3, `{"assurance_level":"L2"}`, denied(authz.ReasonAssurance), "Level 3 asks for L3"},
		{"assurance above the limits", corpus.L3, `{"assurance_level":"L4KYC"}`, one, "more assurance is enough"},
		{"assurance below the pack", corpus.L2, `{"assurance_level":"L1","limits":{"payments.charge":{"require_assurance_at_least":"L0"}}}`, denied(authz.ReasonAssurance), "the pack asks for L2 whatever the limits say"},
		{"assurance L4FIN reaches L4KYC", corpus.L4, `{"assurance_level":"L4FIN"}`, one, "L4FIN is above L4KYC, though F comes before K"},
		{"assurance L4KYC misses L4FIN", corpus.L4, `{"limits":{"payments.charge":{"require_assurance_at_least":"L4FIN"}}}`, denied(authz.ReasonAssurance), "L4KYC is below L4FIN, though K comes after F"},
		{"region blocked", corpus.L2, `{"regions":["CA","MX"]}`, denied(authz.ReasonRegionBlocked), "calls are made in US"},
		{"region among several", corpus.L2, `{"regions":["CA","US"]}`, one, "one of the list is enough"},
		{"regions empty", corpus.L2, `{"regions":[]}`, denied(authz.ReasonRegionBlocked), "no region is no permission: the empty list opens recipients and countries alone"},
		{"context amount zero", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, amount(0))}, "the schema asks for at least one minor unit"},
		{"context amount negative", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, amount(-100))}, "the schema asks for at least one minor unit"},
		{"context one cent", corpus.L2, ``, []Call{call(allowed, amount(1))}, "the least amount there is"},
		{"context short key", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, key("1234567")), call(allowed, key("12345678"))}, "a key has at least eight characters"},
		{"context no item", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, items())}, "the schema asks for an item"},
		{"context lower-case currency", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, currency("usd"))}, "a currency is three capital letters"},
		{"region outranks the rules", corpus.L2, `{"regions":["CA"]}`, []Call{call(authz.ReasonRegionBlocked, recipient("m.dorne@privatemail.example"), amount(999999))}, "a gate ends the decision"},
	}
}

func capProbes() []row {
	return []row{
		{"currency without limits", corpus.L2, ``, []Call{call(authz.ReasonCurrencyUnsupported, currency("EUR"))}, "the passport has no euros"},
		{"currency with limits", corpus.L2, `{"limits":{"payments.charge":{"currency_limits":{"EUR":{"max_per_tx":100,"daily_cap":100}}}}}`, []Call{call(allowed, currency("EUR")), call(allowed)}, "each currency has a total of its own"},
		{"currency outranks the recipient", corpus.L2, ``, []Call{call(authz.ReasonCurrencyUnsupported, currency("EUR"), recipient("m.dorne@privatemail.example"))}, "the pack's order"},
		{"l1 cap", corpus.L1, ``, []Call{call(allowed, amount(capsOf(corpus.L1).once))}, "exactly max_per_tx"},
		{"l1 cap and a cent", corpus.L1, ``, []Call{call(limit, amount(capsOf(corpus.L1).once+1))}, "one cent above"},
		{"l2 cap less a cent", corpus.L2, ``, []Call{call(allowed, amount(capsOf(corpus.L2).once-1))}, "one cent below"},
		{"l2 cap", corpus.L2, ``, []Call{call(allowed, amount(capsOf(corpus.L2).once))}, "exactly max_per_tx"},
		{"l2 cap and a cent", corpus.L2, ``, []Call{call(limit, amount(capsOf(corpus.L2).once+1))}, "one cent above"},
		{"l3 cap", corpus.L3, ``, []Call{call(allowed, amount(capsOf(corpus.L3).once))}, "exactly max_per_tx"},
		{"l3 cap and a cent", corpus.L3, ``, []Call{call(limit, amount(capsOf(corpus.L3).once+1))}, "one cent above"},
		{"l4 cap", corpus.L4, ``, []Call{call(allowed, amount(capsOf(corpus.L4).once))}, "exactly max_per_tx"},
		{"l4 cap and a cent", corpus.L4, ``, []Call{call(limit, amount(capsOf(corpus.L4).once+1))}, "one cent above"},
		{"amount at the end of int64", corpus.L2, ``, []Call{call(limit, amount(9223372036854775807))}, "no sum may overflow"},
		{"cap zero", corpus.L2, `{"limits":{"payments.charge":{"currency_limits":{"USD":{"max_per_tx":0}}}}}`, []Call{call(limit, amount(1))}, "zero is a cap, not the lack of one"},
		{"items at the cap", corpus.L2, ``, []Call{call(allowed, items("a"))}, "one item"},
		{"items above the cap", corpus.L2, ``, []Call{call(limit, tooMany(corpus.L2))}, "one item more"},
		{"items at a raised cap", corpus.L2, `{"limits":{"payments.charge":{"max_items_per_tx":2}}}`, []Call{call(allowed, items("a", "b")), call(limit, items("a", "b", "c"))}, "the passport's number counts"},
		{"items at cap zero", corpus.L2, `{"limits":{"payments.charge":{"max_items_per_tx":0}}}`, []Call{call(limit)}, "zero is a cap, not the lack of one"},
	}
}

func listProbes() []row {
	var ps []row
	for _, id := range listedAt(corpus.L2) {
		ps = append(ps, row{"l2 recipient " + string(id), corpus.L2, ``, []Call{call(allowed, recipient(id))}, "each listed recipient is paid"})
	}
	one := string(permitted(corpus.L2, 0).Recipient)
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
		ps = append(ps, row{"l2 recipient " + other.name, corpus.L2, ``, []Call{call(stranger, recipient(bank.AccountID(other.id)))}, "recipients are compared byte for byte"})
	}
	return append(ps, slices.Concat(countryProbes(), []row{
		{"l1 anyone", corpus.L1, ``, []Call{call(allowed, recipient("anyone@somewhere.example"))}, "an empty list means anyone"},
		{"l1 one listed", corpus.L1, `{"limits":{"payments.charge":{"allowed_merchant_ids":["stationery@paperlark.example"]}}}`, []Call{call(allowed), call(stranger, recipient("catering@greenfork.example"))}, "one entry closes the list"},
		{"l3 recipient of an attacker", corpus.L3, ``, []Call{call(stranger, recipient("collect@quickvault.example"))}, "not listed"},
		{"l4 recipient of an attacker", corpus.L4, ``, []Call{call(stranger, recipient("collect@quickvault.example"))}, "a code does not open the list"},
		{"cap outranks the recipient", corpus.L2, ``, []Call{call(limit, amount(capsOf(corpus.L2).once+1), recipient("collect@quickvault.example"))}, "the pack's order"},
	})...)
}

func countryProbes() []row {
	return []row{
		{"country listed", corpus.L2, ``, []Call{call(allowed, country("US"))}, "a listed country"},
		{"country not listed", corpus.L2, ``, []Call{call(authz.ReasonRegionBlocked, country("BR"))}, "another country"},
		{"country absent", corpus.L2, ``, []Call{call(allowed)}, "an absent optional field skips its rule"},
		{"countries empty", corpus.L2, `{"limits":{"payments.charge":{"allowed_countries":[]}}}`, []Call{call(allowed, country("BR"))}, "an empty list means anywhere"},
		{"recipient outranks the country", corpus.L2, ``, []Call{call(stranger, recipient("m.dorne@privatemail.example"), country("BR"))}, "the pack's order"},
		{"category blocked", corpus.L2, ``, []Call{call(authz.ReasonCategoryBlocked, category(lastBlocked(corpus.L2)))}, "a blocked category"},
		{"category not blocked", corpus.L2, ``, []Call{call(allowed, category("paper"))}, "another category"},
		{"category in another case", corpus.L2, ``, []Call{call(allowed, category(strings.ToUpper(lastBlocked(corpus.L2))))}, "categories are compared byte for byte"},
		{"categories empty", corpus.L2, `{"limits":{"payments.charge":{"blocked_categories":[]}}}`, []Call{call(allowed, category("weapons"))}, "an empty block list blocks nothing"},
		{"second item blocked", corpus.L2, `{"limits":{"payments.charge":{"max_items_per_tx":2}}}`, []Call{call(authz.ReasonCategoryBlocked, items("a", "b"), lastCategory("gambling"))}, "any item counts"},
	}
}
