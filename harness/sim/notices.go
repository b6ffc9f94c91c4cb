package sim

import "github.com/retrydrill/drill/harness"

// tell hands a notice of the target to the queue. Where the schedule wants it to come
// before the answer, the request waits until the hand-over is over.
func (t *trial) tell(n harness.Notice) {
	telling := t.queue.Heard(n, t.session, t.now)
	if telling.Before != nil {
		t.block(wait{chans: [2]<-chan struct{}{telling.Before}})
	}
}
