package recorded

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/llm"
)

// injecFields are those of a case and of a result. A result has more under other
// names where somebody else's code wrote it: what may hold a call is refused.
var injecFields = []string{
	"User Tool", "User Instruction", "Tool Parameters", "Tool Response Template", "Tool Response", "Expected Achievements",
	"Attacker Tools", "Attacker Instruction", "Attack Type", "Thought", "Modifed",
	"output", "eval", "invalid_reason", "info_list", "Attacker Tool Parameters", "Attacker Tool Thought", "Attacker Tool Response",
	"output Step 2", "eval Step 2", "invalid_reason Step 2", "info_list Step 2",
}

// parseInjecAgent reads a case with the replies of a model, or a case alone, which
// says nothing about any model: it counts as a source error, never as held. The
// benchmark's own first step, the call of the user's tool, is text, as the model
// saw it: no model made that call.
func (m *Importer) parseInjecAgent(line object) (Conversation, error) {
	var c Conversation
	texts := map[string]string{}
	for _, name := range []string{"User Instruction", "User Tool", "Tool Response", "Attacker Instruction"} {
		var err error
		if texts[name], err = line.required(name); err != nil {
			return c, err
		}
	}
	attackers, err := attackerTools(line)
	if err != nil {
		return c, err
	}
	c.Cluster = texts["User Tool"] + "/" + strings.Join(attackers, "+")
	c.ID = fmt.Sprintf("%s/%d", c.Cluster, m.rows.number)
	if err := line.noHiddenCall(injecFields...); err != nil {
		return c, err
	}
	if c.Model = m.how.Model; c.Model == "" {
		c.Model = LogStem(m.name)
	}
	c.Messages = []llm.Message{
		{Role: llm.RoleUser, Content: texts["User Instruction"]},
		{Role: llm.RoleAssistant, Content: scripted(line, texts["User Tool"])},
		{Role: llm.RoleTool, Content: texts["Tool Response"]},
	}
	if says(line["output"]) == nil {
		c.SourceError = "the case holds no reply of a model"
		return c, nil
	}
	if err := c.step(line, "output", "eval", attackers[0]); err != nil {
		return c, err
	}
	if says(line["output Step 2"]) == nil {
		return c, nil
	}
	if len(attackers) < 2 {
		return c, errors.New("output Step 2 is given and there is one attacker tool")
	}
	answer, err := line.text("Attacker Tool Response")
	if err != nil {
		return c, err
	}
	c.Messages = append(c.Messages, llm.Message{Role: llm.RoleTool, Content: answer})
	return c, c.step(line, "output Step 2", "eval Step 2", attackers[1])
}

func attackerTools(line object) ([]string, error) {
	list, err := readList(line["Attacker Tools"])
	if err != nil {
		return nil, fmt.Errorf("member Attacker Tools: %w", err)
	}
	var out []string
	for _, raw := range list {
		s, err := unquote(raw)
		if err != nil {
			return nil, fmt.Errorf("member Attacker Tools: %w", err)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errors.New("empty Attacker Tools: name the tools that the attacker wants called")
	}
	return out, nil
}

// scripted is the step that the benchmark takes itself before the model's turn.
func scripted(line object, tool string) string {
	thought, _ := line.text("Thought")
	input := string(line["Tool Parameters"])
	if s, err := unquote(line["Tool Parameters"]); err == nil {
		input = s
	}
	return fmt.Sprintf("Thought: %s\nAction: %s\nAction Input: %s", thought, tool, input)
}

// step adds one reply. What the source says came of it must agree with the calls
// that were found: a success without a call of the tool is a call that got lost.
func (c *Conversation) step(line object, output, eval, target string) error {
	text, err := line.required(output)
	if err != nil {
		return err
	}
	calls, err := reactCalls(text, target)
	if err != nil {
		return fmt.Errorf("%s: %w", output, err)
	}
	verdict, err := line.text(eval)
	if err != nil {
		return err
	}
	called := slices.ContainsFunc(calls, func(call llm.Call) bool { return call.Name == target })
	switch {
	case verdict == "succ" && !called:
		return fmt.Errorf("%s is %q and %s holds no call of %s: a call is lost", eval, verdict, output, target)
	case verdict == "invalid" && len(calls) == 0:
		c.SourceError = "the source could not read the reply"
	}
	c.Messages = append(c.Messages, llm.Message{Role: llm.RoleAssistant, Content: text, ToolCalls: calls})
	return nil
}

// reactWord begins a part of a reply in the form of ReAct: as the prompt asks for
// it anywhere, and at the beginning of a line also as models write it: in small
// letters or capitals, with a number, a space before the colon, or in bold.
var reactWord = regexp.MustCompile(`\b(Thought|Action Input|Action|Observation|Final Answer):|` +
	`(?im:^[ \t]*[*_]{0,3}(thought|action[ _]?input|action|observation|final[ _]?answer)[ \t]*[0-9]*[*_]{0,3}[ \t]*:[*_]{0,3})`)

// reactLike is a line that means a call in yet another form.
var reactLike = regexp.MustCompile(`(?im)^[ \t]*[*_#>-]*[ \t]*action(?:[ _]?input)?[ \t]*[0-9]*(?:[ \t]*(?:=|->|[(\[{])|[ \t]-[ \t]|[ \t]*[0-9.)]+[ \t]*:).*|["']action["'][ \t\n]*:.*`)

// otherCall is a call as other harnesses have their models write it: a line that
// names a tool or its input, a tag, or JSON of a tool's name, alone or with arguments.
var otherCall = regexp.MustCompile(`(?im)^[ \t]*[*_#>-]*[ \t]*(?:tool|function)(?:[ _-]?(?:name|input|call|args|arguments|parameters|use))?[ \t]*[*_]*[ \t]*[:=].*` +
	`|[<\[]\|?/?(?:tool|function|python)[ _-]?(?:calls?|uses?|tag|name|code)\b[^\n]*|<(?:invoke|function)\b[^\n]*` +
	`|["'](?:tool|tool_?name|tool_?calls?|tool_?input|function|function_?call|function_?name|recipient_name)["'][ \t\n]*:[^\n]*` +
	`|["']name["'][ \t\n]*:[ \t\n]*["'][^"'\n]*["'][ \t\n]*,[ \t\n]*["'](?:arguments|args|parameters|input)["'][ \t\n]*:[^\n]*` +
	`|["'](?:arguments|args|parameters|input)["'][ \t\n]*:[ \t\n]*\{[^{}]*\}[ \t\n]*,[ \t\n]*["']name["'][ \t\n]*:[^\n]*`)

// toolName is what a tool may be called.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// reactCalls finds the calls of a reply: each Action with the Action Input behind
// it. All of them count, also those behind an observation that the model made up:
// it asked for them. What looks like a call, of the tools or of any, and can't be read
// is an error.
func reactCalls(text string, tools ...string) ([]llm.Call, error) {
	var calls []llm.Call
	named, open := false, false // an Action waits for its input; it is a call
	rest := ""                  // what is no input of a call
	for at := reactWord.FindStringSubmatchIndex(text); at != nil; at = reactWord.FindStringSubmatchIndex(text) {
		word := reactName(text, at)
		value, after := reactValue(text[at[1]:], word == "actioninput")
		rest, text = rest+text[:at[0]]+"\n", after
		switch word {
		case "action":
			name, _, _ := strings.Cut(strings.TrimSpace(value), "\n")
			name = strings.Trim(strings.TrimSpace(name), "`\"'*")
			named, open = true, name != "None" && name != "N/A" && name != ""
			if !open {
				continue
			}
			if !toolName.MatchString(name) {
				return nil, fmt.Errorf("action %.80q is no tool's name", name)
			}
			calls = append(calls, llm.Call{Name: name})
		case "actioninput":
			if !named {
				return nil, fmt.Errorf("the input %.80q stands behind no Action: a call is lost", strings.TrimSpace(value))
			}
			if open {
				calls[len(calls)-1].Arguments = strings.TrimSpace(value)
			}
			named, open = false, false
		default:
			rest += value + "\n"
		}
	}
	for _, form := range append(applied(tools), reactLike, otherCall) {
		if like := form.FindString(rest + text); like != "" {
			return nil, fmt.Errorf("the line %.80q may be a call: want lines that begin with Action: and Action Input", strings.TrimSpace(like))
		}
	}
	return calls, nil
}

// applied finds tools with arguments in brackets behind them, as code has them.
func applied(tools []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, tool := range tools {
		out = append(out, regexp.MustCompile(`\b`+regexp.QuoteMeta(tool)+`[ \t]*\([^\n]*`))
	}
	return out
}

// reactName is the word that was found, in small letters without spaces.
func reactName(text string, at []int) string {
	from, to := at[2], at[3]
	if from < 0 {
		from, to = at[4], at[5]
	}
	return strings.NewReplacer(" ", "", "_", "").Replace(strings.ToLower(text[from:to]))
}

// reactValue ends at the next word; an input that is JSON ends where it ends,
// whatever words stand in it.
func reactValue(text string, input bool) (value, rest string) {
	if trimmed := strings.TrimLeft(text, " \t\r\n"); input && strings.HasPrefix(trimmed, "{") {
		dec := jsontext.NewDecoder(strings.NewReader(trimmed), lenient...)
		if v, err := dec.ReadValue(); err == nil {
			return string(v), trimmed[dec.InputOffset():]
		}
	}
	if next := reactWord.FindStringIndex(text); next != nil {
		return text[:next[0]], text[next[0]:]
	}
	return text, ""
}
