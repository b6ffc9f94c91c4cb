package fakes

import (
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/memo"
)

// known is what the fakes of one profile have worked out.
type known struct {
	reads memo.Table[readCall]
	ids   memo.Table[madeID]
	texts memo.Table[written]
}

// readCall is a request with the call that was read in it. Nothing else of its head is
// read.
type readCall struct {
	method, path, query, kind string
	// key is the value of the key's header, where keyed says that there is one.
	key   string
	keyed bool
	body  string
	call  *call
	// named is what the tap's namer, which is ours, read in it.
	named *harness.Named
}

// remember is [Fake.read], which hangs on the request's bytes and on the profile alone:
// what was read in one trial is not read again in the next. What is refused is not
// kept.
func (f *Fake) remember(r *http.Request, body []byte) (*call, *refusal) {
	if f.known == nil || f.ways.lookup == harness.LookupNone {
		return f.read(r, body)
	}
	named := harness.CrossingFrom(r.Context()).Named
	if named != nil {
		// The tap has just compared it with what it was before.
		if e := f.known.reads.Lately(func(e *readCall) bool { return e.named == named }); e != nil {
			return e.call, nil
		}
	}
	header := f.p.Idempotency.Key.Header
	keys := r.Header[header]
	if header != "" && len(keys) > 1 || len(body) > memo.Longest {
		return f.read(r, body)
	}
	key, keyed, kind := "", header != "" && len(keys) == 1, ""
	if keyed {
		key = keys[0]
	}
	if v := r.Header["Content-Type"]; len(v) > 0 {
		kind = v[0]
	}
	hash := func() uint64 {
		return memo.More(memo.More(memo.More(memo.Hash(body), key), r.URL.Path), r.URL.RawQuery)
	}
	if e := f.known.reads.Find(func(e *readCall) bool {
		return e.method == r.Method && e.path == r.URL.Path && e.query == r.URL.RawQuery && e.kind == kind &&
			e.keyed == keyed && e.key == key && e.body == string(body) &&
			(named == nil || e.named == named)
	}, hash); e != nil {
		return e.call, nil
	}
	c, bad := f.read(r, body)
	if bad == nil {
		f.known.reads.At(hash()).Keep(&readCall{r.Method, r.URL.Path, r.URL.RawQuery, kind, key, keyed, string(body), c, named})
	}
	return c, bad
}
