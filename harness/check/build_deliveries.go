package check

import "github.com/retrydrill/drill/harness"

type placeKey struct{ worker, delivery int }

// scene is where an event takes place: in a life of a worker, mostly while it is at work
// on a delivery. The next event takes place there too, as a rule.
type scene struct {
	spot spot
	life *life
	// place is nil where nothing was handed over.
	place *delivery
	// store is the place of the worker's records.
	store int
}

type spot struct{ worker, incarnation, delivery int }

// at is the scene of an event.
func (b *builder) at(e *harness.Event) *scene {
	if b.now.spot != (spot{e.Worker, e.Incarnation, e.Delivery}) {
		b.turnTo(e)
	}
	return &b.now
}

// turnTo changes the scene to that of an event.
func (b *builder) turnTo(e *harness.Event) {
	k := lifeKey{e.Worker, e.Incarnation}
	l := b.lives.At(k)
	if *l == nil {
		*l = b.room.life()
	}
	b.now = scene{spot{e.Worker, e.Incarnation, e.Delivery}, *l, b.place(e), b.store(e.Worker)}
}

// place returns the hand-over at which an event took place, or nil.
func (b *builder) place(e *harness.Event) *delivery {
	return b.places.Get(placeKey{e.Worker, e.Delivery})
}

func (b *builder) deliver(e *harness.Event) {
	d := b.room.delivery(e)
	b.places.Set(placeKey{e.Worker, e.Delivery}, d)
	b.at(e).place = d
	b.deliveries = append(b.deliveries, d)
	b.settle(d)
	b.now.store = b.store(e.Worker)
	if e.Deliver == nil {
		return
	}
	for i := range e.Deliver.Actions {
		x := &e.Deliver.Actions[i]
		a := b.of(x.Name)
		g := b.room.given(x, d)
		g.read()
		a.given = append(a.given, g)
		a.latest = g
	}
}

// settle says where the records of a delivery's worker are. Until one is elsewhere they
// are all at one place.
func (b *builder) settle(d *delivery) {
	switch {
	case d.elsewhere():
		if !b.apart {
			b.apart = true
			for _, before := range b.deliveries {
				b.stores.Set(before.Worker, 0)
			}
		}
		b.stores.Set(d.Worker, d.Seq)
	case b.apart && b.stores.Find(d.Worker) == nil:
		// Who comes later shares the place of the first worker.
		b.stores.Set(d.Worker, b.stores.Get(1))
	}
}

// store is where the records of a worker are.
func (b *builder) store(worker int) int {
	if !b.apart {
		return 0
	}
	return b.stores.Get(worker)
}

// givenAt is how the action was handed over there, or last before. Who is handed nothing,
// or a notice, acts on what is recorded: what came last under an approval that covers it.
func (b *builder) givenAt(d *delivery, a *action) *given {
	if a == nil {
		return nil
	}
	if d != nil {
		if g := a.latest; g != nil && g.delivery == d {
			return g
		}
		if g := a.by(d); g != nil {
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

func (b *builder) end(e *harness.Event) {
	s := b.at(e)
	d := s.place
	if d == nil {
		return
	}
	switch e.Kind {
	case harness.EvEnd:
		if d.end = e.Note; d.died() {
			s.life.forgets(nil)
		}
	case harness.EvAck:
		d.acked = true
	case harness.EvNack:
		d.nack = e.Note
	}
}
