package tap

import (
	"errors"
	"io"
	"sync/atomic"
)

// How the reading of an answer ended, in events of a client from Env.
const (
	HeardNothing = "no answer"
	HeardWhole   = "whole answer"
	HeardPart    = "cut answer"
	HeardClosed  = "closed by the executor"
)

// HeardBody is the body of an answer that tells once how its reading ended.
type HeardBody struct {
	io.ReadCloser
	// Done gets one of the notes.
	Done func(note string)

	told atomic.Bool
}

func (b *HeardBody) tell(note string) {
	if !b.told.Swap(true) {
		b.Done(note)
	}
}

// Read implements io.Reader.
func (b *HeardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.tell(HeardWhole)
	} else if err != nil {
		b.tell(HeardPart)
	}
	return n, err
}

// Close implements io.Closer.
func (b *HeardBody) Close() error {
	b.tell(HeardClosed)
	return b.ReadCloser.Close()
}
