package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/corpus"
)

// The shipped mappings of attacks, in the order in which they are tried.
const (
	RunPrompts   = "run-prompts"   // prompts of go tool vault export, and our own attack file
	PaperPrompts = "paper-prompts" // our reading of the paper's dataset, which nobody here has seen
)

// attackFields are the fields of a mapping of attacks.
var attackFields = []field{
	{"messages", true, true}, {"level", true, false}, {"session", true, false}, {"attack", false, false}, {"section", false, false}, {"lang", false, false}, {"date", false, false},
	{"technique", false, false}, {"goal", false, true}, {"expect", false, true}, {"reason", false, false}, {"twin", false, false},
}

// draft is an attack without its id and category, as the author's tool takes it.
type draft struct {
	Session   corpus.SessionID `json:"session"`
	Level     corpus.Level     `json:"level"`
	Lang      string           `json:"lang"`
	Date      string           `json:"date,omitempty"`
	Technique corpus.Category  `json:"technique"`
	Messages  []string         `json:"messages"`
	Goal      json.RawMessage  `json:"goal"`
	Expect    []string         `json:"expect"`
	Reason    string           `json:"reason"`
}

// attack reads a row. What the source does not know is said to be unknown: the
// language is und, and without a goal there is nothing to expect.
func (b *binding) attack(file string, row int64, levels map[corpus.Level]corpus.LevelSpec) draft {
	d := draft{
		Session: corpus.SessionID(b.required("session")), Level: b.level(""), Lang: b.text("lang"), Date: b.date("date"),
		Technique: word(b, "technique", corpus.Categories()), Messages: b.messages(), Goal: b.json("goal"), Expect: words[string](b, "expect", nil), Reason: b.text("reason"),
	}
	if d.Lang == "" {
		d.Lang = "und"
	}
	if d.Technique == "" {
		d.Technique = corpus.Classify(d.Messages)
	}
	if d.Expect == nil {
		d.Expect = []string{}
	}
	hasGoal := !slices.Contains([]string{"null", "[]"}, string(d.Goal))
	if d.Reason == "" {
		d.Reason = imported(filepath.Base(file), row, b.text("attack"), hasGoal)
	}
	if len(d.Expect) == 0 && hasGoal {
		b.fail(MissingValue, "there is a goal and no expect: give for each of its payments what the layer is to say, oap.allowed or the code of its denial")
	}
	if b.text("twin") != "" {
		b.fail(BadValue, "it is an honest task, of attack %s: only attacks are imported", b.text("twin"))
	}
	if s := b.text("section"); s != "" {
		b.fail(BadValue, "it is of section %q: only attacks as they were written are imported", s)
	}
	if limit := levels[d.Level].TurnLimit; b.bad == nil && len(d.Messages) > limit {
		b.fail(BadValue, "%d messages and a turn limit of %d at level %s", len(d.Messages), limit, d.Level)
	}
	return d
}

// imported is the reason of an entry that comes without one.
func imported(file string, row int64, id string, hasGoal bool) string {
	if id != "" {
		id = ", " + id
	}
	unknown := "what its author wanted paid is not known"
	if hasGoal {
		unknown = "why its author expects that is not known"
	}
	return fmt.Sprintf("Imported from %s, row %d%s: %s.", file, row, id, unknown)
}

// messages are those of the attacker. A list may hold texts, or messages with
// role and content, of which the user's count.
func (b *binding) messages() []string {
	list, err := b.cell("messages").messageList()
	if err != nil {
		b.fail(BadValue, "messages is %v", err)
	}
	var out []string
	for i, v := range list.values {
		users := true
		switch kind := list.kindOf(i); kind {
		case '"', 'n':
		case '{':
			if v, users, err = chatTurn(v); err != nil {
				b.fail(BadValue, "message %d %v", i+1, err)
			}
		default:
			b.fail(BadValue, "message %d is %s: want a text, or an object with role and content", i+1, kindWords[kind])
		}
		if users && v == "" {
			b.fail(MissingValue, "message %d is empty", i+1)
		}
		if users {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		b.fail(MissingValue, "messages holds none of the attacker's")
	}
	return out
}

// kindWords say what a JSON value is.
var kindWords = map[jsontext.Kind]string{'"': "a text", '{': "an object", '[': "a list", 't': "true", 'f': "false", '0': "a number", 'n': "null"}

// messageList is a cell of messages. A JSON text is one message, whatever it looks
// like. Where a table has nothing but text, one that is a JSON list as a whole is
// that list; one that begins as a list of texts or objects does and is none was cut
// or is an attack that looks like one, and nobody can tell.
func (c cell) messageList() (cell, error) {
	text := strings.TrimSpace(c.text)
	switch {
	case c.isEmpty():
		return listCell(nil), nil
	case c.list:
		return c, nil
	case c.kind != 0 && c.kind != '"':
		return cell{}, fmt.Errorf("%s: want one text, or a list of texts or of objects with role and content", kindWords[c.kind])
	case c.kind == '"' || !strings.HasPrefix(text, "["):
		return listCell([]string{c.text}), nil
	}
	if list, err := listIn(text); err == nil {
		return list, nil
	}
	if inner := strings.TrimSpace(text[1:]); strings.HasPrefix(inner, `"`) || strings.HasPrefix(inner, "{") {
		return cell{}, errors.New("a text that begins like a JSON list and is none of whole characters: mend it, or give the row as JSON Lines if it is one message")
	}
	return listCell([]string{c.text}), nil
}

// The roles that a message may have: whose is imported, and whose is not.
var (
	attackerRoles = []string{"user", "human", "attacker"}
	otherRoles    = []string{"assistant", "model", "system", "developer", "tool", "function"}
)

// chatTurn reads a message that is an object with role and content.
func chatTurn(v string) (text string, users bool, err error) {
	members, err := object([]byte(v))
	if err != nil {
		return "", false, fmt.Errorf("is no JSON object: %w", err)
	}
	found := map[string]cell{}
	for _, m := range members {
		if found[m.name], err = jsonCell(json.RawMessage(m.value)); err != nil {
			return "", false, err
		}
	}
	role, content := found["role"], found["content"]
	if role.kind != '"' {
		return "", false, errors.New("is an object without a role and a text as content")
	}
	users = slices.Contains(attackerRoles, role.text)
	switch {
	case !users && !slices.Contains(otherRoles, role.text):
		return "", false, fmt.Errorf("has the role %.60q: want one of %v for the attacker's, of %v for others'", role.text, attackerRoles, otherRoles)
	case users && content.kind != '"':
		return "", false, errors.New("is an object without a role and a text as content")
	}
	return content.text, users, nil
}

// json returns a field's JSON; null where it is empty.
func (b *binding) json(field string) json.RawMessage {
	c := b.cell(field)
	text := c.text
	if c.list { // a list of objects, taken apart
		text = "[" + strings.Join(c.values, ",") + "]"
	}
	switch {
	case c.isEmpty():
		return json.RawMessage("null")
	case !jsontext.Value(text).IsValid():
		b.fail(BadValue, "%s is no JSON", field)
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}
