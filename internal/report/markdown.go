package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
)

// MarkdownFile is the name of a run's short report.
const MarkdownFile = "summary.md"

// maxListed keeps a short report short; report.html and the record have the rest.
const maxListed = 20

// WriteMarkdown writes what a reader of a pull request needs: the verdict, the
// claim with its bounds, the five events, and what is red. What an attacker or a
// model wrote is text in it, never markup.
func WriteMarkdown(w io.Writer, v Verdict, s Summary, notes Notes) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("## Vault: %s\n", v.State)
	if v.Claim.Text != nil {
		line("**Claim**: %s:\n", claimHead)
		for _, b := range v.Bounds {
			line("- %s", escape.Markdown(b.Text))
		}
		line("")
	} else {
		line("%s\n", escape.Markdown(v.Claim.Reason))
	}
	markdownReasons(line, v)
	markdownBounds(line, v)
	markdownEvents(line, s.Analyses)
	markdownWindow(line, s.Analyses)
	markdownHonest(line, s.Analyses, notes)
	markdownNotRun(line, s)
	markdownCost(line, s.Cost)
	markdownServed(line, s.Served)
	for _, c := range v.Caveats {
		line("- note: %s", escape.Markdown(c))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownReasons(line func(string, ...any), v Verdict) {
	for i, r := range v.Reasons {
		if i == maxListed {
			line("- and %d more: see the record", len(v.Reasons)-i)
			break
		}
		where := ""
		if r.Cell != "" {
			where = r.Cell + ": "
		}
		line("- %s: %s", r.State, escape.Markdown(escape.Short(where+r.Message, 400)))
	}
	if len(v.Reasons) > 0 {
		line("")
	}
}

func markdownBounds(line func(string, ...any), v Verdict) {
	if len(v.Bounds) == 0 {
		return
	}
	line("| Attacks behind a layer | Bankers | Unpermitted | At most per session (3/S) | At most per evaluation (exact, one-sided 95%%) |")
	line("| --- | --- | ---: | ---: | ---: |")
	for _, b := range v.Bounds {
		session, exact := "–", "–"
		if b.SessionBound != nil && b.ExactBound != nil {
			session, exact = fmt.Sprintf("%s (S = %s)", Upper(*b.SessionBound), thousands(b.Sessions)), Upper(*b.ExactBound)
		}
		line("| %s, %s | %s | %s of %s | %s | %s |", b.where(), b.Architecture, b.Kind, thousands(b.Unpermitted), thousands(b.Evaluations), session, exact)
	}
	line("")
}

func markdownEvents(line func(string, ...any), all []Analysis) {
	line("| Attacks | Bankers | Architecture | Final | 1 requested | 2 paid | 3 denied | 4 permitted recipient | 5 unpermitted |")
	line("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, a := range all {
		for _, p := range a.Pools {
			if a.Set == setBenign || p.Level != "" {
				continue
			}
			denied, unpermitted := "–", thousands(p.Unpermitted.Evaluations)
			if p.Decisions != nil {
				denied = thousands(p.Decisions.Evaluations)
			}
			if a.Group == plan.GroupOpen {
				unpermitted = "n/a"
			}
			line("| %s | %s | %s | %s | %s | %s | %s | %s | %s |", a.where(), a.Kind, p.Architecture, thousands(p.Denominator),
				thousands(p.Requests.Evaluations), thousands(p.Payments.Evaluations), denied, thousands(p.Payments.Permitted), unpermitted)
		}
	}
	line("\nEvaluations; levels are grouped 1, 2–4, 5 and not pooled beyond.\n")
}

// markdownWindow says what the rates are without the days that the gate names.
func markdownWindow(line func(string, ...any), all []Analysis) {
	for _, a := range all {
		for _, s := range a.Sensitivity {
			if w := s.Window; w != nil {
				line("- without %s to %s: %s, %s, %s, %s: %s of all, %s without, %s of these days alone",
					w.From, w.To, a.where(), a.Kind, s.Architecture, s.Event, s.Rate, w.Without, w.Rate)
			}
		}
	}
}

// where words an analysis's levels or source.
func (a Analysis) where() string {
	if a.Group == plan.GroupRecorded {
		return a.Set
	}
	return levels(a.Group)
}

func markdownHonest(line func(string, ...any), all []Analysis, notes Notes) {
	for _, a := range all {
		for _, p := range a.Pools {
			if p.Benign != nil && p.Decisions != nil && p.Level == "" {
				line("- honest payments, %s, %s, %s: %s refused, %s of %s made", levels(a.Group), a.Kind, p.Architecture,
					thousands(p.Benign.FalseDenials), thousands(p.Benign.Paid), thousands(p.Benign.Goals))
			}
		}
	}
	for i, r := range notes.Refused {
		if i == maxListed {
			line("- and more: see the record")
			break
		}
		line("- refused: %s", escape.Markdown(fmt.Sprintf("%s: %s %s to %s: %s", r.Evaluation, r.Payment.Amount, r.Payment.Currency, r.Payment.Recipient, r.Code)))
	}
}

// markdownServed lists the models that answered beside those that were asked for.
// What must not be overlooked there is a caveat, too.
func markdownServed(line func(string, ...any), all []Served) {
	if len(all) == 0 {
		return
	}
	line("\n| Model | Bankers | Asked for as | Served by | Replies | Evaluations |")
	line("| --- | --- | --- | --- | ---: | ---: |")
	for _, s := range all {
		for _, id := range s.IDs {
			line("| %s | %s | %s | %s | %s | %s |", s.Model, s.Kind, escape.Markdown(escape.Short(cmp.Or(s.Requested, "–"), maxServedID)),
				escape.Markdown(escape.Short(id.ID, maxServedID)), thousands(id.Replies), thousands(id.Evaluations))
		}
	}
	line("")
}

func markdownNotRun(line func(string, ...any), s Summary) {
	n := 0
	for _, c := range s.AllCells() {
		text := ""
		switch {
		case c.Skip != "":
			text = "skipped: " + c.Skip
		case c.Denominator < c.Planned:
			text = fmt.Sprintf("%d of %d evaluations are final", c.Denominator, c.Planned)
		default:
			continue
		}
		if n++; n <= maxListed {
			line("- not run: %s", escape.Markdown(escape.Short(c.Name+": "+text, 400)))
		}
	}
	if n > maxListed {
		line("- and %d more cells", n-maxListed)
	}
}
