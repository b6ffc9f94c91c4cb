package check

import (
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// recordFirst: a request leaves only once the record that allows it was acknowledged
// as durable, and the record counts at least as many requests as the wire shows. It
// is judged where the harness stands at the executor's own store.
//
// What the transport sends again by itself, or may have, no record can know of. A
// record that the harness lost after it was acknowledged, and an empty state
// directory, are nobody's fault: counting begins anew there.
func recordFirst(v *View) (f Finding) {
	if v.records == 0 {
		return f
	}
	for i := range v.written {
		w := &v.written[i]
		if w.book != nil {
			w.book.record(w.Event)
			continue
		}
		a := v.attempt(w.Attempt)
		if a == nil || a.action == nil || a.byTransport() {
			continue
		}
		b, r := v.book(a.action.root, a.Op, w.store), a.action.root
		b.requests++
		f.Inspected++
		switch {
		case b.requests > b.allowed:
			f.breach(r.name, "a record of the request, durable before it leaves", "no record of it", b.last, w.Seq)
			b.allowed = b.requests
		case !b.lost && b.requests > b.counted:
			f.breach(r.name, fmt.Sprintf("a record of %d requests", b.requests), fmt.Sprintf("it tells of %d", b.counted), b.last, w.Seq)
			b.counted = b.requests
		}
	}
	return f
}

// book is that of the intent, or of one step of it where each has a record of its own,
// at the place of the records.
func (v *View) book(r *root, op string, store int) *book {
	if !v.steps && store == 0 {
		return &r.book
	}
	return v.bookAt(r, op, store)
}

func (v *View) bookAt(r *root, op string, store int) *book {
	if !v.steps {
		op = ""
	}
	b := v.room.books.At(page{r, op, store})
	if *b == nil {
		*b = new(book)
	}
	return *b
}

// page is where the records of one intent stand, or of one step of it, in one store.
type page struct {
	*root
	op    string
	store int
}

// book is what the records of one intent allow, against what the wire shows.
type book struct {
	// requests were seen; allowed is how many records of one were acknowledged, and
	// counted what the last record says.
	requests, allowed, counted int
	lost                       bool
	last                       int
	// ended: the last record was of an end.
	ended bool
}

// record takes in one acknowledged write.
func (b *book) record(e *harness.Event) {
	b.lost = b.lost || e.Note == recordLost
	if b.ended && e.Record.Attempt == 0 {
		// What was done has been undone and is approved anew: a record of its own.
		b.anew()
	}
	b.last, b.counted, b.ended = e.Seq, e.Record.Attempt, false
	switch e.Record.State {
	case harness.RecordSent:
		b.allowed++
	case "confirmed", "rejected":
		b.ended = true
	}
}

// anew forgets what an earlier place recorded.
func (b *book) anew() {
	b.requests, b.allowed, b.counted = 0, 0, 0
}

// The ends of a write that the executor was told of as done.
const (
	recordWritten = "written"
	recordLost    = "lost"
)
