package tap

import (
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/lone"
)

// Recorder appends to one history. It is safe for concurrent use.
type Recorder struct {
	mu     lone.Mutex
	now    func() time.Duration
	events []harness.Event
	closed bool
	secret secret
	seen   []*waiter
	// counts are the things that places count; waited numbers them for whoever waits.
	counts counts
	waited tallies

	// room is that of the history; some is about how long one becomes.
	room *Room
	some int
}

type waiter struct {
	where harness.Where
	done  chan struct{}
}

// NewRecorder records with offsets from now, and replaces the token in any of its
// forms: plain, base64, URL-escaped, quoted.
func NewRecorder(now func() time.Duration, token string) *Recorder {
	r := &Recorder{now: now, some: someEvents}
	r.Reset(token, &Room{})
	return r
}

// someEvents is the length of a short history.
const someEvents = 24

// Reset begins another history, in a room that belongs to nobody else. What was handed
// out of the history before stays as it is, as long as its own room does.
func (r *Recorder) Reset(token string, room *Room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) > 0 {
		// The next one is seldom much longer.
		r.some = len(r.events) + 2
	}
	room.empty()
	if cap(room.events) == 0 {
		room.events = make([]harness.Event, 0, r.some)
	}
	r.events, r.room, r.closed, r.seen = room.events, room, false, r.seen[:0]
	r.counts.empty()
	r.waited.empty()
	r.secret.is(token)
}

// Shortest is the length of the shortest text that holds the token.
func (r *Recorder) Shortest() int { return r.secret.shortest }

// Leaks reports whether the text holds the token in one of its forms.
func (r *Recorder) Leaks(text string) bool { return r.secret.in(text) }

// Add appends an event and wakes whoever waits for it.
func (r *Recorder) Add(e harness.Event) { r.put(&e) }

// put is Add without a copy on the way: an event is large, and stays as it is.
func (r *Recorder) put(e *harness.Event) {
	at := r.New()
	*at = *e
	r.Done(at)
}

// New returns the place of the next event, which is empty, for whoever fills it in there:
// an event is large. Nobody else records anything until Done, after which nobody changes
// it, so that whoever needs it later may keep it.
func (r *Recorder) New() *harness.Event {
	r.mu.Lock()
	return r.next()
}

// next is the place of the next event.
func (r *Recorder) next() *harness.Event {
	n := len(r.events)
	if n == cap(r.events) {
		if r.closed {
			return &harness.Event{}
		}
		r.events = slices.Grow(r.events, n+1)
	}
	r.events = r.events[:n+1]
	return &r.events[n]
}

// Done records the event of New.
func (r *Recorder) Done(e *harness.Event) {
	if !r.closed {
		e.Seq, e.At = len(r.events), harness.Duration(r.now())
		if len(r.seen) > 0 {
			r.wake(e)
		}
		switch e.Kind {
		case harness.EvRequest, harness.EvReport, harness.EvLog:
			r.redact(e)
		}
	}
	r.mu.Unlock()
}

// redact hides the token in what a worker chose to say, and records where it stood.
func (r *Recorder) redact(e *harness.Event) {
	if where := r.secret.redact(e); where != "" {
		*r.next() = harness.Event{Seq: e.Seq + 1, At: e.At, Kind: harness.EvLeak,
			Worker: e.Worker, Incarnation: e.Incarnation, Delivery: e.Delivery, Action: e.Action, Note: where}
	}
}

// Events returns what was recorded. Nothing is recorded afterwards.
func (r *Recorder) Events() []harness.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		// What comes too late has a room that nobody reads.
		r.closed, r.room.events, r.room = true, r.events, nil
		r.events = slices.Clip(r.events)
	}
	return r.events
}

// own is where things stand that events point to. Whoever asks is between New and Done.
func (r *Recorder) own() *Room {
	if r.room == nil {
		r.room = &Room{}
	}
	return r.room
}

// Delivered returns the room for what a hand-over brings, with that for n actions.
func (r *Recorder) Delivered(n int) *harness.Delivered {
	r.mu.Lock()
	m := r.own()
	d := m.delivered.Put(&harness.Delivered{Actions: m.actions.Take(n)[:0]})
	r.mu.Unlock()
	return d
}

// Snapshot returns what has been recorded so far.
func (r *Recorder) Snapshot() []harness.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clip(r.events)
}
