package recorded

import (
	"errors"
	"fmt"
	"io"

	"vaultbench/internal/unpack"
)

// Source is a format of another tool's logs.
type Source string

// The sources that an Importer reads (docs/import.md).
const (
	AgentDojo  Source = "agentdojo"  // and AgentDyn
	InjecAgent Source = "injecagent" // cases, and results with a model's replies
	OpenAI     Source = "openai"     // chats with tool calls, as the Chat Completions API has them
)

// Import says how a log is read.
type Import struct {
	Source  Source
	ToolMap string // of every conversation; empty: as the log says
	Model   string // of every conversation; empty: as the log says
}

// BadRow is a row that is no whole conversation; those behind it may be.
type BadRow struct {
	Row int // from 1
	Raw []byte
	Err error
}

// Error is what is wrong with the row.
func (b *BadRow) Error() string { return b.Err.Error() }

// Unwrap returns what is wrong with the row.
func (b *BadRow) Unwrap() error { return b.Err }

// Importer reads the conversations of another tool's log, one at a time.
type Importer struct {
	name string
	how  Import
	rows *rows
	ids  ids
	raw  []byte
}

// NewImporter begins to read a log; name is its file's, for messages and ids.
func NewImporter(name string, in *unpack.Reader, how Import) (*Importer, error) {
	m := &Importer{how: how, ids: newIDs()}
	return m, m.Continue(name, in)
}

// Continue goes on with another file of the same log: ids stay unique over all.
func (m *Importer) Continue(name string, in *unpack.Reader) (err error) {
	m.name = name
	if m.rows, err = newRows(in); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:1: the file is empty", name)
	}
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	return nil
}

// Next returns the next conversation; io.EOF behind the last; a *BadRow, after
// which the next one follows. Any other error is the last.
func (m *Importer) Next() (Conversation, error) {
	raw, err := m.rows.next()
	if errors.Is(err, io.EOF) {
		return Conversation{}, io.EOF
	}
	if errors.Is(err, errLongRow) && m.rows.dec == nil {
		return Conversation{}, &BadRow{m.rows.number, raw, err}
	}
	if err != nil {
		return Conversation{}, fmt.Errorf("%s:%d: %w: what lies behind can't be read", m.name, m.rows.number, err)
	}
	m.raw = raw
	c, err := m.parse(raw)
	if err != nil {
		if c.ID != "" {
			err = fmt.Errorf("conversation %.200q: %w", c.ID, err)
		}
		return Conversation{}, &BadRow{m.rows.number, raw, err}
	}
	return c, nil
}

// Raw is the row of the last conversation, valid until the next.
func (m *Importer) Raw() []byte { return m.raw }

func (m *Importer) parse(raw []byte) (Conversation, error) {
	line, err := readLineObject(raw)
	if err != nil {
		return Conversation{}, err
	}
	var c Conversation
	switch m.how.Source {
	case AgentDojo:
		if !isDojo(line) {
			return c, errors.New("no run of AgentDojo or AgentDyn: want suite_name, user_task_id and messages")
		}
		c, err = parseDojo(line)
	case InjecAgent:
		c, err = m.parseInjecAgent(line)
	case OpenAI:
		c, err = m.parseOpenAI(line)
	default:
		return c, fmt.Errorf("unknown source %q", m.how.Source)
	}
	if err != nil {
		return c, err
	}
	if m.how.ToolMap != "" {
		c.ToolMap = m.how.ToolMap
	}
	if m.how.Model != "" {
		c.Model = m.how.Model
	}
	if c.Model == "" {
		return c, errors.New("the log does not say which model it was: give --model")
	}
	if err := answered(c.Messages, c.SourceError != ""); err != nil {
		return c, err
	}
	c.File, c.Line = m.name, m.rows.number
	return c, m.ids.claim(&c, m.rows.number, true)
}
