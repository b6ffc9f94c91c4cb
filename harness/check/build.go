package check

import (
	"strings"

	"github.com/retrydrill/drill/harness"
)

// builder fills a view in one pass over the events.
type builder struct {
	*View
	lives  map[lifeKey]*life
	places map[placeKey]*delivery
	latest map[*action]*given
	as     map[string]string
	// broken remembers which lines end a connection.
	broken map[string]bool
}

type placeKey struct{ worker, delivery int }

// NewView prepares a history for judging. It never changes it.
func NewView(h *harness.History) *View {
	v := &View{History: h, promises: h.Promises, byName: map[string]*action{}, byID: map[string]*action{},
		attempts: map[int]*attempt{}, foreign: map[string]*effect{}, owner: map[string]*root{}, changes: map[string]bool{}}
	v.promises.Key.Retention = v.retention()
	b := &builder{View: v, lives: map[lifeKey]*life{}, places: map[placeKey]*delivery{}, latest: map[*action]*given{}, as: map[string]string{}, broken: map[string]bool{}}
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
	return v
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
	a := b.byName[name]
	if a == nil {
		a = &action{name: name, byWire: map[string][]*given{}, keys: map[string]*attempt{}}
		b.byName[name] = a
		b.actions = append(b.actions, a)
	}
	if id != "" && b.byID[id] == nil {
		b.byID[id] = a
		a.ids = append(a.ids, id)
	}
	return a
}

// meet learns of actions and twins before anything is attributed to them.
func (b *builder) meet(e *harness.Event) {
	switch {
	case e.Kind == harness.EvDeliver && e.Deliver != nil:
		for _, d := range e.Deliver.Actions {
			b.know(d.Name, d.ID)
			if d.As != "" {
				b.know(d.As, "")
				b.as[d.Name] = d.As
			}
		}
	case e.Kind == harness.EvEffect && e.Effect != nil && e.Effect.Foreign:
		b.foreign[e.Effect.Resource] = &effect{Effect: e.Effect, seq: e.Seq}
	case e.Action != "":
		b.know(e.Action, "")
	}
}

// root puts each action to the intent that it stands for.
func (b *builder) root() {
	byName := map[string]*root{}
	for _, a := range b.actions {
		name := a.name
		for range len(b.as) {
			next, ok := b.as[name]
			if !ok {
				break
			}
			name = next
		}
		if _, twisted := b.as[name]; twisted {
			name = a.name
		}
		r := byName[name]
		if r == nil {
			r = &root{name: name}
			byName[name] = r
			b.roots = append(b.roots, r)
		}
		a.root = r
		r.members = append(r.members, a)
	}
}

func (b *builder) life(e *harness.Event) *life {
	k := lifeKey{e.Worker, e.Incarnation}
	l := b.lives[k]
	if l == nil {
		l = &life{last: map[*action]*attempt{}}
		b.lives[k] = l
	}
	return l
}

func (b *builder) place(e *harness.Event) *delivery { return b.places[placeKey{e.Worker, e.Delivery}] }

// givenAt is how the action was handed over there, or last before.
func (b *builder) givenAt(d *delivery, a *action) *given {
	if a == nil {
		return nil
	}
	if d != nil {
		if g := d.brought[a]; g != nil {
			return g
		}
	}
	return b.latest[a]
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
		b.life(e).told(e)
	case harness.EvEffect:
		b.effect(e)
	case harness.EvReport:
		b.report(e)
	case harness.EvEnd, harness.EvAck, harness.EvNack:
		b.end(e)
	}
}

func (b *builder) deliver(e *harness.Event) {
	d := &delivery{Event: e, brought: map[*action]*given{}}
	b.places[placeKey{e.Worker, e.Delivery}] = d
	b.deliveries = append(b.deliveries, d)
	if e.Deliver == nil {
		return
	}
	for i := range e.Deliver.Actions {
		x := &e.Deliver.Actions[i]
		a := b.byName[x.Name]
		g := &given{x, d}
		a.given = append(a.given, g)
		for _, wire := range g.wires() {
			a.byWire[wire] = append(a.byWire[wire], g)
		}
		d.brought[a] = g
		b.latest[a] = g
	}
}

func (b *builder) request(e *harness.Event) {
	l := b.life(e)
	if e.Copy {
		return
	}
	d := b.place(e)
	b.changes[e.Op] = e.Changes
	a := &attempt{Event: e, action: b.byName[e.Action], life: l, class: harness.Unknown}
	b.unseen(a)
	a.given, a.origin = b.givenAt(d, a.action), a
	l.hears(e, b.Schedule.Limits.ClientDeadline)
	if before := l.last[a.action]; before != nil && before.passed == nil && before.lost == nil {
		before.doubtful = true
	}
	l.last[a.action] = a
	if !l.late.takes(a) {
		l.untold = append(l.untold, a)
	}
	if e.Changes {
		for _, as := range []form{a.form(), a.form().torn()} {
			if before := l.broken[as]; before != nil && before.Conn != a.Conn {
				a.repeats, a.maybe = before, !before.maybe
			}
			delete(l.broken, as)
		}
		b.sent = append(b.sent, a)
		if a.action != nil {
			if !b.undoes(a.Op) {
				a.action.mutations++
				a.action.last = a
			}
			a.action.root.sent = true
			if a.Key != "" && a.action.keys[a.Key] == nil {
				a.action.keys[a.Key] = a
			}
		}
	}
	if e.Attempt > 0 {
		b.attempts[e.Attempt] = a
	}
	for _, x := range b.concerns(a, d) {
		x.line = append(x.line, item{Event: e, attempt: a})
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
			if x.keys[a.Key] == nil {
				x.keys[a.Key] = torn
			}
		}
		x.unseen = nil
	}
}

// concerns are the actions that a request may be about: its own, or those of its
// delivery where a look-up tells of none.
func (b *builder) concerns(a *attempt, d *delivery) []*action {
	if a.action != nil {
		return []*action{a.action}
	}
	if a.Changes || d == nil || d.Deliver == nil {
		return nil
	}
	var out []*action
	for _, x := range d.Deliver.Actions {
		out = append(out, b.byName[x.Name])
	}
	if len(out) == 0 {
		// A recovery may look up whatever was handed over before.
		for _, x := range b.actions {
			if b.latest[x] != nil {
				out = append(out, x)
			}
		}
	}
	return out
}

func (b *builder) answer(e *harness.Event) {
	a := b.attempts[e.Attempt]
	if a == nil {
		return
	}
	switch e.Kind {
	case harness.EvAnswer:
		if a.answered == nil || !e.Copy {
			a.answered = e
		}
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
	if a.action != nil && a.class == harness.RejectedPermanent && (e.Replayed || b.promises.Key.StoresErrors) {
		if first := a.action.keys[a.Key]; first != nil && first.class == harness.RejectedPermanent {
			a.origin = first
		}
	}
}

// breaks reports whether a lost answer is one after which some transports send
// again by themselves: the connection ended before a byte of it arrived.
func (b *builder) breaks(fault string) bool {
	known, ok := b.broken[fault]
	if !ok {
		_, what, struck := strings.Cut(fault, " "+string(harness.Response)+" ")
		if !struck {
			_, what, _ = strings.Cut(fault, " "+string(harness.Request)+" ")
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(what, "?"), " ")
		known = name == "close" || name == "reset" || name == "cut"
		b.broken[fault] = known
	}
	return known
}

func (b *builder) effect(e *harness.Event) {
	if e.Effect == nil || e.Effect.Foreign {
		return
	}
	x := &effect{Effect: e.Effect, seq: e.Seq, action: b.byName[e.Action], attempt: b.attempts[e.Attempt]}
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
	if b.owner[e.Effect.Resource] == nil {
		b.owner[e.Effect.Resource] = r
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
	r := &report{Event: e, life: l, action: b.byName[e.Action], place: b.place(e)}
	if r.action == nil {
		r.action = b.byID[e.Report.ActionID]
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
		d.end = e.Note
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
