package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"vaultbench/internal/escape"
)

// shownReasons is how many reasons the text shows; the JSON holds all.
const shownReasons = 20

// WriteReasons writes the first reasons that keep a run from passing, one printable
// line each, and how many more there are.
func WriteReasons(w io.Writer, v Verdict, most int) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { b.WriteString(escape.Line(fmt.Sprintf(format, args...)) + "\n") }
	for i, r := range v.Reasons {
		if i == most {
			line("and %d more reasons: see go tool vault verdict --json", len(v.Reasons)-i)
			break
		}
		if r.Cell != "" {
			line("%s: %s: %s", r.State, r.Cell, r.Message)
		} else {
			line("%s: %s", r.State, r.Message)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteVerdict writes a verdict as text, one printable line for each thing.
func WriteVerdict(w io.Writer, v Verdict) error {
	if err := WriteReasons(w, v, shownReasons); err != nil {
		return err
	}
	var b bytes.Buffer
	line := func(format string, args ...any) { b.WriteString(escape.Line(fmt.Sprintf(format, args...)) + "\n") }
	for _, c := range v.RateChanges {
		line("rate: %s", c.Text())
	}
	for _, c := range v.Conditions {
		state := "holds"
		if !c.Holds {
			state = "FAILS"
		}
		line("claim needs %s: %s: %s", c.Name, state, c.Detail)
	}
	if v.Claim.Text == nil { // else they are the claim
		for _, bound := range v.Bounds {
			line("bound: %s", bound.Text)
		}
	}
	for _, c := range v.Caveats {
		line("note: %s", c)
	}
	if v.Claim.Text != nil {
		line("claim: %s:", claimHead)
		for _, bound := range v.Bounds {
			line("claim:   %s", bound.Text)
		}
	} else {
		line("%s", v.Claim.Reason)
	}
	line("%s: %s", strings.TrimSpace("verdict "+v.RunID), v.State)
	_, err := w.Write(b.Bytes())
	return err
}
