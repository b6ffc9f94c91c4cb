package wire

// holdBegins implements crew.
func (t *trial) holdBegins(worker int) <-chan struct{} {
	hopeless := t.holds.Begin(worker)
	t.poke()
	return hopeless
}

// holdEnds implements crew.
func (t *trial) holdEnds(hopeless <-chan struct{}) { t.holds.End(hopeless) }

// releaseHopeless ends the holds of workers beside whom nobody is at work and free. So
// many had begun before the hand-overs were seen to.
func (t *trial) releaseHopeless(begun int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds.Release(begun, func(yield func(int) bool) {
		for _, s := range t.seats {
			if s.atWork && !s.stopped && !yield(s.number) {
				return
			}
		}
	})
}
