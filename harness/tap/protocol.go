package tap

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// Protocol is what a target speaks in place of HTTP. It turns each whole request
// into one that has a method, a path and a JSON body, and an answer of that shape
// back into its own bytes, so that tap, carriers, namer and fake stay as they are.
type Protocol struct {
	// Scheme of the target's URL, as a worker gets it.
	Scheme string
	// Serve speaks with one connection until either side ends it, and closes it. Each
	// request goes to h, one after the other; its ResponseWriter is a [http.Hijacker]
	// that hands out c itself. Its Body may read from the connection as it is read:
	// then a [Torn] body gives access to the bytes as they came.
	Serve func(c net.Conn, h http.Handler)
	// Probe is what a peer sends so that Serve writes something without any request;
	// it may be empty where Serve writes first.
	Probe string
	// Form returns the answer to r in the protocol's own bytes: what has to be there
	// before anything is told, and the rest.
	Form func(r *http.Request, a *Answer) (head, body []byte)
	// Transport is how a Go client speaks it.
	Transport http.RoundTripper
}

// Torn is a request's body that is still in the protocol's own bytes.
type Torn interface {
	// Raw reads them; after that the body can not be read any more.
	Raw() io.Reader
}

// rawBody is the request's body as it comes.
func rawBody(r *http.Request) io.Reader {
	if t, ok := r.Body.(Torn); ok {
		return t.Raw()
	}
	return r.Body
}

// Ask puts one request to h, for a protocol that reads it off c. It reports false
// where h took the connection over or gave the request up: then whoever did has
// dealt with the connection, and nothing is to be written any more.
func Ask(c net.Conn, h http.Handler, r *http.Request) (a *Answer, ok bool) {
	w := &taking{buffer: buffer{header: http.Header{}, status: http.StatusOK}, conn: c}
	defer func() {
		if p := recover(); p != nil {
			// What net/http takes as "no answer, no complaint" is the same here.
			if p != http.ErrAbortHandler {
				panic(p)
			}
			a, ok = nil, false
		}
	}()
	h.ServeHTTP(w, r)
	if w.taken {
		return nil, false
	}
	return &Answer{Status: w.status, Header: w.header, Body: w.Bytes()}, true
}

// taking is a buffer whose connection can be taken over.
type taking struct {
	buffer
	conn  net.Conn
	taken bool
}

// Hijack implements http.Hijacker.
func (t *taking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	t.taken = true
	return t.conn, bufio.NewReadWriter(bufio.NewReader(t.conn), bufio.NewWriter(t.conn)), nil
}
