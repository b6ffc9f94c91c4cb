package check

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/reuse"
)

// builder fills a view. It looks at each event twice: first at whom it names, since a
// twin may be told of after what it did, then at what it says.
type builder struct {
	View
	// latest is the action that was named last, letter its name where that is one letter.
	latest *action
	letter int

	lives  reuse.Table[lifeKey, *life]
	places reuse.Table[placeKey, *delivery]
	// now is where the event takes place that is taken in.
	now scene
	// stores are the places of records by worker: an empty one is another store. All are
	// the first one unless a hand-over was apart.
	stores reuse.Table[int, int]
	apart  bool

	as      reuse.Table[string, string]
	intents reuse.Table[string, *root]
	// keeps: the harness stands at the executor's own store.
	keeps bool
	// broken remembers which lines end a connection.
	broken reuse.Table[string, bool]
	// about is for concerns.
	about []*action
}

// NewView prepares a history for judging. It never changes it.
func NewView(h *harness.History) *View {
	b := &builder{}
	b.build(h)
	return &b.View
}

func (b *builder) build(h *harness.History) {
	b.History = h
	b.latest, b.letter = nil, noLetter
	b.promise()
	for i := range h.Schedule.Actions {
		s := &h.Schedule.Actions[i]
		b.know(s.Name, s.ID).spec = s
	}
	b.meetAll()
	b.root()
	b.takeAll()
	for _, r := range b.reports {
		r.counted = !r.place.failed()
	}
	for _, r := range b.roots {
		r.approve()
		b.stand(r)
	}
}

// promise reads what the target promised the executor of this trial.
func (b *builder) promise() {
	b.promises = &b.Promises
	if d := b.retention(); d != b.Promises.Key.Retention {
		b.room.promises = b.Promises
		b.room.promises.Key.Retention = d
		b.promises = &b.room.promises
	}
	b.steps, b.dedups, b.finds = len(b.promises.Steps) > 1, b.promises.Key.Dedups(), b.promises.CanFind()
}

// retention is how long the target remembered a key in this trial.
func (v *View) retention() harness.Duration {
	s, l := &v.Schedule.Settings, &v.Schedule.Limits
	if !s.ForgetAfter.IsZero() {
		if d := s.ForgetAfter.In(*l); d > 0 {
			return harness.Duration(d)
		}
	}
	if s.ForgetKey {
		return l.Retention
	}
	return v.Promises.Key.Retention
}

// noLetter is no letter of a name.
const noLetter = -1

// takeAll takes in what the events say.
func (b *builder) takeAll() {
	events := b.Events
	if len(events) > 0 {
		b.turnTo(&events[0])
	}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case harness.EvDeliver:
			b.deliver(e)
		case harness.EvRequest:
			b.request(e, b.of(e.Action))
		case harness.EvAnswer:
			b.answer(e)
		case harness.EvPassed, harness.EvLost:
			b.comes(e)
		case harness.EvHeard:
			b.heard(e)
		case harness.EvEffect:
			b.effect(e, b.of(e.Action))
		case harness.EvReport:
			b.report(e, b.of(e.Action))
		case harness.EvEnd, harness.EvAck, harness.EvNack:
			b.end(e)
		case harness.EvRecord:
			b.record(e, b.of(e.Action))
		case harness.EvFault:
			b.struck = append(b.struck, e)
		case harness.EvState:
			b.texts += e.N
		case harness.EvLog:
			b.texts++
			b.aside = append(b.aside, e)
		case harness.EvBound, harness.EvHold, harness.EvRefused, harness.EvLeak:
			b.aside = append(b.aside, e)
		case harness.EvSlow:
			b.delays = append(b.delays, delay{e, 0})
		}
	}
}

func (b *builder) heard(e *harness.Event) {
	l := b.at(e).life
	l.told(e)
	if e.Failure == harness.FailGaveUp {
		b.delays = append(b.delays, delay{e, l.asked})
	}
}
