package sim

import (
	"context"
	"time"
)

// clock is the time in this world: [Start] and the trial's own, as one that is asked often
// puts it together.
func (t *trial) clock() time.Time {
	if now := t.now; now < time.Second {
		return time.Unix(startUnix, int64(now)).UTC()
	}
	return Start.Add(t.now)
}

// startUnix is Start, in seconds since 1970.
var startUnix = Start.Unix()

// targetSleeps has the target work for d on the world's clock.
func (t *trial) targetSleeps(_ context.Context, d time.Duration) error {
	t.block(wait{timed: true, until: t.now + d})
	return nil
}

// instant is how far one event is from the next: no two happen at one time, and all
// that happens while nobody waits stays far below what a schedule counts in.
const instant = time.Microsecond

// tick is the time of the next event.
func (t *trial) tick() time.Duration {
	t.now += instant
	return t.now
}
