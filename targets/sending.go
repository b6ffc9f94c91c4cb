package targets

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/memo"
)

// root is a target's base URL, read. A client is made for every life of a worker, and
// the URLs are a few.
type root struct {
	*url.URL
	err error
	// plain: a path is put behind it as it is.
	plain bool
}

var roots memo.Of[root]

func rootOf(base string) root {
	r, ok := roots.Get([]byte(base))
	if !ok {
		r.URL, r.err = url.Parse(base)
		r.plain = r.err == nil && r.Host != "" && r.String() == r.Scheme+"://"+r.Host+r.Path
		roots.Put([]byte(base), r)
	}
	return r
}

// Finisher is a transport that may be through with a request once its answer was read
// to the end, or RoundTrip returned an error: nobody reads the request, its URL or its
// header any more. Of others that is not known ([http.RoundTripper]).
type Finisher interface{ Finished(*http.Request) bool }

// watch notes whether a call had a connection on which a byte could leave. A transport
// calls GotConn before it returns, or not at all: what is left of the call then reads
// the trace and finds nothing to call.
type watch struct {
	httptrace.ClientTrace
	connected atomic.Bool
}

// sending is one request of a client and the room for its answer, with all that belongs
// to them in one place. Where the transport is a [Finisher], the next one is made in it.
type sending struct {
	asking
	url   url.URL
	text  []byte
	body  payload
	watch watch
	read  reading
	// req is the request; its context is call, with the watch.
	call within
	req  *http.Request
	// path is a plain one that was asked for last, straight says that it is that of the
	// request, put behind the base as it is.
	path     string
	straight bool
	// target is the URL that was spelled last, and lost is the error that was made last.
	target target
	lost   *sendError
	// getBody is again, bound once.
	getBody func() (io.ReadCloser, error)
}

func newSending() *sending {
	s := &sending{}
	s.watch.GotConn = func(httptrace.GotConnInfo) { s.watch.connected.Store(true) }
	s.getBody, s.call.Context = s.again, context.Background()
	s.req = (&http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(httptrace.WithClientTrace(&s.call, &s.watch.ClientTrace))
	return s
}

// within is the context of a call, whichever a sending is at.
type within struct{ context.Context }

// sendings are those that nobody makes use of.
var sendings = sync.Pool{New: func() any { return newSending() }}

// again returns the body for a transport that sends by itself once more.
func (s *sending) again() (io.ReadCloser, error) {
	p := &payload{}
	p.Reset(s.text)
	return p, nil
}

// within makes the request one of the context. Where its caller traces the call too, both
// are told.
func (s *sending) within(ctx context.Context) *http.Request {
	s.call.Context = ctx
	if httptrace.ContextClientTrace(ctx) == nil {
		return s.req
	}
	return s.req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: s.watch.GotConn}))
}

// done gives the room back, unless the transport may still be at the request.
func (c *Client) done(s *sending) {
	f, ok := c.hc.Transport.(Finisher)
	if !ok || !f.Finished(s.req) || s.read.Cap() > mostRoom {
		return
	}
	s.text, s.read.limited.R = nil, nil
	s.body.Reset(nil)
	if !c.idle.CompareAndSwap(nil, s) {
		sendings.Put(s)
	}
}

// payload is a body that has no end to its connection.
type payload struct{ bytes.Reader }

// Close implements [io.Closer].
func (*payload) Close() error { return nil }

func noBody() (io.ReadCloser, error) { return http.NoBody, nil }

// request makes the HTTP request as [http.NewRequestWithContext] does, without
// reading its parts again.
func (c *Client) request(ctx context.Context, s *sending, raw *harness.RawRequest) (*http.Request, error) {
	if s.straight = c.root.plain && s.isPlain(raw.Path); s.straight {
		s.url = *c.root.URL
		s.url.Path += raw.Path
	} else {
		u, err := url.Parse(c.base + raw.Path)
		if err != nil {
			return nil, err
		}
		s.url = *u
	}
	s.url.RawQuery = raw.Query
	s.url.Host = strings.TrimSuffix(s.url.Host, ":")
	r := s.within(ctx)
	r.Method, r.URL, r.Host, r.Header = raw.Method, &s.url, s.url.Host, raw.Header
	r.Body, r.GetBody, r.ContentLength = http.NoBody, noBody, 0
	if len(raw.Body) > 0 {
		s.text = raw.Body
		s.body.Reset(s.text)
		r.Body, r.GetBody, r.ContentLength = &s.body, s.getBody, int64(len(s.text))
	}
	return r, nil
}

// isPlain is plainPath, which mostly was asked of the path before.
func (s *sending) isPlain(path string) bool {
	if path == "" || path != s.path && !plainPath(path) {
		return false
	}
	s.path = path
	return true
}

// plainPath: a path without anything that a URL would spell in another way.
func plainPath(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '/', c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return true
}

// errNoResponse is what [http.Client] makes of a transport that answers nothing.
var errNoResponse = errors.New("http: RoundTripper implementation returned a nil *Response with a nil error")

// roundTrip sends the request. Where [http.Client] would add nothing, it is left out:
// no cookies, no bound of its own, no name in the URL, plain HTTP, and redirects are
// not followed. Errors are then of the same type and say the same.
func (c *Client) roundTrip(operation string, s *sending, r *http.Request) (*http.Response, error) {
	if c.hc.Jar != nil || c.hc.Timeout != 0 || c.hc.Transport == nil || r.URL.User != nil || r.URL.Scheme != "http" {
		resp, err := c.hc.Do(r)
		if err != nil {
			return nil, &sendError{operation: operation, err: err}
		}
		return resp, nil
	}
	resp, err := c.hc.Transport.RoundTrip(r)
	if err == nil && (resp == nil || resp.Body == nil) {
		err = errNoResponse
	}
	if err == nil {
		return resp, nil
	}
	return nil, s.failed(operation, url.Error{Op: spelled(r.Method), URL: c.spelledURL(s, r.URL), Err: err})
}

// failed is why a call came to nothing. Where the transport says what it said before, of
// the same call, it is the same error.
func (s *sending) failed(operation string, own url.Error) *sendError {
	if e := s.lost; e != nil && e.operation == operation && reflect.TypeOf(own.Err).Kind() == reflect.Pointer && e.own == own {
		return e
	}
	s.lost = &sendError{operation: operation, own: own}
	s.lost.err = &s.lost.own
	return s.lost
}

// spelledURL is a request's URL as text.
func (c *Client) spelledURL(s *sending, u *url.URL) string {
	if !s.straight || u.RawQuery != "" {
		return u.String()
	}
	if t := &s.target; t.scheme != u.Scheme || t.host != u.Host || t.path != u.Path {
		*t = target{u.Scheme, u.Host, u.Path, u.Scheme + "://" + u.Host + u.Path}
	}
	return s.target.text
}

// target is a plain URL without a query, and its text.
type target struct{ scheme, host, path, text string }

// spelled is a method as [http.Client] spells it in its errors.
func spelled(method string) string {
	switch method {
	case http.MethodPost:
		return "Post"
	case http.MethodGet:
		return "Get"
	}
	return method[:1] + strings.ToLower(method[1:])
}

// reading is room for one answer. All that is kept of an answer is copied out of it.
type reading struct {
	bytes.Buffer
	limited io.LimitedReader
}

// mostRoom is how much room is kept for the next answer, in bytes.
const mostRoom = 64 << 10

// from reads an answer to its end, and no more than the client takes. One that is here is
// read where it is.
func (r *reading) from(body io.Reader) ([]byte, error) {
	if here, ok := body.(interface{ Whole() []byte }); ok {
		if b := here.Whole(); b != nil {
			return b, nil
		}
	}
	r.Reset()
	r.limited = io.LimitedReader{R: body, N: maxAnswer + 1}
	_, err := r.ReadFrom(&r.limited)
	return r.Bytes(), err
}

// sendError is why a call of an operation came to nothing. own is what the client says
// of it where [http.Client] would have said it.
type sendError struct {
	operation string
	err       error
	own       url.Error
}

// Error implements [error].
func (e *sendError) Error() string { return e.operation + ": " + e.err.Error() }

// Unwrap returns the original error.
func (e *sendError) Unwrap() error { return e.err }
