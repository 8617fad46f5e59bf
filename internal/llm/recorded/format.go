package recorded

import (
	"errors"
	"fmt"
)

// format is one of the shapes that a line may have.
type format struct {
	name    string
	matches func(object) bool
	parse   func(object) (Conversation, error) // beside an error, the ID as far as it is known
	repeats bool                               // ids may come again
}

var (
	formatOwn  = &format{name: ownFormat, matches: isOwn, parse: parseOwn}
	formatDojo = &format{name: "AgentDojo", matches: isDojo, parse: parseDojo, repeats: true}
)

const knownFormats = "known formats are " + ownFormat + " (docs/recordings.md) and AgentDojo runs (suite_name, user_task_id, messages), " +
	"one JSON object a line: convert the file or move it out of the folder"

// recognise settles the file's format at its first line and holds every later
// line to it: a line of another kind is mostly a file glued to another.
func (r *Reader) recognise(line object) error {
	var found *format
	for _, f := range []*format{formatOwn, formatDojo} {
		if found == nil && f.matches(line) {
			found = f
		}
	}
	switch {
	case r.format == nil && found == nil:
		return unknownFormat(line)
	case r.format == nil:
		r.format = found
	case found != nil && found != r.format:
		return fmt.Errorf("the line is %s and the file began as %s: keep one format a file", found.name, r.format.name)
	}
	return nil
}

func unknownFormat(line object) error {
	if raw, given := line["format"]; given {
		return fmt.Errorf("unknown format %s; %s", excerpt(raw), knownFormats)
	}
	return errors.New("unknown format; " + knownFormats)
}
