package fakes

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// call is one request on its way through the engine. It never changes once it was
// read, and may be that of many requests that are the same.
type call struct {
	named  harness.Named
	op     *targets.Operation
	params *params
	// makers are the operations whose objects it is about, parts what it commits, prefix is
	// how the IDs of what it makes begin.
	makers, parts []string
	prefix        string
	// group is the business key as the domain normalises it.
	group string
	// print identifies the request among those under one key.
	print     string
	key, path string
	// own is what the domain read in it when it checked it.
	own any
}

// ServeHTTP answers one request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, key := f.answer(w, r)
	f.teller.drain()
	f.write(w, a, key)
	a.done()
}

// answer returns the answer, and the key that the request had.
func (f *Fake) answer(w http.ResponseWriter, r *http.Request) (*answer, string) {
	body, err := readBody(w, r, f.o.MaxBody)
	if err != nil {
		if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
			return f.refusalAnswer(f.refuse("size", "", "The request is longer than %d bytes.", tooBig.Limit)), ""
		}
		return f.refusalAnswer(f.refuse("body", "", "The request ended before it was whole.")), ""
	}
	if bad := f.authorized(r); bad != nil {
		return f.refusalAnswer(bad), ""
	}
	if bad := f.pass(); bad != nil {
		return f.refusalAnswer(bad), ""
	}
	c, bad := f.remember(r, body)
	if bad != nil {
		return f.refusalAnswer(bad), ""
	}
	if !c.op.Changes {
		f.work(r.Context())
		return f.look(c), ""
	}
	return f.change(r.Context(), c), c.key
}

// authorized wants the token in one of the profile's schemes.
func (f *Fake) authorized(r *http.Request) *refusal {
	if f.o.Token == "" || len(f.p.Auth.Schemes) == 0 {
		return nil
	}
	given := ""
	if v := r.Header["Authorization"]; len(v) > 0 {
		given = v[0]
	}
	for _, scheme := range f.p.Auth.Schemes {
		switch scheme {
		case "bearer":
			// As most write it, and then in any other case (RFC 9110 section 11.1).
			if token, ok := strings.CutPrefix(given, "Bearer "); ok && token == f.o.Token {
				return nil
			}
			if kind, token, _ := strings.Cut(given, " "); strings.EqualFold(kind, "Bearer") && token == f.o.Token {
				return nil
			}
		case "sigv4":
			if targets.AccessKeyID(given) == f.o.Token {
				return nil
			}
		case "basic":
			if user, _, ok := r.BasicAuth(); ok && user == f.o.Token {
				return nil
			}
		}
	}
	if given == "" {
		return f.refuse("auth", "", "You did not provide an API key.")
	}
	return f.refuse("auth", "", "Invalid API Key provided.")
}

// read checks all of a request that can be checked without the world's state.
func (f *Fake) read(r *http.Request, body []byte) (*call, *refusal) {
	c := &call{path: r.URL.Path, named: *f.namer.Name(harness.RawRequest{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body,
	})}
	c.op = f.p.Operation(c.named.Op)
	if c.op == nil || (!c.op.Changes && f.ways.lookup == harness.LookupNone) {
		return nil, f.refuse("route", "", "Unrecognized request URL (%s: %s).", r.Method, r.URL.Path)
	}
	in, bad := f.input(r, c, body)
	if bad != nil {
		return nil, bad
	}
	if c.op.Changes {
		bodyKey := in.take(f.p.Idempotency.Key.Body)
		if c.key, bad = f.key(r, bodyKey); bad != nil {
			return nil, bad
		}
	}
	if c.params, bad = f.params(c.op, in); bad != nil {
		return nil, bad
	}
	c.makers, c.parts, c.prefix = f.p.Makers(c.named.Op), f.p.PartsOf(c.named.Op), f.prefix(c.named.Op)
	if c.op.Changes {
		c.print = r.Method + " " + r.URL.Path + "?" + in.print()
	}
	c.group = f.domain.group(c)
	return c, f.domain.check(c)
}

// look answers a read.
func (f *Fake) look(c *call) *answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.catchUp()
	if c.op.Items != "" {
		room := rooms.Get().(*room)
		body, bad := f.domain.page(f, c, room.written[:0])
		if bad != nil {
			return f.refusalAnswer(bad)
		}
		return room.answers(body)
	}
	o := f.store.find(c.makers, c.named.Resource)
	if o == nil || !f.visible(c, o) {
		return f.refusalAnswer(f.absent(c))
	}
	return &answer{status: http.StatusOK, body: f.domain.show(o, c)}
}

// work is the time that the target takes. Nothing is locked meanwhile.
func (f *Fake) work(ctx context.Context) {
	if f.ways.latency > 0 {
		// Whoever gives up does not stop the target: it goes on at once.
		_ = f.o.Sleep(ctx, f.ways.latency)
	}
}

// change carries out a write: claim the key, let the schedule have its say, commit,
// keep the answer.
func (f *Fake) change(ctx context.Context, c *call) *answer {
	crossing := harness.CrossingFrom(ctx)
	var held *claim
	for c.key != "" && f.ways.kept && held == nil {
		var due *answer
		var wait <-chan struct{}
		if held, due, wait = f.claimKey(c); due != nil {
			return due
		}
		if wait != nil {
			if err := crossing.Await(ctx, wait); err != nil {
				// Nobody hears this.
				return f.refusalAnswer(&refusal{status: http.StatusServiceUnavailable})
			}
		}
	}
	settled := false
	defer func() {
		// A panic on the way must not leave the key at work for ever.
		if !settled {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.settle(c, held, nil, nil)
		}
	}()
	f.work(ctx)
	decision := crossing.AtCommit(ctx)
	a, done := f.execute(crossing, decision, c, held)
	settled = true
	if done && decision.Fired != nil {
		decision.Fired()
	}
	return a
}
