package paper

import (
	"fmt"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// Source says where a figure was published.
type Source string

// The sources.
const (
	Text    Source = "arXiv 2609.22076" // its text, CC BY 4.0
	WriteUp Source = "public write-ups" // of its later sections and of the live event
)

// figure is a published figure and how to compute it.
type figure struct {
	name, published string
	source          Source
	ours            func(t *Tables) string
}

func figures() []figure {
	var all []figure
	for _, part := range [][]figure{corpusFigures(), gridFigures(), restrictedFigures(), decisionFigures(), matchedFigures(), requestFigures(), vaultFigures(), spreadFigures(), judgeFigures()} {
		all = append(all, part...)
	}
	return all
}

func corpusFigures() []figure {
	fs := []figure{
		{"attacks", "4,371", Text, func(t *Tables) string { return count(len(t.attacks)) }},
		{"source sessions", "1,128", Text, func(t *Tables) string { return count(t.sessions()) }},
		{"attacks of 6–12 March 2026", "4,272", Text, func(t *Tables) string {
			w := LaunchWindow()
			return t.corpusCount(func(a attack) bool { return w.From <= a.date && a.date <= w.To })
		}},
	}
	for i, published := range []string{"709", "938", "578", "1,293", "853"} {
		level := corpus.Levels()[i]
		fs = append(fs, figure{fmt.Sprintf("attacks at Level %d", i+1), published, Text, func(t *Tables) string {
			return t.corpusCount(func(a attack) bool { return a.level == level })
		}})
	}
	for _, c := range []struct {
		category  corpus.Category
		published string
	}{
		{"authority_claim", "1,609"}, {"direct_transfer", "1,423"}, {"privilege_escalation", "342"}, {"json_injection", "306"},
		{"social_engineering", "187"}, {"emotional_manipulation", "160"}, {"prompt_injection", "144"}, {"reconnaissance", "102"},
		{"capability_self_register", "94"}, {"account_manipulation", "4"},
	} {
		fs = append(fs, figure{"attacks of category " + string(c.category), c.published, Text, func(t *Tables) string {
			return t.corpusCount(func(a attack) bool { return a.category == c.category })
		}})
	}
	return fs
}

func gridFigures() []figure {
	return []figure{
		{"models", "14", Text, func(t *Tables) string { return count(len(t.models())) }},
		{"evaluations planned", "244,776", Text, func(t *Tables) string { return count(t.grid()) }},
		{"evaluations completed", "225,964", Text, func(t *Tables) string { return count(t.total(func(c report.Cell) int { return c.Denominator })) }},
		{"error rows", "5,395", Text, func(t *Tables) string { return count(t.provider) }},
		{"stopped by a provider's input filter", "582", WriteUp, func(t *Tables) string { return count(t.total(ended(record.InputFiltered))) }},
		{"models without a multi-turn cell behind the layer", "2", Text, func(t *Tables) string { return count(t.withoutMulti()) }},
		{"least filled multi-turn cell of Level 1 behind the layer", "260", Text, func(t *Tables) string { return count(t.leastMulti()) }},
		{"input tokens", "987.6M", WriteUp, func(t *Tables) string { return millions(t.input) }},
		{"output tokens", "218.5M", WriteUp, func(t *Tables) string { return millions(t.output) }},
		{"cache reads", "686.0M", WriteUp, func(t *Tables) string { return millions(t.cached) }},
	}
}

func restrictedFigures() []figure {
	const where = "Levels 2–4, "
	alone := func(t *Tables) report.Counts { return t.restricted(plan.Alone).Counts }
	behind := func(t *Tables) report.Counts { return t.restricted(plan.OAP).Counts }
	return []figure{
		{where + "evaluations alone", "76,842", Text, func(t *Tables) string { return count(alone(t).Denominator) }},
		{where + "evaluations behind the layer", "69,297", Text, func(t *Tables) string { return count(behind(t).Denominator) }},
		{where + "with a request alone", "28,543", Text, func(t *Tables) string { return count(alone(t).Requests.Evaluations) }},
		{where + "with a request behind the layer", "25,527", Text, func(t *Tables) string { return count(behind(t).Requests.Evaluations) }},
		{where + "with a payment alone", "28,521", Text, func(t *Tables) string { return count(alone(t).Payments.Evaluations) }},
		{where + "with a payment behind the layer", "25,370", Text, func(t *Tables) string { return count(behind(t).Payments.Evaluations) }},
		{where + "paid an allowlisted recipient behind the layer", "25,370", WriteUp, func(t *Tables) string { return count(behind(t).Payments.Permitted) }},
		{where + "unpermitted alone", "140", Text, func(t *Tables) string { return count(alone(t).Unpermitted.Evaluations) }},
		{where + "unpermitted behind the layer", "0", Text, func(t *Tables) string { return count(behind(t).Unpermitted.Evaluations) }},
		{where + "source sessions behind the layer", "790", Text, func(t *Tables) string { return count(behind(t).Sessions) }},
		{where + "per-session bound 3/S of the zero", "0.38%", Text, func(t *Tables) string {
			return percent(t.restricted(plan.OAP).Rates.Unpermitted.SessionBound, 2)
		}},
		{where + "exact one-sided bound of the zero", "0.0043%", Text, func(t *Tables) string {
			return percent(t.restricted(plan.OAP).Rates.Unpermitted.ExactBound, 4)
		}},
	}
}

func decisionFigures() []figure {
	const where = "Levels 2–4, "
	d := func(t *Tables) report.DecisionCounts { return t.decisions(plan.GroupRestricted) }
	fs := []figure{
		{where + "calls decided", "25,640", Text, func(t *Tables) string { return count(d(t).Calls) }},
		{where + "calls allowed", "25,453", WriteUp, func(t *Tables) string { return count(d(t).Allowed) }},
		{where + "calls denied", "187", Text, func(t *Tables) string { return count(d(t).Denied) }},
		{where + "evaluations with a denial", "172", WriteUp, func(t *Tables) string { return count(d(t).Evaluations) }},
		{where + "of these, with a payment", "15", WriteUp, func(t *Tables) string { return count(d(t).DeniedPaying) }},
	}
	for _, r := range []struct {
		reason    record.DenialReason
		published string
	}{
		{authz.ReasonRecipientNotMember, "148"}, {authz.ReasonInvalidContext, "17"}, {authz.ReasonLimitExceeded, "13"}, {authz.ReasonAuditCodeMissing, "9"},
	} {
		fs = append(fs, figure{where + "calls denied for " + string(r.reason), r.published, Text, func(t *Tables) string { return count(d(t).ByReason[r.reason]) }})
	}
	return fs
}

func matchedFigures() []figure {
	const where = "Levels 2–4, matched: "
	requests := func(t *Tables) report.Matched { return t.matched(report.EventRequests) }
	unpermitted := func(t *Tables) report.Matched { return t.matched(report.EventUnpermitted) }
	return []figure{
		{where + "pairs", "68,970", Text, func(t *Tables) string { return count(requests(t).N) }},
		{where + "unpermitted alone", "105", Text, func(t *Tables) string { return count(unpermitted(t).Alone) }},
		{where + "unpermitted behind the layer", "0", Text, func(t *Tables) string { return count(unpermitted(t).Behind) }},
		{where + "requests alone", "25,362", WriteUp, func(t *Tables) string { return count(requests(t).Alone) }},
		{where + "requests behind the layer", "25,420", WriteUp, func(t *Tables) string { return count(requests(t).Behind) }},
		{where + "difference of request rates", "+0.084 points", Text, func(t *Tables) string { return points(requests(t).Difference) }},
		{where + "pairs that disagree", "1,220", Text, func(t *Tables) string { return count(requests(t).OnlyAlone + requests(t).OnlyBehind) }},
		{where + "request only alone", "581", WriteUp, func(t *Tables) string { return count(requests(t).OnlyAlone) }},
		{where + "request only behind the layer", "639", WriteUp, func(t *Tables) string { return count(requests(t).OnlyBehind) }},
	}
}

func requestFigures() []figure {
	var fs []figure
	for i, published := range []string{"10.9%", "3.0%", "0.1%", "79.4%", "25.3%"} {
		level := corpus.Levels()[i]
		fs = append(fs, figure{fmt.Sprintf("request rate alone at Level %d", i+1), published, Text, func(t *Tables) string {
			return share(t.level(level, plan.Alone).Rates.Requests.Rate)
		}})
	}
	least := func(l corpus.Level) func(*Tables) string {
		return func(t *Tables) string { r, _ := extremes(t.common(l)); return share(r) }
	}
	greatest := func(l corpus.Level) func(*Tables) string {
		return func(t *Tables) string { _, r := extremes(t.common(l)); return share(r) }
	}
	return append(fs,
		figure{"Level 4 prompts that all models finished, single-turn", "1,293", Text, func(t *Tables) string { return count(t.common(corpus.L4).Prompts) }},
		figure{"on these, least request rate of a model", "71.2%", Text, least(corpus.L4)},
		figure{"on these, greatest request rate of a model", "84.3%", Text, greatest(corpus.L4)},
		figure{"of these, with a request from every model", "809", Text, func(t *Tables) string { return count(t.common(corpus.L4).AllAsked) }},
		figure{"Level 2–4 prompts that all models finished, single-turn", "2,807", Text, func(t *Tables) string { return count(t.common("").Prompts) }},
		figure{"on these, least request rate of any model", "33.1%", Text, least("")},
		figure{"on these, greatest request rate of any model", "39.9%", Text, greatest("")},
	)
}

func vaultFigures() []figure {
	alone := func(t *Tables) report.Counts { return t.pool(plan.GroupVault, "", plan.Alone).Counts }
	behind := func(t *Tables) report.Counts { return t.pool(plan.GroupVault, "", plan.OAP).Counts }
	return []figure{
		{"Level 5, evaluations alone", "22,320", Text, func(t *Tables) string { return count(alone(t).Denominator) }},
		{"Level 5, with a request alone", "5,640", Text, func(t *Tables) string { return count(alone(t).Requests.Evaluations) }},
		{"Level 5, with a payment alone", "5,362", Text, func(t *Tables) string { return count(alone(t).Payments.Evaluations) }},
		{"Level 5, paid the bank's own mailboxes alone", "3,683", Text, func(t *Tables) string { return count(t.recipients().ByClass[corpus.ClassBank]) }},
		{"Level 5, evaluations behind the layer", "20,109", Text, func(t *Tables) string { return count(behind(t).Denominator) }},
		{"Level 5, with a request behind the layer", "4,960", Text, func(t *Tables) string { return count(behind(t).Requests.Evaluations) }},
		{"Level 5, with a payment behind the layer", "0", Text, func(t *Tables) string { return count(behind(t).Payments.Evaluations) }},
		{"Level 5, calls decided", "9,385", Text, func(t *Tables) string { return count(t.decisions(plan.GroupVault).Calls) }},
		{"Level 5, calls denied", "9,385", Text, func(t *Tables) string { return count(t.decisions(plan.GroupVault).Denied) }},
	}
}

func spreadFigures() []figure {
	return []figure{
		{"sessions with an unpermitted outcome", "24", WriteUp, func(t *Tables) string { return count(t.concentration().WithAny) }},
		{"outcomes of the session with the most", "67", WriteUp, func(t *Tables) string { return count(t.concentration().Largest) }},
		{"sessions that give half of the outcomes", "2", WriteUp, func(t *Tables) string { return count(t.concentration().Half) }},
		{"sessions that give nine tenths", "10", WriteUp, func(t *Tables) string { return count(t.concentration().NineTenths) }},
		{"unpermitted at Level 2, multi-turn", "113", WriteUp, func(t *Tables) string { return count(t.multiLevel2()) }},
		{"json_injection, unpermitted single-turn", "1/2,184", WriteUp, func(t *Tables) string {
			r := t.contrast("json_injection").Single
			return count(r.Hits) + "/" + count(r.N)
		}},
		{"json_injection, unpermitted multi-turn", "112/2,183", WriteUp, func(t *Tables) string {
			r := t.contrast("json_injection").Multi
			return count(r.Hits) + "/" + count(r.N)
		}},
		{"attacks that any model was asked, Levels 2–4", "2,809", WriteUp, func(t *Tables) string { return count(t.beatable()) }},
		{"attacks that beat any model", "73", WriteUp, func(t *Tables) string { return count(t.beaten(1)) }},
		{"attacks that beat five models", "1", WriteUp, func(t *Tables) string { return count(t.beaten(5)) }},
	}
}

func judgeFigures() []figure {
	fs := []figure{
		{"evaluations with both judges' verdicts", "222,400", Text, func(t *Tables) string { return count(t.verdicts()) }},
		{"Cohen's kappa, pooled", "0.772", Text, func(t *Tables) string { return t.kappa(corpus.Levels()...) }},
	}
	for i, published := range []string{"0.991", "0.676", "0.167", "0.864", "0.521"} {
		level := corpus.Levels()[i]
		fs = append(fs, figure{fmt.Sprintf("Cohen's kappa at Level %d", i+1), published, WriteUp, func(t *Tables) string { return t.kappa(level) }})
	}
	return fs
}
