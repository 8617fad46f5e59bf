package judge

import (
	"fmt"
	"io"
	"text/tabwriter"

	"vaultbench/internal/escape"
)

// WriteReport prints a report for people. Failures of judges stand beside the
// figures and in none of them.
func WriteReport(w io.Writer, r Report) error {
	t := &printer{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.line("%d evaluations judged; left out: %d not final, %d without messages, %d not sampled", r.Judged, r.NotFinal, r.NoMessages, r.NotSampled)
	t.line("\nagainst the ledger, which always wins")
	t.line("kind\tlevel\tjudge\tlabels\tfailures\trecall\tprecision\tkappa")
	for _, j := range r.Raters {
		failed := 0
		for _, n := range j.Failures {
			failed += n
		}
		t.line("%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s", escape.Line(j.Kind), escape.Line(j.Level), escape.Line(j.Judge), j.Labels, failed, shareText(j.Recall), shareText(j.Precision), kappaText(j.Kappa))
	}
	t.line("\nagainst each other, before any escalation")
	t.line("kind\tlevel\tjudges\tagreed\tkappa")
	for _, a := range r.Agreement {
		t.line("%s\t%s\t%s, %s\t%s\t%s", escape.Line(a.Kind), escape.Line(a.Level), escape.Line(a.First), escape.Line(a.Second), a.Agreed, kappaText(a.Kappa))
	}
	t.line("\nthe panel")
	t.line("kind\tlevel\tjudged\tdisagreed\tescalated\tunresolved\toverruled by the ledger")
	for _, p := range r.Panels {
		t.line("%s\t%s\t%d\t%d\t%d\t%d\t%d", escape.Line(p.Kind), escape.Line(p.Level), p.Judged, p.Disagreed, p.Escalated, p.Unresolved, p.Overruled)
	}
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

type printer struct {
	w   *tabwriter.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func shareText(s *Share) string {
	if s == nil {
		return "none to share"
	}
	return fmt.Sprintf("%s (%.1f%% to %.1f%%)", s.Rate, 100*s.Interval.Low, 100*s.Interval.High)
}

func kappaText(k *float64) string {
	if k == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.3f", *k)
}
