package llm

import (
	"errors"
	"time"
)

// Class says what may be done about a failure.
type Class int

// The classes. The zero value is the careful one: nothing is asked again.
const (
	Final     Class = iota // of this request: asking again brings the same
	Transient              // broken off on the way, or a fault of the server: may be asked again
	Overload               // too many requests, or too few servers: may be asked again, more slowly
	KeyDead                // of the key: quota used up or key refused; nothing more is answered
	ModelDead              // of the model: it does not exist, or can't call tools
)

// Failure is how a live client fails. It wraps its sentinel.
type Failure struct {
	Kind       error // the sentinel
	Class      Class
	RetryAfter string        // the header as it came: seconds or a date; empty: none
	Delay      time.Duration // what the body asks to wait for; 0: nothing
	text       string
}

func (f *Failure) Error() string { return f.text }
func (f *Failure) Unwrap() error { return f.Kind }

// FailureClass is the class of whatever a client returned.
func FailureClass(err error) Class {
	var f *Failure
	if errors.As(err, &f) {
		return f.Class
	}
	return Final
}

// NewFailure makes a failure; the text is what Error returns.
func NewFailure(kind error, class Class, text string) *Failure {
	return &Failure{Kind: kind, Class: class, text: text}
}
