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
	// stores are the places of records by worker: an empty one is another store.
	var stores map[int]int
	deliveries := v.deliveries
	of := func(a *action, op string, worker int) *book {
		at := page{a.root, "", stores[worker]}
		if v.severalSteps() {
			// Each step has a record of its own.
			at.op = op
		}
		return v.room.books.at(at)
	}
	for i := range v.Events {
		e := &v.Events[i]
		switch e.Kind {
		case harness.EvDeliver:
			store := deliveries[0].store
			if deliveries = deliveries[1:]; store == 0 {
				continue
			}
			if stores == nil {
				stores = map[int]int{}
			}
			stores[e.Worker] = store
		case harness.EvRecord:
			if a := v.byName.get(e.Action); a != nil && e.Record != nil {
				of(a, e.Op, e.Worker).record(e)
			}
		case harness.EvRequest:
			if !e.Changes || e.Copy {
				continue
			}
			a := v.attempt(e.Attempt)
			if a == nil || a.action == nil || a.byTransport() {
				continue
			}
			b := of(a.action, a.Op, e.Worker)
			b.requests++
			f.Inspected++
			switch {
			case b.requests > b.allowed:
				f.breach(a.action.root.name, "a record of the request, durable before it leaves", "no record of it", b.last, e.Seq)
				b.allowed = b.requests
			case !b.lost && b.requests > b.counted:
				f.breach(a.action.root.name, fmt.Sprintf("a record of %d requests", b.requests), fmt.Sprintf("it tells of %d", b.counted), b.last, e.Seq)
				b.counted = b.requests
			}
		}
	}
	return f
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
	switch e.Note {
	case recordLost:
		b.lost = true
	case recordWritten:
	default:
		return
	}
	if b.ended && e.Record.Attempt == 0 {
		// What was done has been undone and is approved anew: a record of its own.
		b.anew()
	}
	b.ended = e.Record.State == "confirmed" || e.Record.State == "rejected"
	b.last, b.counted = e.Seq, e.Record.Attempt
	if e.Record.State == harness.RecordSent {
		b.allowed++
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
