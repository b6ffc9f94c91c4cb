package fakes

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/retrydrill/drill/internal/reuse"
)

// room is where one request's body is read, and what a read is answered with. Nothing
// that is kept of a request refers to it.
type room struct {
	bytes.Buffer
	limited io.LimitedReader
	written []byte
	answer  answer
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// mostRoom is how much room is kept for the next request, in bytes.
const mostRoom = 64 << 10

// read returns the body, and an [http.MaxBytesError] where it is longer than most.
func (b *room) read(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	b.Reset()
	if r.ContentLength < 0 || r.ContentLength > most {
		// The server is told that the rest is not read.
		_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, most))
		return b.Bytes(), err
	}
	b.limited = io.LimitedReader{R: r.Body, N: most + 1}
	n, err := b.ReadFrom(&b.limited)
	if err == nil && n > most {
		err = &http.MaxBytesError{Limit: most}
	}
	return b.Bytes(), err
}

// answers is a read's answer.
func (b *room) answers(body []byte) *answer {
	b.written = body
	b.answer = answer{status: http.StatusOK, body: body}
	return &b.answer
}

// done gives the room back.
func (b *room) done() {
	b.limited.R, b.answer = nil, answer{}
	if b.Cap()+cap(b.written) <= mostRoom {
		rooms.Put(b)
	}
}

// place is where a value of a trial stands: where the last trial had one of its own, or
// else in a new place.
func place[T any](f *Fake, s *reuse.Slab[T]) *T {
	if f.lent {
		return s.Next()
	}
	return new(T)
}
