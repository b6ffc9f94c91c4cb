package fakes

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/retrydrill/drill/targets"
)

// answer is a whole answer, ready to be kept and replayed.
type answer struct {
	status int
	body   []byte
	replay bool
	// after is how many seconds the client is asked to wait.
	after int
	// room is that of an answer which nobody needs once it is written; else nil.
	room *room
}

func (a *answer) replayed() *answer { return &answer{status: a.status, body: a.body, replay: true} }

// refusal is why a request is refused.
type refusal struct {
	status               int
	code, message, param string
	after                int
}

// refuse looks up what the profile answers to this kind of mistake.
func (f *Fake) refuse(kind, param, format string, args ...any) *refusal {
	r, ok := f.p.Refusals[kind]
	if !ok {
		r.Status = http.StatusBadRequest
	}
	return refused(r, param, fmt.Sprintf(format, args...))
}

// refused is a refusal as the profile words it.
func refused(r targets.Refusal, param, message string) *refusal {
	return &refusal{status: r.Status, code: r.Code, message: message, param: param, after: r.RetryAfter}
}

func (f *Fake) refusalAnswer(r *refusal) *answer {
	return &answer{status: r.status, after: r.after, body: f.p.ErrorJSON(targets.Problem{
		Status: r.status, Code: r.code, Message: r.message, Param: r.param,
	})}
}

// numerals are small numbers as the lists of a header's values, which nobody changes.
type numerals [1024]atomic.Pointer[[1]string]

var lengths numerals

func (x *numerals) of(n int) []string {
	if n >= len(x) {
		return []string{strconv.Itoa(n)}
	}
	v := x[n].Load()
	if v == nil {
		v = &[1]string{strconv.Itoa(n)}
		x[n].Store(v)
	}
	return v[:]
}

func (f *Fake) write(w http.ResponseWriter, a *answer, key string) {
	h := w.Header()
	body := f.p.Wire(a.body)
	if a.status != http.StatusNoContent {
		h["Content-Type"] = f.contentType
		h["Content-Length"] = lengths.of(len(body))
	}
	if f.requestID != "" {
		h[f.requestID] = f.listed("req_", f.requests.Add(1), 14)
	}
	if a.replay {
		for name, value := range f.ways.keys.ReplayHeader {
			h.Set(name, value)
		}
	}
	if k := &f.p.Idempotency; k.Echo && key != "" {
		if h.Set(k.Key.Header, key); k.Key.Quoted {
			h.Set(k.Key.Header, targets.QuoteKey(key))
		}
	}
	if a.after > 0 {
		h.Set("Retry-After", strconv.Itoa(a.after))
	}
	if a.status == http.StatusUnauthorized {
		// RFC 9110 section 15.5.2 demands a challenge.
		h.Set("WWW-Authenticate", `Basic realm="drill"`)
	}
	w.WriteHeader(a.status)
	if len(a.body) == 0 {
		return
	}
	// A client that is gone gets nothing; the effect stays.
	_, _ = w.Write(body)
}
