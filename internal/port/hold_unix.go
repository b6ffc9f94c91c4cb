//go:build linux || darwin

package port

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Hold binds a socket that never listens.
func Hold() (*Held, error) {
	// No child inherits it: SOCK_CLOEXEC is not everywhere, and the lock is.
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("port: socket: %w", err)
	}
	h := &Held{fd: fd}
	if err := h.bind(); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("port: %w", err)
	}
	return h, nil
}

func (h *Held) bind() error {
	if err := unix.SetsockoptInt(h.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err := unix.Bind(h.fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	sa, err := unix.Getsockname(h.fd)
	if err == nil {
		h.Number = sa.(*unix.SockaddrInet4).Port
	}
	return err
}

// Close gives the port back.
func (h *Held) Close() error { return unix.Close(h.fd) }
