package sim

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
)

// dial opens a connection to the target for a client that an executor brings itself.
func (b *bubble) dial(l *life) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (c net.Conn, err error) {
		name, _, splits := net.SplitHostPort(address)
		b.guard(l, func() {
			switch {
			case splits != nil || name != host:
				e := l.seat.event(harness.EvRefused)
				e.Note = "a connection to " + address + ", outside of the trial"
				b.t.session.Add(e)
				err = deliver.NoSuchHost(name)
			case l.seat.unreachable != nil:
				err = l.seat.unreachable
			default:
				c = b.link(l)
			}
		})
		return c, err
	}
}

// link is one connection: the worker's end is handed out, and the target's is served.
func (b *bubble) link(l *life) net.Conn {
	near, far := newWireless(func() { b.guard(l, func() {}) })
	b.links = append(b.links, far)
	l.in.links = append(l.in.links, far)
	number := b.t.connection()
	go b.serve(l, far, number)
	return near
}

// serve answers the requests of one connection, one after the other.
func (b *bubble) serve(l *life, far *wireless, c *conn) {
	defer far.Close()
	in := bufio.NewReader(far)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if r.Header.Get("Expect") == "100-continue" {
			_, _ = io.WriteString(far, "HTTP/1.1 100 Continue\r\n\r\n")
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.guard(l, func() {
				e := l.seat.event(harness.EvTorn)
				e.Method, e.Path, e.Conn, e.Note = r.Method, r.URL.RequestURI(), c.number, "the body did not arrive whole"
				b.t.session.Add(e)
			})
			return
		}
		if !b.exchange(l, far, &call{life: l, req: r, body: body}, c) {
			return
		}
	}
}

// exchange carries one request through the tap and answers it. It reports whether the
// connection goes on.
func (b *bubble) exchange(l *life, far *wireless, k *call, c *conn) bool {
	var x *exchange
	b.ask(context.Background(), l, func(*asked) {
		if l.dies() {
			return
		}
		x = newExchange(k, c)
		f := b.t.pool.take(x.work)
		f.slot = l.seat.number
		b.t.enter(f)
		if !f.done {
			b.t.add(f)
			b.t.block(wait{flags: [2]*bool{&l.dead, &x.done}})
		} else {
			b.t.pool.give(f)
		}
		b.t.stop()
	})
	if x == nil {
		return false
	}
	switch x.end {
	case closed:
		return false
	case aborted:
		far.reset()
		return false
	case hung:
		_, _ = io.Copy(io.Discard, far)
		return false
	case cutShort:
		_, _ = far.Write(x.answer)
		return false
	}
	answer := http.Response{StatusCode: x.status, ProtoMajor: 1, ProtoMinor: 1, Header: x.Header(), Request: k.req,
		ContentLength: int64(len(x.answer)), Body: io.NopCloser(bytes.NewReader(x.answer)), Close: k.req.Close}
	return answer.Write(far) == nil && !k.req.Close
}
