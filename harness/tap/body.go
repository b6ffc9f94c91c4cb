package tap

import (
	"bytes"
	"io"
	"net/http"
)

// maxBody is how much of a request's body the tap holds, in bytes.
const maxBody = 8 << 20

// Whole is the body of a request that has arrived whole, as every body has that a target
// gets from the tap.
type Whole interface {
	// Whole returns all of it, of which nothing was read yet. Nobody changes it.
	Whole() []byte
}

// wholeOf reads a body, no more than a byte beyond what the tap holds.
func wholeOf(r io.Reader) ([]byte, error) {
	if w, ok := r.(Whole); ok {
		if b := w.Whole(); b != nil {
			return b, nil
		}
		// It is known to be empty; nil would say that it is not known.
		return []byte{}, nil
	}
	return io.ReadAll(io.LimitReader(r, maxBody+1))
}

// whole is a body that has arrived.
type whole struct {
	bytes.Reader
	all []byte
}

func (b *whole) begin(all []byte) {
	b.all = all
	b.Reset(all)
}

// Whole implements [Whole].
func (b *whole) Whole() []byte {
	b.Reset(nil)
	return b.all
}

// Close implements io.Closer.
func (*whole) Close() error { return nil }

// buffer is a ResponseWriter that keeps the whole answer.
type buffer struct {
	bytes.Buffer
	header http.Header
	status int
	wrote  bool
}

// reset empties it.
func (b *buffer) reset() {
	b.Buffer.Reset()
	b.status, b.wrote = http.StatusOK, false
	if b.header == nil {
		b.header = make(http.Header, 4)
	}
	clear(b.header)
}

// Header implements http.ResponseWriter.
func (b *buffer) Header() http.Header { return b.header }

// Write implements http.ResponseWriter.
func (b *buffer) Write(p []byte) (int, error) {
	b.wrote = true
	return b.Buffer.Write(p)
}

// WriteHeader implements http.ResponseWriter.
func (b *buffer) WriteHeader(status int) {
	if !b.wrote {
		b.status, b.wrote = status, true
	}
}
