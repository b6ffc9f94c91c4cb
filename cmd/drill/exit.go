package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// finding is what a judging command ends with when all is not well; its story was
// told on standard output.
type finding harness.Verdict

func (f finding) Error() string { return string(f) }

// errTimeout is returned when a run did not end within --timeout.
var errTimeout = errors.New("the run did not end in time")

// exitCode is the one place where an error becomes an exit status: 130 interrupted,
// 3 drill could not do its work, 1 unsafe, 2 unknown, 0 safe.
func exitCode(err error) int {
	var f finding
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return 130
	case !errors.As(err, &f):
		return 3
	case harness.Verdict(f) == harness.Unsafe:
		return 1
	case harness.Verdict(f) == harness.Inconclusive:
		return 2
	}
	return 0
}

// worse adds what went wrong while a command ended; that counts more than a finding.
func worse(err, more error) error {
	var f finding
	switch {
	case more == nil:
		return err
	case errors.As(err, &f):
		return more
	}
	return errors.Join(err, more)
}

// judged maps a verdict to what a command returns.
func judged(v harness.Verdict) error {
	if v == harness.Safe {
		return nil
	}
	return finding(v)
}

// tell prints what went wrong; a finding was told already.
func tell(w io.Writer, err error) {
	var f finding
	switch {
	case err == nil || errors.As(err, &f):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "drill: interrupted")
	default:
		fmt.Fprintln(w, "drill: "+strings.TrimSpace(err.Error()))
	}
}
