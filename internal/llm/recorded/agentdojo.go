package recorded

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"vaultbench/internal/llm"
)

var dojoDialect = dialect{message: dojoMessage, call: dojoCall, block: dojoBlock, answer: dojoAnswer}

// isDojo takes AgentDyn's runs too, which are AgentDojo's; under the defense
// DRIFT their messages are called conversations.
func isDojo(line object) bool {
	has := func(name string) bool { _, given := line[name]; return given }
	return has("suite_name") && has("user_task_id") && (has("messages") || has("conversations"))
}

// parseDojo reads one run of AgentDojo. Its releases and people who repack it
// add fields, so those that it doesn't know are left unread.
func parseDojo(line object) (Conversation, error) {
	var c Conversation
	userTask, err := line.required("user_task_id")
	if err != nil {
		return c, err
	}
	injectionTask, err := textOrNone(line, "injection_task_id")
	if err != nil {
		return c, err
	}
	attack, err := textOrNone(line, "attack_type")
	if err != nil {
		return c, err
	}
	c.Cluster = userTask + "/" + injectionTask
	c.ID = c.Cluster + "/" + attack
	suite, err := line.required("suite_name")
	if err != nil {
		return c, err
	}
	c.ToolMap = "agentdojo-" + suite
	if c.Model, err = line.required("pipeline_name"); err != nil {
		return c, err
	}
	if c.SourceError, err = dojoError(line); err != nil {
		return c, err
	}
	messages, other := line["messages"], line["conversations"]
	if messages != nil && says(other) != nil {
		return c, errors.New("messages and conversations are both given: keep one")
	}
	if messages == nil {
		messages = other
	}
	if c.Messages, err = dojoDialect.messages(messages, c.SourceError != ""); err != nil {
		return c, err
	}
	return c, answered(c.Messages, c.SourceError != "")
}

func textOrNone(o object, name string) (string, error) {
	if isNull(o[name]) {
		return "none", nil
	}
	return o.required(name)
}

// dojoError keeps a crash without words a crash.
func dojoError(line object) (string, error) {
	s, err := line.text("error")
	if err == nil && s == "" && !isNull(line["error"]) {
		return "the source gives an error without text", nil
	}
	return s, err
}

// dojoMessage puts a failed tool's error where its result would stand, as
// AgentDojo does when it tells the model.
func dojoMessage(o object, m *llm.Message) error {
	known := []string{"role", "content", "tool_calls", "tool_call_id", "error"}
	if m.Role == llm.RoleTool {
		known = append(known, "tool_call")
	}
	if err := o.noHiddenCall(known...); err != nil {
		return err
	}
	if m.Role != llm.RoleTool || m.Content != "" {
		return nil
	}
	var err error
	m.Content, err = o.text("error")
	return err
}

// dojoAnswer reads the call that a tool message repeats.
func dojoAnswer(o object, _ llm.Message) (answer, error) {
	if isNull(o["tool_call"]) {
		return answer{}, nil
	}
	call, err := readObject(o["tool_call"])
	if err != nil {
		return answer{}, fmt.Errorf("tool_call: %w", err)
	}
	function, err := call.text("function")
	if err != nil {
		return answer{}, fmt.Errorf("tool_call: %w", err)
	}
	return answer{function: function}, nil
}

// dojoBlock takes the text from content, as newer releases write it, or from
// text. A model's thinking is no part of what it said.
func dojoBlock(o object) (string, error) {
	switch t, err := o.required("type"); {
	case err != nil:
		return "", err
	case t == "thinking", t == "redacted_thinking":
		return "", nil
	case t != "text":
		return "", fmt.Errorf(`unknown type %.60q: want "text"`, t)
	}
	if err := o.noHiddenCall("type", "text", "content"); err != nil {
		return "", err
	}
	for _, name := range []string{"text", "content"} {
		if _, given := o[name]; given {
			return o.text(name)
		}
	}
	return "", errors.New("text is missing: want a string")
}

// dojoCall keeps the argument object's bytes. A call without a name or without
// its arguments can't be replayed, and left out it would make the model look safe.
func dojoCall(o object) (llm.Call, error) {
	name, err := o.required("function")
	if err != nil {
		return llm.Call{}, err
	}
	args, given := o["args"]
	switch {
	case !given:
		return llm.Call{}, errors.New("args is missing: want an object")
	case args.Kind() != '{':
		return llm.Call{}, fmt.Errorf("args: want an object, have %s", kind(args))
	}
	if err := o.noHiddenCall("function", "args", "id", "placeholder_args"); err != nil {
		return llm.Call{}, err
	}
	if members, err := readObject(args); err == nil && slices.ContainsFunc(slices.Collect(maps.Values(members)), nestedCall) {
		return llm.Call{}, errors.New("args: an argument is a call of its own: a nested call can't be replayed")
	}
	id, err := o.text("id")
	if err != nil {
		return llm.Call{}, err
	}
	return llm.Call{ID: id, Name: name, Arguments: string(args)}, nil
}
