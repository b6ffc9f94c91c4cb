package fakes

import (
	"io"
	"net/http"
	"sync"

	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/internal/reuse"
)

// readBody returns a request's body, and an [http.MaxBytesError] where it is longer than
// most. One that has arrived whole is read where it is.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if here, ok := r.Body.(tap.Whole); ok {
		body := here.Whole()
		if int64(len(body)) > most {
			return nil, &http.MaxBytesError{Limit: most}
		}
		return body, nil
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, most))
}

// room is what a read is answered with.
type room struct {
	written []byte
	answer  answer
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// mostRoom is how much room is kept for the next request, in bytes.
const mostRoom = 64 << 10

// answers is a read's answer, which is there until it is done with.
func (b *room) answers(body []byte) *answer {
	b.written = body
	b.answer = answer{status: http.StatusOK, body: body, room: b}
	return &b.answer
}

// done gives the room of an answer back that has one.
func (a *answer) done() {
	if b := a.room; b != nil && cap(b.written) <= mostRoom {
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
