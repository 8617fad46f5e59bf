package ingest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vaultbench/internal/corpus"
)

// The shipped mappings of attacks, in the order in which they are tried.
const (
	RunPrompts   = "run-prompts"   // prompts of go tool vault export, and our own attack file
	PaperPrompts = "paper-prompts" // our reading of the paper's dataset, which nobody here has seen
)

// attackFields are the fields of a mapping of attacks.
var attackFields = []field{
	{"messages", true}, {"level", true}, {"session", true}, {"attack", false}, {"section", false}, {"lang", false}, {"date", false},
	{"technique", false}, {"goal", false}, {"expect", false}, {"reason", false}, {"twin", false},
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
	if d.Reason == "" {
		d.Reason = fmt.Sprintf("Imported from %s, row %d: what its author wanted paid is not known.", filepath.Base(file), row)
		if id := b.text("attack"); id != "" {
			d.Reason = fmt.Sprintf("Imported from %s, row %d, %s: what its author wanted paid is not known.", filepath.Base(file), row, id)
		}
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

// messages are those of the attacker. A list may hold texts, or messages with
// role and content, of which the user's count.
func (b *binding) messages() []string {
	list, err := b.cell("messages").asList()
	if err != nil {
		b.fail(BadValue, "messages: %v", err)
	}
	var out []string
	for i, v := range list.values {
		if list.isObject(i) {
			text, users, ok := chatTurn(v)
			if !ok {
				b.fail(BadValue, "message %d is an object without a role and a text as content", i+1)
			}
			if !users {
				continue
			}
			v = text
		}
		if v == "" {
			b.fail(MissingValue, "message %d is empty", i+1)
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		b.fail(MissingValue, "messages holds none of the attacker's")
	}
	return out
}

// chatTurn reads a message that is an object with role and content.
func chatTurn(v string) (text string, users, ok bool) {
	var m struct {
		Role    *string `json:"role"`
		Content *string `json:"content"`
	}
	if json.Unmarshal([]byte(v), &m) != nil || m.Role == nil || m.Content == nil {
		return "", false, false
	}
	return *m.Content, slices.Contains([]string{"user", "human", "attacker"}, *m.Role), true
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
	case !json.Valid([]byte(text)):
		b.fail(BadValue, "%s is no JSON", field)
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}
