package record

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// PlanLine is the journal's line of a cell that is about to run.
type PlanLine struct {
	Planned PlannedCell `json:"planned"`
	Prev    string      `json:"prev"` // as in Entry
}

// Entry is the journal's line of an evaluation. What stands before the evaluation
// is enough to resume without reading it.
type Entry struct {
	ID      string   `json:"id"`
	Attempt int      `json:"attempt"` // from 1
	Final   bool     `json:"final"`   // it is never asked again
	Spent   Usage    `json:"spent"`   // by this attempt
	Served  []string `json:"served,omitempty"`
	Prev    string   `json:"prev"`   // CRC-32C of the line before without its evaluation; on the first line of the run's id
	CRC     string   `json:"crc32c"` // of the evaluation's bytes, 8 hex digits
	// Evaluation is the line of evaluations.jsonl, last and absent once that file
	// holds it.
	Evaluation jsontext.Value `json:"evaluation,omitempty"`
}

// newEntry is the head of an evaluation's line.
func newEntry(e Evaluation, attempt int, final bool) Entry {
	h := Entry{ID: e.ID, Attempt: attempt, Final: final, Spent: e.Usage()}
	for _, r := range e.Replies {
		if r.ServedModel != "" && !slices.Contains(h.Served, r.ServedModel) {
			h.Served = append(h.Served, r.ServedModel)
		}
	}
	return h
}

// Usage is what an evaluation cost, as the provider reports it.
type Usage struct {
	Replies      int   `json:"replies"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	CachedTokens int64 `json:"cached_tokens"` // part of InputTokens
}

// Add adds another's.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Replies + v.Replies, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.CachedTokens + v.CachedTokens}
}

// Usage adds up the replies of this attempt. What earlier ones cost is in Earlier.
func (e Evaluation) Usage() Usage {
	u := Usage{Replies: len(e.Replies)}
	for _, r := range e.Replies {
		u = u.Add(Usage{0, r.InputTokens, r.OutputTokens, r.CachedTokens})
	}
	return u
}

// Earlier says what earlier attempts at an evaluation cost: they were paid for.
type Earlier struct {
	Attempts int `json:"attempts"`
	Usage
}

// Earlier is what goes into the record of the next attempt: nil where the
// earlier ones cost no tokens, as with simulated bankers.
func (p Prior) Earlier() *Earlier {
	if p.Spent.InputTokens+p.Spent.OutputTokens == 0 {
		return nil
	}
	return &Earlier{p.Attempts, p.Spent}
}

// bodyMark begins the evaluation in a line. It can't stand within a string of the
// head, where its quotes would be escaped.
const bodyMark = `,"evaluation":`

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) }

// noCRC holds the place of a checksum that is not known yet.
const noCRC = "00000000"

// encode appends the line of an evaluation to b, which is empty, and says where
// in it the evaluation begins. The line before it is not known yet.
func (h Entry) encode(b *bytes.Buffer, e Evaluation) (body int, err error) {
	h.Prev, h.CRC = noCRC, noCRC
	if err := encodeTo(b, h); err != nil {
		return 0, err
	}
	b.Truncate(b.Len() - len("}\n"))
	crc := b.Len() - len(noCRC) - len(`"`)
	b.WriteString(bodyMark)
	body = b.Len()
	if err := encodeTo(b, e); err != nil {
		return 0, err
	}
	b.Truncate(b.Len() - len("\n"))
	copy(b.Bytes()[crc:], checksum(b.Bytes()[body:]))
	b.WriteString("}\n")
	return body, nil
}

// buffers spare an allocation of a whole line for each evaluation.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var errDamaged = errors.New("line is damaged")

// ErrFinished marks the journal of a run that is complete: nothing is left to ask.
var ErrFinished = errors.New("the run is finished")

// strict decodes one line's JSON.
func strict(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// parseEntry reads the head of an evaluation's line, given without its line
// feed, and checks the evaluation against it.
func parseEntry(raw []byte) (h Entry, l line, err error) {
	head, rest, whole := bytes.Cut(raw, []byte(bodyMark))
	if !whole {
		if err := strict(raw, &h); err != nil {
			return h, l, err
		}
		return h, l, ErrFinished
	}
	if err := strict(append(head[:len(head):len(head)], '}'), &h); err != nil {
		return h, l, err
	}
	if !bytes.HasSuffix(rest, []byte("}")) {
		return h, l, errDamaged
	}
	if checksum(rest[:len(rest)-1]) != h.CRC {
		return h, l, fmt.Errorf("%w: the evaluation's checksum is not %s", errDamaged, h.CRC)
	}
	l = line{attempt: h.Attempt, final: h.Final, length: len(raw) + 1, body: len(head) + len(bodyMark)}
	l.cell, l.attack, l.trial, err = splitID(h.ID)
	return h, l, err
}

// splitID is EvaluationID turned round. An attack's id may hold slashes of its own.
func splitID(id string) (cell, attack string, trial int, err error) {
	end := 0
	for range 4 {
		next := strings.IndexByte(id[end:], '/')
		if next < 0 {
			return "", "", 0, fmt.Errorf("%w: %q is no id of an evaluation", errDamaged, id)
		}
		end += next + 1
	}
	last := strings.LastIndexByte(id, '/')
	if last < end {
		return "", "", 0, fmt.Errorf("%w: %q is no id of an evaluation", errDamaged, id)
	}
	if trial, err = strconv.Atoi(id[last+1:]); err != nil {
		return "", "", 0, fmt.Errorf("%w: %q is no id of an evaluation", errDamaged, id)
	}
	return id[:end-1], id[end:last], trial, nil
}
