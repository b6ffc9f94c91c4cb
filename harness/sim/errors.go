package sim

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// host is where the target is, as the workers see it. The name can not resolve
// anywhere else (RFC 6761 section 6.4).
const host = "target.invalid"

// ErrClock is returned for a call that a deadline on the real clock bounds: time is
// virtual here.
var ErrClock = errors.New("a deadline on the real clock means nothing in the sim: take Env.Clock, and Env.Client for a bound on each call")

// targetAddr stands in the errors where a socket's address would.
var targetAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}

// refused is what a connection to a target that is down gets.
func refused() error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: targetAddr, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// wasReset is what every read gets on a connection that was reset; nobody changes it.
var wasReset = func() error {
	return &net.OpError{Op: "read", Net: "tcp", Addr: targetAddr, Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}()

// brokenPipe is what a write gets on a connection that the other side closed.
func brokenPipe() error {
	return &net.OpError{Op: "write", Net: "tcp", Addr: targetAddr, Err: os.NewSyscallError("write", syscall.EPIPE)}
}

// timeout is what a call gets whose deadline passed; it is what net/http answers.
type timeout struct{ while string }

func (e *timeout) Error() string {
	return "context deadline exceeded (Client.Timeout exceeded while " + e.while + ")"
}
func (e *timeout) Timeout() bool   { return true }
func (e *timeout) Temporary() bool { return true }
func (e *timeout) Is(target error) bool {
	return target == context.DeadlineExceeded
}
