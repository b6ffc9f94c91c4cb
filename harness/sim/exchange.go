package sim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/retrydrill/drill/harness/tap"
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
	t    *trial
	from tap.From
	// req is asked of the target as it is; tap is where the tap keeps what it knows.
	req *http.Request
	tap tap.Exchange
	// sent is the request's body, of which off bytes were read.
	sent []byte
	off  int

	done   bool
	end    ending
	status int
	header http.Header
	// answer is the body, or where the answer was cut all that passed.
	answer []byte

	// work carries it. resp and body are the worker's side of it.
	work func()
	resp http.Response
	body body
}

// exchange returns one that nothing in this trial is at.
func (t *trial) exchange() *exchange {
	place := t.exchanges.Next()
	if *place == nil {
		x := &exchange{t: t}
		x.req, x.work = x.tap.Request(), x.run
		*place = x
	}
	return *place
}

// newExchange puts a call on a connection.
func newExchange(k *call, c *conn) *exchange {
	l := k.life
	x := l.t.exchange()
	x.from = tap.From{By: tap.By{Worker: l.seat.number, Incarnation: l.seat.incarnation, Delivery: l.delivery}, Conn: c.number, Warm: c.used > 0}
	c.used++
	x.sent, x.off = k.body, 0
	x.done, x.end, x.status, x.header, x.answer = false, answered, 0, nil, nil
	r := x.req
	r.Method, r.URL, r.Host, r.Header, r.Proto, r.ProtoMajor, r.ProtoMinor = k.req.Method, k.req.URL, host, k.req.Header, "HTTP/1.1", 1, 1
	r.ContentLength, r.Body, r.RemoteAddr = int64(len(k.body)), x, remoteAddr
	// What a handler of before may have read out of it.
	r.Form, r.PostForm, r.MultipartForm, r.Pattern = nil, nil, nil, ""
	return x
}

// remoteAddr is whom the target sees, as text.
var remoteAddr = targetAddr.String()

// Read implements [io.Reader]: an exchange is the body of its own request.
func (x *exchange) Read(p []byte) (int, error) {
	if x.off == len(x.sent) {
		return 0, io.EOF
	}
	n := copy(p, x.sent[x.off:])
	x.off += n
	return n, nil
}

// Whole implements [tap.Whole].
func (x *exchange) Whole() []byte {
	x.off = len(x.sent)
	return x.sent
}

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
	x.t.handler.ServeIn(&x.tap, x, x.req, x.from)
}

// Take implements [tap.Taker].
func (x *exchange) Take(a *tap.Answer) {
	x.status, x.header, x.answer = a.Status, a.Header, a.Body
	if v := x.header["Content-Length"]; len(v) != 1 || !spells(v[0], len(a.Body)) {
		x.Header()["Content-Length"] = []string{strconv.Itoa(len(a.Body))}
	}
}

// spells reports whether a text is the number.
func spells(text string, n int) bool {
	var room [20]byte
	return text == string(strconv.AppendInt(room[:0], int64(n), 10))
}

// Header implements [http.ResponseWriter].
func (x *exchange) Header() http.Header {
	if x.header == nil {
		x.header = http.Header{}
	}
	return x.header
}

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
