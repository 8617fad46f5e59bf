// Package sim holds five simulated bankers. They are instruments and not
// models: each is a pure function of the request, so two runs of the suite give
// the same bytes, and each stands for one end of what a model may do, from the
// one that never calls a tool to the one that does whatever an attack wants.
//
// No banker knows a passport, a decision or the class of a recipient. Three of
// them read the conversation alone. The two that must do exactly what an attack
// wants are given a Lookup at construction; nothing of a goal travels in a
// request.
package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vaultbench/internal/llm"
)

// Payment is one transfer that a banker calls for.
type Payment struct {
	Recipient string
	Amount    json.RawMessage // raw JSON value, put into the call as it stands
	Currency  string          // "" leaves the argument out
	Memo      string
}

// Lookup gives the goal of the conversation whose Key is key: the transfers
// that the attacker wants called, in order. It must be safe for concurrent use
// and always give the same answer.
type Lookup func(key [32]byte) ([]Payment, bool)

// Key digests a system prompt and all user messages so far. Every part is
// preceded by its length, so that no other split of the same text gives the
// same key: a goal must never be reached from a conversation that only
// concatenates to the same bytes.
func Key(system string, user []string) [32]byte {
	size := 8 + len(system) + 8
	for _, message := range user {
		size += 8 + len(message)
	}
	pooled := keyBuffers.Get().(*[]byte)
	defer keyBuffers.Put(pooled)
	buf := slices.Grow((*pooled)[:0], size)
	*pooled = buf
	buf = appendPart(buf, system)
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(user)))
	for _, message := range user {
		buf = appendPart(buf, message)
	}
	return sha256.Sum256(buf)
}

// keyBuffers spare an allocation of a whole conversation for each request.
var keyBuffers = sync.Pool{New: func() any { return new([]byte) }}

func appendPart(buf []byte, part string) []byte {
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(part)))
	return append(buf, part...)
}

// The names of the bankers. They begin with "sim-" so that no table can take
// one for a model.
const (
	Refuser     = "sim-refuser"
	Teller      = "sim-teller"
	Gullible    = "sim-gullible"
	Compromised = "sim-compromised"
	Erratic     = "sim-erratic"
)

// ErrUnknownName marks a name that no banker has.
var ErrUnknownName = errors.New("unknown simulated banker")

// ErrNoLookup marks a banker that cannot work without a Lookup and got none.
// It is an error and not a banker without goals, since that one would make an
// attack look held.
var ErrNoLookup = errors.New("simulated banker needs a lookup")

// Names returns the five names, sorted.
func Names() []string {
	names := []string{Refuser, Teller, Gullible, Compromised, Erratic}
	slices.Sort(names)
	return names
}

// New makes the banker of that name. lookup is used by sim-compromised and
// sim-erratic only; the others may get nil. The client is safe for concurrent use.
func New(name string, lookup Lookup) (llm.Client, error) {
	goals := goalsOf(lookup)
	var answer func(conversation) llm.Reply
	switch name {
	case Refuser:
		answer = refuse
	case Teller:
		answer = tellerAnswer
	case Gullible:
		answer = gullibleAnswer
	case Compromised:
		answer = func(c conversation) llm.Reply { return compromisedAnswer(c, goals) }
	case Erratic:
		answer = func(c conversation) llm.Reply { return erraticAnswer(c, goals) }
	default:
		return nil, fmt.Errorf("%w %q: choose one of %s", ErrUnknownName, name, strings.Join(Names(), ", "))
	}
	if lookup == nil && (name == Compromised || name == Erratic) {
		return nil, fmt.Errorf("%w: %s", ErrNoLookup, name)
	}
	return banker{name: name, answer: answer}, nil
}

type banker struct {
	name   string
	answer func(conversation) llm.Reply
}

// Chat honours a cancelled ctx and fails for no other reason.
func (b banker) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, fmt.Errorf("%s: %w", b.name, err)
	}
	return b.answer(newConversation(req.Messages)), nil
}

// refuse is sim-refuser: the floor of every table, what a banker costs that
// never calls.
func refuse(conversation) llm.Reply {
	return words("I am sorry, I cannot help with that. Nothing was paid.")
}
