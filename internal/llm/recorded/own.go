package recorded

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"vaultbench/internal/llm"
)

// ownFormat names our own format; another shape gets another number.
const ownFormat = "vault-conversation/1"

var ownDialect = dialect{message: ownMessage, call: ownCall, block: ownBlock, answer: ownAnswer}

func isOwn(line object) bool {
	name, err := line.text("format")
	return err == nil && name == ownFormat
}

// parseOwn is strict: a field that it doesn't know may be one that mattered.
func parseOwn(line object) (Conversation, error) {
	var c Conversation
	var err error
	if c.ID, err = line.required("id"); err != nil {
		return c, err
	}
	if err := line.only("format", "id", "cluster", "model", "tool_map", "error", "messages"); err != nil {
		return c, err
	}
	if !isOwn(line) {
		return c, fmt.Errorf("format: want %q in every line of the file", ownFormat)
	}
	if c.Cluster, err = line.required("cluster"); err != nil {
		return c, err
	}
	if c.Model, err = line.required("model"); err != nil {
		return c, err
	}
	if c.ToolMap, err = line.required("tool_map"); err != nil {
		return c, err
	}
	if c.SourceError, err = ownError(line); err != nil {
		return c, err
	}
	if c.Messages, err = ownDialect.messages(line["messages"], c.SourceError != ""); err != nil {
		return c, err
	}
	return c, answered(c.Messages, c.SourceError != "")
}

// ownError wants the field spelled out: whether a run crashed decides whether
// its calls count.
func ownError(line object) (string, error) {
	raw, given := line["error"]
	switch {
	case !given:
		return "", errors.New("error is missing: write null, or what stopped the source run")
	case isNull(raw):
		return "", nil
	}
	return line.required("error")
}

func ownMessage(o object, _ *llm.Message) error {
	return o.only("role", "content", "tool_calls", "tool_call_id")
}

func ownAnswer(_ object, m llm.Message) (answer, error) { return answer{id: m.ToolCallID}, nil }

func ownBlock(o object) (string, error) {
	if err := o.only("type", "text"); err != nil {
		return "", err
	}
	if t, err := o.required("type"); err != nil || t != "text" {
		return "", fmt.Errorf(`type %s: want "text"`, excerpt(o["type"]))
	}
	text, err := unquote(o["text"])
	if err != nil {
		return "", fmt.Errorf("text: %w", err)
	}
	return text, nil
}

// ownCall takes the arguments as the model emitted them, be they JSON or not.
// The name must be there: a converter that loses it would make a model look safe.
func ownCall(o object) (llm.Call, error) {
	var call llm.Call
	if err := o.only("id", "type", "function"); err != nil {
		return call, err
	}
	var err error
	if call.ID, err = o.text("id"); err != nil {
		return call, err
	}
	if t, err := o.text("type"); err != nil || t != "function" && t != "" {
		return call, fmt.Errorf(`type %s: want "function"`, excerpt(o["type"]))
	}
	f, err := readObject(o["function"])
	if err != nil {
		return call, fmt.Errorf("function: %w", err)
	}
	if err := f.only("name", "arguments"); err != nil {
		return call, fmt.Errorf("function: %w", err)
	}
	if call.Name, err = f.required("name"); err != nil {
		return call, fmt.Errorf("function: %w", err)
	}
	if call.Arguments, err = unquote(f["arguments"]); err != nil {
		return call, fmt.Errorf("function: arguments: %w", err)
	}
	return call, nil
}

type wireConversation struct {
	Format   string        `json:"format"`
	ID       string        `json:"id"`
	Cluster  string        `json:"cluster"`
	Model    string        `json:"model"`
	ToolMap  string        `json:"tool_map"`
	Error    *string       `json:"error"`
	Messages []wireMessage `json:"messages"`
}

type wireMessage struct {
	Role       llm.Role   `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// UnwritableError is a conversation that our format can't hold.
type UnwritableError struct{ err error }

// Error says why.
func (e *UnwritableError) Error() string { return e.err.Error() }

// Unwrap returns why.
func (e *UnwritableError) Unwrap() error { return e.err }

// Write writes one line of our own format. It refuses what Next would refuse,
// bytes that are no UTF-8 among it, so that whatever is written can be read back:
// that is an *UnwritableError.
func Write(w io.Writer, c Conversation) error {
	line, err := json.Marshal(wire(c))
	if err == nil {
		err = readable(line)
	}
	if err != nil {
		err = &UnwritableError{err}
	} else {
		_, err = w.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write conversation %.200q: %w", c.ID, err)
	}
	return nil
}

func readable(line []byte) error {
	if len(line) > maxLine {
		return fmt.Errorf("its line is longer than %d MiB", maxLine>>20)
	}
	o, err := readLineObject(line)
	if err != nil {
		return err
	}
	_, err = parseOwn(o)
	return err
}

func wire(c Conversation) wireConversation {
	out := wireConversation{Format: ownFormat, ID: c.ID, Cluster: c.Cluster, Model: c.Model, ToolMap: c.ToolMap}
	if c.SourceError != "" {
		out.Error = &c.SourceError
	}
	for _, m := range c.Messages {
		to := wireMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			to.ToolCalls = append(to.ToolCalls, wireCall{ID: call.ID, Type: "function", Function: wireFunction{call.Name, call.Arguments}})
		}
		out.Messages = append(out.Messages, to)
	}
	return out
}
