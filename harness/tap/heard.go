package tap

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/retrydrill/drill/harness"
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
	// Done gets one of the notes, and what the client saw where the answer was cut.
	Done func(note string, failure harness.Failure)

	told atomic.Bool
}

func (b *HeardBody) tell(note string, failure harness.Failure) {
	if !b.told.Swap(true) {
		b.Done(note, failure)
	}
}

// Read implements io.Reader.
func (b *HeardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.tell(HeardWhole, "")
	} else if err != nil {
		b.tell(HeardPart, FailureOf(err))
	}
	return n, err
}

// Close implements io.Closer.
func (b *HeardBody) Close() error {
	b.tell(HeardClosed, "")
	return b.ReadCloser.Close()
}
