package mutation

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report for people: a table of the operators, what noticed
// the mutants, the faults, and the score as last line.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.writeOperators(&b)
	r.writeNoticers(&b)
	for _, m := range r.Results {
		if m.Equivalent != "" && !m.Killed() {
			fmt.Fprintf(&b, "equivalent: %s: %s\n", m.ID, m.Equivalent)
		}
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "FAULT: %s\n", f)
	}
	noticed, of := r.Score()
	fmt.Fprintf(&b, "mutation score %d/%d; %d mutants: %d noticed by decisions, %d refused by the loader, %d equivalent, %d survived\n",
		noticed, of, r.Mutants, r.Killed, r.Refused, r.Equivalent, r.Survived)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeOperators counts by operator, in the order of their first mutant.
func (r Report) writeOperators(b *strings.Builder) {
	type counts struct{ mutants, killed, refused, equivalent, survived int }
	byName := map[string]*counts{}
	var order []string
	for _, m := range r.Results {
		c := byName[m.Operator]
		if c == nil {
			c = &counts{}
			byName[m.Operator] = c
			order = append(order, m.Operator)
		}
		c.mutants++
		switch {
		case m.By(Loader):
			c.refused++
		case m.Killed():
			c.killed++
		case m.Equivalent != "":
			c.equivalent++
		default:
			c.survived++
		}
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(t, "operator\tmutants\tby decisions\tby the loader\tequivalent\tsurvived\t")
	for _, name := range order {
		c := byName[name]
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, c.mutants, c.killed, c.refused, c.equivalent, c.survived)
	}
	_ = t.Flush()
}

// kinds groups what can notice a mutant for people.
var kinds = []struct {
	name        string
	expect, pin By
}{{"attacks", AttackExpect, AttackGolden}, {"honest twins", TwinExpect, TwinGolden}, {"probes", "", ProbeGolden}}

// writeNoticers counts what noticed the mutants that load: by a golden, of those
// by what the attack or twin itself expects, and by nothing of another kind.
func (r Report) writeNoticers(b *strings.Builder) {
	for _, kind := range kinds {
		pinned, expected, alone := 0, 0, 0
		for _, m := range r.Results {
			if !m.By(kind.pin) {
				continue
			}
			pinned++
			if m.By(kind.expect) {
				expected++
			}
			if others := slices.ContainsFunc(m.Kills, func(k Kill) bool { return k.By != kind.expect && k.By != kind.pin }); !others {
				alone++
			}
		}
		fmt.Fprintf(b, "noticed by the goldens of %s: %d", kind.name, pinned)
		if kind.expect != "" {
			fmt.Fprintf(b, ", by what they expect themselves: %d", expected)
		}
		fmt.Fprintf(b, ", by them alone: %d\n", alone)
	}
}
