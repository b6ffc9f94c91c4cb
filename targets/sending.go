package targets

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
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

// watch notes whether a call had a connection on which a byte could leave. A transport
// calls GotConn before it returns, or not at all: what is left of the call then reads
// the trace and finds nothing to call.
type watch struct {
	httptrace.ClientTrace
	connected atomic.Bool
}

var watches = sync.Pool{New: func() any {
	w := &watch{}
	w.GotConn = func(httptrace.GotConnInfo) { w.connected.Store(true) }
	return w
}}

// sending is one request of a client, with all that belongs to it in one place.
type sending struct {
	url  url.URL
	text []byte
	body payload
}

// again returns the body for a transport that sends by itself once more.
func (s *sending) again() (io.ReadCloser, error) {
	p := &payload{}
	p.Reset(s.text)
	return p, nil
}

// payload is a body that has no end to its connection.
type payload struct{ bytes.Reader }

// Close implements [io.Closer].
func (*payload) Close() error { return nil }

func noBody() (io.ReadCloser, error) { return http.NoBody, nil }

// request makes the HTTP request as [http.NewRequestWithContext] does, without
// reading its parts again.
func (c *Client) request(ctx context.Context, w *watch, raw harness.RawRequest) (*http.Request, error) {
	s := new(sending)
	if c.root.plain && plainPath(raw.Path) {
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
	r := http.Request{Method: raw.Method, URL: &s.url, Host: s.url.Host, Header: raw.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, GetBody: noBody}
	if len(raw.Body) > 0 {
		s.text = raw.Body
		s.body.Reset(s.text)
		r.Body, r.GetBody, r.ContentLength = &s.body, s.again, int64(len(s.text))
	}
	return r.WithContext(httptrace.WithClientTrace(ctx, &w.ClientTrace)), nil
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
func (c *Client) roundTrip(r *http.Request) (*http.Response, error) {
	if c.hc.Jar != nil || c.hc.Timeout != 0 || c.hc.Transport == nil || r.URL.User != nil || r.URL.Scheme != "http" {
		return c.hc.Do(r)
	}
	resp, err := c.hc.Transport.RoundTrip(r)
	if err == nil && (resp == nil || resp.Body == nil) {
		err = errNoResponse
	}
	if err != nil {
		return nil, &url.Error{Op: spelled(r.Method), URL: r.URL.String(), Err: err}
	}
	return resp, nil
}

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

var readings = sync.Pool{New: func() any { return new(reading) }}

// mostRoom is how much room is kept for the next answer, in bytes.
const mostRoom = 64 << 10

// from reads an answer to its end, and no more than the client takes.
func (r *reading) from(body io.Reader) ([]byte, error) {
	r.Reset()
	r.limited = io.LimitedReader{R: body, N: maxAnswer + 1}
	_, err := r.ReadFrom(&r.limited)
	return r.Bytes(), err
}

// done gives the room back.
func (r *reading) done() {
	r.limited.R = nil
	if r.Cap() <= mostRoom {
		readings.Put(r)
	}
}

// sendError is why a call of an operation came to nothing.
type sendError struct {
	operation string
	err       error
}

// Error implements [error].
func (e *sendError) Error() string { return e.operation + ": " + e.err.Error() }

// Unwrap returns the original error.
func (e *sendError) Unwrap() error { return e.err }
