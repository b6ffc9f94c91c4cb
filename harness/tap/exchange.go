package tap

import (
	"context"
	"net/http"

	"github.com/retrydrill/drill/harness"
)

// Exchange is one request on its way, and its answer once there is one.
type Exchange struct {
	*Crossed
	W    http.ResponseWriter
	R    *http.Request
	Body []byte
	// Named is what the profile read in the request.
	Named *harness.Named
	// Answer is what stands ready to leave, after the target answered.
	Answer *Answer
	// Twice: the target gets it a second time, and the second answer is passed on.
	Twice *harness.Fault

	room room
}

// room is what every exchange needs, in one piece.
type room struct {
	crossed  Crossed
	crossing harness.Crossing
	// request is the one whose context is that of the crossing, where there is one.
	request *http.Request
	whole   whole
	buf     buffer
	answer  Answer
	uri     uri
}

// begin makes the exchange that of a request, and keeps the room that it has.
func (x *Exchange) begin(w http.ResponseWriter, r *http.Request) {
	x.W, x.R = w, r
	x.Crossed = &x.room.crossed
	x.Body, x.Answer, x.Twice = nil, nil, nil
}

// Request returns a request that is asked of the target as it is, where others are
// copied for it: its context is that of what crosses in this exchange. Whoever carries
// it fills in the rest.
func (x *Exchange) Request() *http.Request {
	x.room.request = (&http.Request{}).WithContext(x.room.crossing.In(context.Background()))
	return x.room.request
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Own: it is the target's own.
	Own bool
	// read is what the profile reads in it, once somebody asked: then class and after
	// are what it means, and what it asks for.
	read  *harness.Answered
	class harness.Class
	after harness.Duration
}

// understand has the profile read the answer, once.
func (h *Handler) understand(x *Exchange) {
	if a := x.Answer; a.read == nil {
		a.read = h.Session.namer.Answer(x.Named.Op, harness.RawAnswer{Status: a.Status, Header: a.Header, Body: a.Body})
		a.class = h.Target.Promises.ClassOf(a.Status, a.read)
		a.after = retryAfter(a.Header)
	}
}

// fill tells of an answer what the profile reads in it.
func (a *Answer) fill(e *harness.Event) {
	got := a.read
	e.Status, e.Code, e.Resource, e.Replayed, e.Found, e.More, e.Own = a.Status, got.Code, got.Resource, got.Replayed, got.Found, got.More, a.Own
	e.Class, e.RetryAfter = a.class, a.after
}

func retryAfter(h http.Header) harness.Duration {
	if after := h["Retry-After"]; len(after) > 0 {
		return harness.Duration(harness.RetryAfter(after[0]))
	}
	return 0
}
