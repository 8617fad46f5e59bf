package author

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"vaultbench/internal/corpus"
	"vaultbench/internal/strictjson"
)

// numbering gives the entries of a draft their ids, and holds their sessions
// against those that were ever given.
type numbering struct {
	top    map[string]int // the highest number before the draft, by series
	given  map[string]int // and with it
	living map[corpus.SessionID]bool
}

func newNumbering(register ledger, c corpus.Corpus) numbering {
	top := highestOf(register, c)
	n := numbering{top, maps.Clone(top), map[corpus.SessionID]bool{}}
	for _, a := range slices.Concat(c.Attacks, c.Benign) {
		n.living[a.Session] = true
	}
	return n
}

// identify puts the next id, and the category if there is none, into a line. It
// adds members and leaves the rest as it stands, so that what is wrong with it
// shows when the line is decoded. The text says why a line can't have an id.
func (n numbering) identify(line strictjson.Line) (raw []byte, text string) {
	var members map[string]json.RawMessage
	body, isObject := bytes.CutPrefix(bytes.TrimSpace(line.Raw), []byte("{"))
	if err := json.Unmarshal(line.Raw, &members); err != nil || !isObject || len(members) == 0 {
		return line.Raw, "no JSON object of an entry: write one a line"
	}
	if members["id"] != nil {
		return line.Raw, "has an id: leave it out, ids are given here"
	}
	var messages []string
	if err := json.Unmarshal(members["messages"], &messages); err != nil || messages == nil {
		return line.Raw, fmt.Sprintf("messages is %s: write a list of texts, one a turn, such as [\"good morning\"]", shown(members["messages"]))
	}
	var level string
	if err := json.Unmarshal(members["level"], &level); err != nil || !slices.Contains(corpus.Levels(), corpus.Level(level)) {
		return line.Raw, fmt.Sprintf("level is %s: write one of %v", shown(members["level"]), corpus.Levels())
	}
	series := level
	if isTwin(line, "") {
		series = "b" + level[1:]
	}
	if text := n.session(series+sessionSeries, members["session"]); text != "" {
		return line.Raw, text
	}
	n.given[series+idSeries]++
	head := fmt.Sprintf(`{"id": %q, `, numbered(series+idSeries, n.given[series+idSeries]))
	if members["category"] == nil {
		head += fmt.Sprintf(`"category": %q, `, corpus.Classify(messages))
	}
	return append([]byte(head), body...), ""
}

// session says what is wrong with an entry's session, which goes on or is new.
func (n numbering) session(series string, member json.RawMessage) string {
	var id corpus.SessionID
	err := json.Unmarshal(member, &id)
	name, number := place(string(id))
	next := n.given[series] + 1
	text := "session is " + shown(member)
	switch {
	case err == nil && n.living[id] && name == series:
		return ""
	case err != nil || name != series:
	case number > next:
		text = fmt.Sprintf("session %s skips numbers, which would never be given", id)
	case number > n.top[series]:
		n.given[series] = max(n.given[series], number)
		return ""
	default:
		text = fmt.Sprintf("session %s holds no entry, and numbers up to %s are never given again", id, numbered(series, n.top[series]))
	}
	return fmt.Sprintf("%s: write the attacker's, %s and a number: one that goes on, or the next free one, %s", text, series, numbered(series, next))
}

// shown is a member's value for a message, whatever it is.
func shown(value json.RawMessage) string {
	const most = 60 // characters, so that the remedy stays in sight
	switch text := []rune(string(value)); {
	case value == nil:
		return "missing"
	case len(text) > most:
		return string(text[:most]) + "…"
	}
	return string(value)
}
