package fakes

import (
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/memo"
)

// keyRoom is the room for a key on the stack; most are shorter.
const keyRoom = 1024

// remember is [Fake.read], which hangs on the request's bytes and on the profile alone:
// what was read in one trial is not read again in the next. What is refused is not
// kept.
func (f *Fake) remember(r *http.Request, body []byte) (*call, *refusal) {
	header := f.p.Idempotency.Key.Header
	keys := r.Header[header]
	if f.reads == nil || f.ways.lookup == harness.LookupNone || header != "" && len(keys) > 1 {
		return f.read(r, body)
	}
	var room [keyRoom]byte
	key := memo.Part(room[:0], r.Method)
	key = memo.Part(key, r.URL.Path)
	key = memo.Part(key, r.URL.RawQuery)
	key = memo.Part(key, r.Header.Get("Content-Type"))
	if header != "" && len(keys) == 1 {
		key = memo.Part(append(key, 1), keys[0])
	}
	key = append(append(key, 0), body...)
	if c, ok := f.reads.Get(key); ok {
		return c, nil
	}
	c, bad := f.read(r, body)
	if bad == nil {
		f.reads.Put(key, c)
	}
	return c, bad
}
