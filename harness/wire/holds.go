package wire

// holdBegins implements crew.
func (t *trial) holdBegins(worker int) <-chan struct{} {
	hopeless := t.holds.Begin(worker)
	t.poke()
	return hopeless
}

// holdEnds implements crew.
func (t *trial) holdEnds(hopeless <-chan struct{}) { t.holds.End(hopeless) }

// releaseHopeless ends the holds of workers beside whom nobody is at work and free.
func (t *trial) releaseHopeless() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds.Release(func(yield func(int) bool) {
		for _, s := range t.seats {
			if s.atWork && !s.stopped && !yield(s.number) {
				return
			}
		}
	})
}
