package sim

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// wireless is one end of a connection in memory, as a client outside of the sim's own
// transport has it: it closes, is reset and keeps deadlines as a TCP connection does. A
// write never waits.
type wireless struct {
	in, out *half
	// lives is asked before each call of a worker's end; nil at the target's.
	lives func()
	late  deadline
}

// newWireless returns a worker's end and the target's.
func newWireless(lives func()) (worker, target *wireless) {
	up, down := newHalf(), newHalf()
	return &wireless{in: down, out: up, lives: lives}, &wireless{in: up, out: down}
}

// half is what flows in one direction.
type half struct {
	mu    sync.Mutex
	bytes []byte
	// end is what a reader gets after the bytes; gone: nobody reads any more.
	end  error
	gone error
	// stirred tells a reader to look.
	stirred chan struct{}
}

func newHalf() *half { return &half{stirred: make(chan struct{}, 1)} }

func (h *half) stir() {
	select {
	case h.stirred <- struct{}{}:
	default:
	}
}

// finish is what a reader gets after what was written; at once drops that.
func (h *half) finish(err error, atOnce bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.end == nil || atOnce {
		h.end = err
	}
	if atOnce {
		h.bytes = nil
	}
	h.stir()
}

func (h *half) write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.gone != nil:
		return 0, h.gone
	case h.end != nil:
		return 0, net.ErrClosed
	}
	h.bytes = append(h.bytes, p...)
	h.stir()
	return len(p), nil
}

// take reads what is there; more says that there is nothing yet.
func (h *half) take(p []byte) (n int, more bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.bytes) > 0 {
		n = copy(p, h.bytes)
		h.bytes = h.bytes[n:]
		return n, false, nil
	}
	return 0, h.end == nil, h.end
}

// Read implements [net.Conn].
func (c *wireless) Read(p []byte) (int, error) {
	for {
		c.alive()
		late := c.late.over()
		select {
		case <-late:
			return 0, os.ErrDeadlineExceeded
		default:
		}
		if n, more, err := c.in.take(p); !more {
			return n, err
		}
		select {
		case <-c.in.stirred:
		case <-late:
		}
	}
}

// Write implements [net.Conn].
func (c *wireless) Write(p []byte) (int, error) {
	c.alive()
	return c.out.write(p)
}

func (c *wireless) alive() {
	if c.lives != nil {
		c.lives()
	}
}

// Close implements [net.Conn]: the other side reads what was written, and the end.
func (c *wireless) Close() error {
	c.in.finish(net.ErrClosed, true)
	c.in.leave(brokenPipe())
	c.out.finish(io.EOF, false)
	return nil
}

// leave says that nobody reads any more.
func (h *half) leave(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone == nil {
		h.gone = err
	}
}

// reset ends it as a RST does.
func (c *wireless) reset() {
	c.out.finish(wasReset, true)
	c.in.leave(wasReset)
	c.in.finish(net.ErrClosed, true)
}

// LocalAddr implements [net.Conn].
func (c *wireless) LocalAddr() net.Addr { return targetAddr }

// RemoteAddr implements [net.Conn].
func (c *wireless) RemoteAddr() net.Addr { return targetAddr }

// SetDeadline implements [net.Conn].
func (c *wireless) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements [net.Conn].
func (c *wireless) SetReadDeadline(t time.Time) error {
	c.late.set(t)
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.in.stir()
	return nil
}

// SetWriteDeadline implements [net.Conn]. A write never waits.
func (c *wireless) SetWriteDeadline(time.Time) error { return nil }

// deadline is closed over once its time has come. The zero value has none.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	done  chan struct{}
}

func (d *deadline) over() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done
}

func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	d.timer, d.done = nil, nil
	if t.IsZero() {
		return
	}
	done := make(chan struct{})
	d.done = done
	if wait := time.Until(t); wait > 0 {
		d.timer = time.AfterFunc(wait, func() { close(done) })
		return
	}
	close(done)
}
