package tap

import (
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strings"
	"syscall"

	"github.com/retrydrill/drill/harness"
)

// failures are the tests of [FailureOf]; the first that holds counts.
var failures = []struct {
	class harness.Failure
	is    func(error) bool
}{
	{harness.FailGaveUp, overtime},
	{harness.FailRefused, func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
	{harness.FailName, is[*net.DNSError]},
	{harness.FailReset, func(err error) bool {
		return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	}},
	{harness.FailCut, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	{harness.FailClosed, func(err error) bool { return errors.Is(err, io.EOF) }},
	{harness.FailMalformed, malformed},
	{harness.FailGaveUp, canceled},
}

// FailureOf says what an error of a client from net/http, or of one that models it,
// looks like to its caller. A nil error is no failure.
func FailureOf(err error) harness.Failure {
	if err == nil {
		return ""
	}
	for _, f := range failures {
		if f.is(err) {
			return f.class
		}
	}
	return harness.FailOther
}

// malformed: half a head is malformed, or cut, as its end falls.
func malformed(err error) bool {
	return is[textproto.ProtocolError](err) || strings.Contains(err.Error(), "malformed HTTP")
}

// overtime: the deadline passed, or the caller's context ended.
func overtime(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// is reports whether an error of this type is in the chain.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// canceled: net/http tells of a client's deadline in one of two ways, as one of two
// timers is first, and this one has no value to ask for.
func canceled(err error) bool { return strings.Contains(err.Error(), "net/http: request canceled") }
