package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

var chatDialect = dialect{
	message: chatMessage, call: chatCall, block: chatBlock, answer: chatAnswer,
	roles: map[string]llm.Role{"developer": llm.RoleSystem, "function": llm.RoleTool},
}

// parseOpenAI reads a chat: its messages, and the reply to them if the line holds
// one, be it a completion, a request with its response, or a line of a batch.
func (m *Importer) parseOpenAI(line object) (Conversation, error) {
	var c Conversation
	request, err := line.part("request", "body")
	if err != nil {
		return c, err
	}
	response, err := line.part("response", "body")
	if err != nil {
		return c, err
	}
	levels := []object{line, request, response}
	for _, o := range levels {
		if err := o.chatLevel(); err != nil {
			return c, err
		}
	}
	if c.ID, err = firstName(line, "id", "custom_id", "conversation_id", "thread_id"); err != nil {
		return c, err
	}
	if c.ID == "" {
		c.ID = fmt.Sprintf("%s-%d", LogStem(m.name), m.rows.number)
	}
	for _, o := range levels {
		if c.Model == "" {
			if c.Model, err = firstName(o, "model"); err != nil {
				return c, err
			}
		}
		if c.SourceError == "" {
			c.SourceError = chatError(o["error"])
		}
		if says(o["output"]) != nil {
			return c, errors.New("output is of the Responses API, whose calls are no messages: convert it to chat completions")
		}
	}
	list, finish, err := chatMessages(levels)
	if err != nil {
		return c, err
	}
	if finish == "content_filter" && c.SourceError == "" {
		c.SourceError = "the provider's content filter cut the reply"
	}
	d := chatDialect
	d.crashed = c.SourceError != ""
	if c.Messages, err = d.list(list); err != nil {
		return c, err
	}
	if c.SourceError == "" && len(c.Messages[len(c.Messages)-1].ToolCalls) == 0 {
		switch {
		case announced(finish):
			return c, fmt.Errorf("finish_reason is %.60q and the reply holds no call: it is lost", finish)
		case cut(finish):
			return c, fmt.Errorf("finish_reason is %.60q: the reply was cut before any call, and nobody knows what would have come: ask again with more tokens, or leave the row out", finish)
		}
	}
	if c.Cluster, err = firstName(line, "cluster", "session", "session_id"); c.Cluster == "" {
		c.Cluster = promptCluster(c.Messages)
	}
	return c, err
}

// announced: the provider says that the reply ends with a call.
func announced(finish string) bool {
	finish = strings.ToLower(finish)
	return strings.Contains(finish, "tool") || strings.Contains(finish, "function")
}

// cut: the provider says that the reply ran into a limit of tokens.
func cut(finish string) bool {
	finish = strings.ToLower(finish)
	return strings.Contains(finish, "length") || strings.Contains(finish, "max") && strings.Contains(finish, "token") || strings.Contains(finish, "truncat")
}

// part returns a member that is an object, or the body within it; nil if there is none.
func (o object) part(name, inner string) (object, error) {
	if isNull(o[name]) {
		return nil, nil
	}
	p, err := readObject(o[name])
	if err == nil && !isNull(p[inner]) {
		if err = p.noHiddenCall(inner, "headers"); err == nil {
			p, err = readObject(p[inner])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// chatMessages returns the messages and behind them the reply, with the reason
// for which it ended.
func chatMessages(levels []object) (list []jsontext.Value, finish string, err error) {
	var lists, replies int
	for _, o := range levels {
		if isNull(o["messages"]) {
			continue
		}
		if list, err = readList(o["messages"]); err != nil {
			return nil, "", fmt.Errorf("messages: %w", err)
		}
		lists++
	}
	for _, o := range levels {
		if isNull(o["choices"]) {
			continue
		}
		choices, err := readList(o["choices"])
		if err != nil {
			return nil, "", fmt.Errorf("choices: %w", err)
		}
		if len(choices) != 1 {
			return nil, "", fmt.Errorf("%d choices: which one went on can't be told, keep that one", len(choices))
		}
		choice, err := readObject(choices[0])
		if err != nil {
			return nil, "", fmt.Errorf("choices: %w", err)
		}
		if isNull(choice["message"]) {
			return nil, "", errors.New("the choice has no message: put the parts of a streamed reply together first")
		}
		if err := choice.noHiddenCall(choiceKnown...); err != nil {
			return nil, "", fmt.Errorf("choices: %w", err)
		}
		finish = firstText(choice, "finish_reason")
		list = append(list, choice["message"])
		replies++
	}
	if lists != 1 || replies > 1 {
		return nil, "", fmt.Errorf("%d lists of messages and %d replies: want one list, and one reply at most", lists, replies)
	}
	return list, finish, nil
}

// firstText returns the first of the members that is a text which says something.
func firstText(o object, names ...string) string {
	for _, name := range names {
		if s, err := o.text(name); err == nil && s != "" {
			return s
		}
	}
	return ""
}

// firstName returns the first of the members that names something: a text, or a
// number as it stands. Another type is an error: passed over, conversations that
// belong together would count as independent.
func firstName(o object, names ...string) (string, error) {
	for _, name := range names {
		switch raw := o[name]; {
		case isNull(raw):
		case raw.Kind() == '0':
			return string(raw), nil
		default:
			if s, err := o.text(name); err != nil || s != "" {
				return s, err
			}
		}
	}
	return "", nil
}

// chatError reads an error, which is an object or a text.
func chatError(raw jsontext.Value) string {
	if says(raw) == nil {
		return ""
	}
	if s, err := unquote(raw); err == nil {
		return s
	}
	if o, err := readObject(raw); err == nil {
		if s := firstText(o, "message", "code", "type"); s != "" {
			return s
		}
	}
	return excerpt(raw)
}

// promptCluster puts conversations that begin with the same request together.
func promptCluster(messages []llm.Message) string {
	for _, m := range messages {
		if m.Role == llm.RoleUser {
			sum := sha256.Sum256([]byte(m.Content))
			return "prompt-" + hex.EncodeToString(sum[:6])
		}
	}
	return "prompt-none"
}
