//go:build linux || darwin

package wire

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// reserve binds a socket that never listens: nobody else gets the port, and while
// the proxy is down a connection is refused.
func (s *slot) reserve() error {
	// No worker inherits it: SOCK_CLOEXEC is not everywhere, and the lock is.
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	s.hold = fd
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return fmt.Errorf("slot: placeholder: %w", err)
	}
	s.address = fmt.Sprintf("127.0.0.1:%d", sa.(*unix.SockaddrInet4).Port)
	return nil
}

// unreserve gives the port back.
func (s *slot) unreserve() error {
	if s.hold < 0 {
		return nil
	}
	return unix.Close(s.hold)
}
