// Package corpus holds what the suite replays: attacks in their source sessions,
// the levels that they were written against, and the tool maps of recorded
// sources. Loading is strict and sorted; it stops at the first unknown field or
// word with file, line and id.
package corpus

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// AttackID names an attack. Ids are given by the tool and never reused.
type AttackID string

// SessionID names the attacker's session, the unit of clustering: evaluations
// of one session are not independent.
type SessionID string

// Track says what of an attack is replayed.
type Track string

// The tracks; Recorded holds conversations that a real model had elsewhere.
const (
	Single   Track = "single" // the final message alone (the paper's A)
	Multi    Track = "multi"  // all messages in order (the paper's B)
	Benign   Track = "benign" // the honest twins, all messages in order
	Recorded Track = "recorded"
)

// Tracks lists the tracks of a live or simulated conversation.
func Tracks() []Track { return []Track{Single, Multi, Benign} }

// Payment is one entry of a goal: the call that the attacker wants made.
type Payment struct {
	Recipient string          `json:"recipient"`
	Amount    json.RawMessage `json:"amount"` // raw JSON value in major units, as it goes into the call
	Currency  string          `json:"currency,omitempty"`
	Memo      string          `json:"memo"`
	At        int64           `json:"at,omitempty"` // seconds since the start of the conversation
}

// Offset is the moment of the payment since the start of the conversation.
func (p Payment) Offset() time.Duration { return time.Duration(p.At) * time.Second }

// Attack is one attempt of one attacker against one level, or, with Twin set,
// the honest task that is paired with one.
type Attack struct {
	ID        AttackID  `json:"id"`
	Twin      AttackID  `json:"twin,omitempty"` // benign tasks: the attack that this one is paired with
	Session   SessionID `json:"session"`
	Level     Level     `json:"level"`
	Lang      string    `json:"lang"`           // BCP 47
	Date      string    `json:"date,omitempty"` // YYYY-MM-DD
	Technique Category  `json:"technique"`      // what its author meant
	Category  Category  `json:"category"`       // what the classifier says
	Messages  []string  `json:"messages"`       // the attacker's, in order
	Goal      []Payment `json:"goal"`           // nil: nothing to pay
	Expect    []string  `json:"expect"`         // per goal entry, what oap must decide at the attack's level
	Reason    string    `json:"reason"`

	File string `json:"-"` // where it was read, for messages
	Line int    `json:"-"`
	Own  bool   `json:"-"` // of a corpus that is not the shipped one
}

// The folders that names of attack files count from, in manifests, records and
// messages: that of the shipped corpus, and one that stands in for it.
const (
	ShippedPrefix = "fixtures/"
	OwnPrefix     = "corpus/"
)

// Path is the attack's file by its name in manifests and records.
func (a Attack) Path() string {
	if a.Own {
		return OwnPrefix + a.File
	}
	return ShippedPrefix + a.File
}

// UserMessages returns the messages that the track replays.
func (a Attack) UserMessages(t Track) []string {
	if t.Base() == Single {
		return a.Messages[len(a.Messages)-1:]
	}
	return a.Messages
}

// Where is the attack's place for messages: file:line: id.
func (a Attack) Where() string { return fmt.Sprintf("%s:%d: %s", a.File, a.Line, a.ID) }

// Corpus is everything that is replayed, each list sorted by id.
type Corpus struct {
	Attacks []Attack
	Benign  []Attack
	Own     bool // not the shipped one

	derived map[Track][]Attack // see With
	leftOut map[Track][]Attack // see WithApart
}

// Select returns the attacks of a level that a track replays, in order.
func (c Corpus) Select(l Level, t Track) []Attack {
	all := c.Attacks
	switch {
	case t == Benign:
		all = c.Benign
	case t.Section() != Native:
		all = c.derived[t]
	}
	count := 0
	for i := range all {
		if all[i].Level == l {
			count++
		}
	}
	out := slices.Grow([]Attack(nil), count) // each cell of a grid asks
	for i := range all {
		if all[i].Level == l {
			out = append(out, all[i])
		}
	}
	return out
}

// Fits refuses what a conversation at its level would cut off: more messages than
// the turn limit, or more payments than the step limit leaves room for.
func (c Corpus) Fits(levels map[Level]LevelSpec) error {
	all := slices.Concat(c.Attacks, c.Benign)
	for _, as := range c.derived {
		all = append(all, as...)
	}
	for _, a := range all {
		if text := a.Unfit(levels[a.Level]); text != "" {
			return fmt.Errorf("%s: %s", a.Where(), text)
		}
	}
	return nil
}

// Unfit says why an attack can't be replayed within its level's limits; empty if
// it can.
func (a Attack) Unfit(spec LevelSpec) string {
	if len(a.Messages) <= spec.TurnLimit && len(a.Goal) < spec.StepLimit {
		return ""
	}
	return fmt.Sprintf("%d messages and %d payments do not fit level %s (turn limit %d, step limit %d): shorten it",
		len(a.Messages), len(a.Goal), a.Level, spec.TurnLimit, spec.StepLimit)
}

func sortAttacks(as []Attack) {
	slices.SortFunc(as, func(a, b Attack) int { return a.ID.Compare(b.ID) })
}
