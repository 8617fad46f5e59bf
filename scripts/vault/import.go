package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vaultbench/fixtures"
	"vaultbench/internal/corpus"
	"vaultbench/internal/llm/recorded"
	"vaultbench/internal/record"
)

type importCommand struct {
	Run       importRun       `cmd:"" help:"A run that go tool vault export wrote, byte for byte."`
	Agentdojo importAgentDojo `cmd:"" help:"AgentDojo run logs, one run a line, gzip'd or not."`
}

// importAgentDojo converts AgentDojo run logs into the suite's own format. It
// reads one conversation at a time.
type importAgentDojo struct {
	Files []string `arg:"" help:"Run logs (JSONL, gzip'd or not)."`
	Out   string   `required:"" help:"Folder to write to, one <stem>.jsonl per run log; an existing file is an error." placeholder:"DIR"`
}

// Run converts each file and prints what it found.
func (c *importAgentDojo) Run(stdout io.Writer) error {
	maps, err := corpus.LoadToolMaps(fixtures.FS)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("import: create --out: %w", err)
	}
	total := counts{}
	for _, file := range c.Files {
		n, err := c.convert(file, maps)
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		total.add(n)
		if _, err := fmt.Fprintf(stdout, "%s: %s\n", filepath.Base(file), n); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "total: %s\n", total)
	return err
}

// counts are what one file held.
type counts struct{ conversations, crashed, transfers int }

func (c *counts) add(o counts) {
	c.conversations += o.conversations
	c.crashed += o.crashed
	c.transfers += o.transfers
}

func (c counts) String() string {
	return fmt.Sprintf("%d conversations, %d of them ended in a source error, %d transfer calls", c.conversations, c.crashed, c.transfers)
}

// convert writes one file, whole or not at all.
func (c *importAgentDojo) convert(file string, maps map[string]corpus.ToolMap) (counts, error) {
	r, err := recorded.Open(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err != nil {
		return counts{}, err
	}
	defer func() { _ = r.Close() }()
	out := filepath.Join(c.Out, recorded.Stem(filepath.Base(file))+".jsonl")
	if _, err := os.Stat(out); err == nil {
		return counts{}, fmt.Errorf("%s exists: delete it or choose another --out", out)
	}
	var n counts
	err = record.WriteFile(out, func(w io.Writer) error {
		for {
			conversation, err := r.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := n.take(conversation, maps); err != nil {
				return err
			}
			if err := recorded.Write(w, conversation); err != nil {
				return err
			}
		}
	})
	return n, err
}

// take counts a conversation whose tools somebody has mapped: without a tool map
// nothing could be replayed.
func (c *counts) take(conversation recorded.Conversation, maps map[string]corpus.ToolMap) error {
	if !strings.HasPrefix(conversation.ToolMap, "agentdojo-") {
		return fmt.Errorf("%s:%d: %s: no AgentDojo run (its tool map is %q): VAULT_RECORDINGS reads it as it stands", conversation.File, conversation.Line, conversation.ID, conversation.ToolMap)
	}
	m, ok := maps[conversation.ToolMap]
	if !ok {
		return fmt.Errorf("%s:%d: %s: no tool map %q: write fixtures/toolmaps/%s.json", conversation.File, conversation.Line, conversation.ID, conversation.ToolMap, conversation.ToolMap)
	}
	c.conversations++
	if conversation.SourceError != "" {
		c.crashed++
	}
	for _, message := range conversation.Messages {
		for _, call := range message.ToolCalls {
			if call.Name == m.Transfer {
				c.transfers++
			}
		}
	}
	return nil
}
