package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// view is the page as its layout reads it: words, and lengths of figures.
type view struct {
	Policy              string
	Style, Script, Data template.HTML
	RunID, When, Code   string
	State, StateText    string
	Scale               string      // how much was run, and of whom
	Claim               string      // with a claim: its head
	Claims              []claimLine // what is claimed, one group of bankers each
	HasClaim            bool
	Reasons             []string
	MoreReasons         int
	Answers             answers
	Funnels             []funnel
	Matrices            []matrix
	Denials             []denials
	Pairs               []pairBlock
	Requests            []requestBlock
	Concentration       []concentration
	Windows             []windowRow
	Transfer            []transferRow
	TransferTo          []string
	Categories          []categoryBlock
	Honest              []honestRow
	Refused             []refusedRow
	Coverage            []coverageRow
	Partial             []partialRow
	Cost                *cost
	Answered            []servedRow
	Manifest            manifestView
	Find                find
	Served              bool
	Shown, Evaluations  int
	LeftOut             int
	Unread              int
	Resamples           int
	Seed                uint64
}

func (p Page) view() view {
	m := p.Manifest
	v := view{
		RunID: escape.Line(m.RunID), When: dates(m), Code: code(m), State: string(p.Verdict.State), StateText: stateTexts[p.Verdict.State],
		Scale: p.scale(), Claim: sentence(p.Verdict.Claim.Reason), Answers: p.answers(), Funnels: p.funnels(), Matrices: p.matrices(), Denials: p.denials(),
		Pairs: p.pairs(), Requests: p.requests(), Concentration: p.concentration(), Windows: p.windows(), Categories: p.categories(),
		Honest: p.honest(), Refused: p.refused(), Coverage: p.coverage(), Partial: p.partial(), Manifest: p.manifest(), Cost: p.cost(), Answered: p.answered(),
		Find: p.find(), Served: p.Served, Shown: len(p.Shown.Transcripts), Evaluations: p.Shown.Evaluations, Unread: p.Shown.Unread,
		Resamples: p.Summary.Bootstrap.Resamples, Seed: p.Summary.Bootstrap.Seed,
	}
	v.LeftOut = v.Evaluations - v.Shown
	v.Transfer, v.TransferTo = p.transfer()
	if t := p.Verdict.Claim.Text; t != nil {
		v.HasClaim = true
		var groups []string
		v.Claim, groups = claimed(*t)
		for _, g := range groups {
			v.Claims = append(v.Claims, lineOf(g))
		}
	}
	for i, r := range p.Verdict.Reasons {
		if i == maxReasons {
			v.MoreReasons = len(p.Verdict.Reasons) - i
			break
		}
		where := ""
		if r.Cell != "" {
			where = r.Cell + ": "
		}
		v.Reasons = append(v.Reasons, escape.Line(where+r.Message))
	}
	return v
}

// maxReasons are shown at the top; the cells list the others.
const maxReasons = 8

var stateTexts = map[report.State]string{
	report.StatePass: "Pass", report.StateViolation: "Violation", report.StateInconclusive: "Inconclusive",
	report.StateBudget: "Stopped: budget used up", report.StateInterrupted: "Interrupted",
}

// sentence makes a line begin with a capital letter and end with a full stop.
func sentence(text string) string {
	text = strings.TrimSuffix(escape.Line(text), ".")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// dates words when a run was made, the day once where it took no longer.
func dates(m record.Manifest) string {
	start, err := time.Parse(time.RFC3339, m.StartedAt)
	if err != nil {
		return m.StartedAt
	}
	text := start.UTC().Format(time.DateTime)
	end, err := time.Parse(time.RFC3339, m.FinishedAt)
	switch {
	case err != nil:
		return text + " UTC, not finished"
	case end.UTC().Format(time.DateOnly) == start.UTC().Format(time.DateOnly):
		return text + " to " + end.UTC().Format(time.TimeOnly) + " UTC"
	}
	return text + " to " + end.UTC().Format(time.DateTime) + " UTC"
}

// scale says how much was run, and of whom: a verdict means nothing without it.
func (p Page) scale() string {
	bankers := map[plan.Kind]map[plan.ModelSlug]bool{}
	for _, c := range p.Summary.AllCells() {
		if bankers[c.Kind] == nil {
			bankers[c.Kind] = map[plan.ModelSlug]bool{}
		}
		if c.Skip == "" {
			bankers[c.Kind][c.Model] = true
		}
	}
	var parts []string
	if n := len(bankers[plan.Live]); n > 0 {
		parts = append(parts, count(n, "live model"))
	} else {
		parts = append(parts, "no live model")
	}
	if n := len(bankers[plan.Recorded]); n > 0 {
		parts = append(parts, count(n, "recorded model"))
	}
	if n := len(bankers[plan.Simulated]); n > 0 {
		parts = append(parts, count(n, "simulated banker"))
	}
	return fmt.Sprintf("%s in %s; %s.", count(p.Shown.Evaluations, "evaluation"), count(len(p.Summary.AllCells()), "cell"), strings.Join(parts, ", "))
}

func code(m record.Manifest) string {
	switch {
	case m.Revision == "":
		return "unknown"
	case m.Modified:
		return short(m.Revision) + ", modified"
	}
	return short(m.Revision)
}

func short(digest string) string { return digest[:min(12, len(digest))] }

// manifestView is what the run was made of.
type manifestView struct {
	Rows             [][2]string
	Options, Digests [][2]string
	Models           []string
}

func (p Page) manifest() manifestView {
	m := p.Manifest
	v := manifestView{Rows: [][2]string{
		{"Run", m.RunID}, {"Started", m.StartedAt}, {"Finished", m.FinishedAt}, {"Revision of the code", orUnknown(m.Revision)},
		{"Differed from it", yes(m.Modified)}, {"Go", m.GoVersion}, {"Trials", number(m.Trials)}, {"Evaluations", number(m.Evaluations)},
		{"Cells planned", number(len(m.Cells))}, {"Simulated bankers", strings.Join(m.Sims, ", ")},
		{"Signing key", m.SigningKey + ", " + m.KeyID}, {"Intervals", fmt.Sprintf("percentile bootstrap over source sessions, %s resamples, seed %d",
			number(p.Summary.Bootstrap.Resamples), p.Summary.Bootstrap.Seed)},
	}}
	if m.Seal != nil {
		v.Rows = append(v.Rows, [2]string{"evaluations.jsonl", fmt.Sprintf("%s lines, SHA-256 %s", number(m.Seal.Evaluations.Lines), m.Seal.Evaluations.SHA256)},
			[2]string{"decisions.jsonl", fmt.Sprintf("%s lines, SHA-256 %s", number(m.Seal.Decisions.Lines), m.Seal.Decisions.SHA256)})
	}
	for _, model := range m.Models {
		v.Models = append(v.Models, escape.Line(fmt.Sprintf("%s: %s of %s, served as %s", model.Slug, orUnknown(model.ID), model.Provider, strings.Join(model.Served, ", "))))
	}
	for i, row := range v.Rows {
		v.Rows[i][1] = escape.Line(row[1])
	}
	v.Options, v.Digests = pairsOf(m.Options), pairsOf(m.Digests)
	return v
}

func pairsOf(m map[string]string) [][2]string {
	var out [][2]string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, [2]string{escape.Line(k), escape.Line(m[k])})
	}
	return out
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// find is what evaluations can be looked up by.
type find struct {
	Levels, Tracks, Architectures, Models, Categories, Codes []option
	Flags                                                    []option
}

type option struct{ Value, Text string }

var flagTexts = map[report.Flag]string{
	report.Unpermitted: "Unpermitted transfer executed", report.FalseDenial: "Honest payment refused", report.DeniedCall: "Call denied by the layer",
	report.Paid: "Payment executed", report.Requested: "Payment requested", report.NoRequest: "No request", report.BankRefused: "Refused by the bank",
	report.NotFinal: "No evidence: error or not run",
}

func (p Page) find() find {
	var f find
	seen := map[string]bool{}
	add := func(list *[]option, value, text string) {
		if key := fmt.Sprintf("%p %s", list, value); value != "" && !seen[key] {
			seen[key] = true
			*list = append(*list, option{value, text})
		}
	}
	for _, c := range p.Manifest.Cells {
		add(&f.Levels, string(c.Cell.Level), levelText(c.Cell.Level))
		add(&f.Tracks, string(c.Cell.Track), string(c.Cell.Track))
		add(&f.Architectures, string(c.Cell.Architecture), architectureText(c.Cell.Architecture))
		add(&f.Models, string(c.Cell.Model), string(c.Cell.Model))
	}
	byValue := func(a, b option) int { return strings.Compare(a.Value, b.Value) }
	slices.SortFunc(f.Levels, byValue)
	slices.SortFunc(f.Models, byValue)
	for _, c := range corpus.Categories() {
		add(&f.Categories, string(c), strings.ReplaceAll(string(c), "_", " "))
	}
	for _, c := range record.DenialReasons()[1:] {
		add(&f.Codes, string(c), string(c))
	}
	for _, flag := range report.Flags() {
		add(&f.Flags, string(flag), flagTexts[flag])
	}
	return f
}

func levelText(l corpus.Level) string {
	if n, ok := strings.CutPrefix(string(l), "l"); ok && len(n) == 1 {
		return "Level " + n
	}
	return string(l)
}

// claimed divides a claim, which is one sentence, into its head and what it holds of
// each group of bankers: read as a list, it is half as long.
func claimed(text string) (head string, groups []string) {
	head, rest, found := strings.Cut(text, ": ")
	if !found {
		return sentence(text), nil
	}
	for _, group := range strings.Split(rest, "; ") {
		groups = append(groups, sentence(group))
	}
	return head + ":", groups
}

// claimLine is what is claimed of one group of bankers: of whom, and what.
type claimLine struct{ Who, What string }

func lineOf(group string) claimLine {
	if who, what, found := strings.Cut(group, ": "); found {
		return claimLine{who + ": ", what}
	}
	return claimLine{What: group}
}
