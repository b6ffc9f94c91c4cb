package policy

import (
	"errors"

	"github.com/retrydrill/drill/harness"
)

// Error carries the class of an outcome through every layer that wraps it with %w.
type Error struct {
	Class harness.Class
	Err   error
}

// Error prints the class and the error below it.
func (e *Error) Error() string { return string(e.Class) + ": " + e.Err.Error() }

// Unwrap returns the error that was classified.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class that travels in err, the outermost if there are several:
// whoever classified last knew most. No error is confirmed; one without a class is
// unknown, since nobody said that nothing was done.
func ClassOf(err error) harness.Class {
	var e *Error
	switch {
	case err == nil:
		return harness.Confirmed
	case errors.As(err, &e):
		return e.Class
	}
	return harness.Unknown
}
