package sim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// ending says how an exchange ended for the client.
type ending int

const (
	// answered: a whole answer.
	answered ending = iota
	// closed: FIN before any byte; aborted: RST.
	closed
	aborted
	// cutShort: FIN after some bytes.
	cutShort
	// hung: silence until the client gives up.
	hung
)

// exchange is one request on its way, and the [http.ResponseWriter] of its answer.
type exchange struct {
	t     *trial
	event harness.Event
	req   http.Request
	// sent is the request's body.
	sent bytes.Reader

	done   bool
	end    ending
	status int
	header http.Header
	// answer is the body, or where the answer was cut all that passed.
	answer []byte
}

func newExchange(k *call, c *conn) *exchange {
	l := k.life
	x := &exchange{t: l.t, header: http.Header{}}
	x.event = harness.Event{Worker: l.seat.number, Incarnation: l.seat.incarnation, Delivery: l.delivery, Conn: c.number, Warm: c.used > 0}
	c.used++
	x.sent.Reset(k.body)
	x.req = http.Request{Method: k.req.Method, URL: k.req.URL, Host: host, Header: k.req.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(k.body)), Body: x, RemoteAddr: remoteAddr}
	return x
}

// remoteAddr is whom the target sees, as text.
var remoteAddr = targetAddr.String()

// Read implements [io.Reader]: an exchange is the body of its own request.
func (x *exchange) Read(p []byte) (int, error) { return x.sent.Read(p) }

// Close implements [io.Closer].
func (x *exchange) Close() error { return nil }

// run carries the request through the tap.
func (x *exchange) run() {
	defer func() {
		x.done = true
		if v := recover(); v != nil {
			if x.end == answered {
				x.end = closed
			}
			if v != http.ErrAbortHandler {
				x.t.err = errors.Join(x.t.err, fmt.Errorf("target or tap panicked: %v", v))
			}
		}
	}()
	x.t.handler.Serve(x, &x.req, x.event)
}

// Header implements [http.ResponseWriter].
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements [http.ResponseWriter].
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
}

// Write implements [http.ResponseWriter].
func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	x.answer = append(x.answer, p...)
	return len(p), nil
}

// cut ends the connection for the client; passes is what it gets before.
func (x *exchange) cut(end ending, passes []byte) { x.end, x.answer = end, passes }

func statusText(status int) string {
	if status == http.StatusOK {
		return "200 OK"
	}
	return strconv.Itoa(status) + " " + http.StatusText(status)
}

func readerOf(b []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(b)) }
