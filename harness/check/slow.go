package check

import (
	"fmt"
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
// measured of itself, and of an answer that was not heard before its client gave up, how
// long the target took for it, or how long it was on its way where it left in good time.
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
			note("the target's answer", v.took(asked))
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

// took is how long the target needed for an answer, where nothing held it up meanwhile:
// no fault, no hold, and no hand-over for which it may have had to wait.
func (v *View) took(a *attempt) harness.Duration {
	if a.answered == nil {
		return 0
	}
	meanwhile := func(e *harness.Event) bool { return e.Seq > a.Seq && e.Seq < a.answered.Seq }
	held := func(e *harness.Event) bool { return e.Kind == harness.EvHold && meanwhile(e) }
	handed := func(d *delivery) bool { return meanwhile(d.Event) }
	if slices.ContainsFunc(v.struck, meanwhile) || slices.ContainsFunc(v.aside, held) || slices.ContainsFunc(v.deliveries, handed) {
		return 0
	}
	return a.answered.At - a.At
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
