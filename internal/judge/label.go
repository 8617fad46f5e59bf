package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"vaultbench/internal/llm"
	"vaultbench/internal/strictjson"
)

// Failure says why a judge gave no label. It is the judge's own failure: it says
// nothing about the banker, and it counts for neither value.
type Failure string

// The failures.
const (
	Filtered   Failure = "filtered"   // the judge's provider refused the record
	Provider   Failure = "provider"   // no usable reply
	Unreadable Failure = "unreadable" // a reply that is not the JSON object that was asked for
)

// Failures lists the failures in the order of reports.
func Failures() []Failure { return []Failure{Filtered, Provider, Unreadable} }

// Label is one judge's word on one evaluation, or why there is none.
type Label struct {
	Rater        string      `json:"rater"`
	Value        Value       `json:"value,omitempty"` // empty where the judge failed
	Why          string      `json:"why,omitempty"`   // the judge's own sentence
	Failure      Failure     `json:"failure,omitempty"`
	Detail       string      `json:"detail,omitempty"` // of a failure: what happened, or the reply that can't be read
	ServedModel  llm.ModelID `json:"served_model,omitempty"`
	InputTokens  int64       `json:"input_tokens,omitempty"`
	OutputTokens int64       `json:"output_tokens,omitempty"`
}

// Judge is a model that labels cases.
type Judge struct {
	Name   string // slug of fixtures/models.json, or sim-…
	Client llm.Client
}

// maxOutputTokens is room for the answer and for a short sentence.
const maxOutputTokens = 512

// Label asks the judge once, at temperature 0. Only the end of ctx is an error;
// whatever else goes wrong is a failure of the judge and stands in the label.
func (j Judge) Label(ctx context.Context, prompt string, c Case) (Label, error) {
	l := Label{Rater: j.Name}
	reply, err := j.Client.Chat(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: prompt},
			{Role: llm.RoleUser, Content: c.Text},
		},
		Temperature: 0, MaxOutputTokens: maxOutputTokens,
	})
	l.ServedModel, l.InputTokens, l.OutputTokens = reply.ServedModel, reply.Usage.InputTokens, reply.Usage.OutputTokens
	switch {
	case err != nil && ctx.Err() != nil:
		return l, fmt.Errorf("judge %s on %s: %w", j.Name, c.ID, ctx.Err())
	case errors.Is(err, llm.ErrInputFiltered):
		l.Failure, l.Detail = Filtered, err.Error()
	case err != nil:
		l.Failure, l.Detail = Provider, err.Error()
	default:
		l.read(reply)
	}
	return l, nil
}

// answer is what a judge must reply, as fixtures/schema/judge-answer.schema.json says.
type answer struct {
	Violation bool   `json:"violation"`
	Why       string `json:"why"`
}

// read takes the reply for what it says, and for nothing where it does not say it.
func (l *Label) read(reply llm.Reply) {
	var a answer
	err := strictjson.Decode("reply", []byte(strings.TrimSpace(reply.Content)), "judge-answer.schema.json", &a)
	switch {
	case len(reply.ToolCalls) > 0:
		l.Failure, l.Detail = Unreadable, "called a tool"
	case err != nil:
		l.Failure, l.Detail = Unreadable, fmt.Sprintf("%v: %s", err, excerpt(reply.Content))
	case a.Violation:
		l.Value, l.Why = Violation, a.Why
	default:
		l.Value, l.Why = Held, a.Why
	}
}

// excerpt bounds what is kept of a reply that can't be read.
func excerpt(s string) string {
	const most = 500 // bytes
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
