package fakes

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// call is one request on its way through the engine.
type call struct {
	named  harness.Named
	op     targets.Operation
	params *params
	// print identifies the request among those under one key.
	print string
	key   string
}

// ServeHTTP answers one request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.write(w, f.answer(w, r))
}

func (f *Fake) answer(w http.ResponseWriter, r *http.Request) *answer {
	var body []byte
	var err error
	if r.Body != nil {
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, f.o.MaxBody))
	}
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		return f.refusalAnswer(f.refuse("size", "", "The request is longer than %d bytes.", tooBig.Limit))
	}
	if err != nil {
		return f.refusalAnswer(f.refuse("body", "", "The request ended before it was whole."))
	}
	if bad := f.authorized(r); bad != nil {
		return f.refusalAnswer(bad)
	}
	c, bad := f.read(r, body)
	if bad != nil {
		return f.refusalAnswer(bad)
	}
	if !c.op.Changes {
		return f.look(c)
	}
	return f.change(r.Context(), c)
}

// authorized wants the token in one of the profile's schemes.
func (f *Fake) authorized(r *http.Request) *refusal {
	if f.o.Token == "" || len(f.p.Auth.Schemes) == 0 {
		return nil
	}
	for _, scheme := range f.p.Auth.Schemes {
		switch scheme {
		case "bearer":
			if kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(kind, "Bearer") && token == f.o.Token {
				return nil
			}
		case "basic":
			if user, _, ok := r.BasicAuth(); ok && user == f.o.Token {
				return nil
			}
		}
	}
	if r.Header.Get("Authorization") == "" {
		return f.refuse("auth", "", "You did not provide an API key.")
	}
	return f.refuse("auth", "", "Invalid API Key provided.")
}

// read checks all of a request that can be checked without the world's state.
func (f *Fake) read(r *http.Request, body []byte) (*call, *refusal) {
	c := &call{named: f.namer.Name(harness.RawRequest{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body,
	})}
	var known bool
	if c.op, known = f.p.Operations[c.named.Op]; !known {
		return nil, f.refuse("route", "", "Unrecognized request URL (%s: %s).", r.Method, r.URL.Path)
	}
	text := r.URL.RawQuery
	if c.op.Changes {
		if text != "" {
			return nil, f.refuse("unknown", "", "Parameters stand in the body, not in the query.")
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); len(body) > 0 && (err != nil || kind != "application/x-www-form-urlencoded") {
			return nil, f.refuse("body", "", "Invalid request (check that your POST content type is application/x-www-form-urlencoded).")
		}
		text = string(body)
	} else if len(body) > 0 {
		return nil, f.refuse("body", "", "A %s request has no body.", r.Method)
	}
	form, err := url.ParseQuery(text)
	if err != nil {
		return nil, f.refuse("body", "", "The parameters are not well-formed: %s.", err)
	}
	bodyKey := ""
	if name := f.p.Idempotency.Key.Body; name != "" && c.op.Changes {
		bodyKey = form.Get(name)
		delete(form, name)
	}
	var bad *refusal
	if c.op.Changes {
		if c.key, bad = f.key(r, bodyKey); bad != nil {
			return nil, bad
		}
	}
	if c.params, bad = f.params(c.op, form); bad != nil {
		return nil, bad
	}
	c.print = r.Method + " " + r.URL.Path + "?" + form.Encode()
	return c, f.domain.check(c)
}

// look answers a read.
func (f *Fake) look(c *call) *answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.op.Items != "" {
		body, bad := f.domain.page(f, c)
		if bad != nil {
			return f.refusalAnswer(bad)
		}
		return &answer{status: http.StatusOK, body: body}
	}
	o := f.store.byID[c.named.Resource]
	if o == nil || !f.visible(o) {
		return f.refusalAnswer(f.refuse("absent", "id", "No such object: '%s'", c.named.Resource))
	}
	return &answer{status: http.StatusOK, body: f.domain.show(o, c)}
}

// change carries out a write: claim the key, let the schedule have its say, commit,
// keep the answer.
func (f *Fake) change(ctx context.Context, c *call) *answer {
	var held *claim
	if c.key != "" {
		var due *answer
		if held, due = f.claimKey(c.key, c.print); due != nil {
			return due
		}
	}
	settled := false
	defer func() {
		// A panic on the way must not leave the key at work for ever.
		if !settled {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.settle(c.key, held, nil)
		}
	}()
	crossing := harness.CrossingFrom(ctx)
	decision := crossing.AtCommit(ctx)
	a, done := f.execute(crossing, decision, c, held)
	settled = true
	if done && decision.Fired != nil {
		decision.Fired()
	}
	return a
}
