package sim

import (
	"errors"

	"github.com/retrydrill/drill/harness"
)

// waits reports whether somebody may have to wait where the line strikes: others go on
// meanwhile.
func waits(f *harness.Fault) bool {
	switch f.Name {
	case "delay", "hold", "pause":
		return true
	}
	return f.Where.Point == harness.AtEvent
}

// prompt reports whether no request of the trial waits on its way, as far as its
// schedule and its target tell: the target takes no time, no line holds anything up,
// and no worker is told of anything before an answer.
func prompt(s *harness.Schedule, target bool) bool {
	if !target || !s.Settings.Latency.IsZero() {
		return false
	}
	for i := range s.Faults {
		if waits(&s.Faults[i]) {
			return false
		}
	}
	return true
}

// alone reports whether a request that is sent now is over before anybody else could go
// on: then it needs no coroutine of its own.
func (t *trial) alone() bool {
	return t.prompt && t.gate == nil && t.bubble == nil && len(t.alive) < 2 && !t.watched
}

// straight carries an exchange where its worker is.
func (t *trial) straight(x *exchange) {
	t.engine.straight = true
	x.run()
	t.engine.straight = false
}

// errWaits is what a trial comes to in which a request waits that can not: it is carried
// where its worker is.
var errWaits = errors.New("a request waits in a trial in which none was to wait")
