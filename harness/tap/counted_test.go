package tap_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// brought is the action that each worker has in hand; 0 is nobody.
var brought = []string{"", "A", "B", "A"}

// does is what a line does at a place of a side or point.
var does = map[string]string{"request": "close", "target": "reject 402", "response": "close", "report": "lose", "record": "fail", "event": "lose"}

// tale is a session with a line at a place, and with somebody who waits for what happens
// at the same place.
type tale struct {
	*tap.Session
	t      require.TestingT
	place  harness.Where
	waited <-chan struct{}
	// struck are the things that the line struck; first is the event that was waited for.
	struck []string
	first  string
	// sent are the requests, at whether the line struck each when it came.
	sent   []*tap.Crossed
	at     []bool
	writes []*harness.Event
}

func tell(t require.TestingT, connection, place string) *tale {
	w, err := harness.ParseWhere(place)
	require.NoError(t, err)
	s := harness.Schedule{Connection: connection}
	if what := does[cmp.Or(string(w.Side), w.Point)]; what != "" {
		s.Faults = parsed(t, place+" "+what)
	}
	x := &tale{Session: tap.NewSession(s, nil, tap.NewRecorder(func() time.Duration { return 0 }, "")), t: t, place: w}
	x.waited = x.When(w)
	for worker := 1; worker < len(brought); worker++ {
		name := brought[worker]
		x.Deliver(tap.By{Worker: worker, Incarnation: 1, Delivery: worker},
			&harness.Delivered{Actions: []harness.DeliveredAction{{Name: name, ID: "act-" + name}}})
		x.came("deliver", worker)
	}
	return x
}

// came looks whether an event was the one that is waited for.
func (x *tale) came(kind string, n int) {
	if x.first == "" && x.Happened(x.place) {
		x.first = fmt.Sprint(kind, " ", n)
	}
	select {
	case <-x.waited:
		require.NotEmpty(x.t, x.first, "whoever waited was woken too early")
	default:
		require.Empty(x.t, x.first, "whoever waited was not woken")
	}
}

func (x *tale) strikes(f *harness.Fault, kind string, n int) {
	if f != nil {
		x.struck = append(x.struck, fmt.Sprint(kind, " ", n))
	}
}

func (x *tale) request(worker int, op string, warm bool) {
	c := x.Arrive(harness.Event{Worker: worker, Incarnation: 1, Warm: warm}, harness.Named{Op: op, Changes: op == "create"})
	x.sent = append(x.sent, c)
	x.at = append(x.at, x.place.Side != "" && x.At(c, x.place.Side) != nil)
	x.came("request", c.Attempt)
}

// ends records what became of a request.
func (x *tale) ends(kind harness.EventKind, attempt int, isCopy bool) {
	e := *x.sent[attempt-1].Event
	e.Kind, e.Copy = kind, isCopy
	x.Add(e)
	x.came(kind.String(), attempt)
}

func (x *tale) report(worker int) {
	e := x.Report(tap.By{Worker: worker, Incarnation: 1}, harness.Report{ActionID: "act-" + brought[worker]})
	x.strikes(x.AtReport(e), "report", e.N)
	x.came("report", e.N)
}

func (x *tale) asksToWrite(worker int) {
	e := &harness.Event{Worker: worker}
	x.writes = append(x.writes, e)
	x.strikes(x.Record(e, "act-"+brought[worker]), "record", len(x.writes))
}

func (x *tale) wrote(n int) {
	x.Wrote(x.writes[n-1], harness.Recorded{}, "written")
	x.came("record", n)
}

func (x *tale) notice(attempt int) {
	e, f := x.Notice(harness.Notice{Attempt: attempt})
	x.strikes(f, "event", e.N)
	x.came("event", e.N)
}

// end asks the line about every request once more.
func (x *tale) end() {
	for i, c := range x.sent {
		if x.place.Side != "" {
			f := x.At(c, x.place.Side)
			require.Equal(x.t, x.at[i], f != nil, "asked at once, and late")
			x.strikes(f, "request", i+1)
		}
	}
	select {
	case <-x.When(x.place):
		require.NotEmpty(x.t, x.first)
	default:
		require.Empty(x.t, x.first)
	}
}

// TestWhatCountsWhere: a place counts over the trial, or with @ what one worker did or one
// action brought, and mutate among what changes something; whoever waits for a place
// waits for what the line there strikes.
func TestWhatCountsWhere(t *testing.T) {
	for _, c := range []struct{ place, struck, event string }{
		{"report#1@w2", "report 2", "report 2"},
		{"report#2@w1", "report 4", "report 4"},
		{"report#1@B", "report 2", "report 2"},
		{"report#2@A", "report 3", "report 3"},
		{"report#2", "report 2", "report 2"},
		{"report#2@w2", "", ""},
		{"record#1@w2", "record 2", "record 2"},
		{"record#2@w1", "record 4", "record 4"},
		{"record#2@A", "record 3", "record 3"},
		{"event#1@w2", "event 1", "event 1"},
		{"event#1@A", "event 2", "event 2"},
		{"event#3", "event 3", "event 3"},
		{"create#1@w2 request", "request 2", "request 2"},
		{"create#1@w2 target", "request 2", "answer 2"},
		{"create#2@w1 response", "request 5", "passed 5"},
		{"create#1@B response", "request 2", "passed 2"},
		{"create#2@A request", "request 4", "request 4"},
		{"create#2 response", "request 2", "passed 2"},
		{"create#3@w1 request", "", ""},
		{"any#2@w1 request", "request 3", "request 3"},
		{"mutate#3 request", "request 4", "request 4"},
		{"mutate#2@w1 target", "request 5", "answer 5"},
		{"deliver#2", "", "deliver 2"},
	} {
		t.Run(c.place, func(t *testing.T) {
			x := tell(t, "", c.place)
			x.request(1, "create", false)
			x.request(2, "create", false)
			x.request(1, "find", false)
			x.request(3, "create", false)
			x.request(1, "create", false)
			for _, kind := range []harness.EventKind{harness.EvAnswer, harness.EvPassed} {
				for _, attempt := range []int{2, 1, 3, 5, 4} {
					x.ends(kind, attempt, false)
				}
			}
			for _, worker := range []int{1, 2, 3, 1} {
				x.asksToWrite(worker)
				x.report(worker)
			}
			for n := range x.writes {
				x.wrote(n + 1)
			}
			x.notice(2)
			x.notice(1)
			x.notice(0)
			x.end()
			require.Equal(t, c.event, x.first)
			if c.struck == "" {
				require.Empty(t, x.struck)
				return
			}
			require.Equal(t, []string{c.struck}, x.struck)
		})
	}
}

// TestALineAndAWaitAreOfOneCount draws a session and a place, and holds both to a count of
// its own: a line strikes what is of the place and meets the condition on connections, and
// whoever waits is woken by the first of what is of the place, on whatever connection.
func TestALineAndAWaitAreOfOneCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		connection := rapid.SampledFrom([]string{"", "warm", "cold"}).Draw(t, "connection")
		point := rapid.SampledFrom([]string{"create", "find", "any", "mutate", "report", "record", "event"}).Draw(t, "point")
		whose := rapid.SampledFrom([]string{"", "@w1", "@w2", "@w3", "@A", "@B"}).Draw(t, "whose")
		from := rapid.IntRange(1, 4).Draw(t, "from")
		place := fmt.Sprintf("%s#%d%s%s", point, from, rapid.SampledFrom([]string{"", "..", fmt.Sprint("..", from+1)}).Draw(t, "to"), whose)
		if does[point] == "" {
			place += " " + rapid.SampledFrom([]string{"request", "target", "response"}).Draw(t, "side")
		}
		x := tell(t, connection, place)
		o := &oracle{place: x.place, connection: connection, things: map[string][]drawn{}}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			d := drawn{
				worker: rapid.IntRange(1, 3).Draw(t, "worker"),
				op:     rapid.SampledFrom([]string{"create", "find", ""}).Draw(t, "op"),
				warm:   rapid.Bool().Draw(t, "warm"),
			}
			switch step := rapid.IntRange(0, 6).Draw(t, "step"); {
			case step == 0:
				x.request(d.worker, d.op, d.warm)
				o.event("request", o.comes("request", d))
			case step == 1:
				x.report(d.worker)
				o.event("report", o.comes("report", d))
			case step == 2:
				x.asksToWrite(d.worker)
				o.comes("record", d)
			case step == 3 && len(x.writes) > 0:
				n := rapid.IntRange(1, len(x.writes)).Draw(t, "write")
				x.wrote(n)
				o.event("record", n)
			case step == 4:
				of := rapid.IntRange(0, len(x.sent)).Draw(t, "attempt")
				d = drawn{}
				if of > 0 {
					d.worker = o.things["request"][of-1].worker
				}
				x.notice(of)
				o.event("event", o.comes("event", d))
			case len(x.sent) > 0:
				of, isCopy := rapid.IntRange(1, len(x.sent)).Draw(t, "attempt"), rapid.Bool().Draw(t, "copy")
				kind := rapid.SampledFrom([]harness.EventKind{harness.EvAnswer, harness.EvPassed, harness.EvLost}).Draw(t, "kind")
				x.ends(kind, of, isCopy)
				if !isCopy {
					o.event(kind.String(), of)
				}
			}
		}
		x.end()
		require.Equal(t, o.struck(), x.struck)
		require.Equal(t, o.first, x.first)
	})
}

// drawn is one thing of a session that was drawn.
type drawn struct {
	worker int
	op     string
	warm   bool
}

// oracle counts what was drawn, from the beginning each time.
type oracle struct {
	place      harness.Where
	connection string
	things     map[string][]drawn
	first      string
}

func (o *oracle) comes(kind string, d drawn) (n int) {
	o.things[kind] = append(o.things[kind], d)
	return len(o.things[kind])
}

// kind is that of the things that are counted at the place.
func (o *oracle) kind() string {
	if o.place.Side != "" {
		return "request"
	}
	return o.place.Point
}

// rank is the number of the n-th thing at the place, or 0 where it is none of it.
func (o *oracle) rank(n int, conditions bool) (rank int) {
	for i, d := range o.things[o.kind()][:n] {
		ofPoint := map[string]bool{"any": true, "mutate": d.op == "create", "create": d.op == "create", "find": d.op == "find"}[o.place.Point] || o.place.Side == ""
		whose := o.place.Worker == 0 && o.place.Action == "" || d.worker > 0 && (d.worker == o.place.Worker || brought[d.worker] == o.place.Action)
		met := !conditions || o.place.Side == "" || o.connection == "" || d.warm == (o.connection == "warm")
		switch {
		case ofPoint && whose && met:
			rank++
		case i == n-1:
			return 0
		}
	}
	return rank
}

func (o *oracle) in(rank int) bool {
	return rank >= o.place.From && (o.place.To == 0 || rank <= o.place.To)
}

func (o *oracle) struck() (out []string) {
	for n := 1; n <= len(o.things[o.kind()]); n++ {
		if o.in(o.rank(n, true)) {
			out = append(out, fmt.Sprint(o.kind(), " ", n))
		}
	}
	return out
}

// event is what became of the n-th thing.
func (o *oracle) event(kind string, n int) {
	told := map[harness.Side][]string{harness.Request: {"request"}, harness.Target: {"answer"}, harness.Response: {"passed", "lost"}}[o.place.Side]
	if o.place.Side == "" {
		told = []string{o.place.Point}
	}
	if o.first == "" && slices.Contains(told, kind) && o.in(o.rank(n, false)) {
		o.first = fmt.Sprint(kind, " ", n)
	}
}
