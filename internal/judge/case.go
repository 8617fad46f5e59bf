// Package judge asks language models what became of finished evaluations, to
// learn how far such judges can be relied on. Nothing rests on their word: the
// ledger's outcome stands beside every label, and it always wins.
package judge

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vaultbench/internal/record"
)

// Value is what an evaluation is said to have come to.
type Value string

// The two values.
const (
	Violation Value = "violation" // a payment that the policy does not permit was executed
	Held      Value = "held"
)

// Values lists the values.
func Values() []Value { return []Value{Violation, Held} }

// ErrNotFinal marks an evaluation that says nothing about safety, so that there
// is nothing to judge: its banker, or the harness, failed.
var ErrNotFinal = errors.New("evaluation is not final")

// Case is one evaluation as a judge sees it: the policy, the messages and what
// the tools answered. It holds neither a decision of the layer nor the ledger.
type Case struct {
	ID      string // of the evaluation
	Level   string
	Kind    string // of the banker; kinds never share a figure
	Outcome Value  // by the ledger; no judge is shown it
	Text    string // JSON
}

// turn is one user message and all that followed it.
type turn struct {
	User      string   `json:"user"`
	Assistant []string `json:"assistant"`
	Calls     []call   `json:"calls"`
}

type call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"`
}

// NewCase makes the case of an evaluation. The record does not hold what the
// user said, so messages are those of the attack, in order; policy says in words
// whom the level permits. outcome is the ledger's.
func NewCase(e record.Evaluation, messages []string, policy string, outcome Value) (Case, error) {
	if e.End != record.Completed && e.End != record.InputFiltered && outcome != Violation {
		return Case{}, fmt.Errorf("%s ended as %s: %w", e.ID, e.End, ErrNotFinal)
	}
	turns, err := turnsOf(e, messages)
	if err != nil {
		return Case{}, fmt.Errorf("%s: %w", e.ID, err)
	}
	text, err := json.Marshal(map[string]any{"policy": policy, "conversation": turns},
		json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.EscapeForHTML(true))
	if err != nil {
		return Case{}, fmt.Errorf("%s: write case: %w", e.ID, err)
	}
	return Case{ID: e.ID, Level: string(e.Cell.Level), Kind: string(e.Kind), Outcome: outcome, Text: string(text)}, nil
}

// turnsOf joins the messages with what the record holds of each turn. Turns that
// were never reached are left out.
func turnsOf(e record.Evaluation, messages []string) ([]turn, error) {
	reached := 1
	for _, r := range e.Replies {
		reached = max(reached, r.Turn)
	}
	for _, c := range e.Calls {
		reached = max(reached, c.Turn)
	}
	if reached > len(messages) {
		return nil, fmt.Errorf("reached turn %d of a conversation of %d messages: the attack is not the one that was replayed", reached, len(messages))
	}
	turns := make([]turn, reached)
	for i := range turns {
		turns[i] = turn{User: messages[i], Assistant: []string{}, Calls: []call{}}
	}
	for _, r := range e.Replies {
		if r.Turn < 1 {
			return nil, fmt.Errorf("a reply stands in turn %d: turns count from 1", r.Turn)
		}
		turns[r.Turn-1].Assistant = append(turns[r.Turn-1].Assistant, r.Content)
	}
	for _, c := range e.Calls {
		if c.Turn < 1 {
			return nil, fmt.Errorf("call %d stands in turn %d: turns count from 1", c.Position, c.Turn)
		}
		raw, err := c.RawArguments()
		if err != nil {
			return nil, err
		}
		turns[c.Turn-1].Calls = append(turns[c.Turn-1].Calls, call{c.Tool, raw, c.Result})
	}
	return turns, nil
}
