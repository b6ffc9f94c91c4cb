package targets

import (
	"slices"
	"strconv"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/memo"
)

// remembered is what one profile has read before: tap, fake and client read the same
// request and the same answer, and trial after trial they are the same bytes again.
type remembered struct {
	named    memo.Of[harness.Named]
	answered memo.Of[harness.Answered]
}

// keyRoom is the room for a key on the stack; most are shorter.
const keyRoom = 1024

// Name reads a request by turning the operation's template round.
func (n namer) Name(r harness.RawRequest) harness.Named {
	p := n.p
	var room [keyRoom]byte
	key := memo.Part(room[:0], r.Method)
	key = memo.Part(key, r.Path)
	key = memo.Part(key, r.Query)
	// Of the head, naming reads nothing but these two: see readName and readsJSON.
	key = memo.Part(key, first(r.Header["Content-Type"]))
	key = appendValues(key, r.Header, p.Idempotency.Key.Header)
	if r.Body != nil {
		// A body that is not known is not an empty one.
		key = append(append(key, 1), r.Body...)
	}
	if out, ok := p.remembered.named.Get(key); ok {
		return out
	}
	out := n.readName(r)
	p.remembered.named.Put(key, out)
	return out
}

// appendValues appends whether a header is there, and its first value.
func appendValues(key []byte, h map[string][]string, name string) []byte {
	if name == "" || len(h[name]) == 0 {
		return append(key, 0)
	}
	return memo.Part(append(key, 1), h[name][0])
}

// Answer reads an answer to the named request.
func (n namer) Answer(named harness.Named, a harness.RawAnswer) harness.Answered {
	p := n.p
	replayed := p.marker[0] != "" && slices.Contains(a.Header[p.marker[0]], p.marker[1])
	var room [keyRoom]byte
	key := memo.Part(room[:0], named.Op)
	key = strconv.AppendInt(key, int64(a.Status), 10)
	key = append(append(key, ' '), a.Body...)
	out, ok := p.remembered.answered.Get(key)
	if !ok {
		out = n.readAnswer(named, a)
		// Whoever appends to what was found gets a list of its own.
		out.Found = slices.Clip(out.Found)
		p.remembered.answered.Put(key, out)
	}
	out.Replayed = replayed
	return out
}
