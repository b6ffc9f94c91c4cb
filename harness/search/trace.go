package search

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"

	"github.com/retrydrill/drill/harness"
)

// print identifies what could be seen of an event, without times: a request with key and
// body, an effect, an answer, a report, how a life ended.
type print [sha256.Size]byte

// act is one event of a run as it is held against that of another one.
type act struct {
	// words say who did what, without what differs by itself.
	words string
	print print
}

// stepsOf lists the steps of a run that come before an event; all of them where that is 0.
// What the schedule says is none.
func stepsOf(h *harness.History, before int) (out []act) {
	for i := range h.Events {
		e := &h.Events[i]
		if before > 0 && e.Seq >= before {
			break
		}
		if apartFrom(e) {
			continue
		}
		d := &digest{sha256.New()}
		d.event(e)
		x := act{words: wordsOf(e)}
		d.Sum(x.print[:0])
		out = append(out, x)
	}
	return out
}

func wordsOf(e *harness.Event) string {
	out := e.Kind.String()
	if e.Op != "" {
		out += fmt.Sprintf(" of %s#%d", e.Op, e.N)
	}
	if e.Report != nil {
		out += " of " + string(e.Report.Outcome)
	}
	return out
}

// apartFrom reports whether an event is the harness's own note, and nothing that
// happened between the parties.
func apartFrom(e *harness.Event) bool {
	switch e.Kind {
	case harness.EvFault, harness.EvHold, harness.EvLog, harness.EvHeard, harness.EvLeak, harness.EvSlow, harness.EvState:
		return true
	}
	return false
}

type digest struct{ hash.Hash }

func (d *digest) event(e *harness.Event) {
	d.words(e.Kind.String(), e.Action, e.Op, e.Key, e.BusinessKey, e.Reference, e.Arguments, e.Body, e.Code, string(e.Class), e.Resource)
	d.numbers(e.Worker, e.Incarnation, e.Delivery, e.N, e.Status, len(e.Found))
	for _, f := range e.Found {
		d.words(f.Resource, f.Reference, f.Arguments)
	}
	if r := e.Report; r != nil {
		d.words(r.ActionID, string(r.Outcome), r.Resource, r.ErrorClass, r.WaitsFor)
	}
	if x := e.Effect; x != nil {
		d.words(x.Resource, x.Kind, x.Part, x.BusinessKey, x.Key, x.Arguments)
	}
	if e.Deliver != nil {
		d.words(e.Deliver.TriggerKey)
		for _, a := range e.Deliver.Actions {
			d.words(a.ID, a.Digest, a.Approval.ID, string(a.Approval.Status))
		}
	}
}

func (d *digest) words(words ...string) {
	for _, w := range words {
		d.numbers(len(w))
		_, _ = d.Write([]byte(w))
	}
}

func (d *digest) numbers(numbers ...int) {
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		_, _ = d.Write(b[:])
	}
}

// Likeness is how two runs of one schedule are to each other.
type Likeness struct {
	// Stable: the same steps were taken. What came of a search is then what comes of it
	// again. Differs says where they were not; it is empty where there were no two runs.
	Stable  bool   `json:"stable"`
	Differs string `json:"differs,omitempty"`
	// Varies: the same steps had other contents, as those of one do who draws a key at
	// random. Each run is judged by itself, so that this is for information.
	Varies bool `json:"varies,omitempty"`
}

// And is the likeness of all the runs of two; the first difference is told.
func (l Likeness) And(o Likeness) Likeness {
	if l.Stable {
		l.Stable, l.Differs = o.Stable, o.Differs
	}
	l.Varies = l.Varies || o.Varies
	return l
}

// compare holds two runs against each other.
func compare(a, b []act) Likeness {
	for i := range max(len(a), len(b)) {
		x, y := "nothing more", "nothing more"
		if i < len(a) {
			x = a[i].words
		}
		if i < len(b) {
			y = b[i].words
		}
		if x != y {
			return Likeness{Differs: fmt.Sprintf("step %d was %s in the one and %s in the other", i+1, x, y)}
		}
	}
	return Likeness{Stable: true, Varies: !slices.Equal(a, b)}
}
