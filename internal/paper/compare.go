package paper

import (
	"fmt"
	"io"
	"text/tabwriter"

	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
)

// Row is a published figure beside ours.
type Row struct {
	Figure    string `json:"figure"`
	Published string `json:"published"`
	Ours      string `json:"ours"`
	Source    Source `json:"source"`
}

// Same reports whether both are equal to the last digit printed.
func (r Row) Same() bool { return r.Published == r.Ours }

// Compare lists every published figure that rows can give.
func (t *Tables) Compare() []Row {
	var rows []Row
	for _, f := range figures() {
		rows = append(rows, Row{f.name, f.published, f.ours(t), f.source})
	}
	return rows
}

// Open is a published figure that counts do not give, with the reason; Ours is
// what these rows give in its stead, where anything.
type Open struct {
	Figure    string `json:"figure"`
	Published string `json:"published"`
	Ours      string `json:"ours"`
	Reason    string `json:"reason"`
}

// NotReproducible lists what is left open.
func (t *Tables) NotReproducible() []Open {
	interval := none
	if i := t.matched("requests").Clustered; i != nil {
		interval = fmt.Sprintf("[%+.3f, %+.3f] points", 100*i.Low, 100*i.High)
	}
	return []Open{
		{"Levels 2–4, paid an allowlisted recipient alone", "28,380", count(t.restricted(plan.Alone).Payments.Permitted),
			"contradicts two other figures: 28,521 evaluations paid and 140 paid a forbidden recipient, so at least 28,381 paid an allowlisted one"},
		{"95% interval of the matched difference", "[-0.020, +0.189] points", interval,
			"depends on which session each pair belongs to, which no count says"},
		{"111 of 113 Level 2 outcomes from 103 forged receipts in 8 sessions", "111, 103, 8", none,
			"what a forged receipt is was read by people; no column holds it"},
		{"judges against the deterministic outcome", "99.1%, 64.4%", none,
			"3,356 misses at 64.4% mean 9,427 positives, which is no event that the counts give: the published text does not say which evaluations are positive"},
		{"median evaluation", "8.2 s to 66.8 s", none, "a median needs every latency, which no count gives"},
		{"judges' tokens", "1,071.7M, 14.0M", none, "outcome rows hold the bankers' tokens alone"},
		{"raw entries of the corpus", "4,750", none, "372 empty ones and 7 with personal data were never released"},
		{"parity with the hosted verifier", "100 of 100", none, "needs the hosted verifier"},
		{"attempts at Level 5 during the live event", "879", none, "the rows are of the replays, not of the event"},
	}
}

// Write prints all figures, published beside ours, and what is left open.
func (t *Tables) Write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(tw, format+"\n", args...) }
	line("figure\tpublished\tours\t\tsource")
	same, rows := 0, t.Compare()
	for _, r := range rows {
		mark := "differs"
		if r.Same() {
			mark = "same"
			same++
		}
		line("%s\t%s\t%s\t%s\t%s", r.Figure, r.Published, r.Ours, mark, r.Source)
	}
	line("\nnot reproducible\tpublished\tours\t\twhy")
	for _, o := range t.NotReproducible() {
		line("%s\t%s\t%s\t\t%s", o.Figure, o.Published, o.Ours, o.Reason)
	}
	line("\n%d of %d figures as published; %s rows counted, %s rejected", same, len(rows), count(t.rows), count(len(t.Rejected)))
	for _, err := range t.Rejected[:min(5, len(t.Rejected))] {
		line("rejected: %s", escape.Line(err.Error()))
	}
	return tw.Flush()
}

// Differing lists the figures that are not as published.
func (t *Tables) Differing() []Row {
	var rows []Row
	for _, r := range t.Compare() {
		if !r.Same() {
			rows = append(rows, r)
		}
	}
	return rows
}
