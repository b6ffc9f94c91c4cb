package sim

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/deliver"
	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/harness/worker"
)

// call is one RoundTrip.
type call struct {
	life *life
	req  *http.Request
	// body is the request's, in the room that is kept for it.
	body  []byte
	until time.Duration
	timed bool
	sends int
	// asked is what the call is for the engine, in a bubble.
	asked *asked
}

// call begins a RoundTrip.
func (c *client) call(r *http.Request) *call {
	l := c.life
	k := l.t.calls.Next()
	*k = call{life: l, req: r, body: k.body[:0], timed: c.within > 0, until: l.t.now + c.within}
	return k
}

// heard records what the executor heard. A dead life hears nothing.
func (k *call) heard(status int, note string, failure harness.Failure) {
	if k.life.dead {
		return
	}
	to := k.life.t.session
	e := to.New()
	k.life.seat.tells(e, harness.EvHeard)
	e.Sends, e.Status, e.Note, e.Failure = k.sends, status, note, failure
	to.Done(e)
}

func (k *call) run() (*http.Response, error) {
	if err := k.read(); err != nil {
		return nil, err
	}
	return k.carry()
}

// carry sends the request, again where net/http does so by itself.
func (k *call) carry() (*http.Response, error) {
	for {
		if err := k.life.acts(); err != nil {
			return nil, err
		}
		c, err := k.connect()
		if err != nil {
			return nil, err
		}
		reused := c.used > 0
		k.sends++
		resp, err := k.send(c)
		if _, silent := err.(*silent); !silent {
			return resp, err
		}
		// The server closed a connection without one byte of an answer.
		if err = err.(*silent).error; !reused || !replayable(k.req) {
			return nil, err
		}
	}
}

// read takes the request's body, as far as it is needed before anything leaves.
func (k *call) read() (err error) {
	ctx := k.req.Context()
	if _, real := ctx.Deadline(); real && k.life.t.bubble == nil {
		err = ErrClock
	}
	if k.req.Body != nil {
		if err == nil && k.req.Body != http.NoBody {
			k.body, err = readAll(k.body, k.req.Body)
		}
		_ = k.req.Body.Close()
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// readAll is [io.ReadAll] into the room of b.
func readAll(b []byte, r io.Reader) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// replayable is net/http's Request.isReplayable.
func replayable(r *http.Request) bool {
	if r.Body != nil && r.Body != http.NoBody && r.GetBody == nil {
		return false
	}
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	_, key := r.Header["Idempotency-Key"]
	_, old := r.Header["X-Idempotency-Key"]
	return key || old
}

// connect takes the idle connection that was used last, or opens one.
func (k *call) connect() (*conn, error) {
	l := k.life
	if k.req.URL.Host != host {
		e := l.seat.event(harness.EvRefused)
		e.Method, e.Note = k.req.Method, "a request to "+k.req.URL.Host+", outside of the trial"
		l.t.session.Add(e)
		return nil, deliver.NoSuchHost(k.req.URL.Hostname())
	}
	var c *conn
	if n := len(l.idle); n > 0 {
		c, l.idle = l.idle[n-1], l.idle[:n-1]
	} else if err := l.seat.unreachable; err != nil {
		return nil, err
	} else {
		c = l.t.connection()
	}
	if trace := httptrace.ContextClientTrace(k.req.Context()); trace != nil && trace.GotConn != nil {
		l.t.traced(trace, c.used > 0)
	}
	return c, nil
}

// send carries the request over a connection and waits for the answer.
func (k *call) send(c *conn) (*http.Response, error) {
	l, t := k.life, k.life.t
	x := newExchange(k, c)
	if t.alone() {
		t.straight(x)
	} else if err := k.beside(x); err != nil {
		l.left = true
		return nil, err
	}
	if x.end == hung {
		return nil, k.await(nil)
	}
	t.stop()
	if l.dead {
		return nil, worker.ErrDead
	}
	return k.receive(x, c)
}

// beside carries an exchange as a fiber, and waits for its end as long as the call may
// take. The request goes on its way at once; where it is held up, it goes on by itself.
func (k *call) beside(x *exchange) error {
	t := k.life.t
	f := t.pool.take(x.work)
	f.slot = k.life.seat.number
	t.enter(f)
	if f.done {
		t.pool.give(f)
		return nil
	}
	t.add(f)
	return k.await(&x.done)
}

// await waits for the flag, no longer than the call may take. It returns nil once
// the flag is set.
func (k *call) await(flag *bool) error {
	w := wait{flags: [2]*bool{&k.life.dead, flag}, timed: k.timed, until: k.until}
	ctx := k.req.Context()
	if k.asked != nil {
		w.gone = &k.asked.gone
	} else {
		w.chans[0] = ctx.Done()
	}
	switch k.life.t.block(w) {
	case byFlag1:
		return nil
	case byGone:
		return k.asked.cause
	case byChan0:
		return context.Cause(ctx)
	case byTime:
		return &timeout{"awaiting headers"}
	}
	return worker.ErrDead
}

// receive makes of how an exchange ended what net/http makes of it.
func (k *call) receive(x *exchange, c *conn) (*http.Response, error) {
	switch x.end {
	case closed:
		return nil, wordless
	case aborted:
		return nil, broken
	case cutShort:
		return k.parse(x)
	}
	x.resp = http.Response{Status: statusText(x.status), StatusCode: x.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.Header(), ContentLength: int64(len(x.answer)), Request: k.req, Body: &x.body}
	x.body = body{k: k, conn: c, status: x.status}
	if k.req.Method != http.MethodHead {
		x.body.text = x.answer
		x.body.Reset(x.answer)
	}
	return &x.resp, nil
}

// parse reads an answer of which the connection let only a part through, by
// net/http's own reader.
func (k *call) parse(x *exchange) (*http.Response, error) {
	if len(x.answer) == 0 {
		return nil, &silent{io.EOF}
	}
	resp, err := http.ReadResponse(readerOf(x.answer), k.req)
	if err != nil {
		return nil, fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", err)
	}
	resp.Body = &tap.HeardBody{ReadCloser: resp.Body, Done: func(note string, failure harness.Failure) {
		k.life.now(func() { k.heard(resp.StatusCode, note, failure) })
	}}
	return resp, nil
}

// silent is the end of a connection before any byte of an answer; wordless is that by
// a FIN.
type silent struct{ error }

var (
	wordless = &silent{io.EOF}
	broken   = &silent{wasReset}
)

// failureOf is [tap.FailureOf], of the two ends that are always the same ones read
// once.
func failureOf(err error) harness.Failure {
	switch err {
	case io.EOF:
		return harness.FailClosed
	case wasReset:
		return harness.FailReset
	}
	return tap.FailureOf(err)
}
