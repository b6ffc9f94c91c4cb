package tap

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness"
)

// Redacted stands in a history where the target's token stood.
const Redacted = "<secret>"

// Recorder appends to one history. It is safe for concurrent use.
type Recorder struct {
	mu     lock
	now    func() time.Duration
	events []harness.Event
	closed bool
	// forms are those in which the token could show.
	token string
	forms []string
	// shortest is the length of the shortest of them.
	shortest int
	seen     []*waiter

	// some is about how long a history becomes; records are the room for what its
	// record events point to.
	some    int
	records []harness.Recorded
}

type waiter struct {
	where harness.Where
	done  chan struct{}
}

// NewRecorder records with offsets from now, and replaces the token in any of its
// forms: plain, base64, URL-escaped, quoted.
func NewRecorder(now func() time.Duration, token string) *Recorder {
	r := &Recorder{now: now, some: someEvents}
	r.Reset(token, nil)
	return r
}

// Reset begins another history, in the room of one that nobody reads any more where
// there is one. What was handed out of the history before stays as it is.
func (r *Recorder) Reset(token string, room []harness.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) > 0 {
		// The next one is seldom much longer.
		r.some = len(r.events) + 2
	}
	if cap(room) == 0 {
		room = make([]harness.Event, 0, r.some)
	}
	r.events, r.records, r.closed, r.seen = room[:0], nil, false, r.seen[:0]
	if token == r.token {
		return
	}
	r.token, r.forms, r.shortest = token, nil, 0
	if token != "" {
		r.forms = []string{token, base64.StdEncoding.EncodeToString([]byte(token))}
		for _, f := range []string{url.QueryEscape(token), strings.Trim(strconv.Quote(token), `"`)} {
			if f != token {
				r.forms = append(r.forms, f)
			}
		}
		r.shortest = len(slices.MinFunc(r.forms, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
	}
}

// someEvents is the length of a short history, someRecords how many writes it has.
const (
	someEvents  = 24
	someRecords = 6
)

// Recorded returns the room for a record, which is the history's.
func (r *Recorder) Recorded(state string, attempt int) *harness.Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.records) == cap(r.records) {
		r.records = make([]harness.Recorded, 0, someRecords)
	}
	r.records = append(r.records, harness.Recorded{State: state, Attempt: attempt})
	return &r.records[len(r.records)-1]
}

// hide replaces the token in any of its forms.
func (r *Recorder) hide(text string) string {
	var pairs []string
	for _, f := range r.forms {
		pairs = append(pairs, f, Redacted)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (r *Recorder) leaky(x *harness.Report) bool {
	return r.Leaks(x.Detail) || r.Leaks(x.ErrorClass) || r.Leaks(x.Resource) || r.Leaks(x.ActionID) || r.Leaks(x.WaitsFor)
}

// Leaks reports whether the text holds the token in one of its forms.
func (r *Recorder) Leaks(text string) bool {
	if len(text) < r.shortest {
		return false
	}
	for _, f := range r.forms {
		if strings.Contains(text, f) {
			return true
		}
	}
	return false
}

// Add appends an event and wakes whoever waits for it. It returns its number.
func (r *Recorder) Add(e harness.Event) int { return r.Put(&e) }

// Put is Add without a copy on the way: an event is large, and stays as it is.
func (r *Recorder) Put(e *harness.Event) int {
	r.mu.Lock()
	at := r.next()
	*at = *e
	return r.Done(at)
}

// New returns the place of the next event, which is empty, for whoever fills it in there.
// Nobody else records anything until Done.
func (r *Recorder) New() *harness.Event {
	r.mu.Lock()
	e := r.next()
	*e = harness.Event{}
	return e
}

// next is the place of the next event, where one of an earlier trial may stand.
func (r *Recorder) next() *harness.Event {
	switch n := len(r.events); {
	case r.closed:
		return &harness.Event{}
	case n < cap(r.events):
		r.events = r.events[:n+1]
	default:
		r.events = append(r.events, harness.Event{})
	}
	return &r.events[len(r.events)-1]
}

// Done records the event of New. It returns its number.
func (r *Recorder) Done(e *harness.Event) int {
	seq := r.done(e)
	r.mu.Unlock()
	return seq
}

func (r *Recorder) done(e *harness.Event) int {
	if r.closed {
		return 0
	}
	leak := r.redact(e)
	e.Seq, e.At = len(r.events), harness.Duration(r.now())
	seq := e.Seq
	r.wake(e)
	if leak != "" {
		r.events = append(r.events, harness.Event{Seq: len(r.events) + 1, At: e.At, Kind: harness.EvLeak,
			Worker: e.Worker, Incarnation: e.Incarnation, Delivery: e.Delivery, Action: e.Action, Note: leak})
	}
	return seq
}

// redact replaces the token in what a worker chose to say, and names the place.
func (r *Recorder) redact(e *harness.Event) string {
	if len(r.forms) == 0 {
		return ""
	}
	where := ""
	clean := func(s *string, place string) {
		if *s != "" && r.Leaks(*s) {
			*s, where = r.hide(*s), place
		}
	}
	switch e.Kind {
	case harness.EvLog:
		clean(&e.Note, "a log line")
	case harness.EvRequest:
		clean(&e.Path, "a query string")
		clean(&e.Key, "an idempotency key")
		clean(&e.Reference, "a reference")
	case harness.EvReport:
		if r.leaky(e.Report) {
			// What was reported stays as it is for whoever else holds it.
			c := *e.Report
			for _, s := range []*string{&c.Detail, &c.ErrorClass, &c.Resource, &c.ActionID, &c.WaitsFor} {
				clean(s, "a report")
			}
			e.Report = &c
		}
	}
	return where
}

// Events returns what was recorded. Nothing is recorded afterwards.
func (r *Recorder) Events() []harness.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.events
}

// Snapshot returns what has been recorded so far.
func (r *Recorder) Snapshot() []harness.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[:len(r.events):len(r.events)]
}

// When returns a channel that is closed once an event of this place happened,
// also if it happened before.
func (r *Recorder) When(w harness.Where) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := &waiter{w, make(chan struct{})}
	for i := range r.events {
		if matches(w, &r.events[i]) {
			close(k.done)
			return k.done
		}
	}
	r.seen = append(r.seen, k)
	return k.done
}

// Happened reports whether an event of this place has happened.
func (r *Recorder) Happened(w harness.Where) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.events {
		if matches(w, &r.events[i]) {
			return true
		}
	}
	return false
}

func (r *Recorder) wake(e *harness.Event) {
	if len(r.seen) == 0 {
		return
	}
	rest := r.seen[:0]
	for _, k := range r.seen {
		if matches(k.where, e) {
			close(k.done)
			continue
		}
		rest = append(rest, k)
	}
	r.seen = rest
}

// matches says whether the event is the place: N counts over the trial.
func matches(w harness.Where, e *harness.Event) bool {
	if w.Worker != 0 && e.Worker != w.Worker || w.Action != "" && e.Action != w.Action {
		return false
	}
	switch w.Point {
	case harness.Deliver:
		return e.Kind == harness.EvDeliver && w.Counts(e.Delivery)
	case harness.AtReport:
		return e.Kind == harness.EvReport && w.Counts(e.N)
	case harness.AtEvent:
		return e.Kind == harness.EvNotice && w.Counts(e.N)
	case harness.Record:
		return e.Kind == harness.EvRecord && w.Counts(e.N)
	}
	if !w.IsOperation() || e.Copy {
		return false
	}
	n := e.N
	switch w.Point {
	case harness.AnyOp:
		n = e.Attempt
	case harness.MutateOp:
		if !e.Changes {
			return false
		}
	default:
		if e.Op != w.Point {
			return false
		}
	}
	if !w.Counts(n) {
		return false
	}
	switch w.Side {
	case harness.Request, "":
		return e.Kind == harness.EvRequest
	case harness.Target:
		return e.Kind == harness.EvAnswer
	}
	return e.Kind == harness.EvPassed || e.Kind == harness.EvLost
}
