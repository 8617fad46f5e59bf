package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vaultbench/internal/authz"
	"vaultbench/internal/escape"
	"vaultbench/internal/oap"
	"vaultbench/internal/record"
	"vaultbench/passports"
)

// decideCommand decides about one context, with nothing paid before.
type decideCommand struct {
	Passport string    `required:"" help:"The passport." placeholder:"FILE"`
	Context  string    `required:"" help:"The payment as a JSON object, as the pack's required_context describes it; - is standard input." placeholder:"FILE"`
	Pack     string    `help:"The policy pack. Default: the shipped finance.payment.charge.v1." placeholder:"FILE"`
	Profile  string    `enum:"oap,published" default:"oap" help:"Whose reading of the pack: oap (with the audit code) or published."`
	At       time.Time `format:"2006-01-02T15:04:05Z07:00" help:"When the payment is asked for, RFC 3339. Default: now." placeholder:"TIME"`
	Explain  bool      `help:"Also print each gate and rule with the values that it saw."`
}

// Run prints the decision as JSON, and what led to it if asked.
func (c *decideCommand) Run(stdout io.Writer, stderr errorWriter) error {
	layer, err := c.layer()
	if err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	raw, err := readContext(c.Context)
	if err != nil {
		return fmt.Errorf("decide: context: %w", err)
	}
	if c.At.IsZero() {
		c.At = time.Now().Truncate(time.Second)
	}
	if unknown := layer.UnknownFields(raw); len(unknown) > 0 {
		_, _ = fmt.Fprintf(stderr, "vault: note: %s: no rule can read what the pack's required_context does not name: if one is misspelt, it counts as absent\n", escape.Line(strings.Join(unknown, ", ")))
	}
	decision, steps := layer.Open().ExplainContext(raw, c.At.UTC())
	decision.Origin = authz.FromLayer
	var text bytes.Buffer
	if err := record.EncodeJSON(&text, decision); err != nil {
		return err
	}
	if _, err := stdout.Write(escape.JSON(text.Bytes())); err != nil || !c.Explain {
		return err
	}
	return explain(stdout, steps)
}

func (c *decideCommand) layer() (*oap.Layer, error) {
	raw, err := os.ReadFile(c.Passport)
	if err != nil {
		return nil, err
	}
	passport, err := oap.ParsePassport(filepath.ToSlash(c.Passport), raw)
	if err != nil {
		return nil, err
	}
	pack, err := c.pack()
	if err != nil {
		return nil, err
	}
	return oap.NewLayer(passport, pack, oap.Profile(c.Profile))
}

func (c *decideCommand) pack() (oap.PolicyPack, error) {
	if c.Pack == "" {
		return oap.LoadPack(passports.FS, oap.ChargePack)
	}
	raw, err := os.ReadFile(c.Pack)
	if err != nil {
		return oap.PolicyPack{}, err
	}
	return oap.ParsePack(filepath.ToSlash(c.Pack), raw)
}

// maxInput bounds what is read as a context, which may be an endless stream. The
// engine denies long before.
const maxInput = 64 << 20

func readContext(name string) ([]byte, error) {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	var trouble *fs.PathError
	switch {
	case errors.As(err, &trouble):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(raw) > maxInput:
		return nil, fmt.Errorf("read %s: more than %d bytes", name, maxInput)
	}
	return raw, nil
}

// explain prints the steps as a table.
func explain(stdout io.Writer, steps []oap.Step) error {
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	lines := []string{"", "gate or rule\toutcome\tcode\tvalues"}
	for _, s := range steps {
		kind, code := "rule ", "-"
		if s.Gate {
			kind = "gate "
		}
		if s.Code != "" {
			code = string(s.Code)
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s", escape.Line(kind+s.Name), outcome(s.Outcome), code, escape.Line(seen(s))))
	}
	if _, err := fmt.Fprintln(w, strings.Join(lines, "\n")); err != nil {
		return err
	}
	return w.Flush()
}

func outcome(o oap.StepOutcome) string {
	switch o {
	case oap.StepSkipped:
		return "skipped (absent field)"
	case oap.StepOvertaken:
		return "skipped (an earlier rule has denied for what it misses)"
	}
	return string(o)
}

// maxShown is how much of one value is shown, in characters.
const maxShown = 300

// seen are the values that a step read, or what it says where it read none.
func seen(s oap.Step) string {
	var parts []string
	for _, v := range s.Values {
		table := func(o authz.Seen) bool { return strings.HasPrefix(o.Name, v.Name+"[") } // its entry says it
		if !slices.ContainsFunc(s.Values, table) {
			parts = append(parts, v.Name+" = "+escape.Short(v.Value, maxShown))
		}
	}
	if s.Gate && s.Message != "" {
		parts = append(parts, s.Message)
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}
