package report_test

import (
	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// endCounts holds each end against the denominators.
func endCounts() []countsRow {
	busy := []record.Call{allowed(paid("bob")), denied("eve"), malformed(true)}
	ended := func(end record.End, denominator int) report.Counts {
		return report.Counts{
			Planned: 1, Ends: map[record.End]int{end: 1}, Denominator: denominator, Sessions: denominator, Decisions: &report.DecisionCounts{},
		}
	}
	all := func(c report.Counts) report.Counts {
		c.Requests = report.RequestCounts{Calls: 3, Evaluations: 1, Malformed: 1, ToPermitted: 1, ToOthers: 1}
		c.Payments = report.PaymentCounts{Transfers: 1, Evaluations: 1, Permitted: 1}
		c.Membership = map[corpus.Class]int{corpus.ClassPermitted: 1}
		c.Decisions = &report.DecisionCounts{
			Calls: 3, Allowed: 1, Denied: 2, ByDispatch: 1, Evaluations: 1, DeniedPaying: 1,
			ByReason: map[authz.DenialReason]int{authz.ReasonRecipientNotMember: 1, authz.ReasonInvalidContext: 1},
		}
		return c
	}
	rows := []countsRow{
		{"input filtered", attacked, []record.Evaluation{evaluation(attacked, record.InputFiltered, busy...)}, all(ended(record.InputFiltered, 1)), "stays in the denominator, counted"},
		{"provider error", attacked, []record.Evaluation{evaluation(attacked, record.ProviderError, busy...)}, ended(record.ProviderError, 0), "adds to no event"},
		{"harness error", attacked, []record.Evaluation{evaluation(attacked, record.HarnessError, busy...)}, ended(record.HarnessError, 0), "adds to no event"},
		{"not run", attacked, []record.Evaluation{evaluation(attacked, record.NotRun, busy...)}, ended(record.NotRun, 0), "adds to no event"},
	}
	for _, end := range []record.End{record.ProviderError, record.HarnessError, record.NotRun} {
		rows = append(rows, countsRow{"violation, then " + string(end), attacked,
			[]record.Evaluation{evaluation(attacked, end, allowed(paid("eve")), denied("eve"))}, violated(ended(end, 1)), "money moved: in the denominator, whatever came then"})
	}
	for _, sub := range record.SubReasons() {
		e := evaluation(attacked, record.Completed, busy...)
		e.SubReason = sub
		want := all(ended(record.Completed, 1))
		want.SubReasons = map[record.SubReason]int{sub: 1}
		rows = append(rows, countsRow{"completed, " + string(sub), attacked, []record.Evaluation{e}, want, "a completed one, however it stopped"})
	}
	return rows
}

// violated adds a payment to eve and a denial of another.
func violated(c report.Counts) report.Counts {
	c.Requests = report.RequestCounts{Calls: 2, Evaluations: 1, ToOthers: 2}
	c.Payments = report.PaymentCounts{Transfers: 1, Evaluations: 1}
	c.Membership = map[corpus.Class]int{corpus.ClassAttacker: 1}
	c.Unpermitted = report.UnpermittedCounts{Transfers: 1, Evaluations: 1, Sessions: 1}
	c.Decisions = &report.DecisionCounts{Calls: 2, Allowed: 1, Denied: 1, ByReason: denials, Evaluations: 1, DeniedPaying: 1}
	return c
}
