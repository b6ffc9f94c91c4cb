package check

import (
	"strings"

	"github.com/retrydrill/drill/harness"
)

// builder fills a view in one pass over the events.
type builder struct {
	View
	lives  table[lifeKey, *life]
	places table[placeKey, *delivery]
	as     table[string, string]
	named  table[string, *root]
	// recorded are how many requests the last record of an action, or of a step, told of.
	recorded table[recordKey, int]
	// stores are the places of records by worker: an empty one is another store.
	stores table[int, int]
	// keeps: the harness stands at the executor's own store.
	keeps bool
	// broken remembers which lines end a connection.
	broken table[string, bool]
	// about is for concerns.
	about []*action
}

type recordKey struct {
	*action
	op string
}

type placeKey struct{ worker, delivery int }

// NewView prepares a history for judging. It never changes it.
func NewView(h *harness.History) *View {
	b := &builder{}
	b.build(h)
	return &b.View
}

func (b *builder) build(h *harness.History) {
	b.History, b.promises = h, h.Promises
	b.promises.Key.Retention = b.retention()
	for i := range h.Schedule.Actions {
		s := &h.Schedule.Actions[i]
		b.know(s.Name, s.ID).spec = s
	}
	for i := range h.Events {
		b.meet(&h.Events[i])
	}
	b.root()
	for i := range h.Events {
		b.add(&h.Events[i])
	}
	b.finish()
}

// retention is how long the target remembered a key in this trial.
func (v *View) retention() harness.Duration {
	s, l := v.Schedule.Settings, v.Schedule.Limits
	if d := s.ForgetAfter.In(l); d > 0 {
		return harness.Duration(d)
	}
	if s.ForgetKey {
		return l.Retention
	}
	return v.Promises.Key.Retention
}

// know returns the action of that name.
func (b *builder) know(name, id string) *action {
	a := b.byName.get(name)
	if a == nil {
		a = b.room.action(name)
		b.byName.set(name, a)
		b.actions = append(b.actions, a)
	}
	if id != "" && b.byID.get(id) == nil {
		b.byID.set(id, a)
		a.ids = append(a.ids, id)
	}
	return a
}

// meet learns of actions and twins before anything is attributed to them.
func (b *builder) meet(e *harness.Event) {
	switch {
	case e.Kind == harness.EvDeliver && e.Deliver != nil:
		for i := range e.Deliver.Actions {
			d := &e.Deliver.Actions[i]
			b.know(d.Name, d.ID)
			if d.As != "" {
				b.know(d.As, "")
				b.as.set(d.Name, d.As)
			}
		}
	case e.Kind == harness.EvEffect && e.Effect != nil && e.Effect.Foreign:
		b.foreign.set(e.Effect.Resource, b.room.effect(e))
	case e.Action != "" && b.byName.find(e.Action) == nil:
		b.know(e.Action, "")
	}
	b.keeps = b.keeps || e.Kind == harness.EvRecord
}

// root puts each action to the intent that it stands for.
func (b *builder) root() {
	for _, a := range b.actions {
		name := a.name
		for range len(b.as.entries) {
			next := b.as.find(name)
			if next == nil {
				break
			}
			name = *next
		}
		if b.as.find(name) != nil {
			// They are said to stand for each other.
			name = a.name
		}
		r := b.named.get(name)
		if r == nil {
			r = b.room.root(name)
			b.named.set(name, r)
			b.roots = append(b.roots, r)
		}
		a.root = r
		r.members = append(r.members, a)
	}
}

func (b *builder) life(e *harness.Event) *life {
	k := lifeKey{e.Worker, e.Incarnation}
	l := b.lives.get(k)
	if l == nil {
		l = b.room.life()
		b.lives.set(k, l)
	}
	return l
}

func (b *builder) place(e *harness.Event) *delivery {
	return b.places.get(placeKey{e.Worker, e.Delivery})
}

// givenAt is how the action was handed over there, or last before. Who is handed nothing,
// or a notice, acts on what is recorded: what came last under an approval that covers it.
func (b *builder) givenAt(d *delivery, a *action) *given {
	if a == nil {
		return nil
	}
	if d != nil {
		if g := d.brought.get(a); g != nil {
			return g
		}
		if d.Deliver != nil && len(d.Deliver.Actions) == 0 {
			for i := len(a.given) - 1; i >= 0; i-- {
				if a.given[i].Covered {
					return a.given[i]
				}
			}
		}
	}
	return a.latest
}

func (b *builder) add(e *harness.Event) {
	switch e.Kind {
	case harness.EvDeliver:
		b.deliver(e)
	case harness.EvRequest:
		b.request(e)
	case harness.EvAnswer, harness.EvPassed, harness.EvLost:
		b.answer(e)
	case harness.EvHeard:
		b.heard(e)
	case harness.EvEffect:
		b.effect(e)
	case harness.EvReport:
		b.texts++
		b.report(e)
	case harness.EvEnd, harness.EvAck, harness.EvNack:
		b.end(e)
	case harness.EvFault:
		b.struck = append(b.struck, e)
	case harness.EvRecord:
		if e.Record != nil {
			b.records++
			b.record(e)
		}
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

func (b *builder) heard(e *harness.Event) {
	l := b.life(e)
	l.told(e)
	if e.Failure == harness.FailGaveUp {
		b.delays = append(b.delays, delay{e, l.asked})
	}
}

func (b *builder) deliver(e *harness.Event) {
	d := b.room.delivery(e)
	b.places.set(placeKey{e.Worker, e.Delivery}, d)
	b.deliveries = append(b.deliveries, d)
	switch {
	case d.elsewhere():
		b.stores.set(e.Worker, e.Seq)
	case b.stores.find(e.Worker) == nil:
		// Who comes later shares the place of the first worker.
		b.stores.set(e.Worker, b.stores.get(1))
	}
	d.store = b.stores.get(e.Worker)
	if e.Deliver == nil {
		return
	}
	for i := range e.Deliver.Actions {
		x := &e.Deliver.Actions[i]
		a := b.byName.get(x.Name)
		g := b.room.given(x, d)
		g.read()
		a.given = append(a.given, g)
		if first := a.consents.at(g.consent()); *first == nil {
			*first = g
		}
		d.brought.set(a, g)
		a.latest = g
	}
}

func (b *builder) request(e *harness.Event) {
	b.texts++
	l := b.life(e)
	if e.Copy {
		return
	}
	if !b.keeps {
		l.saves(nil)
	}
	d := b.place(e)
	b.changes.set(e.Op, e.Changes)
	a := b.room.attempt(e)
	a.action, a.life = b.byName.get(e.Action), l
	b.unseen(a)
	a.given, a.origin = b.givenAt(d, a.action), a
	a.store, a.unrecorded = b.stores.get(e.Worker), l.lost.has(a.action)
	a.recorded = b.recorded.get(recordKey{a.action, b.stepOf(e.Op)})
	l.hears(e, b.Schedule.Limits.ClientDeadline)
	last := l.last.at(a.action)
	if before := *last; before != nil && before.passed == nil && before.lost == nil {
		before.doubtful = true
	}
	*last = a
	if !l.late.takes(a) {
		l.untold = append(l.untold, a)
	}
	if e.Changes {
		l.mends(a)
		b.sent = append(b.sent, a)
		if a.action != nil {
			if !b.undoes(a.Op) {
				a.action.root.mutations++
				a.action.root.last = a
			}
			a.action.root.sent = true
			if a.Key != "" && a.action.keys.find(a.Key) == nil {
				a.action.keys.set(a.Key, a)
			}
		}
	}
	l.asked = e.Attempt
	if e.Attempt > 0 {
		b.number(a)
	}
	for _, x := range b.concerns(a, d) {
		x.line = append(x.line, item{Event: e, attempt: a})
	}
}

// number puts an attempt where [View.attempt] finds it.
func (b *builder) number(a *attempt) {
	n := a.Attempt
	if n > len(b.Events) {
		b.astray.set(n, a)
		return
	}
	for len(b.numbered) <= n {
		b.numbered = append(b.numbered, nil)
	}
	b.numbered[n] = a
}

// mends takes note of a request that may be one which a transport sends again.
func (l *life) mends(a *attempt) {
	if len(l.broken) == 0 {
		return
	}
	for _, as := range [...]form{a.form(), a.form().torn()} {
		if before := l.broken[as]; before != nil && before.Conn != a.Conn {
			a.repeats, a.maybe = before, !before.maybe
		}
		delete(l.broken, as)
	}
}

// unseen gives a request that was torn before its key was seen the key that its
// action is sent under next: nothing shows that it had another one.
func (b *builder) unseen(a *attempt) {
	x := a.action
	switch {
	case x == nil || !a.Changes || !b.promises.Key.InBody:
	case a.Key == "" && a.Note == tornInBody:
		own := *a.Event
		a.Event = &own
		x.unseen = append(x.unseen, a)
	case a.Key != "":
		for _, torn := range x.unseen {
			torn.Key = a.Key
			if x.keys.find(a.Key) == nil {
				x.keys.set(a.Key, torn)
			}
		}
		x.unseen = nil
	}
}

// concerns are the actions that a request may be about: its own, or those of its
// delivery where a look-up tells of none. What it returns holds until the next call.
func (b *builder) concerns(a *attempt, d *delivery) []*action {
	out := b.about[:0]
	switch {
	case a.action != nil:
		out = append(out, a.action)
	case a.Changes || d == nil || d.Deliver == nil:
	case len(d.Deliver.Actions) > 0:
		for i := range d.Deliver.Actions {
			out = append(out, b.byName.get(d.Deliver.Actions[i].Name))
		}
	default:
		// A recovery may look up whatever was handed over before.
		for _, x := range b.actions {
			if x.latest != nil {
				out = append(out, x)
			}
		}
	}
	b.about = out
	return out
}

func (b *builder) answer(e *harness.Event) {
	a := b.attempt(e.Attempt)
	if a == nil {
		return
	}
	switch e.Kind {
	case harness.EvAnswer:
		if a.answered == nil || !e.Copy {
			a.answered = e
		}
		b.refuses(a, e)
		return
	case harness.EvLost:
		a.lost, a.class = e, harness.Unknown
		if b.breaks(e.Fault) && a.Changes && a.Warm {
			if a.life.broken == nil {
				a.life.broken = map[form]*attempt{}
			}
			a.life.broken[a.form()] = a
		}
	case harness.EvPassed:
		b.passed(a, e)
	}
	for _, x := range b.concerns(a, b.place(a.Event)) {
		it := item{Event: e, attempt: a}
		if e.Kind == harness.EvPassed && !a.Changes {
			it.lookup = b.page(a, x)
		}
		x.line = append(x.line, it)
	}
}

func (b *builder) passed(a *attempt, e *harness.Event) {
	a.passed = e
	if a.lost == nil && !a.unheard {
		if a.class = e.Class; a.class == "" {
			a.class = b.promises.Classify(e.Status, e.Code)
		}
	}
	if d := b.Schedule.Limits.ClientDeadline; d > 0 && e.At-a.At >= d/2 {
		a.doubtful = true
	}
	a.life.unproven = append(a.life.unproven, a)
	if a.Changes && a.class.Definite() {
		a.life.unsaved = append(a.life.unsaved, a)
	}
	if a.action != nil && a.class == harness.RejectedPermanent && (e.Replayed || b.promises.Key.KeepsRefusal(e.Status)) {
		if first := a.action.root.refused.get(a.Key); first != nil {
			a.origin = first
		}
	}
}

// refuses notes the first refusal that the target keeps under a key.
func (b *builder) refuses(a *attempt, e *harness.Event) {
	if a.action == nil || !a.Changes || a.Key == "" || e.Copy || !b.promises.Key.KeepsRefusal(e.Status) {
		return
	}
	class := e.Class
	if class == "" {
		class = b.promises.Classify(e.Status, e.Code)
	}
	if r := a.action.root; class == harness.RejectedPermanent && r.refused.find(a.Key) == nil {
		r.refused.set(a.Key, a)
	}
}

// breaks reports whether a lost answer is one after which some transports send
// again by themselves: the connection ended before a byte of it arrived.
func (b *builder) breaks(fault string) bool {
	if known := b.broken.find(fault); known != nil {
		return *known
	}
	_, what, struck := strings.Cut(fault, " "+string(harness.Response)+" ")
	if !struck {
		_, what, _ = strings.Cut(fault, " "+string(harness.Request)+" ")
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(what, "?"), " ")
	breaks := name == "close" || name == "reset" || name == "cut"
	b.broken.set(fault, breaks)
	return breaks
}

// record takes in one write of the executor's own store, where the harness stands at
// it: what it heard of the action is kept then, or is known to nobody.
func (b *builder) record(e *harness.Event) {
	x := b.byName.get(e.Action)
	if x == nil {
		return
	}
	l := b.life(e)
	switch e.Note {
	case recordWritten:
		b.recorded.set(recordKey{x, b.stepOf(e.Op)}, e.Record.Attempt)
		l.saves(x)
		return
	case recordLost:
		l.lost = with(l.lost, x)
	}
	l.forgets(x)
}

// stepOf is the operation where each step has a record of its own.
func (b *builder) stepOf(op string) string {
	if b.severalSteps() {
		return op
	}
	return ""
}

func (b *builder) effect(e *harness.Event) {
	if e.Effect == nil || e.Effect.Foreign {
		return
	}
	x := b.room.effect(e)
	x.action, x.attempt = b.byName.get(e.Action), b.attempt(e.Attempt)
	b.effects = append(b.effects, x)
	if e.Effect.Kind == harness.Undo {
		b.undone(x)
		return
	}
	if x.action == nil {
		return
	}
	r := x.action.root
	r.effects = append(r.effects, x)
	r.made.set(e.Effect.Resource, true)
	if owner := b.owner.at(e.Effect.Resource); *owner == nil {
		*owner = r
	}
}

// undone notes what an undo took back, whoever asked for it.
func (b *builder) undone(u *effect) {
	b.undos = append(b.undos, u)
	for _, e := range b.effects {
		if e.Kind != harness.Undo && e.undone == nil && sameObject(e, u) {
			e.undone = u
		}
	}
}

func (b *builder) report(e *harness.Event) {
	if e.Report == nil {
		return
	}
	l := b.life(e)
	l.hears(e, b.Schedule.Limits.ClientDeadline)
	if !b.keeps {
		l.saves(nil)
	}
	r := b.room.report(e)
	r.life, r.action, r.place = l, b.byName.get(e.Action), b.place(e)
	r.store = b.stores.get(e.Worker)
	if r.action == nil {
		r.action = b.byID.get(e.Report.ActionID)
	}
	b.reports = append(b.reports, r)
	if r.action == nil {
		return
	}
	r.given = b.givenAt(r.place, r.action)
	r.action.reports = append(r.action.reports, r)
	r.action.root.reports = append(r.action.root.reports, r)
	r.action.line = append(r.action.line, item{Event: e, report: r})
}

func (b *builder) end(e *harness.Event) {
	d := b.place(e)
	if d == nil {
		return
	}
	switch e.Kind {
	case harness.EvEnd:
		if d.end = e.Note; d.died() {
			b.life(e).forgets(nil)
		}
	case harness.EvAck:
		d.acked = true
	case harness.EvNack:
		d.nack = e.Note
	}
}

func (b *builder) finish() {
	for _, r := range b.reports {
		r.counted = !r.place.failed()
	}
	for _, r := range b.roots {
		r.approve()
		b.stand(r)
	}
}
