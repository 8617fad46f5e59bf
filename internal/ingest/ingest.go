// Package ingest reads other people's data: outcome rows and attacks as Parquet,
// CSV or JSON Lines, with columns found by a mapping, and other tools' logs of
// conversations, with calls found by a tool map. It streams: memory holds a few
// rows, never a file. A row that can't be read whole is rejected with its file,
// number and reason, and never counted as anything else.
package ingest

import (
	"errors"
	"fmt"
)

// Rejected is a row that was not imported; the rows behind it still can be.
type Rejected struct {
	File   string
	Row    int64  // from 1: the row of a table, the line of a log
	Reason Reason // counted
	Detail string // what is wrong with this row
	Raw    string // the row as it was read, as far as it was
}

// Error is file:row: reason: detail.
func (r *Rejected) Error() string {
	return fmt.Sprintf("%s:%d: %s: %s", r.File, r.Row, r.Reason, r.Detail)
}

// Reason is why a row was rejected, in words that are counted.
type Reason string

// The reasons.
const (
	MissingValue  Reason = "missing value"
	UnknownWord   Reason = "unknown word"
	BadValue      Reason = "bad value"
	Contradiction Reason = "contradiction"
	DuplicateRow  Reason = "duplicate"
	Unreadable    Reason = "unreadable"
	UnmappedTools Reason = "no tool map"
	FailedChecks  Reason = "failed checks"
)

// ErrNothing is a file without a row: mostly the wrong file.
var ErrNothing = errors.New("no row: an import of nothing proves nothing")

// reject makes a rejection without its place.
func reject(reason Reason, format string, args ...any) *Rejected {
	return &Rejected{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
