package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/retrydrill/drill/harness"
)

// slow tells that something came so late, by no line of the schedule, that deadlines
// may have passed which the schedule did not let pass. Whoever acted after one acted
// rightly; what the wire shows of it is not what the schedule asked for.
type slow struct {
	what string
	late harness.Duration
}

// slowness finds the worst delay of a trial that nobody asked for: what the world
// measured of itself, an answer that left in good time and was not heard before its
// client gave up, and one that a client waited for in vain though no line touched it.
func (v *View) slowness() (worst slow) {
	note := func(what string, late harness.Duration) {
		if late >= max(v.Schedule.Limits.Matters(), 1) && late > worst.late {
			worst = slow{what, late}
		}
	}
	for _, d := range v.delays {
		if d.Kind == harness.EvSlow {
			note(d.Note, d.Late)
		} else if asked := v.attempt(d.asked); asked != nil {
			note("an answer on its way", v.waited(asked, d.Event))
			note("an answer that nothing held up", v.inVain(asked, d.Event))
		}
	}
	return worst
}

// waited is how long the answer had been on its way when its client gave up, where it
// had left in half of the deadline; else 0. A client that gave up sooner did so of
// its own accord.
func (v *View) waited(a *attempt, gaveUp *harness.Event) harness.Duration {
	half := v.Schedule.Limits.ClientDeadline / 2
	if a.passed == nil || a.passed.Seq > gaveUp.Seq || a.passed.At-a.At >= half || gaveUp.At-a.At < half {
		return 0
	}
	return gaveUp.At - a.passed.At
}

// inVain is how long a client waited for an answer until it gave up, where no line of the
// schedule had to do with it: nothing struck it or held it, nor another request that was
// on its way at the time, and there was no hand-over for which it may have had to wait.
func (v *View) inVain(a *attempt, gaveUp *harness.Event) harness.Duration {
	waited := gaveUp.At - a.At
	if waited < v.Schedule.Limits.ClientDeadline/2 || a.lost != nil && a.lost.Seq < gaveUp.Seq || v.touched(a.Seq, gaveUp.Seq) {
		return 0
	}
	return waited
}

// touch is an event that tells of a fault, a hold or a hand-over.
type touch struct {
	seq int
	// began is where the first of the requests arrived of which this one and later ones
	// tell; one that tells of none tells of its own moment.
	began int
}

// touched reports whether something was held up between two moments.
func (v *View) touched(from, to int) bool {
	if len(v.touches) == 0 {
		v.touch()
	}
	i, _ := slices.BinarySearchFunc(v.touches, from, func(t touch, from int) int { return cmp.Compare(t.seq, from) })
	return v.touches[i].began < to
}

// touch lists the touches in order; the last one is none, behind all.
func (v *View) touch() {
	for i := range v.Events {
		e := &v.Events[i]
		switch e.Kind {
		case harness.EvFault, harness.EvHold, harness.EvDeliver:
			began := e.Seq
			if of := v.attempt(e.Attempt); of != nil {
				began = of.Seq
			}
			v.touches = append(v.touches, touch{e.Seq, began})
		}
	}
	v.touches = append(v.touches, touch{math.MaxInt, math.MaxInt})
	for i := len(v.touches) - 2; i >= 0; i-- {
		v.touches[i].began = min(v.touches[i].began, v.touches[i+1].began)
	}
}

// String tells what was slow, in words that a reason can hold.
func (s slow) String() string {
	return fmt.Sprintf("the machine was slow, %s came %s late", s.what, s.late.D().Round(time.Millisecond))
}

// timeless are the invariants that read nothing which comes sooner, later or in
// another order on a slow machine.
var timeless = []string{"no-secret"}

// excuses reports whether slowness could have brought about all that is broken.
func (s slow) excuses(broken []string) bool {
	return s.late > 0 && !slices.ContainsFunc(broken, func(id string) bool { return slices.Contains(timeless, id) })
}
