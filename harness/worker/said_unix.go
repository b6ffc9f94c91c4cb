//go:build linux || darwin

package worker

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// said is the reading end of a worker's output, of which it can be told when all that was
// printed by some moment has been dealt with: it is another pipe than those over which the
// worker does what it does next.
type said struct {
	conn syscall.RawConn

	mu sync.Mutex
	// taken counts the bytes that were read, dealt those of them that are dealt with; over:
	// nobody reads any more.
	taken, dealt int
	over         bool
	// moved is closed and renewed when dealt grows.
	moved chan struct{}
}

func newSaid(f *os.File) (*said, error) {
	conn, err := f.SyscallConn()
	return &said{conn: conn, moved: make(chan struct{})}, err
}

// Read implements io.Reader. Whoever reads on has dealt with what it had.
func (s *said) Read(p []byte) (n int, err error) {
	s.settle(false)
	waited := s.conn.Read(func(fd uintptr) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for {
			if n, err = unix.Read(int(fd), p); !errors.Is(err, unix.EINTR) {
				break
			}
		}
		s.taken += max(n, 0)
		return !errors.Is(err, unix.EAGAIN)
	})
	switch {
	case waited != nil:
		return 0, waited
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// end says that nobody reads any more.
func (s *said) end() { s.settle(true) }

func (s *said) settle(over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dealt, s.over = s.taken, s.over || over
	close(s.moved)
	s.moved = make(chan struct{})
}

// through returns once all that stands in the pipe by now is dealt with.
func (s *said) through() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for want := s.taken + s.left(); s.dealt < want && !s.over; {
		moved := s.moved
		s.mu.Unlock()
		<-moved
		s.mu.Lock()
	}
}

// left is how many bytes nobody has read yet.
func (s *said) left() (n int) {
	_ = s.conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unread) })
	return n
}
