package tap

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// Taker is a [http.ResponseWriter] that takes an answer as it is, without a copy.
type Taker interface{ Take(a *Answer) }

// Carrier carries out one fault at one exchange. It reports whether the exchange
// goes on; if not, the carrier has dealt with the connection.
type Carrier func(ctx context.Context, x *Exchange, f *harness.Fault) (goesOn bool)

// Handler is the tap as middleware.
type Handler struct {
	Session *Session
	Target  *Target
	// Carry finds the carrier of a fault.
	Carry func(*harness.Fault) Carrier
	// Inside is asked in the target, between claim and commit; nil passes.
	Inside func(ctx context.Context, x *Exchange, f *harness.Fault) harness.TargetDecision
	// Gate is asked when a request was counted, before anything else; nil passes.
	Gate func(ctx context.Context, x *Exchange) (leave func())
	// Wait is how the target waits for what another request does; nil waits as usual.
	Wait func(<-chan struct{}) error
	// Context is what the target's work hangs on: not the client.
	Context context.Context
}

// Serve carries one request. The event holds worker, incarnation, delivery,
// connection, and whether it was warm.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, e harness.Event) {
	h.ServeIn(&Exchange{}, w, r, From{By{e.Worker, e.Incarnation, e.Delivery}, e.Conn, e.Warm})
}

// ServeIn is Serve with an exchange to do it in: that of an earlier trial, of which
// nobody makes use any more.
func (h *Handler) ServeIn(x *Exchange, w http.ResponseWriter, r *http.Request, from From) {
	x.begin(w, r)
	a := arrival{From: from, method: r.Method, path: x.room.uri.of(r.URL)}
	raw := harness.RawRequest{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header}
	if h.Session.cutsSome() {
		if f := h.tears(&a, &raw); f != nil {
			h.tear(x, &a, raw, f)
			return
		}
	}
	body, err := wholeOf(r.Body)
	if err != nil || len(body) > maxBody {
		h.torn(&a, err)
	}
	raw.Body, x.Body = body, body
	a.body = harness.Digest(body)
	x.Named = h.Session.namer.Name(raw)
	h.Session.arrive(x.Crossed, &a, x.Named)
	leave := func() {}
	if h.Gate != nil {
		leave = h.Gate(h.Context, x)
	}
	defer func() { leave() }()
	if f := h.Session.at(x.Crossed, &h.Session.lines.request); f != nil && !h.Carry(f)(h.Context, x, f) {
		return
	}
	if x.Answer == nil {
		h.ask(x)
	}
	if f := h.Session.at(x.Crossed, &h.Session.lines.response); f != nil {
		if keptBack(f) {
			leave()
			leave = func() {}
		}
		if !h.Carry(f)(h.Context, x, f) {
			return
		}
	}
	h.pass(x)
}

// keptBack: the answer waits. Whoever is held until it is there goes on meanwhile, or it
// would arrive when its own sender has given up, which the schedule does not ask for.
func keptBack(f *harness.Fault) bool {
	return f.Name == "delay" || f.Name == "hold" || f.Name == "pause"
}

// tears finds a line that cuts the request inside its body; it has to be known
// before the body is read.
func (h *Handler) tears(a *arrival, raw *harness.RawRequest) *harness.Fault {
	n := h.Session.namer.Name(*raw)
	f := h.Session.next(a, n)
	if f == nil || f.Name != "cut" {
		return nil
	}
	return f
}

func (h *Handler) tear(x *Exchange, a *arrival, raw harness.RawRequest, f *harness.Fault) {
	x.Body, _ = io.ReadAll(io.LimitReader(rawBody(x.R), int64(f.N)))
	x.Named = h.Session.namer.Name(raw)
	a.note = "torn in its body"
	h.Session.arrive(x.Crossed, a, x.Named)
	h.Carry(f)(h.Context, x, f)
}

// torn ends a request that did not come whole.
func (h *Handler) torn(a *arrival, err error) {
	e := h.Session.begun(harness.EvTorn, a.By)
	e.Conn, e.Warm, e.Method, e.Path, e.Note = a.Conn, a.Warm, a.method, a.path, "the body did not arrive whole"
	if err == nil {
		e.Note = "the body is larger than the tap holds"
	}
	h.Session.Done(e)
	panic(http.ErrAbortHandler)
}

// ask lets the target answer, twice where a proxy re-sends.
func (h *Handler) ask(x *Exchange) {
	h.once(x, false)
	if x.Twice != nil {
		h.once(x, true)
		c := *x.Event
		c.Copy = true
		h.Session.Fired(x.Twice, &c)
	}
}

func (h *Handler) once(x *Exchange, isCopy bool) {
	if isCopy {
		h.again(x)
	}
	o := &x.room
	if isCopy {
		// Somebody may still be at the first one, on a wire.
		o = &room{}
	}
	o.crossing = harness.Crossing{Attempt: x.Attempt, Copy: isCopy, Named: x.Named, Wait: h.Wait}
	if f := h.Session.at(x.Crossed, &h.Session.lines.target); f != nil && h.Inside != nil && !isCopy {
		o.crossing.Inside = func(ctx context.Context) harness.TargetDecision { return h.Inside(ctx, x, f) }
	}
	r := x.R
	if ctx := o.crossing.In(h.Context); isCopy || r != x.room.request {
		r = r.WithContext(ctx)
	}
	o.whole.begin(x.Body)
	r.Body = &o.whole
	o.buf.reset()
	h.Target.Handler.ServeHTTP(&o.buf, r)
	o.answer = Answer{Status: o.buf.status, Header: o.buf.header, Body: o.buf.Bytes(), Own: true}
	x.Answer = &o.answer
	h.tell(harness.EvAnswer, x, isCopy)
}

// tell records the answer, as it is at the tap or leaves.
func (h *Handler) tell(kind harness.EventKind, x *Exchange, isCopy bool) {
	h.understand(x)
	e := h.Session.New()
	x.names(e)
	e.Kind, e.Copy, e.Warm = kind, isCopy, x.Warm
	x.Answer.fill(e)
	h.Session.Done(e)
}

// again records the request a second time, with all that it said.
func (h *Handler) again(x *Exchange) {
	e := *x.Event
	e.Copy, e.Path, e.Key, e.Reference = true, requestURI(x.R.URL), x.Named.Key, x.Named.Reference
	h.Session.put(&e)
}

// pass lets the answer leave for the worker.
func (h *Handler) pass(x *Exchange) {
	a := x.Answer
	if t, ok := x.W.(Taker); ok {
		h.tell(harness.EvPassed, x, false)
		t.Take(a)
		return
	}
	for k, v := range a.Header {
		x.W.Header()[k] = v
	}
	x.W.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	h.tell(harness.EvPassed, x, false)
	x.W.WriteHeader(a.Status)
	_, _ = x.W.Write(a.Body)
}

// Lost records that the worker gets no answer.
func (h *Handler) Lost(x *Exchange, f *harness.Fault) {
	e := h.Session.New()
	x.names(e)
	e.Kind, e.Fault = harness.EvLost, f.Line()
	h.Session.Done(e)
}
