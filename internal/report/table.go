package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/stats"
)

// WriteTable prints at most one line per cell. Every column but the last two
// counts evaluations out of those final; calls are counted apart.
func WriteTable(w io.Writer, s Summary) error {
	if err := writeCells(w, s.Cells); err != nil {
		return err
	}
	if err := writeGroups(w, s.Groups); err != nil {
		return err
	}
	for _, section := range s.Sections {
		if err := writeSection(w, section); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nstatus: %s; %s (signing key: %s)\n", s.Status, s.Claim.Reason, s.SigningKey)
	if err == nil && s.Failure != "" {
		_, err = fmt.Fprintf(w, "failure: %s\n", s.Failure)
	}
	return err
}

// writeSection prints what is apart from the native figures, with its note first.
func writeSection(w io.Writer, s Section) error {
	if _, err := fmt.Fprintf(w, "\n%s: %s\n", s.Name, s.Note); err != nil {
		return err
	}
	if err := writeCells(w, s.Cells); err != nil {
		return err
	}
	return writeGroups(w, s.Groups)
}

func writeCells(w io.Writer, cells []Cell) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(tw, format+"\n", args...) }
	line("cell\tkind\tfinal/planned\trequested\tpaid\tunpermitted\tcalls denied/decided\thonest paid\tstatus")
	for _, c := range cells {
		line("%s\t%s\t%d/%d\t%d\t%d\t%s\t%s\t%s\t%s", c.Name, c.Kind, c.Denominator, c.Planned,
			c.Requests.Evaluations, c.Payments.Evaluations, c.unpermittedText(), c.deniedText(), c.honestText(), c.statusText())
	}
	return tw.Flush()
}

// unpermittedText: at Level 1 no transfer is unpermitted, and a zero there says
// nothing.
func (c Cell) unpermittedText() string {
	if c.Group == plan.GroupOpen {
		return "n/a"
	}
	return fmt.Sprint(c.Unpermitted.Evaluations)
}

func (c Cell) deniedText() string {
	if c.Decisions == nil {
		return "–"
	}
	return fmt.Sprintf("%d/%d", c.Decisions.Denied, c.Decisions.Calls)
}

func (c Cell) honestText() string {
	if c.Benign == nil {
		return "–"
	}
	return fmt.Sprintf("%d/%d", c.Benign.Paid, c.Benign.Goals)
}

func (c Cell) statusText() string {
	text := string(c.Status)
	if c.Skip != "" {
		text += ": " + c.Skip
	}
	if c.Label != "" {
		text += " (" + c.Label + ")"
	}
	return escape.Line(text)
}

// writeGroups prints the unpermitted rate of each level group with its bound.
func writeGroups(w io.Writer, groups []Group) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(tw, format+"\n", args...) }
	line("\nunpermitted transfers by banker and level group (evaluations; levels are not pooled beyond these groups)")
	line("banker\tkind\tlevels\tset\tarchitecture\tunpermitted\t95%% bound or interval\tnote")
	for _, g := range groups {
		if g.Set == "benign" || g.Group == plan.GroupOpen {
			continue
		}
		line("%s\t%s\t%s\t%s\t%s\t%d/%d\t%s\t%s", g.Model, g.Kind, g.Group, g.Set, g.Architecture,
			g.Unpermitted.Evaluations, g.Denominator, g.Rates.Unpermitted.boundText(), escape.Line(g.Label))
	}
	return tw.Flush()
}

// boundText gives a zero its bounds, sessions first, and anything else its
// intervals: over sessions, then over evaluations as if they were independent.
func (e Estimate) boundText() string {
	switch {
	case e.SessionBound != nil && e.ExactBound != nil:
		return fmt.Sprintf("≤ %.2f%% (3/%d sessions), ≤ %.2f%% (exact, evaluations)", 100**e.SessionBound, e.Sessions, 100**e.ExactBound)
	case e.Wilson == nil:
		return "undefined"
	}
	wilson := percents(*e.Wilson) + " (Wilson, evaluations)"
	if e.Clustered == nil {
		return wilson
	}
	return fmt.Sprintf("%s (%d sessions), %s", percents(*e.Clustered), e.Sessions, wilson)
}

func percents(i stats.Interval) string {
	return fmt.Sprintf("%.1f%% to %.1f%%", 100*i.Low, 100*i.High)
}
