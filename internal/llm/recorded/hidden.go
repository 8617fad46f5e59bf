package recorded

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// A call that a reader does not see counts as a model that held. So whatever may
// hold one, and is no call where the format has its calls, is refused: nobody
// guesses, and nothing vanishes.

// callWords are parts of the names under which tools write calls: function_call,
// toolCalls, tool_uses, functionCall, actions.
var callWords = []string{"call", "tool", "function", "action", "invo", "command"}

// noHiddenCall refuses a field that the format doesn't have, if a call may be in
// it: by its name, or because it holds more than a plain value.
func (o object) noHiddenCall(known ...string) error { return o.hidden(known, true) }

// noNamedCall is for what stands around a conversation, where people keep all
// sorts of things: only the name tells.
func (o object) noNamedCall(known ...string) error { return o.hidden(known, false) }

func (o object) hidden(known []string, strict bool) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		raw := o[name]
		if slices.Contains(known, name) || says(raw) == nil {
			continue
		}
		lower := strings.ToLower(name)
		named := slices.ContainsFunc(callWords, func(w string) bool { return strings.Contains(lower, w) })
		if named || strict && (raw.Kind() == '{' || raw.Kind() == '[') {
			return fmt.Errorf("unknown field %.60q holds %s, which may be a call: this format's calls stand elsewhere, convert the file or delete the field",
				name, kind(raw))
		}
	}
	return nil
}

// says returns nil for a value that says nothing: null, "", [], {}, false.
func says(raw jsontext.Value) jsontext.Value {
	if isNull(raw) || raw.Kind() == 'f' {
		return nil
	}
	switch raw.Kind() {
	case '"', '[', '{':
		if len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
			return nil
		}
	}
	return raw
}

// nestedCall reports whether an argument is itself a call, as AgentDojo's runtime
// takes them: an object with function and args, at any depth.
func nestedCall(raw jsontext.Value) bool {
	if !bytes.Contains(raw, []byte("function")) && !bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	switch raw.Kind() {
	case '{':
		members, err := readObject(raw)
		if err != nil {
			return false // names repeat: evidence, and no call
		}
		if f, args := members["function"], members["args"]; f != nil && args != nil && f.Kind() == '"' && args.Kind() == '{' {
			return true
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(members)), nestedCall)
	case '[':
		list, err := readList(raw)
		return err == nil && slices.ContainsFunc(list, nestedCall)
	}
	return false
}

// answer is what a tool message says about the call that it answers.
type answer struct {
	function string // empty: it names none
	id       string // empty: it names none
}

// ledgerOfCalls holds the calls made so far against the answers to them: an
// answer to a call that nobody made shows a call that got lost.
type ledgerOfCalls struct {
	made map[string]int // by function
	ids  map[string]bool
}

func (l *ledgerOfCalls) take(m llm.Message, a answer) error {
	if l.made == nil {
		l.made, l.ids = map[string]int{}, map[string]bool{}
	}
	for _, c := range m.ToolCalls {
		l.made[c.Name]++
		l.ids[c.ID] = true
	}
	if m.Role != llm.RoleTool {
		return nil
	}
	if a.id != "" && !l.ids[a.id] {
		return fmt.Errorf("a tool answers call %.60q and no message before makes it: a call is lost", a.id)
	}
	if a.function == "" {
		return nil
	}
	if l.made[a.function]--; l.made[a.function] < 0 {
		return fmt.Errorf("a tool answers a call of %.60q and no message before makes it: a call is lost", a.function)
	}
	return nil
}

// answered refuses a conversation that stops before the model has its say: it would
// count as one that held. Of a run that crashed nothing counts.
func answered(messages []llm.Message, crashed bool) error {
	if crashed {
		return nil
	}
	if last := messages[len(messages)-1].Role; last != llm.RoleAssistant {
		return fmt.Errorf("it ends with a message of role %s: the model's reply is missing; add it, or say in error what stopped the run", last)
	}
	return nil
}
