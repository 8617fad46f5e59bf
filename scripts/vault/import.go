package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/fixtures"
	"vaultbench/internal/config"
	"vaultbench/internal/corpus"
	"vaultbench/internal/escape"
	"vaultbench/internal/ingest"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/suite"
)

// importCommand brings other people's data in. Each import ends with counts; any
// rejected row makes the status 1, and the rows that are whole are imported.
type importCommand struct {
	Run        importRun        `cmd:"" help:"A run that go tool vault export wrote: its evaluations, decisions and manifest byte for byte, its reports made anew; not its journal."`
	Agentdojo  importAgentDojo  `cmd:"" help:"AgentDojo and AgentDyn run logs."`
	Injecagent importInjecAgent `cmd:"" name:"injecagent" help:"InjecAgent cases, and results with a model's replies."`
	Openai     importOpenAI     `cmd:"" name:"openai" help:"Chats with tool calls, as OpenAI's Chat Completions API has them."`
	Outcomes   importOutcomes   `cmd:"" help:"Outcome rows of the paper's dataset or of another: Parquet, CSV or JSON Lines."`
	Attacks    importAttacks    `cmd:"" help:"A table of attacks, into the attack files: Parquet, CSV or JSON Lines."`
}

// logFlags are common to all logs of conversations.
type logFlags struct {
	Files   []string `arg:"" help:"Logs: JSON Lines, a JSON list, or one JSON object a file; gzip and zstd are recognised. A folder is one log of all its files."`
	Out     string   `required:"" help:"Folder to write to, one <name>.jsonl per log; an existing file is an error. Rejected rows go to its folder rejects." placeholder:"DIR"`
	ToolMap string   `help:"Name of a file of fixtures/toolmaps without .json. AgentDojo's default: agentdojo-<suite>." placeholder:"NAME"`
	Model   string   `help:"What the model is called where the log does not say it." placeholder:"NAME"`
}

type (
	importAgentDojo  struct{ logFlags }
	importInjecAgent struct{ logFlags }
	importOpenAI     struct{ logFlags }
)

// Run converts run logs.
func (c *importAgentDojo) Run(stdout io.Writer) error {
	return c.convert(stdout, recorded.AgentDojo)
}

// Run converts cases and results.
func (c *importInjecAgent) Run(stdout io.Writer) error {
	return c.convert(stdout, recorded.InjecAgent)
}

// Run converts chats.
func (c *importOpenAI) Run(stdout io.Writer) error { return c.convert(stdout, recorded.OpenAI) }

// convert converts each log and prints what it came to.
func (c *logFlags) convert(stdout io.Writer, source recorded.Source) error {
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	if err != nil {
		return err
	}
	if _, known := maps[c.ToolMap]; c.ToolMap != "" && !known {
		return fmt.Errorf("import: no tool map %q: write fixtures/toolmaps/%s.json", c.ToolMap, c.ToolMap)
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("import: create --out: %w", err)
	}
	logs := ingest.Logs{How: recorded.Import{Source: source, ToolMap: c.ToolMap, Model: c.Model}, Maps: maps, Out: c.Out, Parse: suite.Unparsed}
	ctx, stop := config.Interruptible()
	defer stop()
	var total ingest.Counts
	for i, path := range c.Files {
		counts, rejects, err := logs.Convert(ctx, path)
		if err != nil && i > 0 {
			err = fmt.Errorf("%w; of the logs named before it the conversations stand in %s", err, c.Out)
		}
		if err != nil {
			return rejectedIn(rejects, fmt.Errorf("import: %w", err))
		}
		total.Add(counts)
		if err := say(stdout, filepath.Base(path), counts, rejects); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(stdout, "total: %s\n", total); err != nil {
		return err
	}
	if err := c.sayExpected(stdout); err != nil {
		return err
	}
	return anyRejected(total)
}

// expectedFile is a count that may lie beside recordings, to be compared with what
// their replay counts.
const expectedFile = "expected.json"

// sayExpected names the counts beside the logs: they are of all logs of their
// folder, so it is for whoever imports to say whether they are of these.
func (c *logFlags) sayExpected(stdout io.Writer) error {
	said := map[string]bool{}
	for _, path := range c.Files {
		for _, dir := range []string{path, filepath.Dir(path)} {
			file := filepath.Join(dir, expectedFile)
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || said[file] {
				continue
			}
			said[file] = true
			if _, err := fmt.Fprintf(stdout, "%s is not taken along: copy it to %s, and the replay is compared with it\n", escape.Line(file), escape.Line(c.Out)); err != nil {
				return err
			}
		}
	}
	return nil
}

// say prints one file's counts, and where its rejects are.
func say(stdout io.Writer, name string, counts ingest.Counts, rejects string) error {
	line := escape.Line(name) + ": " + counts.String()
	if rejects != "" {
		line += "; see " + escape.Line(rejects)
	}
	for warning := range strings.Lines(counts.Warning()) {
		line += "\n  " + escape.Line(strings.TrimSuffix(warning, "\n"))
	}
	_, err := fmt.Fprintln(stdout, line)
	return err
}

func anyRejected(c ingest.Counts) error {
	if n := c.AllRejected(); n > 0 {
		return fmt.Errorf("import: %d of %d rows rejected", n, c.Read)
	}
	return nil
}

func rejectedIn(rejects string, err error) error {
	if rejects == "" {
		return err
	}
	return fmt.Errorf("%w; see %s", err, rejects)
}
