package export

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/plan"
	"vaultbench/internal/record"
	"vaultbench/internal/report"
)

// datasheetFile describes an export for those who have nothing but it.
const datasheetFile = "DATASHEET.md"

// counts are what the datasheet tells of the rows.
type counts struct {
	kinds    map[string]int // evaluations by section and kind
	ends     map[record.End]int
	langs    map[string]bool
	sessions map[corpus.SessionID]bool
	latency  bool
	recorded int
}

func newCounts() counts {
	return counts{kinds: map[string]int{}, ends: map[record.End]int{}, langs: map[string]bool{}, sessions: map[corpus.SessionID]bool{}}
}

func (c *counts) add(e record.Evaluation, o Outcome) {
	c.kinds[fmt.Sprintf("%s, %s bankers", cmp.Or(string(e.Cell.Track.Section()), "as written"), e.Kind)]++
	c.ends[e.End]++
	c.sessions[e.Session] = true
	if e.Lang != "" {
		c.langs[e.Lang] = true
	}
	c.latency = c.latency || o.LatencyMS > 0
	if e.Cell.Track == corpus.Recorded {
		c.recorded++
	}
}

// datasheet writes what a reader must know. Everything in it comes from the run.
func (w *writer) datasheet(dir string, s report.Summary) error {
	var b strings.Builder
	m := w.manifest
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("# Datasheet of run %s\n", escape.Line(m.RunID))
	say("## Origin\n")
	say("One run of the vault benchmark (payment authorization for AI agents), from %s to %s, revision `%s`%s, %s.",
		m.StartedAt, cmp.Or(m.FinishedAt, "?"), cmp.Or(m.Revision, "unknown"), modified(m.Modified), m.GoVersion)
	if report.OwnCorpus(m.Digests) {
		say("Attacks and honest tasks are not those of that project: whoever brought them (`VAULT_CORPUS`) says where they come from.")
		say("Simulated bankers are instruments, not models. Every figure is judged by the mock bank's ledger alone.\n")
	} else {
		say("Attacks and honest tasks were written for that project, drafted with language models and checked by rules; no real person, company,")
		say("account or leaked text. Simulated bankers are instruments, not models. Every figure is judged by the mock bank's ledger alone.\n")
	}
	say("Status of the run: %s. Claim: %s\n", s.Status, claimText(s.Claim))
	w.countsSection(say)
	w.filesSection(say)
	say("## Licence\n")
	if report.OwnCorpus(m.Digests) {
		say("Attacks and honest tasks: whatever their owner says; nothing is granted here. Simulated bankers: Apache-2.0, the project's licence.")
		say("What live models wrote is under the terms of")
	} else {
		say("Attacks, honest tasks, simulated bankers and their outcomes: Apache-2.0, the project's licence. What live models wrote is under the terms of")
	}
	say("their providers; recorded conversations are under the licence of their source. Neither is granted here.\n")
	w.gapsSection(say, s)
	say("## Reading it back\n")
	say("`sha256sum -c %s` checks the files; `%s` is the digest of that list. `go tool vault import run <this folder> --out results/<name>` makes the run's", sumsFile, snapshotFile)
	say("folder again, byte for byte, and counts its figures anew.")
	return writeText(filepath.Join(dir, datasheetFile), b.String())
}

func modified(m bool) string {
	if m {
		return " (the tree differed from it)"
	}
	return ""
}

func claimText(c report.Claim) string {
	if c.Text == nil {
		return escape.Line(c.Reason)
	}
	return escape.Line(*c.Text)
}

func (w *writer) countsSection(say func(string, ...any)) {
	say("## Counts\n")
	say("| what | rows |\n| --- | ---: |")
	say("| evaluations (rows of `outcomes*`) | %d |", w.evaluations)
	for _, k := range slices.Sorted(maps.Keys(w.counts.kinds)) {
		say("| – %s | %d |", k, w.counts.kinds[k])
	}
	for _, end := range record.Ends() {
		if n := w.counts.ends[end]; n > 0 {
			say("| – that ended as `%s` | %d |", end, n)
		}
	}
	say("| source sessions | %d |", len(w.counts.sessions))
	say("| prompts | %d |", w.prompts.rows)
	say("| transcript entries: replies, calls, transfers | %d |", w.transcripts.rows)
	say("| languages of the prompts | %d |\n", len(w.counts.langs))
}

func (w *writer) filesSection(say func(string, ...any)) {
	say("## Files\n")
	say("Each table as Parquet (zstd), JSON Lines and CSV with the same columns and rows.\n")
	say("- `outcomes.*`: one evaluation a row, with the five events; `evaluation` is its id.")
	for _, s := range sections()[1:] {
		if w.outcomes[s] != nil {
			say("- `%s.*`: the same for the section %q. Never pool it with `outcomes.*`.", outcomesOf(s), s)
		}
	}
	say("- `prompts.*`: what was replayed: join by `attack`, `level` and section. The track `single` replays the last message alone.")
	say("- `transcripts.*`: replies, calls with their decisions, and posted transfers of each evaluation.")
	say("- `manifest.json`, `decisions.jsonl`: the run's signed manifest and receipts. `summary.json`: its figures.\n")
	say("Amounts of calls and transfers are in minor units; goals hold the raw value. In CSV a text is one line: a backslash, line ends and control")
	say("characters are written `\\\\`, `\\n`, `\\u001b`, and an apostrophe stands before what a spreadsheet would take for a formula. Lists are JSON.")
	say("Raw arguments that are no valid UTF-8 stand in `arguments_base64`.\n")
}

func (w *writer) gapsSection(say func(string, ...any), s report.Summary) {
	say("## Known gaps\n")
	skipped, missing := 0, 0
	kinds := map[plan.Kind]bool{}
	for _, c := range s.AllCells() {
		kinds[c.Kind] = true
		if c.Skip != "" {
			skipped++
			say("- cell `%s` was skipped: %s", c.Name, escape.Line(c.Skip))
			continue
		}
		if n := c.Planned - c.Denominator; n > 0 {
			missing++
			say("- cell `%s`: %d of %d evaluations are not final; they are in no denominator", c.Name, n, c.Planned)
		}
	}
	if skipped+missing == 0 {
		say("- none in the cells: every planned evaluation is final")
	}
	if !kinds[plan.Live] {
		say("- no live model was asked")
	}
	if w.counts.recorded > 0 {
		say("- %d recorded conversations: what their users wrote is in no table, and the models did not react to a denial", w.counts.recorded)
	}
	if !w.counts.latency {
		say("- no wall-clock latency: the columns are zero")
	}
	if m := w.manifest; m.SigningKey != "own" {
		say("- signed with the published test key: the signatures show damage, not who signed")
	}
	if report.OwnCorpus(w.manifest.Digests) {
		say("- how the attacks were collected is not known here\n")
		return
	}
	say("- the attacks were not collected from a live event; few sessions, so bounds by session are wide\n")
}
