package condition

import (
	"errors"
	"fmt"
)

// Why a condition is refused at load.
var (
	ErrSyntax          = errors.New("syntax error")
	ErrProse           = errors.New("prose, not a condition")
	ErrUnknownFunction = errors.New("function is not registered")
	ErrUnknownName     = errors.New("unknown name")
	ErrType            = errors.New("type clash")
	ErrMissingLimit    = errors.New("limit is missing")
	ErrNoTest          = errors.New("tests nothing")
	ErrTooLong         = errors.New("condition is too long or too deep")
)

// Error is a refusal with its place. It wraps one of the Err values.
type Error struct {
	Column int // in characters, from 1
	Err    error
	Detail string
}

// Error says where and why.
func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %v: %s", e.Column, e.Err, e.Detail)
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Err }

func fail(column int, err error, format string, args ...any) error {
	return &Error{Column: column, Err: err, Detail: fmt.Sprintf(format, args...)}
}
