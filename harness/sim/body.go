package sim

import (
	"bytes"
	"io"

	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// body is that of a whole answer. Once it was read to its end, its connection is
// idle again; one that is closed before is closed with its connection.
type body struct {
	bytes.Reader
	text   []byte
	k      *call
	conn   *conn
	status int
	told   bool
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	if b.mute() {
		return 0, worker.ErrDead
	}
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		b.tell(tap.HeardWhole)
	}
	return n, err
}

// WriteTo implements [io.WriterTo]: who copies it has read it to its end.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	if b.mute() {
		return 0, worker.ErrDead
	}
	n, err := b.Reader.WriteTo(w)
	if err == nil {
		b.tell(tap.HeardWhole)
	}
	return n, err
}

// Whole implements [tap.Whole]. It is nil where there is nothing to read.
func (b *body) Whole() []byte {
	if b.mute() || b.Len() == 0 {
		return nil
	}
	b.Reset(nil)
	b.tell(tap.HeardWhole)
	return b.text
}

// mute: whoever had it is dead.
func (b *body) mute() bool { return b.k.life.in == nil && b.k.life.dead }

// Close implements [io.Closer].
func (b *body) Close() error {
	b.tell(tap.HeardClosed)
	return nil
}

func (b *body) tell(note string) {
	if b.told {
		return
	}
	b.told = true
	b.k.life.now(func() {
		if note == tap.HeardWhole || b.Len() == 0 {
			b.keep()
		}
		b.k.heard(b.status, note, "")
	})
}

// keep gives the connection back.
func (b *body) keep() {
	if l := b.k.life; b.conn != nil && !l.dead && l.seat.unreachable == nil {
		l.idle = append(l.idle, b.conn)
	}
	b.conn = nil
}
