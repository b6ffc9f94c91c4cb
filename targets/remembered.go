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
	// kind is the content type; key is the first value of the key's header, where keyed
	// says that there is one. Of the head, naming reads nothing but these two: see
	// readName and readsJSON.
	kind, key string
	keyed     bool
	// known: the body is. A body that is not known is not an empty one.
	known bool
	body  string
	named harness.Named
}

// Name reads a request by turning the operation's template round.
func (n namer) Name(r harness.RawRequest) harness.Named {
	p := n.p
	if len(r.Body) > memo.Longest {
		return n.readName(r)
	}
	key, keyed := "", false
	if h := p.Idempotency.Key.Header; h != "" {
		if v := r.Header[h]; len(v) > 0 {
			key, keyed = v[0], true
		}
	}
	kind := first(r.Header["Content-Type"])
	hash := func() uint64 { return memo.More(memo.More(memo.More(memo.Hash(r.Body), key), r.Path), r.Query) }
	if e := p.remembered.named.Find(func(e *readRequest) bool {
		return e.method == r.Method && e.path == r.Path && e.query == r.Query && e.kind == kind &&
			e.keyed == keyed && e.key == key && e.known == (r.Body != nil) && e.body == string(r.Body)
	}, hash); e != nil {
		return e.named
	}
	out := n.readName(r)
	p.remembered.named.At(hash()).Keep(&readRequest{r.Method, r.Path, r.Query, kind, key, keyed, r.Body != nil, string(r.Body), out})
	return out
}

// readAnswer is an answer with what was read in it.
type readAnswer struct {
	op     string
	status int
	body   string
	read   harness.Answered
}

// Answer reads an answer to the named request.
func (n namer) Answer(named harness.Named, a harness.RawAnswer) harness.Answered {
	p := n.p
	out := p.answered(named.Op, &a)
	out.Replayed = p.marker[0] != "" && slices.Contains(a.Header[p.marker[0]], p.marker[1])
	return out
}

// answered is what stands in an answer, its head left out.
func (p *Profile) answered(op string, a *harness.RawAnswer) harness.Answered {
	if len(a.Body) > memo.Longest {
		return p.readAnswer(op, a)
	}
	hash := func() uint64 { return memo.More(memo.Hash(a.Body), op) }
	if e := p.remembered.answered.Find(func(e *readAnswer) bool {
		return e.op == op && e.status == a.Status && e.body == string(a.Body)
	}, hash); e != nil {
		return e.read
	}
	out := p.readAnswer(op, a)
	// Whoever appends to what was found gets a list of its own.
	out.Found = slices.Clip(out.Found)
	p.remembered.answered.At(hash()).Keep(&readAnswer{op, a.Status, string(a.Body), out})
	return out
}
