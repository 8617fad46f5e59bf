package main

import "errors"

// statusError is an error that ends with a status other than 1.
type statusError struct {
	error
	status int
}

// Unwrap gives the error itself.
func (e statusError) Unwrap() error { return e.error }

// statusOf is the exit status of an error: 1, unless it says otherwise.
func statusOf(err error) int {
	var s statusError
	if errors.As(err, &s) {
		return s.status
	}
	return 1
}
