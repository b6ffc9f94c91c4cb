package tap

import "github.com/retrydrill/drill/harness"

// Room is what one history is made in: its events, and what they point to. It belongs to
// the history as long as anybody reads that, and serves another one afterwards.
type Room struct {
	// events are empty beyond their number.
	events    []harness.Event
	effects   slab[harness.Effect]
	records   slab[harness.Recorded]
	reports   slab[harness.Report]
	delivered slab[harness.Delivered]
	actions   slab[harness.DeliveredAction]
}

// empty makes it that of another history.
func (m *Room) empty() {
	clear(m.events)
	m.events = m.events[:0]
	m.effects.used, m.records.used, m.reports.used, m.delivered.used, m.actions.used = 0, 0, 0, 0, 0
}

// slab is room for things of one kind, none of which moves when there are more.
type slab[T any] struct {
	all  []T
	used int
}

// few is how much room there is at first: short trials have no more of anything.
const few = 4

// take returns the places of the next n things, in which those of an earlier history may
// stand.
func (s *slab[T]) take(n int) []T {
	if s.used+n > len(s.all) {
		s.grow(n)
	}
	s.used += n
	return s.all[s.used-n : s.used : s.used]
}

// put returns the place of a thing.
func (s *slab[T]) put(x *T) *T {
	if s.used == len(s.all) {
		s.grow(1)
	}
	at := &s.all[s.used]
	*at = *x
	s.used++
	return at
}

// grow makes room for n more. Those of before stay where they are, with whoever holds them.
func (s *slab[T]) grow(n int) { s.all, s.used = make([]T, max(few, n, 2*len(s.all))), 0 }
