package targets

import (
	"slices"
	"sync/atomic"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/memo"
)

// remembered is what one profile has read before: tap, fake and client read the same
// request and the same answer, and trial after trial they are the same bytes again.
type remembered struct {
	named    memo.Table[readRequest]
	answered memo.Table[readAnswer]
	normal   memo.Table[readArguments]
	// last are the arguments that were asked for last.
	last atomic.Pointer[readArguments]
}

// readRequest is a request with what was read in it.
type readRequest struct {
	method, path, query string
	// kind is the content type; key is the first value of the key's header, of keys that it
	// has. Of the head, naming reads nothing but these two: see readName and readsJSON.
	kind, key string
	keys      int
	// known: the body is. A body that is not known is not an empty one.
	known bool
	body  string
	named harness.Named
}

// Name reads a request by turning the operation's template round. Requests of which it
// returns the same are the same in all that a target of the profile reads: see [harness.Crossing].
func (n namer) Name(r harness.RawRequest) *harness.Named {
	p := n.p
	if len(r.Body) > memo.Longest {
		out := n.readName(r)
		return &out
	}
	key, keys := "", 0
	if h := p.Idempotency.Key.Header; h != "" {
		if v := r.Header[h]; len(v) > 0 {
			key, keys = v[0], len(v)
		}
	}
	kind := first(r.Header["Content-Type"])
	hash := func() uint64 { return memo.More(memo.More(memo.More(memo.Hash(r.Body), key), r.Path), r.Query) }
	if e := p.remembered.named.Find(func(e *readRequest) bool {
		return e.method == r.Method && e.path == r.Path && e.query == r.Query && e.kind == kind &&
			e.keys == keys && e.key == key && e.known == (r.Body != nil) && e.body == string(r.Body)
	}, hash); e != nil {
		return &e.named
	}
	e := &readRequest{r.Method, r.Path, r.Query, kind, key, keys, r.Body != nil, string(r.Body), n.readName(r)}
	p.remembered.named.At(hash()).Keep(e)
	return &e.named
}

// readAnswer is an answer with what was read in it.
type readAnswer struct {
	op     string
	status int
	// replayed: it carries the replay marker. Of the head, reading reads nothing else.
	replayed bool
	body     string
	read     harness.Answered
}

// Answer reads an answer to a request of the operation.
func (n namer) Answer(op string, a harness.RawAnswer) *harness.Answered {
	p := n.p
	replayed := p.marker[0] != "" && slices.Contains(a.Header[p.marker[0]], p.marker[1])
	if len(a.Body) > memo.Longest {
		out := p.readAnswer(op, &a)
		out.Replayed = replayed
		return &out
	}
	hash := func() uint64 { return memo.More(memo.Hash(a.Body), op) }
	if e := p.remembered.answered.Find(func(e *readAnswer) bool {
		return e.op == op && e.status == a.Status && e.replayed == replayed && e.body == string(a.Body)
	}, hash); e != nil {
		return &e.read
	}
	e := &readAnswer{op, a.Status, replayed, string(a.Body), p.readAnswer(op, &a)}
	e.read.Replayed = replayed
	// Whoever appends to what was found gets a list of its own.
	e.read.Found = slices.Clip(e.read.Found)
	p.remembered.answered.At(hash()).Keep(e)
	return &e.read
}
