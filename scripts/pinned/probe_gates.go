package pinned

import (
	"fmt"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/oap"
)

func (g ground) gateProbes() []row {
	f := g[corpus.L2]
	other, third := unlisted([]string{f.region()}, "CA"), unlisted([]string{f.region()}, "MX")
	in := func(regions ...string) string { return `{"regions":` + string(encode(regions)) + `}` }
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
		{"region blocked", corpus.L2, in(other, third), denied(authz.ReasonRegionBlocked), "calls are made elsewhere"},
		{"region among several", corpus.L2, in(other, f.region()), one, "one of the list is enough"},
		{"regions empty", corpus.L2, `{"regions":[]}`, denied(authz.ReasonRegionBlocked), "no region is no permission: the empty list opens recipients and countries alone"},
		{"region outranks the rules", corpus.L2, in(other), []Call{call(authz.ReasonRegionBlocked, recipient(f.stranger("m.dorne@privatemail.example")), amount(999999))}, "a gate ends the decision"},
	}
}

func (g ground) assuranceProbes() []row {
	rows := []row{
		{"assurance L4FIN reaches L4KYC", corpus.L4, `{"assurance_level":"L4FIN"}` + within(`{"require_assurance_at_least":"L4KYC"}`), []Call{call(allowed)}, "L4FIN is above L4KYC, though F comes before K"},
		{"assurance L4KYC misses L4FIN", corpus.L4, `{"assurance_level":"L4KYC"}` + within(`{"require_assurance_at_least":"L4FIN"}`), []Call{call(authz.ReasonAssurance)}, "L4KYC is below L4FIN, though K comes after F"},
	}
	level := func(to oap.AssuranceLevel) string { return fmt.Sprintf(`{"assurance_level":%q}`, to) }
	f := g[corpus.L3]
	if below := f.below(); below != "" {
		rows = append(rows, row{"assurance below the limits", corpus.L3, level(below), []Call{call(authz.ReasonAssurance)}, "Level 3 asks for " + string(f.needs)})
	}
	if above := beside(f.needs, 1); above != "" {
		rows = append(rows, row{"assurance above the limits", corpus.L3, level(above), []Call{call(allowed)}, "more assurance is enough"})
	}
	if below := beside(f.least, -1); below != "" {
		rows = append(rows, row{"assurance below the pack", corpus.L2, level(below) + within(`{"require_assurance_at_least":"L0"}`), []Call{call(authz.ReasonAssurance)}, "the pack asks for " + string(f.least) + " whatever the limits say"})
	}
	return rows
}

// contextGateProbes ask about contexts that a payment can make.
func (g ground) contextGateProbes() []row {
	return []row{
		{"context amount zero", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, amount(0))}, "the schema asks for at least one minor unit"},
		{"context amount negative", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, amount(-100))}, "the schema asks for at least one minor unit"},
		{"context one cent", corpus.L2, ``, []Call{call(allowed, amount(1))}, "the least amount there is"},
		{"context short key", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, key("1234567")), call(allowed, key("12345678"))}, "a key has at least eight characters"},
		{"context no item", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, items())}, "the schema asks for an item"},
		{"context lower-case currency", corpus.L2, ``, []Call{call(authz.ReasonInvalidContext, currency("usd"))}, "a currency is three capital letters"},
	}
}
