package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"vaultbench/internal/authz"
	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/oap"
	"vaultbench/internal/plan"
	"vaultbench/internal/receipt"
	"vaultbench/internal/record"
	"vaultbench/internal/redecide"
	"vaultbench/internal/suite"
	"vaultbench/scripts/pinned"
)

// redecideCommand answers a change of policy from a run's record.
type redecideCommand struct {
	Folder       string `arg:"" name:"run" help:"A finished run's folder, such as results/latest."`
	Passports    string `required:"" help:"A folder shaped like passports/, such as that of a changed checkout." placeholder:"DIR"`
	Architecture string `enum:"oap,published" default:"oap" help:"Whose cells are decided again, and by which profile calls without a layer are."`
	JSON         bool   `name:"json" help:"Print one JSON object, with every call of the cells without a layer."`
}

// Run prints what flips; anything that does is an error, and so is what keeps it
// from being told, with another status.
func (c *redecideCommand) Run(stdout io.Writer, stderr errorWriter) error {
	r, err := c.report()
	if err != nil {
		return statusError{fmt.Errorf("redecide: %w", err), 2}
	}
	spare, err := pinned.SparePassports(os.DirFS(c.Passports))
	if err != nil {
		return statusError{fmt.Errorf("redecide: --passports %s: %w", c.Passports, err), 2}
	}
	for _, file := range spare {
		_, _ = fmt.Fprintf(stderr, "vault: note: %s: no level and no tool map decides by this passport\n", escape.Line(filepath.Join(c.Passports, file)))
	}
	if err := c.print(stdout, r); err != nil {
		return statusError{err, 2}
	}
	if n := len(r.Flips); n > 0 {
		derived := ""
		if len(r.Derived) > 0 {
			derived = fmt.Sprintf(", and of %d crossed and varied attacks,", len(r.Derived))
		}
		return fmt.Errorf("redecide: %d calls of %d attacks and %d honest tasks%s flip%s", n, len(r.Attacks), len(r.Honest), derived, unpermitted(r))
	}
	return nil
}

func (c *redecideCommand) report() (*redecide.Report, error) {
	layers, err := c.layers()
	if err != nil {
		return nil, err
	}
	architecture := plan.Architecture(c.Architecture)
	r := redecide.NewReport(architecture)
	file := filepath.Join(c.Folder, record.EvaluationsFile)
	m, err := sealed(c.Folder)
	if err != nil {
		return nil, err
	}
	for _, cell := range m.Cells { // a passport that is none is no fault of an evaluation
		if a := cell.Cell.Architecture; cell.Skip == "" && (a == architecture || a == plan.Alone) {
			if _, err := layers(cell.Cell.Level); err != nil {
				return nil, err
			}
		}
	}
	r.Skipped, err = redecide.Run(context.Background(), file, redecide.Config{Architecture: architecture, Layer: layers}, r.Add)
	if err != nil {
		return nil, err
	}
	if r.Decided+r.Alone.Calls == 0 {
		return nil, fmt.Errorf("%s: no payment request in a cell of %s or %s: nothing to decide", file, plan.Alone, architecture)
	}
	r.Finish()
	return r, nil
}

// sealed checks that a folder's files are those of one finished run, and returns
// what that was made of.
func sealed(dir string) (m record.Manifest, err error) {
	_, err = receipt.ReadSealed(dir, nil, func(of record.Manifest) (func(record.Evaluation) error, error) {
		m = of
		return func(record.Evaluation) error { return nil }, nil
	})
	return m, err
}

// layers are those of the folder that was given; what is wrong there is said with
// its name.
func (c *redecideCommand) layers() (func(corpus.Level) (redecide.Layer, error), error) {
	named := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--passports %s: %w: want a folder like passports/, with level-N.json of every level that is decided again and packs/%s.json", c.Passports, err, oap.ChargePack)
		}
		return fmt.Errorf("--passports %s: %w", c.Passports, err)
	}
	of, err := layersOf(os.DirFS(c.Passports), oap.Profile(c.Architecture))
	if err != nil {
		return nil, named(err)
	}
	return func(l corpus.Level) (redecide.Layer, error) {
		layer, err := of(l)
		if err != nil {
			return layer, named(err)
		}
		return layer, nil
	}, nil
}

// layersOf joins the passports of a folder with its charge pack, each when it is
// asked for.
func layersOf(folder fs.FS, profile oap.Profile) (func(corpus.Level) (redecide.Layer, error), error) {
	levels, toolMaps, err := loadDirectories()
	if err != nil {
		return nil, err
	}
	if err := pinned.OnlyPack(folder, ""); err != nil {
		return nil, err
	}
	pack, err := oap.LoadPack(folder, oap.ChargePack)
	if err != nil {
		return nil, err
	}
	return func(l corpus.Level) (redecide.Layer, error) {
		name, byCode, directory := suite.PassportOf(l), levels[l].Idempotency == corpus.KeyAuditCode, levels[l].Directory
		if m, ok := toolMaps[string(l)]; ok {
			name, directory = m.Passport, m.Directory
		} else if _, ok := levels[l]; !ok {
			return redecide.Layer{}, fmt.Errorf("%q is no level and no tool map of this version", l)
		}
		passport, err := oap.LoadPassport(folder, name)
		if err != nil {
			return redecide.Layer{}, err
		}
		layer, err := oap.NewLayer(passport, pack, profile)
		if err != nil {
			return redecide.Layer{}, err
		}
		return redecide.Layer{Open: func() authz.Authorizer { return layer.Open() }, KeyByAuditCode: byCode, Directory: directory}, nil
	}, nil
}

func (c *redecideCommand) print(stdout io.Writer, r *redecide.Report) error {
	var b bytes.Buffer
	if c.JSON {
		if err := record.EncodeJSON(&b, r); err != nil {
			return err
		}
		_, err := stdout.Write(escape.JSON(b.Bytes()))
		return err
	}
	fmt.Fprintf(&b, "%d decided calls: %d newly denied, %d newly allowed, %d changed reason, %d the same\n", r.Decided,
		r.Changes[redecide.NewlyDenied], r.Changes[redecide.NewlyAllowed], r.Changes[redecide.ChangedReason], r.Changes[redecide.Same])
	if r.Unpermitted > 0 {
		fmt.Fprintf(&b, "violation: %s\n", whom(r))
	}
	for _, set := range []struct {
		what string
		ids  []corpus.AttackID
	}{{"attacks", r.Attacks}, {"honest tasks", r.Honest}, {"crossed and varied attacks", r.Derived}} {
		if len(set.ids) > 0 {
			fmt.Fprintf(&b, "%d %s flip: %s\n", len(set.ids), set.what, escape.Line(joined(set.ids)))
		}
	}
	fmt.Fprintf(&b, "%d calls without a layer: it would allow %d (%d of them unpermitted) and deny %d%s\n",
		r.Alone.Calls, r.Alone.Allowed, r.Alone.Unpermitted, r.Alone.Denied, reasons(r.Alone.Reasons))
	for _, a := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(&b, "%d evaluations of %s were left out\n", r.Skipped[a], escape.Line(string(a)))
	}
	writeFlips(&b, r)
	_, err := stdout.Write(b.Bytes())
	return err
}

// unpermitted ends the error with what weighs more than any flip; empty: nothing.
func unpermitted(r *redecide.Report) string {
	if r.Unpermitted == 0 {
		return ""
	}
	return ": " + whom(r)
}

// whom says whom newly allowed calls would pay against the policy.
func whom(r *redecide.Report) string {
	recipients := map[string]int{}
	for _, f := range r.Flips {
		if f.Change == redecide.NewlyAllowed && f.Unpermitted {
			recipients[string(f.Payment.Recipient)]++
		}
	}
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(recipients)) {
		parts = append(parts, fmt.Sprintf("%q in %d", id, recipients[id]))
	}
	return fmt.Sprintf("%d newly allowed calls would pay whom the policy does not permit: %s", r.Unpermitted, strings.Join(parts, ", "))
}

// writeFlips adds the flips up by level, set, change and rules, and then lists each.
func writeFlips(b *bytes.Buffer, r *redecide.Report) {
	if len(r.Flips) == 0 {
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "\nlevel\tset\tchange\tcalls\tunpermitted\tof\tby")
	for _, s := range r.Sums() {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s → %s\n", escape.Line(string(s.Level)), s.Set, s.Change, s.Calls, s.Unpermitted, s.Attacks, verdictText(s.Old), verdictText(s.New))
	}
	_, _ = fmt.Fprintln(w, "\nattack\tcall\tcell\tchange\tby")
	for _, f := range r.Flips {
		_, _ = fmt.Fprintf(w, "%s\tcall %d\t%s\t%s\t%s → %s\n", escape.Line(string(f.Attack)), f.Position, escape.Line(cellOf(f)), f.Change, verdictText(*f.Old), verdictText(f.New))
	}
	_ = w.Flush() // into memory
}

func cellOf(f redecide.Line) string {
	if f.Trial > 1 {
		return fmt.Sprintf("%s (trial %d)", f.Cell, f.Trial)
	}
	return f.Cell
}

func verdictText(v redecide.Verdict) string {
	return escape.Line(fmt.Sprintf("%s (%s)", v.Code, v.Rule))
}

func joined[T ~string](words []T) string {
	var out []string
	for _, w := range words {
		out = append(out, string(w))
	}
	return strings.Join(out, ", ")
}

// reasons lists how many calls each code would deny, the most frequent first.
func reasons(counts map[authz.DenialReason]int) string {
	codes := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(codes, func(a, b authz.DenialReason) int { return counts[b] - counts[a] })
	var parts []string
	for _, code := range codes {
		parts = append(parts, fmt.Sprintf("%s %d", code, counts[code]))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
